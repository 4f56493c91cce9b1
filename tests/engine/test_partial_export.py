"""What a user, a project or a document has can be taken out by itself, and read into another
store.
"""

from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.errors import Unsupported
from commonplace.records.memory import BankEdit, Draft, Origin, Scope
from commonplace.records.query import Filter
from commonplace.records.receipt import Portion
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.engine.test_scoped_erasure import BANK, everything_of


def lines(engine: Engine, portion: Portion) -> list[str]:
    found: list[str] = []
    engine.export(found.append, portion=portion)
    return found


def filled(engine: Engine) -> None:
    everything_of(engine, "ana", "web", "quux")
    everything_of(engine, "bob", "web", "zork")
    engine.retain(BANK, RetainRequest("The alarm is silent.", "diary"))
    engine.remember(
        BANK, Draft("Blue", scope=Scope(project="other")), Origin(reason="zork told me")
    )


def test_the_export_of_a_user_holds_all_of_that_user_and_nothing_of_others(engine: Engine) -> None:
    filled(engine)

    text = "".join(lines(engine, Portion(user="ana")))

    assert text.count("quux") >= 6
    for word in ("zork", "bob", "silent", "Blue"):
        assert word not in text


def test_the_export_of_a_user_leaves_out_banks_without_anything_of_that_user(
    engine: Engine,
) -> None:
    everything_of(engine, "ana", "web", "quux")
    engine.remember("others", Draft("Blue", scope=Scope(user="bob")))
    engine.update_bank("others", BankEdit(mission="Remember what bob likes."))

    text = "".join(lines(engine, Portion(user="ana")))
    nothing = lines(engine, Portion(user="carl"))

    assert "quux" in text
    assert "others" not in text
    assert "bob" not in text
    assert len(nothing) == 1


def test_such_an_export_is_read_into_another_store(
    engine: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    filled(engine)
    other = open_engine(load({"COMMONPLACE_HOME": str(tmp_path / "other")}), clock)

    other.import_archive(lines(engine, Portion(user="ana")))

    mine = Filter(users=("ana",), expired=True)
    assert [one.text for one in other.list(BANK, mine)] == [
        one.text for one in engine.list(BANK, mine)
    ]
    assert other.count(BANK) == engine.count(BANK, mine)
    assert other.list_sessions(BANK).total == 1
    other.db.close()


@pytest.mark.parametrize(
    ("portion", "words", "none"),
    [
        (Portion(project="other"), ["Blue"], ["quux", "zork one", "silent"]),
        (Portion(document="diary"), ["The alarm is silent."], ["quux", "Blue"]),
        (Portion(user="ana", project="web"), ["quux one"], ["zork", "Blue"]),
    ],
)
def test_the_export_of_a_part_holds_that_part(
    engine: Engine, portion: Portion, words: list[str], none: list[str]
) -> None:
    filled(engine)

    text = "".join(lines(engine, portion))

    assert [word for word in words if word not in text] == []
    assert [word for word in none if word in text] == []


def test_a_part_that_cannot_be_exported_is_refused(engine: Engine) -> None:
    with pytest.raises(Unsupported):
        engine.export(print, portion=Portion(session="1"))
