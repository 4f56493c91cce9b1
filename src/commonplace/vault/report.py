"""What a comparison of folder and memories did, and what a person should know of the folder."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    """Counts of what was done, and files by their path."""

    added: int = 0
    changed: int = 0
    forgotten: int = 0
    restored: int = 0
    written: int = 0
    # Whether the folder is the one of the notes: new, here, away or other.
    standing: str = "here"
    # Files with what is the matter with each.
    missing: list[str] = field(default_factory=list[str])
    broken: dict[str, str] = field(default_factory=dict[str, str])
    # Files of notes that are read except for a line of their frontmatter, with what is wrong with
    # it.
    faults: dict[str, str] = field(default_factory=dict[str, str])
    # Files that carry the id of another file, and are notes of their own.
    copies: list[str] = field(default_factory=list[str])
    # Conflict copies of sync programs and ours, which are not notes.
    conflicts: list[str] = field(default_factory=list[str])
    passed: dict[str, str] = field(default_factory=dict[str, str])
