"""The backup of OpenMemory, the server of mem0: a zip with everything in one JSON file, told as
mem0 gives it out.
"""

from collections.abc import Iterator

from commonplace.importers.base import Object, list_of, object_of, text_of
from commonplace.importers.json_stream import Element

MEMBER = "memories.json"


def is_backup(given: Object) -> bool:
    """Whether an object is such a file, or a line of the other file in the zip, which says the
    same.
    """
    return {"user", "apps", "memories"} <= given.keys() or {
        "content",
        "state",
        "categories",
    } <= given.keys()


def rows(given: Object) -> Iterator[Element]:
    """Its memories, with the names of users, apps and categories instead of their numbers."""
    user = object_of(given.get("user"))
    users = {text_of(user.get("id")): text_of(user.get("user_id"))}
    apps, categories = _names(given.get("apps")), _names(given.get("categories"))
    for number, one in enumerate(list_of(given.get("memories")), start=1):
        row = object_of(one)
        said = text_of(row.get("user_id"))
        named = {"user_id": users.get(said, said), "app": apps.get(text_of(row.get("app_id")), "")}
        filed = [categories.get(text_of(number), "") for number in list_of(row.get("category_ids"))]
        plain = {name: value for name, value in row.items() if name != "app_id"}
        yield Element(f"item {number}", plain | named | {"categories": filed})


def _names(given: object) -> dict[str, str]:
    return {
        text_of(one.get("id")): text_of(one.get("name")) for one in map(object_of, list_of(given))
    }
