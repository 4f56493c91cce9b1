"""The knowledge base of a bank: folders, and pages that are mental models with a place in a folder.

A page is made, kept up to date and emptied as any mental model. Only its place is settled here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonplace import validation
from commonplace.engine.erasure import for_good
from commonplace.engine.reflect import mental_models
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict, Invalid, NotFound, TooLarge
from commonplace.limits import LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.work import Standing
from commonplace.storage import bank_items as rows
from commonplace.storage import banks

KIND = "knowledge_folder"
DEPTH_MAX = 20
PAGE_TOKENS_USUAL = 4096
# A page that nobody gave a trigger follows the memories that it is about.
PAGE_TRIGGER: Mapping[str, object] = {
    "mode": "delta",
    "refresh_after_consolidation": True,
    "exclude_mental_models": True,
}


@dataclass(frozen=True, slots=True)
class Folder:
    """A place for pages and folders. Its parent is the name of a folder, or "" at the top."""

    name: str
    title: str
    parent: str = ""
    created_at: int = 0
    updated_at: int = 0
    id: int = 0


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All folders and pages of a bank, by title."""

    folders: tuple[Folder, ...] = ()
    pages: tuple[MentalModel, ...] = ()

    def inside(self, folder: str) -> tuple[tuple[Folder, ...], tuple[MentalModel, ...]]:
        """What stands directly in a folder. What lost its folder stands at the top, so that it can
        be found.
        """
        known = {one.name for one in self.folders}
        folders = tuple(
            one for one in self.folders if (one.parent if one.parent in known else "") == folder
        )
        return folders, tuple(
            one for one in self.pages if (one.folder if one.folder in known else "") == folder
        )

    def below(self, folder: str) -> tuple[str, ...]:
        """A folder and all folders below it."""
        found = [folder]
        for name in found:
            found += [
                one.name for one in self.folders if one.parent == name and one.name not in found
            ]
        return tuple(found)

    def depth(self, folder: str) -> int:
        """How many folders lead to what stands in a folder, itself included."""
        parents, count = {one.name: one.parent for one in self.folders}, 0
        while folder and count <= DEPTH_MAX:
            folder, count = parents.get(folder, ""), count + 1
        return count


def knowledge(parts: Parts, bank: str) -> Knowledge:
    """The whole knowledge base of a bank."""
    place = banks.find(parts.db, validation.name(bank, what="bank"))
    if place is None:
        return Knowledge()
    folders = [_folder(one) for one in rows.listed(parts.db, place.id, KIND, LIST_MAX)]
    pages = [one for one in mental_models.list_mental_models(parts, bank) if one.folder is not None]
    return Knowledge(tuple(sorted(folders, key=_order)), tuple(sorted(pages, key=_order)))


def knowledge_page(parts: Parts, bank: str, name: str) -> MentalModel:
    """One page."""
    return _page_named(knowledge(parts, bank), name)


def add_folder(parts: Parts, bank: str, title: str, parent: str = "") -> Folder:
    """Make an empty folder."""
    named = validation.name(title, what="name", chars_max=TITLE_CHARS_MAX)
    with parts.db.transaction():
        known = knowledge(parts, bank)
        _require_place(known, parent, named)
        if len(known.folders) >= LIST_MAX:
            raise TooLarge(f"A bank has at most {LIST_MAX:,} folders.", hint="Delete some first.")
        now = parts.clock.now()
        bank_id, number = banks.ensure(parts.db, bank, now).id, banks.new_ids(parts.db, now)[0]
        folder = Folder(f"kf-{number:032x}", named, parent, now, now, number)
        _put(parts, bank_id, folder)
    return folder


def add_page(parts: Parts, bank: str, draft: MentalModel) -> MentalModel:
    """Make a page in the folder that the draft names; it has no text yet."""
    with parts.db.transaction():
        _require_place(knowledge(parts, bank), draft.folder or "", draft.title.strip())
        if len(mental_models.list_mental_models(parts, bank)) >= LIST_MAX:
            raise TooLarge(
                f"A bank has at most {LIST_MAX:,} pages and mental models.",
                hint="Delete some first.",
            )
        return mental_models.add_mental_model(
            parts, bank, replace(draft, folder=draft.folder or "")
        )


def update_folder(
    parts: Parts, bank: str, name: str, *, title: str | None = None, parent: str | None = None
) -> Folder:
    """Rename a folder, or move it with all that is in it."""
    with parts.db.transaction():
        known = knowledge(parts, bank)
        before = _folder_named(known, name)
        after = replace(before, updated_at=parts.clock.now())
        if title is not None:
            after = replace(
                after, title=validation.name(title, what="name", chars_max=TITLE_CHARS_MAX)
            )
        if parent is not None:
            after = replace(after, parent=parent)
        if after.parent in known.below(name):
            raise Invalid(
                "A folder cannot be moved into itself.",
                hint="Choose a folder that is not below it.",
            )
        deepest = max(known.depth(one) for one in known.below(name)) - known.depth(name)
        _require_place(known, after.parent, after.title, own=name, deepest=deepest)
        _put(parts, banks.ensure(parts.db, bank, after.updated_at).id, after)
    return after


def update_page(parts: Parts, bank: str, name: str, **changes: Any) -> MentalModel:
    """Rename a page, move it, or change what it is about; its text stays until it is made again."""
    with parts.db.transaction():
        known = knowledge(parts, bank)
        after = replace(_page_named(known, name), **changes)
        _require_place(known, after.folder or "", after.title.strip(), own=name)
        return mental_models.update_mental_model(parts, bank, name, **changes)


def delete_node(parts: Parts, bank: str, name: str) -> None:
    """Delete a page, or a folder with all pages and folders below it."""
    with for_good(parts):
        known = knowledge(parts, bank)
        doomed = known.below(_folder_named(known, name).name) if name.startswith("kf-") else ()
        pages = (
            [_page_named(known, name)]
            if not doomed
            else [one for one in known.pages if one.folder in doomed]
        )
        for page in pages:
            mental_models.delete_mental_model(parts, bank, page.name)
        for folder in known.folders:
            if folder.name in doomed:
                rows.delete(parts.db, folder.id)


def _page_named(known: Knowledge, name: str) -> MentalModel:
    found = next((one for one in known.pages if one.name == name), None)
    if found is None:
        raise NotFound(f"Knowledge page '{name[:60]}' not found")
    return found


def _folder_named(known: Knowledge, name: str) -> Folder:
    found = next((one for one in known.folders if one.name == name), None)
    if found is None:
        raise NotFound(f"Knowledge folder '{name[:60]}' not found")
    return found


def _require_place(
    known: Knowledge, folder: str, title: str, *, own: str = "", deepest: int = 0
) -> None:
    """Raises where a folder is not there, is too deep, or has something of the same title."""
    if folder:
        _folder_named(known, folder)
    if known.depth(folder) + 1 + deepest > DEPTH_MAX:
        raise TooLarge(
            f"Folders are at most {DEPTH_MAX} deep.", hint="Choose a folder nearer to the top."
        )
    siblings: Sequence[Folder | MentalModel] = [
        one for some in known.inside(folder) for one in some
    ]
    if any(one.title.casefold() == title.casefold() and one.name != own for one in siblings):
        raise Conflict(
            f"'{title[:60]}' already exists in this folder.", hint="Choose another name or folder."
        )


def _put(parts: Parts, bank_id: int, folder: Folder) -> None:
    body = {"title": folder.title, "parent": folder.parent}
    rows.put(
        parts.db,
        Standing(
            folder.id, bank_id, KIND, folder.name, (), body, folder.created_at, folder.updated_at
        ),
    )


def _folder(row: Standing) -> Folder:
    body = row.body
    return Folder(
        row.name, str(body["title"]), str(body["parent"]), row.created_at, row.updated_at, row.id
    )


def _order(one: Folder | MentalModel) -> tuple[str, int]:
    return one.title.casefold(), one.id
