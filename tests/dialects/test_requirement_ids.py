"""Every requirement has a test, and every test cites a requirement that exists."""

import pytest

from tests.dialects.requirements import HERE, cited_ids, dialects, requirements_of


@pytest.mark.parametrize("dialect", dialects())
def test_every_promise_is_shown_by_a_test(dialect: str) -> None:
    assert sorted({one.id for one in requirements_of(dialect)} - set(cited_ids(dialect))) == []


@pytest.mark.parametrize("dialect", dialects())
def test_every_id_that_a_test_cites_is_a_promise(dialect: str) -> None:
    assert sorted(set(cited_ids(dialect)) - {one.id for one in requirements_of(dialect)}) == []


@pytest.mark.parametrize("dialect", dialects())
def test_a_promise_has_one_id_a_source_and_a_sentence(dialect: str) -> None:
    ids = [one.id for one in requirements_of(dialect)]
    assert len(ids) == len(set(ids))
    assert all(
        one.id.startswith(f"{dialect}:") and one.source and one.text.endswith(".")
        for one in requirements_of(dialect)
    )


@pytest.mark.parametrize("dialect", dialects())
def test_every_difference_is_told_on_the_page_about_them(dialect: str) -> None:
    page = " ".join((HERE.parents[1] / "docs" / "compatibility.md").read_text().split())
    assert [
        one.id for one in requirements_of(dialect) if one.divergence and one.divergence not in page
    ] == []
