"""What is offered while somebody types stops at the walls as well."""

import pytest

from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Scope


@pytest.mark.parametrize("name", registry.NAMES)
def test_nothing_of_another_user_or_bank_is_offered(engine: Engine, name: str) -> None:
    hidden = Scope(project="quincunx", user="ada")
    theirs = engine.remember("default", Draft("Theirs.", key="quincunx.oil", scope=hidden)).memory
    there = engine.remember(
        "elsewhere", Draft("There.", key="quincunx.oil", scope=Scope(project="quincunx"))
    ).memory
    ours = engine.remember(
        "default", Draft("Ours.", key="pier.oil", scope=Scope(project="pier"))
    ).memory

    call = Call(engine, "default")
    offered = {
        one for complete in registry.find(name).completions.values() for one in complete(call, "")
    }

    assert not {one for one in offered if "quincunx" in one}
    assert not {
        one for one in offered if str(theirs.version_id) in one or str(there.version_id) in one
    }
    assert offered == set() or "pier" in offered or str(ours.id) in offered
