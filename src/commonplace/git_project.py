"""The project of a folder, derived from its git remote. Reads two or three small files and starts
no program.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_CONFIG_BYTES_MAX = 1_000_000
_SECTION = re.compile(r'\[\s*([^\s"\]]++)\s*+(?:"((?:[^"\\]|\\.)*)")?\s*+\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$")
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"|(\\.)|([;#].*)|([^"\\;#]+)')
# host:path, with or without a user. Drive letters and addresses with a scheme do not match.
_SCP_ADDRESS = re.compile(
    r"(?:[^@/\s:]+@)?(?P<host>\[[^\]]+\]|[^@/\s:\[\]]{2,}):(?!//)(?P<path>.+)"
)
_SCHEMES = frozenset(
    {"http", "https", "ssh", "git", "git+ssh", "git+https", "git+http", "ftp", "ftps"}
)


def project_of_folder(folder: str) -> str:
    """The project of a folder: `host/owner/repo` of the remote `origin`, or "" without one."""
    if not folder:
        return ""
    config = _config_of(Path(folder))
    return project_id(_origin(config)) if config else ""


def repository_root(folder: str) -> Path | None:
    """The folder of the main repository of a folder, which its work trees share; None without
    one.
    """
    config = _config_of(Path(folder)) if folder else None
    if config is None:
        return None
    git = Path(os.path.normpath(config.parent))
    return git.parent if git.name == ".git" else git


def project_id(remote: str) -> str:
    """The address of a remote as a project id: host and path, without scheme, user, port and
    `.git`.

    An address without a host, such as a folder, is returned as it is.
    """
    plain = _without_suffix(remote.strip())
    if "://" in plain:
        parts = urlsplit(plain)
        if parts.scheme.lower() not in _SCHEMES or not parts.hostname:
            return plain
        path = re.sub("/{2,}", "/", unquote(parts.path)).strip("/")
        return f"{parts.hostname.lower()}/{path}".rstrip("/")
    if short := _SCP_ADDRESS.fullmatch(plain):
        return f"{short['host'].strip('[]').lower()}/{short['path'].strip('/')}".rstrip("/")
    return plain


def _without_suffix(address: str) -> str:
    plain = address.rstrip("/")
    return plain.removesuffix(".git").rstrip("/")


def _config_of(folder: Path) -> Path | None:
    """The configuration file of the repository of a folder; a work tree shares the one of its main
    repository.
    """
    try:
        for candidate in (folder, *folder.parents):
            git = candidate / ".git"
            if git.is_dir():
                return git / "config"
            if git.is_file():
                return _common_dir(candidate / _gitdir_target(git)) / "config"
    except (OSError, ValueError):
        # An unreadable folder or a broken pointer means that the project is unknown, which is not
        # an error.
        return None
    return None


def _gitdir_target(git: Path) -> str:
    return git.read_text(encoding="utf-8", errors="replace")[:4096].partition("gitdir:")[2].strip()


def _common_dir(git: Path) -> Path:
    shared = git / "commondir"
    return (
        git / shared.read_text(encoding="utf-8", errors="replace").strip()
        if shared.is_file()
        else git
    )


def _origin(config: Path) -> str:
    """The first address of the remote `origin`."""
    try:
        text = config.read_text(encoding="utf-8", errors="replace")[:_CONFIG_BYTES_MAX]
    except OSError:
        return ""
    ours = False
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        plain = line.strip()
        if section := _SECTION.match(plain):
            ours = section[1].lower() == "remote" and section[2] == "origin"
            plain = plain[section.end() :].strip()
        setting = _SETTING.match(plain) if ours else None
        if setting and setting[1].lower() == "url" and setting[2]:
            return _value(setting[2])
    return ""


def _value(text: str) -> str:
    """A value without quotation marks and without a trailing comment."""
    out: list[str] = []
    for quoted, escaped, comment, plain in _VALUE.findall(text):
        if comment:
            break
        out.append(re.sub(r"\\(.)", r"\1", quoted) if quoted else escaped[1:] or plain)
    return "".join(out).strip()
