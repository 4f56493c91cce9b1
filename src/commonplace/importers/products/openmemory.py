"""The backup of OpenMemory, the server of mem0: a zip with one JSON file, as rows of mem0."""

from collections.abc import Iterator

from commonplace.importers.base import Object, list_of, object_of, text_of
from commonplace.importers.json_stream import Element

MEMBER = "memories.json"


def is_backup(given: Object) -> bool:
    """Whether an object is such a file, or a line of the JSON lines in the same zip."""
    return {"user", "apps", "memories"} <= given.keys() or {
        "content",
        "state",
        "categories",
    } <= given.keys()


def rows(given: Object) -> Iterator[Element]:
    """The memories of a backup, with names of users, apps and categories instead of ids."""
    user = object_of(given.get("user"))
    users = {text_of(user.get("id")): text_of(user.get("user_id"))}
    apps, categories = _names_by_id(given.get("apps")), _names_by_id(given.get("categories"))
    for number, one in enumerate(list_of(given.get("memories")), start=1):
        row = object_of(one)
        user_id = text_of(row.get("user_id"))
        names = {
            "user_id": users.get(user_id, user_id),
            "app": apps.get(text_of(row.get("app_id")), ""),
        }
        filed = [categories.get(text_of(number), "") for number in list_of(row.get("category_ids"))]
        plain = {name: value for name, value in row.items() if name != "app_id"}
        yield Element(f"item {number}", plain | names | {"categories": filed})


def _names_by_id(given: object) -> dict[str, str]:
    return {
        text_of(one.get("id")): text_of(one.get("name")) for one in map(object_of, list_of(given))
    }
