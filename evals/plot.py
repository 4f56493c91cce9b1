"""Draws horizontal bars as SVG that reads well on light and dark pages alike."""

import math
from dataclasses import dataclass
from html import escape

_LEFT, _WIDTH, _ROW, _TOP = 370, 420, 26, 44


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar and, where there is one, the mark it should not pass."""

    name: str
    value: float
    mark: float | None = None


def bars(title: str, shown: list[Bar], *, logarithmic: bool = True) -> str:
    """A picture of the bars, longest scale shared."""
    low = min(0.1, *(bar.value for bar in shown)) if logarithmic else 0.0
    high = max(max(bar.value, bar.mark or 0) for bar in shown) * 1.15

    def place(value: float) -> float:
        if logarithmic:
            return (
                _WIDTH
                * (math.log10(max(value, low)) - math.log10(low))
                / (math.log10(high) - math.log10(low))
            )
        return _WIDTH * value / high

    height = _TOP + _ROW * len(shown) + 16
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 90} {height}" '
            'font-family="system-ui, sans-serif" font-size="13">'
        ),
        f'<rect width="100%" height="{height}" rx="8" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="15" font-weight="600" fill="#222">{escape(title)}</text>',
    ]
    for row, bar in enumerate(shown):
        y = _TOP + row * _ROW
        over = bar.mark is not None and bar.value > bar.mark
        length, colour = max(2.0, place(bar.value)), "#c2410c" if over else "#2f6f8f"
        parts += [
            (
                f'<text x="{_LEFT - 10}" y="{y + 16}" text-anchor="end"'
                f' fill="#333">{escape(bar.name)}</text>'
            ),
            (
                f'<rect x="{_LEFT}" y="{y + 4}" width="{length:.1f}" height="16" rx="3"'
                f' fill="{colour}"/>'
            ),
            (
                f'<text x="{_LEFT + _WIDTH + 74}" y="{y + 16}" text-anchor="end"'
                f' fill="#333">{_shown(bar.value)}</text>'
            ),
        ]
        if bar.mark is not None:
            x = _LEFT + place(bar.mark)
            parts.append(
                f'<line x1="{x:.1f}" y1="{y + 1}" x2="{x:.1f}" y2="{y + 23}" stroke="#111"'
                ' stroke-width="2"/>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
