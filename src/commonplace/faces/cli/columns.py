"""What a table shows, without the means to draw it, which are slow to load."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. A column with a share gets that part of the width left over, and cuts
    or folds.

    `styles` gives some of its words a style of their own.
    """

    name: str
    style: str = ""
    right: bool = False
    fold: bool = False
    share: int = 0
    styles: Mapping[str, str] = field(default_factory=dict[str, str])
