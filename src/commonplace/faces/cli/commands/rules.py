"""The command `rules`: writes the rules and skills of a project as files for assistants."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from commonplace import git_project
from commonplace.engine.sessions.rules import visible_to
from commonplace.errors import Invalid
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.cli.rule_files import TARGETS, file_author, render_files
from commonplace.limits import LIST_MAX
from commonplace.records.memory import Scope
from commonplace.records.query import Filter

_REMOVED_WITHOUT_CONFIRMATION_MAX = 3
_LISTED_MAX = 20


@dataclass(frozen=True, slots=True)
class _Step:
    """A change of one file: a text to write, or None to remove the file."""

    tool: str
    file: str
    text: str | None


@click.command()
@click.option(
    "--for",
    "tools",
    type=click.Choice(list(TARGETS)),
    multiple=True,
    required=True,
    help="The tool to write for; may be repeated.",
)
@click.option(
    "--project",
    metavar="NAME",
    help="The project; by default the folder's git remote.",
    shell_complete=completers.PROJECTS,
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, exists=True),
    default=".",
    help="The folder to write to.",
)
@click.option("--force", is_flag=True, help="Also replace files that a person wrote or edited.")
@click.option("--yes", is_flag=True, help="Do not ask before removing files.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@with_call()
def rules(
    call: CommandCall,
    tools: tuple[str, ...],
    project: str | None,
    folder: str,
    force: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Write the rules and skills of a project as files for an assistant.

    Supports claude, cursor, copilot, windsurf, gemini and agents (AGENTS.md). Rules for certain
    files keep their paths in the tool's own form. Files written by this command carry a mark; they
    are updated, and removed once their rules are gone. A file that a person wrote or edited stays
    as it is; --force replaces it, and nothing removes it. The command asks before it removes more
    than three files, or all of them. --json prints one object per file.

    \b
    Examples:
      commonplace rules --for claude --for agents
      commonplace rules --for cursor --project github.com/me/app --dry-run
    """
    root = Path(folder).resolve()
    name = project if project is not None else git_project.project_of_folder(str(root))
    seen = visible_to(Scope(project=name))
    listed = call.engine.list_rules(call.read_bank, seen)
    skills = call.engine.list(
        call.bank,
        Filter(kinds=("skill",), projects=seen.projects, users=seen.users),
        limit=LIST_MAX,
    )
    steps = [
        step
        for tool in dict.fromkeys(tools)
        for step in _plan_steps(root, tool, render_files(TARGETS[tool], listed, skills[::-1]))
    ]
    if not (yes or dry_run):
        _confirm_removal(root, steps)
    for step in steps:
        _print_outcome(
            call, step, _apply_step(root, step, force=force, dry_run=dry_run), dry_run=dry_run
        )


def _plan_steps(root: Path, tool: str, wanted: Mapping[str, str]) -> Iterator[_Step]:
    """The files to write, then the marked files without rules, which are removed."""
    yield from (_Step(tool, file, text) for file, text in wanted.items())
    target = TARGETS[tool]
    for pattern in (
        target.single_file,
        target.rules and f"{target.rules}/*{target.ending}",
        f"{target.skills}/*/SKILL.md",
    ):
        for path in sorted(root.glob(pattern)) if pattern else ():
            file = path.relative_to(root).as_posix()
            if file not in wanted and path.is_file() and file_author(file, _read(path)) != "person":
                yield _Step(tool, file, None)


def _confirm_removal(root: Path, steps: Sequence[_Step]) -> None:
    removed = [step.file for step in steps if step.text is None and not _reason_to_keep(root, step)]
    emptied = len(removed) > 1 and all(step.text is None for step in steps)
    if len(removed) <= _REMOVED_WITHOUT_CONFIRMATION_MAX and not emptied:
        return
    for file in removed[:_LISTED_MAX]:
        terminal.print_note(f"to remove  {terminal.clean(file)}")
    if len(removed) > _LISTED_MAX:
        terminal.print_note(f"... and {len(removed) - _LISTED_MAX:,} more")
    terminal.confirm(f"Remove {terminal.pluralize(len(removed), 'file')} whose rules are gone?")


def _print_outcome(
    call: CommandCall, step: _Step, outcome: tuple[str, str], *, dry_run: bool
) -> None:
    done, reason = outcome
    if call.as_json:
        shape = {"tool": step.tool, "file": step.file, "done": done, "dry_run": dry_run}
        terminal.print_json(shape | ({"reason": reason} if reason else {}))
    elif done == "kept":
        advice = (
            "its rules are gone, so remove it yourself"
            if step.text is None
            else "--force replaces it"
        )
        terminal.print_note(f"{step.file} {reason} and stays as it is; {advice}.")
    else:
        terminal.print_answer(
            f"{'would be ' if dry_run and done != 'unchanged' else ''}{done}  {step.file}"
        )


def _apply_step(root: Path, step: _Step, *, force: bool, dry_run: bool) -> tuple[str, str]:
    """The outcome for a file (written, replaced, unchanged, removed or kept), and why it was kept.

    With `dry_run`, nothing is changed.
    """
    path = root / step.file
    exists = path.exists() or path.is_symlink()
    removes = step.text is None
    if exists and not removes and _read(path) == step.text:
        return "unchanged", ""
    reason = _reason_to_keep(root, step) if exists else ""
    if reason and (removes or not force):
        return "kept", reason
    if not dry_run:
        _replace(path, step.text)
    return _outcome(exists=exists, removes=removes), ""


def _outcome(*, exists: bool, removes: bool) -> str:
    if removes:
        return "removed"
    return "replaced" if exists else "written"


def _reason_to_keep(root: Path, step: _Step) -> str:
    path = root / step.file
    wrote = file_author(step.file, _read(path))
    # A linked folder may be shared with other projects that have rules in it.
    if path.is_symlink() or (step.text is None and path.resolve() != path):
        return "is a link or in a linked folder"
    return {"ours": "", "edited": "was edited by hand", "person": "was written by hand"}[wrote]


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
            f"{path.name!r} is a folder.",
            hint="Move it away, so that a file of that name can be written.",
        ) from error
    except FileNotFoundError:
        return ""
