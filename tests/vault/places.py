"""What the tests of the vault share: a note kept, the folder read, a file edited as a person would."""

from commonplace.records import Filter, Memory, Origin
from commonplace.vault.place import Vault
from commonplace.vault.writing import Written, append

BY = Origin(who="ada")


def kept(vault: Vault, title: str = "Plan", body: str = "We sail.", *tags: str) -> Memory:
    return append(vault, Written(title, body, tags), None, BY)


def files(vault: Vault) -> dict[str, str]:
    return {str(f.relative_to(vault.root)): f.read_text() for f in sorted(vault.root.rglob("*")) if f.is_file()}


def known(vault: Vault) -> dict[str, tuple[str, str, bool]]:
    found = vault.engine.list(vault.bank, Filter(status="any"), limit=1000)
    return {one.title: (one.text, ",".join(one.tags), one.forgotten_at is None) for one in found}


def edit(vault: Vault, name: str, before: str, after: str) -> None:
    file = vault.root / name
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))
