"""Signs of a map's systems by family and variant: colours, shapes, paths through a family, and their key."""

from collections.abc import Sequence
from html import escape

# Okabe and Ito's hues, which colour-blind people can tell apart.
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c5c5c")
# Paths about (0, 0): a circle, a square, a diamond, a triangle, a cross, a triangle on its point.
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-5l5 5-5 5-5-5z",
    "M0-5l5 8.5h-10z",
    "M-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "M0 5l5-8.5h-10z",
)
KEY_HEIGHT = 44


def family_signs(centres: Sequence[tuple[float, float]], families: Sequence[tuple[str, str]]) -> list[str]:
    """Draw each system's sign, its colour by family and its shape by variant, and a path through each family.

    families (systems,): family and variant. The path joins a family's systems in the order given, such as
    that of days. Families and variants beyond the hues and shapes begin again with the first.
    """
    names, kinds = (list(dict.fromkeys(each[place] for each in families)) for place in (0, 1))
    drawn = []
    for number, name in enumerate(names):
        own = [centre for centre, (family, _) in zip(centres, families, strict=True) if family == name]
        if len(own) > 1:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
            drawn.append(
                f'<polyline points="{path}" fill="none" stroke="{HUES[number % len(HUES)]}" '
                'stroke-opacity="0.45" stroke-width="1"/>'
            )
    for (x, y), (family, variant) in zip(centres, families, strict=True):
        drawn.append(_sign(x, y, names.index(family), kinds.index(variant)))
    return drawn


def family_key(families: Sequence[tuple[str, str]], left: float, top: float, wide: float) -> list[str]:
    """Draw the key in two rows, families by colour and variants by shape; what does not fit is left out."""
    drawn = []
    for place in (0, 1):
        names = list(dict.fromkeys(each[place] for each in families))
        x, y = left, top + 20 * place
        for number, name in enumerate(names):
            shown = name if len(name) <= 20 else name[:19] + "…"
            if x + 16 + 8 * len(shown) > left + wide:
                break
            drawn.append(_sign(x + 5, y - 4, number if place == 0 else -1, 0 if place == 0 else number))
            words = "".join(sign if sign.isprintable() else " " for sign in shown)
            drawn.append(f'<text x="{x + 16:.1f}" y="{y:.1f}">{escape(words)}</text>')
            x += 32 + 8 * len(shown)
    return drawn


def _sign(x: float, y: float, hue: int, shape: int) -> str:
    """Draw a sign; its last hue is grey, for what has no family."""
    return (
        f'<path d="{SHAPES[shape % len(SHAPES)]}" transform="translate({x:.1f} {y:.1f})" '
        f'fill="{HUES[hue % len(HUES)]}"/>'
    )
