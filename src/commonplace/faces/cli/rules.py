"""`commonplace rules`: the rules and skills of a project as the files that assistants read by themselves."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from commonplace import gitremotes
from commonplace.engine.rules import visible
from commonplace.errors import Invalid
from commonplace.faces.cli import screen
from commonplace.faces.cli.call import Call, called
from commonplace.faces.cli.rule_files import TARGETS, Target, is_ours, written
from commonplace.limits import LIST_MAX
from commonplace.records import Filter, Scope


@click.command()
@click.option(
    "--for", "tools", type=click.Choice(list(TARGETS)), multiple=True, required=True, help="The tool; may be repeated."
)
@click.option("--project", metavar="NAME", help="The project; told by the folder's git remote when omitted.")
@click.option("--folder", type=click.Path(file_okay=False, exists=True), default=".", help="Where the files go.")
@click.option("--force", is_flag=True, help="Replace files that were written by hand, too.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@called()
def rules(call: Call, tools: tuple[str, ...], project: str | None, folder: str, force: bool, dry_run: bool) -> None:
    """Write the rules and skills of a project as files for an assistant.

    For claude, cursor, copilot, windsurf, gemini or agents (AGENTS.md). Rules for certain files keep their paths in
    the tool's own form. A file written here carries a mark and is kept up to date; a file without it was written by
    hand and stays as it is, unless --force. With --json there is one object for each file.

    \b
    Examples:
      commonplace rules --for claude --for agents
      commonplace rules --for cursor --project github.com/me/app --dry-run
    """
    root = Path(folder).resolve()
    name = project if project is not None else gitremotes.project(str(root))
    seen = visible(Scope(project=name))
    listed = call.engine.list_rules(call.read_bank, seen)
    skills = call.engine.list(
        call.bank, Filter(kinds=("skill",), projects=seen.projects, users=seen.users), limit=LIST_MAX
    )
    for tool in dict.fromkeys(tools):
        target = TARGETS[tool]
        for file, text in _planned(root, target, written(target, listed, skills[::-1])):
            done = _carry_out(root / file, text, force=force, dry_run=dry_run)
            if call.as_json:
                screen.emit({"tool": tool, "file": file, "done": done, "dry_run": dry_run})
            elif done == "kept":
                screen.note(f"{file} was written by hand and stays as it is; --force replaces it.")
            else:
                screen.answer(f"{'would be ' if dry_run and done != 'unchanged' else ''}{done}  {file}")


def _planned(root: Path, target: Target, wanted: dict[str, str]) -> Iterator[tuple[str, str | None]]:
    """What is to be written, and what we wrote once for rules that are gone."""
    yield from wanted.items()
    for pattern in (target.whole, target.rules and f"{target.rules}/*{target.ending}", f"{target.skills}/*/SKILL.md"):
        for path in sorted(root.glob(pattern)) if pattern else ():
            file = path.relative_to(root).as_posix()
            if file not in wanted and is_ours(_read(path)):
                yield file, None


def _carry_out(path: Path, text: str | None, *, force: bool, dry_run: bool) -> str:
    """What was done to a file, or would be: written, replaced, unchanged, removed or kept."""
    before = _read(path) if path.exists() or path.is_symlink() else None
    if before is not None and before == text:
        return "unchanged"
    if before is not None and not force and (path.is_symlink() or not is_ours(before)):
        return "kept"
    if not dry_run:
        _replace(path, text)
    return "removed" if text is None else "written" if before is None else "replaced"


def _replace(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # A new file takes the old one's name in one step, so that no tool ever reads half of it.
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".commonplace-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(part).chmod(0o644)
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except IsADirectoryError as error:
        raise Invalid(
            f"{path.name!r} is a folder.", hint="Move it away; a file of that name is to be written."
        ) from error
    except FileNotFoundError:
        return ""
