"""The command `import`: archives, and the memories of other products."""

from pathlib import Path

import click

from commonplace.faces.cli import completers
from commonplace.faces.cli.command import CommandCall, with_call


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|FOLDER|-")
@click.option(
    "--from",
    "source",
    metavar="NAME",
    help="The format, a name from the list above; detected by default.",
    shell_complete=completers.SOURCES,
)
@click.option(
    "--dry-run", is_flag=True, help="Only show what would be imported and what would be skipped."
)
@click.option(
    "--bank",
    metavar="NAME",
    help="The bank to import into; by default `default`, or the bank of a Hindsight export.",
    shell_complete=completers.BANKS,
)
@click.option(
    "--project",
    metavar="NAME",
    default="",
    show_default=False,
    help="The project for memories that have none.",
    shell_complete=completers.PROJECTS,
)
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="USER",
    help="Your name in the source; may be repeated.",
)
@with_call(bank=False)
def import_memories(
    call: CommandCall,
    file: Path,
    source: str | None,
    dry_run: bool,
    bank: str | None,
    project: str,
    owners: tuple[str, ...],
) -> None:
    """Import the memories of another product, or an archive.

    \b
    memories   memories.sh: local.db, or its export as JSON or YAML
    powermem   PowerMem: its SQLite file or backup
    memstate   Memstate: memories with keypaths as JSON
    hindsight  Hindsight: the zip of a bank
    notes      a folder of markdown notes, zipped or not: Obsidian, basic-memory
    graph      memory.json or memory.jsonl of the official memory server
    mem0       mem0: get_all() or an export as JSON, an OpenMemory zip, history.db
    chatgpt    ChatGPT: the export, zipped or not
    claude     Claude: the export, zipped or not
    archive    what `commonplace export` wrote; - is standard input

    The source is never changed. Importing it again adds what is new or changed;
    what you forgot here stays forgotten.

    \b
    Examples:
      commonplace import ~/Documents/Vault --dry-run
      commonplace import chatgpt-export.zip
      commonplace import powermem.db --owner alice
      gunzip < work.jsonl.gz | commonplace import -
    """
    # Importing the readers of ten formats takes as long as importing the rest of the program.
    from commonplace.faces.cli import import_files

    import_files.import_file(
        call, file, source or "", import_files.ImportOptions(bank or "", project, owners, dry_run)
    )
