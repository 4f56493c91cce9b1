"""Plans the change to a client's configuration file and makes it.

A plan has the whole text before and after. Both texts are parsed as the client parses them, and
must differ in the entry of this server only.
"""

import difflib
import json
import os
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import SplitResult, quote, urlsplit

from commonplace.errors import Conflict, Forbidden, Invalid, TooLarge, Unsupported
from commonplace.faces.connect import json_text, toml_text
from commonplace.faces.connect.clients import (
    CHOICES,
    KEY_FIELDS,
    TRANSPORT_FIELDS,
    Client,
    Entry,
    Machine,
    Named,
)
from commonplace.faces.connect.keys import Key, mask_keys

FILE_BYTES_MAX = 50_000_000
DEFAULT_NAME = "commonplace"
_PROGRAM = "commonplace"


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """The server that a client is to start, or the URL of a running one."""

    dialect: str
    # The program and its arguments before `mcp`.
    program: Sequence[str] = (_PROGRAM,)
    name: str = DEFAULT_NAME
    bank: str = ""
    url: str = ""
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    """One change to one file; `before` is None if there is no file yet."""

    client: Named
    path: Path
    before: str | None
    after: str
    entry: Entry | None
    # Whether the file contains a key, so that only its owner may read it.
    private: bool = False
    # Whether the file has nothing else and is removed as a whole.
    removes_file: bool = False

    @property
    def changes(self) -> bool:
        """Whether the plan changes the file."""
        return self.after != (self.before or "")

    @property
    def diff(self) -> str:
        """The change as a unified diff with keys masked."""
        old = "/dev/null" if self.before is None else str(self.path)
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            self.after.splitlines(),
            old,
            str(self.path),
            n=2,
            lineterm="",
        )
        return mask_keys("\n".join(lines))

    @property
    def shown_entry(self) -> Entry | None:
        """The entry with keys masked."""
        return json.loads(mask_keys(json.dumps(self.entry, ensure_ascii=False)))


def plan(client: Client, wanted: ServerSpec, machine: Machine) -> EditPlan:
    """Plan the entry that connects a client to this server. Nothing is written."""
    entry, name = _build_entry(client, wanted), _check_name(wanted.name)
    path = client.path(machine)
    before = read_file(path)
    with name_file_in_errors(path):
        after, entry = _with_entry(client, before or "", name, entry)
    return EditPlan(
        client, path, before, after, entry, private=bool(wanted.key and wanted.key.value)
    )


def plan_removal(client: Client, name: str, machine: Machine) -> EditPlan:
    """Plan the removal of this server's entry. Nothing is written."""
    name, path = _check_name(name), client.path(machine)
    before = read_file(path)
    with name_file_in_errors(path):
        after = _without_entry(client, before or "", name)
    return EditPlan(client, path, before, after, None)


def apply(plan: EditPlan) -> Path | None:
    """Make a planned change atomically. Returns the path of the backup, if there was a file."""
    if not plan.changes:
        return None
    # A symbolic link, as to a repository of settings, stays a link.
    path = plan.path.resolve()
    if read_file(path) != plan.before:
        raise Conflict(
            f"Another program has just changed {plan.path}.",
            hint="Run the command again to see the change to the new file.",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _backup(path) if plan.before is not None else None
        if plan.removes_file:
            path.unlink()
            return backup
        _replace(path, plan.after, private=plan.private)
    except OSError as error:
        raise _os_refusal(plan.path, error, "written") from error
    return backup


def _with_entry(client: Client, text: str, name: str, entry: Entry) -> tuple[str, Entry]:
    keys = (*_server_keys(client, text), name)
    present = _value_at(client, text, keys)
    if present is not None:
        _require_ours(present, keys[-1], client)
        entry = _merge_entry(cast(Entry, present), entry)
    if present == entry:
        return text, entry
    if client.format == "toml":
        after = _with_table(text, keys, present, entry)
    else:
        after = json_text.with_value(text, keys, entry)
    _verify(client, text, after, keys, entry)
    return after, entry


def _without_entry(client: Client, text: str, name: str) -> str:
    keys = (*_server_keys(client, text), name)
    present = _value_at(client, text, keys)
    if present is None:
        return text
    _require_ours(present, name, client)
    after = (toml_text if client.format == "toml" else json_text).without(text, keys)
    _verify(client, text, after, keys, None)
    return after


def _build_entry(client: Client, wanted: ServerSpec) -> Entry:
    return _remote_entry(client, wanted) if wanted.url else _local_entry(client, wanted)


def _local_entry(client: Client, wanted: ServerSpec) -> Entry:
    """The entry of a server that the client starts itself."""
    if wanted.key:
        raise Invalid(
            "A server that the client starts itself needs no key.",
            hint="Repeat without --key-variable and --write-key.",
        )
    command, *before = wanted.program
    bank = ["--bank", wanted.bank] if wanted.bank else []
    return client.local(command, [*before, "mcp", "--dialect", wanted.dialect, *bank])


def _remote_entry(client: Client, wanted: ServerSpec) -> Entry:
    if client.remote is None:
        raise Unsupported(
            f"{client.title} does not accept a URL in its configuration file.",
            hint=(
                "Repeat without --http, so that it starts the server itself, or add a connector in"
                " its settings."
            ),
        )
    parts = _split_url(wanted.url)
    if wanted.key and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", wanted.key.variable):
        raise Invalid(
            "--key-variable takes the name of a variable, not the key itself.",
            hint="Give the name, for example --key-variable COMMONPLACE_API_KEY",
        )
    if parts.path not in ("", "/"):
        if wanted.bank:
            raise Invalid(
                "--bank has no effect together with this URL.",
                hint=f"Put the bank into the URL: {wanted.url.rstrip('/')}/BANK",
            )
        return client.remote(wanted.url, wanted.key)
    path = f"/{wanted.dialect}/mcp" + (f"/{quote(wanted.bank, safe='')}" if wanted.bank else "")
    return client.remote(parts._replace(path=path).geturl(), wanted.key)


def _split_url(url: str) -> SplitResult:
    parts = urlsplit(url)
    has_spaces = re.search(r"[\s\x00-\x1f]", url)
    if parts.scheme not in ("http", "https") or not parts.hostname or has_spaces:
        raise Invalid(
            f"{url!r} is not the URL of a server.",
            hint="Give a URL such as --http http://127.0.0.1:8888/mcp",
        )
    return parts


def _merge_entry(present: Entry, entry: Entry) -> Entry:
    """The new entry, with the fields that the user added to the present one if both are of the same
    kind.
    """
    if not _is_same_kind(present, entry):
        return entry
    # A key is kept only for the URL that it was written for.
    moved = _entry_url(present) != _entry_url(entry) or any(field in entry for field in KEY_FIELDS)
    replaced = {*TRANSPORT_FIELDS, *entry} - {*CHOICES, *(() if moved else KEY_FIELDS)}
    return entry | {name: value for name, value in present.items() if name not in replaced}


def _entry_url(entry: Entry) -> str:
    return next(
        (str(entry[field]) for field in ("url", "httpUrl", "serverUrl") if field in entry), ""
    )


def _is_same_kind(present: Any, entry: Entry) -> bool:
    return isinstance(present, dict) and ("command" in present) == ("command" in entry)


def _with_table(text: str, keys: tuple[str, ...], present: Any, entry: Entry) -> str:
    if not _is_same_kind(present, entry):
        return toml_text.with_value(toml_text.without(text, keys), keys, entry, ())
    changed = {name for name in TRANSPORT_FIELDS if present.get(name) != entry.get(name)} | (
        set(entry) - set(present)
    )
    ours = {name: value for name, value in entry.items() if name in changed}
    return toml_text.with_value(text, keys, ours, changed)


def _require_ours(present: Any, name: str, client: Client) -> None:
    entry = cast(Entry, present) if isinstance(present, dict) else {}
    command: Any = entry.get("command", "")
    words = (
        [str(word) for word in cast(list[object], command)]
        if isinstance(command, list)
        else [str(command)]
    )
    args: Any = entry.get("args", [])
    words += [str(word) for word in cast(list[object], args)] if isinstance(args, list) else []
    starts_us = "mcp" in words and any(_PROGRAM in re.split(r"[\\/.]", word) for word in words)
    if not starts_us and "mcp" not in urlsplit(_entry_url(entry)).path.split("/"):
        raise Conflict(
            f"{client.title} already has another server called {name!r}.",
            hint="Choose another name with --name.",
        )


def _server_keys(client: Client, text: str) -> tuple[str, ...]:
    if client.newer_keys and isinstance(_value_at(client, text, client.newer_keys), dict):
        return client.newer_keys
    return client.keys


def _value_at(client: Client, text: str, keys: tuple[str, ...]) -> Any:
    return (toml_text if client.format == "toml" else json_text).value_at(text, keys)


def _parse_file(client: Client, text: str) -> Any:
    if client.format == "toml":
        return toml_text.parse(text)
    if not client.comments and text.strip():
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Invalid(
                f"The file is not plain JSON, which {client.title} requires: {error}.",
                hint="Remove comments and trailing commas in an editor; nothing was changed.",
            ) from error
    return json_text.parse(text).value


def _verify(
    client: Client, before: str, after: str, keys: tuple[str, ...], entry: Entry | None
) -> None:
    """Raise Invalid if the texts differ in anything but the intended entry."""
    expected = _parse_file(client, before)
    holder: Any = expected
    for key in keys[:-1]:
        if not isinstance(holder.setdefault(key, {}), dict):
            raise Invalid(
                f"{key!r} in the file is not an object.",
                hint="Correct the file in an editor; nothing was changed.",
            )
        holder = holder[key]
    if entry is None:
        del holder[keys[-1]]
    else:
        holder[keys[-1]] = entry
    # Without its last server the parent table is gone too, which is equivalent.
    if client.format == "toml" and not holder:
        expected.pop(keys[0])
    try:
        exact = _parse_file(client, after) == expected
    except Invalid:
        exact = False
    if not exact:
        raise Unsupported(
            f"The servers of {client.title} are written in a form that cannot be changed safely.",
            hint=(
                f"Write each as a table of its own, such as [{'.'.join(keys)}], or make the change"
                " in an editor."
            ),
        )


@contextmanager
def name_file_in_errors(path: Path) -> Generator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except Invalid as error:
        raise Invalid(error.message.replace("The file", str(path), 1), hint=error.hint) from error


def _check_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
        raise Invalid(
            f"{name[:80]!r} is not a valid name for an entry.",
            hint="Use up to 64 letters, digits, - and _.",
        )
    return name


def read_file(path: Path) -> str | None:
    """The text of a file; None if there is no file."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise TooLarge(
                f"{path} has more than {FILE_BYTES_MAX:,} bytes.",
                hint="Check that this is the right file.",
            )
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise Invalid(
            f"{path} is not UTF-8 text.", hint="Save it as UTF-8 in an editor and try again."
        ) from error
    except OSError as error:
        raise _os_refusal(path, error, "read") from error


def _backup(path: Path) -> Path:
    """Copy the file beside itself with the same permissions, under a free name."""
    content, mode = path.read_bytes(), path.stat().st_mode & 0o777
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.{_PROGRAM}-{number}.bak")
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        return copy


def _replace(path: Path, text: str, *, private: bool) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        # A new file is readable by its owner only: these files have secrets of other programs.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        Path(temporary).chmod(mode & 0o700 if private else mode)
        Path(temporary).replace(path)
    except OSError:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _os_refusal(path: Path, error: OSError, done: str) -> Forbidden | Invalid:
    if isinstance(error, IsADirectoryError | NotADirectoryError):
        return Invalid(
            f"{path} cannot be {done}: {error.strerror}.", hint="Check whether it is a file."
        )
    return Forbidden(
        f"{path} cannot be {done}: {error.strerror}.",
        hint="Check its permissions; nothing was changed.",
    )
