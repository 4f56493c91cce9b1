"""From memory to file: new notes, and files that follow what was changed through any tongue."""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Conflict, Invalid, NotFound
from commonplace.filesystem import explained
from commonplace.records.memory import Draft, Edit, Memory, Once, Origin
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Kept
from commonplace.vault import filenames, folder, frontmatter
from commonplace.vault.frontmatter import Note, text_only_tags
from commonplace.vault.markdown import link_names
from commonplace.vault.root_marker import claim, is_usable
from commonplace.vault.tombstones import Cleared, clear_up
from commonplace.vault.vault import MARK, Vault, mark_of, marked, sha256, told, vault_of

_TAGS = Origin(dialect="vault", reason="the tags in the text changed")
GRACE_MS = 90_000  # Sync clients replace a file by removing it first; some take a minute for it.


@dataclass(frozen=True, slots=True)
class Written:
    """What somebody wants to keep as a note."""

    title: str
    body: str
    tags: tuple[str, ...] = ()


def append(vault: Vault, wanted: Written, key: Once | None, origin: Origin) -> Memory:
    """Keep a new note; its file is on disk when this returns. The same key gives the note it made
    before.

    While the folder's disk is away the note is in the store alone, and is written into the folder
    once it is back.
    """
    parts: list[Path] = []
    try:
        with vault.engine.db.transaction():
            number = _once(vault, wanted, key, origin, parts)
        try:
            _give_name(vault, number, parts[0] if parts else None, origin)
        except CommonplaceError:
            if is_usable(vault):
                raise
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    memory = vault.memory(number)
    if memory is None:
        raise NotFound("The note of this key was erased.", hint="Use a new key.")
    return memory


def follow(vault: Vault, number: int, origin: Origin) -> bool:
    """Write what a memory says into its file; whether anything was written. What a person changed
    there waits.
    """
    if not is_usable(vault):
        return False
    with vault.engine.db.transaction():
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None or (kept is None and not mark_of(memory)):
            return False  # Erased, or no note.
        if kept is None or kept.mtime_ns == 0:
            _give_name(vault, number, None, origin)
            return True
        seen = folder.seen(vault.root, kept.path)
        if seen is None:
            return _rewrite(vault, kept, memory, origin)
        data = folder.contents(vault.root, kept.path)
        if sha256(data) != kept.sha256:
            return False
        page = frontmatter.split(data)
        before = frontmatter.read(page, Path(kept.path).stem)
        said = told(memory, before)
        after = frontmatter.change(page, before, said)
        if after != data:
            folder.replace(vault.root, kept.path, after, seen)
        _keep(vault, _retagged(vault, memory, said), kept.path, after)
        return after != data


def _retagged(vault: Vault, memory: Memory, said: Note) -> Memory:
    """A memory with the tags that stand in its text now."""
    in_text, mark = list(text_only_tags(said)), mark_of(memory)
    same = set(memory.tags) == {*said.tags, *in_text} and mark.get("text_tags", []) == in_text
    if same or memory.forgotten_at is not None:
        return memory
    rest = {name: value for name, value in mark.items() if name != "text_tags"}
    metadata = {**memory.metadata, MARK: {**rest, **({"text_tags": in_text} if in_text else {})}}
    edit = Edit(tags=frontmatter.all_tags(said), metadata=metadata)
    return vault.engine.revise(vault.bank, memory.id, edit, _TAGS).memory


def catch_up(engine: Engine, trash: Collection[int] = ()) -> Cleared:
    """Let files follow what was just changed or erased through any dialect. What fails waits for
    the next look.

    Of the notes in `trash`, which a person had erased, files that a person made are moved to a
    `.trash` beside them.
    """
    cleared, banks = Cleared(), set[str]()
    if engine.vault is not None:
        banks.update(rows.banks_behind(engine.db, engine.clock.now()))
        banks.update(rows.banks_of_erased(engine.db, trash))
    for vault in (vault_of(engine, bank) for bank in sorted(banks)):
        with suppress(CommonplaceError):
            clear_up(vault, cleared, trash)
        for number in rows.behind(engine.db, vault.bank_id or 0):
            with suppress(CommonplaceError):
                follow(vault, number, Origin(dialect="vault"))
    return cleared


def _free(vault: Vault, title: str) -> str:
    """Where the file of a new note goes: into the inbox, where one is set, under a name that nobody
    has.
    """
    inbox = f"{vault.engine.vault_inbox}/" if vault.engine.vault_inbox else ""
    if inbox and folder.behind_link(vault.root, inbox):
        inbox = ""
    known = rows.paths(vault.engine.db, vault.bank_id, inbox) if vault.bank_id is not None else []
    taken = {filenames.folded(path) for path in known}
    place = vault.root / inbox
    if place.is_dir():
        with explained(place):
            taken.update(filenames.folded(name) for name in os.listdir(place))
    return inbox + filenames.free(title, taken.__contains__)


def _once(
    vault: Vault, wanted: Written, key: Once | None, origin: Origin, parts: list[Path]
) -> int:
    def work() -> int:
        number, part = _born(vault, wanted, origin)
        parts.extend([part] if part else [])
        return number

    if key is None:
        return work()
    content = [wanted.title, wanted.body, list(wanted.tags)]
    return vault.engine.once(vault.bank, key, content, work)[0]


def _born(vault: Vault, wanted: Written, origin: Origin) -> tuple[int, Path | None]:
    """A new note as memory and, where the folder is there, as bytes on disk that have no name
    yet.
    """
    path = _free(vault, wanted.title)
    note = Note(wanted.title, wanted.body, tags=wanted.tags)
    draft = Draft(
        text=wanted.body,
        title=wanted.title,
        tags=frontmatter.all_tags(note),
        metadata=marked(note, path, copy=False, rest={}),
    )
    memory = vault.engine.remember(vault.bank, draft, origin).memory
    data = frontmatter.render(told(memory))
    part = None
    if is_usable(vault):
        claim(vault, make=True)
        part = folder.stage(vault.root, data)
    kept = Kept(
        memory.id, memory.bank_id, path, 0, len(data), sha256(data), memory.version, made_here=1
    )
    rows.put(vault.engine.db, kept)
    return memory.id, part


def _give_name(vault: Vault, number: int, part: Path | None, origin: Origin) -> None:
    """Put a note's file where it belongs, if it is not there yet."""
    memory, kept = vault.memory(number), rows.find(vault.engine.db, number)
    if memory is None or (kept is not None and kept.mtime_ns) or not is_usable(vault):
        return
    claim(vault, make=True)
    data = frontmatter.render(told(memory))
    path = kept.path if kept else _inside(str(mark_of(memory).get("file", "")))
    path = "" if path.startswith(rows.NOWHERE) or folder.behind_link(vault.root, path) else path
    first = path or _free(vault, told(memory).title)
    path, staged, made = first, part or folder.stage(vault.root, data), True
    try:
        # Somebody may have made a file of that name since it was chosen; theirs stays, unless it is
        # this very note.
        while not folder.publish(staged, vault.root, path):
            if _holds(vault, path, data):
                made = False
                break
            path = _free(vault, told(memory).title)
    finally:
        staged.unlink(missing_ok=True)
    if not is_usable(vault):
        return  # The disk went at this very moment: what was written lies below it, and is written again.
    with vault.engine.db.transaction():
        if path != mark_of(memory).get("file"):
            mark = {**memory.metadata, "vault": {**mark_of(memory), "file": path}}
            if memory.forgotten_at is None:
                memory = vault.engine.revise(vault.bank, number, Edit(metadata=mark), origin).memory
        _keep(vault, memory, path, data, made=made)


def _holds(vault: Vault, path: str, data: bytes) -> bool:
    with suppress(Invalid, NotFound):
        return sha256(folder.contents(vault.root, path)) == sha256(data)
    return False  # No plain file.


def _rewrite(vault: Vault, kept: Kept, memory: Memory, origin: Origin) -> bool:
    """A file that is gone, of a memory that went on: made again once nobody can be about to bring
    it back.
    """
    if kept.missing_at is None or vault.engine.clock.now() - kept.missing_at < GRACE_MS:
        return False
    if memory.forgotten_at is not None:
        rows.put(vault.engine.db, replace(kept, version=memory.version))
        return False
    rows.put(vault.engine.db, replace(kept, mtime_ns=0, missing_at=None))
    _give_name(vault, memory.id, None, origin)
    return True


def _keep(vault: Vault, memory: Memory, path: str, data: bytes, *, made: bool = False) -> None:
    seen = folder.seen(vault.root, path)
    if seen is None:
        raise Conflict(f"{Path(path).name!r} was removed meanwhile.", hint="Try again.")
    kept = Kept(
        memory.id, memory.bank_id, path, seen.settled_ns, seen.size, sha256(data), memory.version
    )
    rows.put(vault.engine.db, replace(kept, made_here=int(made)))
    rows.put_wikilinks(vault.engine.db, memory.bank_id, {memory.id: link_names(memory.text)})


def _inside(path: str) -> str:
    """A path that an archive brings, if it is one of a plain file in the folder."""
    parts = path.split("/")
    safe = all(
        filenames.stem(part) == part.removesuffix(".md") or filenames.stem(part) == part
        for part in parts
        if part
    )
    return path if path.endswith(".md") and safe and ".." not in parts and "" not in parts else ""


def adopt_files(vault: Vault, numbers: Sequence[int]) -> int:
    """Write the ids of notes into their files; how many files were changed. Those that have one
    stay as they are.
    """
    done = 0
    for number in numbers if is_usable(vault) else ():
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if kept is None or memory is None or folder.seen(vault.root, kept.path) is None:
            continue
        with suppress(Invalid), vault.engine.db.transaction():
            page = frontmatter.split(folder.contents(vault.root, kept.path))
            # One that is not ours may mean something to another program.
            if "id" in page.spans and frontmatter.read(page, "").id in (None, number):
                continue
            rows.put(vault.engine.db, replace(kept, version=0))
            done += follow(vault, number, Origin())
    return done
