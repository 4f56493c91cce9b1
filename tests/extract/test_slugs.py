"""Segments of keypaths from headings, labels and sentences."""

import pytest

from commonplace.extract import slugs


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("Auth", "auth"),
        ("  API Gateway  ", "api_gateway"),
        ("**Bold** & `code`", "bold_code"),
        ("User's guide", "users_guide"),
        ("Größe", "grösse"),
        ("ＡＢＣ", "abc"),
        ("部署 说明", "部署_说明"),
        ("snake_case-and.dots", "snake_case_and_dots"),
        ("🎉", "item"),
        ("", "item"),
        ("word " * 30, "_".join(["word"] * 12)),
        ("x" * 80, "x" * 60),
    ],
)
def test_a_text_becomes_one_segment(text: str, segment: str) -> None:
    assert slugs.segment(text) == segment


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Port", "port"),
        ("Key files", "key_files"),
        ("auth.provider", "auth.provider"),
        ("Config.Max-Size", "config.max_size"),
        ("auth/oauth.go", "auth.oauth.go"),
        ("src/app", "src.app"),
        ("CI/CD", "ci_cd"),
        ("and so on.", "and_so_on"),
    ],
)
def test_a_label_with_dots_is_a_path(text: str, label: str) -> None:
    assert slugs.label_segments(text) == label


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("We use Postgres 15.", "use_postgres"),
        ("We use Postgres 16.", "use_postgres"),
        ("The cache is in Redis", "cache_redis"),
        ("It is", "it_is"),
        ("42", "42"),
        ("one two three four five six seven", "one_two_three_four_five_six"),
        (
            "Internationalization responsibilities characteristics",
            "internationalization_responsibilities",
        ),
    ],
)
def test_a_sentence_is_named_by_its_first_content_words(text: str, segment: str) -> None:
    assert slugs.sentence_segment(text) == segment
