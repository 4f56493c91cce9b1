"""The result of a sync."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class SyncReport:
    """Counts of changes, and files with problems by path. The fields are JSON output."""

    added: int = 0
    changed: int = 0
    forgotten: int = 0
    restored: int = 0
    written: int = 0
    # The state of the root: new, here, away or other.
    standing: str = "here"
    # Files that are gone, and files that cannot be read, with reasons.
    missing: list[str] = field(default_factory=list[str])
    broken: dict[str, str] = field(default_factory=dict[str, str])
    # Files with invalid lines in their frontmatter, with reasons.
    faults: dict[str, str] = field(default_factory=dict[str, str])
    # Files with the id of another file; they are notes of their own.
    copies: list[str] = field(default_factory=list[str])
    # Conflict copies, of sync programs and ours; they are not notes.
    conflicts: list[str] = field(default_factory=list[str])
    passed: dict[str, str] = field(default_factory=dict[str, str])
