"""Draws where each measure stands between plain BM25 and its goal, as SVG that reads well on light
and dark pages.
"""

from dataclasses import dataclass
from html import escape

from commonplace.evaluation.metrics import Estimate

_LEFT, _WIDTH, _RIGHT, _ROW, _TOP = 250, 470, 90, 30, 92
_INK, _FAINT, _GRID = "#1f2937", "#6b7280", "#e5e7eb"
_OURS, _SHORT, _PLAIN, _VECTORS, _GOAL = "#0f766e", "#b45309", "#9ca3af", "#7c9bd1", "#111827"


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: ours with its interval, the others where they were measured, and the goal."""

    name: str
    ours: Estimate
    plain: float | None
    vectors: float | None
    goal: float


def picture(title: str, rows: list[Row]) -> str:
    """The rows on one scale from 0 to 1."""
    height = _TOP + _ROW * len(rows) + 40
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT}'
            f' {height}" font-family="system-ui, \'Segoe UI\', Helvetica, Arial, sans-serif"'
            f' font-size="13" role="img" aria-label="{escape(title)}">'
        ),
        f'<rect width="100%" height="{height}" rx="10" fill="#ffffff"/>',
        (
            '<text x="24" y="32" font-size="16" font-weight="600"'
            f' fill="{_INK}">{escape(title)}</text>'
        ),
        *_legend(),
    ]
    bottom = _TOP + _ROW * len(rows)
    for tenth in range(0, 11, 2):
        x = _place(tenth / 10)
        parts += [
            f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{_GRID}"/>',
            (
                f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" font-size="11" '
                f'fill="{_FAINT}">{tenth / 10:g}</text>'
            ),
        ]
    for place, row in enumerate(rows):
        parts += _row(row, _TOP + place * _ROW + _ROW / 2)
    return "\n".join([*parts, "</svg>", ""])


def _row(row: Row, y: float) -> list[str]:
    colour = _OURS if row.ours.value >= row.goal else _SHORT
    x, low, high, goal = (
        _place(value) for value in (row.ours.value, row.ours.low, row.ours.high, row.goal)
    )
    parts = [
        (
            f'<line x1="{_LEFT}" y1="{y + _ROW / 2}" x2="{_LEFT + _WIDTH}" y2="{y + _ROW / 2}"'
            ' stroke="#f3f4f6"/>'
        ),
        (
            f'<text x="{_LEFT - 14}" y="{y + 4.5}" text-anchor="end"'
            f' fill="{_INK}">{escape(row.name)}</text>'
        ),
        _tick(goal, y),
    ]
    if row.plain is not None:
        parts.append(_plain(_place(row.plain), y))
    if row.vectors is not None:
        parts.append(_diamond(_place(row.vectors), y))
    parts += [
        (
            f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke="{colour}"'
            ' stroke-width="3" stroke-linecap="round" opacity="0.45"/>'
        ),
        f'<circle cx="{x:.1f}" cy="{y}" r="6" fill="{colour}"/>',
        (
            f'<text x="{_LEFT + _WIDTH + _RIGHT - 20}" y="{y + 4.5}" text-anchor="end"'
            f' font-weight="600" fill="{colour}">{row.ours.value:.3f}</text>'
        ),
    ]
    return parts


def _legend() -> list[str]:
    y = 60
    entries = (
        (f'<circle cx="0" cy="{y}" r="6" fill="{_OURS}"/>', "goal reached", 100),
        (f'<circle cx="0" cy="{y}" r="6" fill="{_SHORT}"/>', "not yet (bar: 95 % interval)", 195),
        (_plain(0, y), "plain BM25", 95),
        (_diamond(0, y), "vectors alone", 108),
        (_tick(0, y), "goal", 40),
    )
    parts: list[str] = []
    x = 32
    for mark, text, width in entries:
        parts.append(
            f'<g transform="translate({x} 0)">{mark}<text x="13" y="{y + 4.5}"'
            f' fill="{_FAINT}">{text}</text></g>'
        )
        x += width + 26
    return parts


def _tick(x: float, y: float) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y - 10}" x2="{x:.1f}" y2="{y + 10}" stroke="{_GOAL}"'
        ' stroke-width="2.5"/>'
    )


def _plain(x: float, y: float) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y}" r="4.5" fill="#ffffff" stroke="{_PLAIN}" stroke-width="2"/>'
    )


def _diamond(x: float, y: float) -> str:
    return f'<path d="M {x - 5:.1f} {y} l 5 -5 l 5 5 l -5 5 z" fill="{_VECTORS}"/>'


def _place(value: float) -> float:
    return _LEFT + _WIDTH * min(1.0, max(0.0, value))
