from commonplace.dialects.dialect import Call
from commonplace.dialects.memstate import DIALECT
from commonplace.engine.engine import Engine
from commonplace.engine.keypaths import Key
from commonplace.records.memory import Draft, Edit, Scope


def test_projects_keypaths_and_ids_are_completed_from_what_is_known(engine: Engine) -> None:
    memory = engine.set_key(
        "default", Key(Scope(project="shop"), "auth.provider"), Edit(text="OTP")
    ).memory
    engine.set_key("default", Key(Scope(project="shop"), "db.port"), Edit(text="5432"))
    engine.remember(
        "default", Draft("secret", key="auth.other", scope=Scope(project="shop", user="somebody"))
    )
    call = Call(engine, "default")
    offered = {name: list(find(call, typed)) for name, find, typed in _asked(DIALECT.completions)}
    assert offered["project_id"] == ["shop"]
    assert offered["keypath"] == ["auth.provider"]
    assert len(offered["memory_id"]) == 2
    assert list(DIALECT.completions["memory_id"](call, "mem_zz")) == []
    assert memory.key == "auth.provider"


def _asked(completions):  # type: ignore[no-untyped-def]
    typed = {"project_id": "sh", "keypath": "auth", "memory_id": "mem_"}
    return [(name, find, typed[name]) for name, find in completions.items()]
