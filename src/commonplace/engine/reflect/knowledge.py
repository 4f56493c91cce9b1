"""The knowledge base of a bank: folders, and pages, which are mental models in a folder.

A page is created, refreshed and cleared as any mental model; this module only adds its folder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonplace import validation
from commonplace.engine.erasure.erasure import erasing_transaction
from commonplace.engine.reflect import mental_models
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict, Invalid, NotFound, TooLarge
from commonplace.limits import LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.work import BankItem
from commonplace.storage.rows import bank_items as rows
from commonplace.storage.rows import banks

KIND = "knowledge_folder"
DEPTH_MAX = 20


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of pages and folders. Its parent is the name of a folder, or "" at the top."""

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

    def children(self, folder: str) -> tuple[tuple[Folder, ...], tuple[MentalModel, ...]]:
        """The folders and pages directly in a folder. Those whose folder no longer exists are at
        the top.
        """
        folder_names = {one.name for one in self.folders}
        folders = tuple(
            one
            for one in self.folders
            if (one.parent if one.parent in folder_names else "") == folder
        )
        return folders, tuple(
            one
            for one in self.pages
            if (one.folder if one.folder in folder_names else "") == folder
        )

    def subtree(self, folder: str) -> tuple[str, ...]:
        """A folder and all folders below it."""
        found = [folder]
        for name in found:
            found += [
                one.name for one in self.folders if one.parent == name and one.name not in found
            ]
        return tuple(found)

    def depth(self, folder: str) -> int:
        """The number of folders on the path to a folder's contents, itself included."""
        parents, count = {one.name: one.parent for one in self.folders}, 0
        while folder and count <= DEPTH_MAX:
            folder, count = parents.get(folder, ""), count + 1
        return count


def knowledge(runtime: Runtime, bank: str) -> Knowledge:
    """The whole knowledge base of a bank."""
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    if bank_record is None:
        return Knowledge()
    folders = [
        _folder_from_row(one) for one in rows.list_items(runtime.db, bank_record.id, KIND, LIST_MAX)
    ]
    pages = [
        one for one in mental_models.list_mental_models(runtime, bank) if one.folder is not None
    ]
    return Knowledge(tuple(sorted(folders, key=_sort_key)), tuple(sorted(pages, key=_sort_key)))


def knowledge_page(runtime: Runtime, bank: str, name: str) -> MentalModel:
    """One page."""
    return _require_page(knowledge(runtime, bank), name)


def add_folder(runtime: Runtime, bank: str, title: str, parent: str = "") -> Folder:
    """Create an empty folder."""
    checked_title = validation.name(title, what="name", chars_max=TITLE_CHARS_MAX)
    with runtime.db.transaction():
        knowledge_base = knowledge(runtime, bank)
        _check_location(knowledge_base, parent, checked_title)
        if len(knowledge_base.folders) >= LIST_MAX:
            raise TooLarge(f"A bank has at most {LIST_MAX:,} folders.", hint="Delete some first.")
        now = runtime.clock.now()
        bank_id, number = banks.ensure(runtime.db, bank, now).id, banks.new_ids(runtime.db, now)[0]
        folder = Folder(f"kf-{number:032x}", checked_title, parent, now, now, number)
        _put_folder(runtime, bank_id, folder)
    return folder


def add_page(runtime: Runtime, bank: str, draft: MentalModel) -> MentalModel:
    """Create a page without text in the folder that the draft names."""
    with runtime.db.transaction():
        _check_location(knowledge(runtime, bank), draft.folder or "", draft.title.strip())
        if len(mental_models.list_mental_models(runtime, bank)) >= LIST_MAX:
            raise TooLarge(
                f"A bank has at most {LIST_MAX:,} pages and mental models.",
                hint="Delete some first.",
            )
        return mental_models.add_mental_model(
            runtime, bank, replace(draft, folder=draft.folder or "")
        )


def update_folder(
    runtime: Runtime, bank: str, name: str, *, title: str | None = None, parent: str | None = None
) -> Folder:
    """Rename a folder, or move it with its contents."""
    with runtime.db.transaction():
        knowledge_base = knowledge(runtime, bank)
        before = _require_folder(knowledge_base, name)
        after = replace(before, updated_at=runtime.clock.now())
        if title is not None:
            after = replace(
                after, title=validation.name(title, what="name", chars_max=TITLE_CHARS_MAX)
            )
        if parent is not None:
            after = replace(after, parent=parent)
        if after.parent in knowledge_base.subtree(name):
            raise Invalid(
                "A folder cannot be moved into itself.",
                hint="Choose a folder that is not below it.",
            )
        subtree_depth = max(
            knowledge_base.depth(one) for one in knowledge_base.subtree(name)
        ) - knowledge_base.depth(name)
        _check_location(
            knowledge_base, after.parent, after.title, own_name=name, subtree_depth=subtree_depth
        )
        _put_folder(runtime, banks.ensure(runtime.db, bank, after.updated_at).id, after)
    return after


def update_page(runtime: Runtime, bank: str, name: str, **changes: Any) -> MentalModel:
    """Rename a page, move it or change its query. Its text stays until the next refresh."""
    with runtime.db.transaction():
        knowledge_base = knowledge(runtime, bank)
        after = replace(_require_page(knowledge_base, name), **changes)
        _check_location(knowledge_base, after.folder or "", after.title.strip(), own_name=name)
        return mental_models.update_mental_model(runtime, bank, name, **changes)


def delete_node(runtime: Runtime, bank: str, name: str) -> None:
    """Delete a page, or a folder with all pages and folders below it."""
    with erasing_transaction(runtime):
        knowledge_base = knowledge(runtime, bank)
        deleted_folders = (
            knowledge_base.subtree(_require_folder(knowledge_base, name).name)
            if name.startswith("kf-")
            else ()
        )
        pages = (
            [_require_page(knowledge_base, name)]
            if not deleted_folders
            else [one for one in knowledge_base.pages if one.folder in deleted_folders]
        )
        for page in pages:
            mental_models.delete_mental_model(runtime, bank, page.name)
        for folder in knowledge_base.folders:
            if folder.name in deleted_folders:
                rows.delete(runtime.db, folder.id)


def _require_page(knowledge_base: Knowledge, name: str) -> MentalModel:
    found = next((one for one in knowledge_base.pages if one.name == name), None)
    if found is None:
        raise NotFound(f"Knowledge page '{name[:60]}' not found", hint="List the knowledge base.")
    return found


def _require_folder(knowledge_base: Knowledge, name: str) -> Folder:
    found = next((one for one in knowledge_base.folders if one.name == name), None)
    if found is None:
        raise NotFound(f"Knowledge folder '{name[:60]}' not found", hint="List the knowledge base.")
    return found


def _check_location(
    knowledge_base: Knowledge,
    folder: str,
    title: str,
    *,
    own_name: str = "",
    subtree_depth: int = 0,
) -> None:
    """Raise if the folder does not exist, is too deep, or contains the same title already."""
    if folder:
        _require_folder(knowledge_base, folder)
    if knowledge_base.depth(folder) + 1 + subtree_depth > DEPTH_MAX:
        raise TooLarge(
            f"Folders are at most {DEPTH_MAX} deep.", hint="Choose a folder nearer to the top."
        )
    siblings: Sequence[Folder | MentalModel] = [
        one for some in knowledge_base.children(folder) for one in some
    ]
    if any(one.title.casefold() == title.casefold() and one.name != own_name for one in siblings):
        raise Conflict(
            f"'{title[:60]}' already exists in this folder.", hint="Choose another name or folder."
        )


def _put_folder(runtime: Runtime, bank_id: int, folder: Folder) -> None:
    body = {"title": folder.title, "parent": folder.parent}
    rows.put(
        runtime.db,
        BankItem(
            folder.id, bank_id, KIND, folder.name, (), body, folder.created_at, folder.updated_at
        ),
    )


def _folder_from_row(row: BankItem) -> Folder:
    body = row.body
    return Folder(
        row.name, str(body["title"]), str(body["parent"]), row.created_at, row.updated_at, row.id
    )


def _sort_key(one: Folder | MentalModel) -> tuple[str, int]:
    return one.title.casefold(), one.id
