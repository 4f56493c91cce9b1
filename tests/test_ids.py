import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import ids
from commonplace.errors import Invalid

FORMS = (str, ids.short_form, ids.memstate_form, ids.note_form, ids.job_form, ids.uuid_form)


@given(st.integers(min_value=1, max_value=ids.ID_MAX), st.sampled_from(FORMS))
def test_every_printed_form_maps_back(number: int, form: type[str]) -> None:
    assert ids.parse(form(number)) == number
    assert ids.parse(number) == number


@given(st.integers(min_value=1, max_value=ids.ID_MAX))
def test_no_printed_form_is_valid_as_another(number: int) -> None:
    forms = [form(number) for form in FORMS]
    assert len(set(forms)) == len(forms)
    assert len(ids.short_form(number)) == 12
    assert ids.parse(ids.uuid_form(number).upper()) == number


def test_ids_of_this_century_are_exact_in_javascript() -> None:
    assert (
        ids.smallest_id(4_102_444_800_000 - 1) > 2**52
    )  # To the end of 2089 they fit below 2**53.
    assert ids.smallest_id(3_776_000_000_000) <= ids.ID_MAX


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        " ",
        "abc",
        "mem_",
        "mem_zzzz",
        "0",
        0,
        -1,
        2**53,
        True,
        "9" * 17,
        "mem_00000000000",
        "550e8400-e29b-41d4-a716-446655440000",
        "m\x00",
        "ｍ1",
        "٣",
    ],
)
def test_what_is_not_an_id_is_refused_with_a_hint(wrong: int | str) -> None:
    with pytest.raises(Invalid) as caught:
        ids.parse(wrong)
    assert caught.value.hint
