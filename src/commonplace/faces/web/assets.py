"""The files that the pages load: read once, and named with a part of their hash in addresses."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files

_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file. A browser keeps it until its hash changes."""

    body: bytes
    content_type: bytes
    hash: str


def _load() -> dict[str, Asset]:
    found: dict[str, Asset] = {}
    for file in files("commonplace.faces.web").joinpath("static").iterdir():
        kind = _TYPES.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            body = file.read_bytes()
            found[file.name] = Asset(body, kind, hashlib.sha256(body).hexdigest()[:12])
    return found


ASSETS = _load()


def asset_address(name: str) -> str:
    """The address of a file."""
    return f"/static/{name}?v={ASSETS[name].hash}"
