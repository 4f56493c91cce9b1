"""The embedder that arrives with the installation."""

from pathlib import Path

import numpy as np
import pytest

from commonplace.errors import Unsupported
from commonplace.models.embedder import TokenEmbedder
from commonplace.models.static_embedder import TOKENS_MAX, StaticEmbedder


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_vectors_have_length_one(embedder: StaticEmbedder) -> None:
    rows = embedder.embed(["The cat sat on the mat.", "猫坐在垫子上", "x"])
    assert rows.shape == (3, embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_text_without_tokens_is_nowhere(embedder: StaticEmbedder) -> None:
    assert not embedder.embed(["", "a"])[0].any()


def test_one_text_alone_and_in_a_batch_are_the_same(embedder: StaticEmbedder) -> None:
    texts = ["The port is 8080.", "Dogs bark.", "Deploy on Friday"]
    assert np.allclose(embedder.embed(texts)[1], embedder.embed(texts[1:2])[0])


def test_what_means_the_same_is_nearer_than_what_does_not(embedder: StaticEmbedder) -> None:
    dog, puppy, invoice = embedder.embed(
        ["my dog is ill", "the puppy feels sick", "send the invoice by Monday"]
    )
    assert dog @ puppy > dog @ invoice + 0.2


def test_a_very_long_text_has_few_tokens(embedder: StaticEmbedder) -> None:
    rows, tokens = embedder.embed_with_tokens(
        [" ".join(f"word{i} thing{i}" for i in range(50_000))]
    )
    assert len(tokens[0]) <= TOKENS_MAX
    assert np.isfinite(rows).all()


def test_it_knows_single_tokens(embedder: StaticEmbedder) -> None:
    assert isinstance(embedder, TokenEmbedder)
    the, dog = (embedder.embed_with_tokens([word])[1][0] for word in ("the", "dog"))
    assert np.linalg.norm(embedder.token_vectors(dog)) > 3 * np.linalg.norm(
        embedder.token_vectors(the)
    )


def test_a_damaged_installation_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Unsupported) as caught:
        StaticEmbedder(tmp_path)
    assert "COMMONPLACE_EMBEDDER" in caught.value.hint
