"""Finds what serves a path. A path that is spelled out precedes one with a name in it."""

from typing import Any, Generic, TypeAlias, TypeVar

Served = TypeVar("Served")
_Tree: TypeAlias = "dict[str, Any]"


class PathTree(Generic[Served]):
    """Paths such as `/banks/{bank}/memories`, each with its methods."""

    def __init__(self) -> None:
        self._root: _Tree = {}

    def add(self, path: str, method: str, served: Served) -> None:
        """Add a method of a path."""
        tree = self._root
        for part in path.strip("/").split("/"):
            tree = tree.setdefault(part, {})
        tree.setdefault("", {})[method] = served

    def find(self, parts: tuple[str, ...]) -> dict[str, tuple[Served, dict[str, str]]]:
        """By method, what serves a path, each with the values in the path."""
        branches: list[tuple[_Tree, dict[str, str]]] = [(self._root, {})]
        for part in parts:
            spelled = not part.startswith("{")
            exact = [(tree[part], found) for tree, found in branches if spelled and part in tree]
            named = [
                (tree[name], found | {name[1:-1]: part})
                for tree, found in branches
                for name in tree
                if name.startswith("{")
            ]
            branches = [*exact, *named] if part else []
        return {
            method: (served, found)
            for tree, found in reversed(branches)
            for method, served in tree.get("", {}).items()
        }
