"""What all charts share: the figure around them, marks that can be reached and opened, symbols, legends, axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ceps.report.charts.scale import Scale
from ceps.report.pieces import MOST_ROWS, details, joined, table

COLOURS = 8
"""Classes ``c0`` to ``c7`` of the style sheet."""
SHAPES = ("circle", "square", "triangle", "diamond", "cross")
_LETTER = 7.2
"""The width of a letter of a label, on average and in the chart's own units."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of a chart: an anchor, a title, and what is seen, of how many, and what the spread is."""

    name: str
    title: str
    says: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A chart's data, as a table."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    names: int = 1


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of a legend. Those of a series bring it out when they are pressed."""

    label: str
    shape: str = "circle"
    colour: int | None = None
    series: int | None = None
    tint: float | None = None
    size: float = 5.0


def shape_of(series: int) -> str:
    """Series are told apart by shape too, not by colour alone."""
    return SHAPES[series % len(SHAPES)]


def px(value: float) -> str:
    return f"{round(value, 1):g}"


def short(text: str, room: float) -> str:
    """A label that fits."""
    letters = max(3, int(room / _LETTER))
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def width_of(labels: Sequence[str], most: float) -> float:
    """The room that the longest of some labels takes."""
    return min(most, _LETTER * max(map(len, labels), default=0))


def symbol(shape: str, x: float, y: float, size: float) -> Markup:
    """A point as a path; ``size`` is about its radius."""
    match shape:
        case "square":
            side = 1.75 * size
            path = f"M{px(x - side / 2)} {px(y - side / 2)}h{px(side)}v{px(side)}h{px(-side)}z"
        case "triangle":
            path = f"M{px(x)} {px(y - 1.2 * size)}l{px(1.1 * size)} {px(1.9 * size)}h{px(-2.2 * size)}z"
        case "diamond":
            reach = px(1.25 * size)
            path = f"M{px(x)} {px(y - 1.25 * size)}l{reach} {reach}l-{reach} {reach}l-{reach} -{reach}z"
        case "cross":
            arm = 2.2 * size
            path = f"M{px(x - arm / 2)} {px(y)}h{px(arm)}M{px(x)} {px(y - arm / 2)}v{px(arm)}"
        case _:
            turn = f"a{px(size)} {px(size)} 0 1 0 "
            path = f"M{px(x - size)} {px(y)}{turn}{px(2 * size)} 0{turn}{px(-2 * size)} 0z"
    return Markup('<path class="symbol {}" d="{}"/>').format(shape, path)


def mark(
    body: Markup,
    tip: str,
    opens: str | None = None,
    colour: int | None = None,
    series: int | None = None,
    tint: float | None = None,
) -> Markup:
    """Something that can be pointed at, reached by the arrow keys, and perhaps opened."""
    classes = "mark" if colour is None else f"mark c{colour % COLOURS}"
    extra = joined(
        [
            "" if opens is None else Markup(' data-opens="{}"').format(opens),
            "" if series is None else Markup(' data-series="{}"').format(series),
            "" if tint is None else Markup(' style="--tint:{}"').format(f"{tint:.2f}"),
        ]
    )
    return Markup('<g class="{}{}" tabindex="-1" data-tip="{}"{}>{}</g>').format(
        classes, "" if tint is None else " tinted", tip, extra, body
    )


def text(x: float, y: float, content: object, anchor: str = "start", classes: str = "") -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>').format(
        px(x), px(y), anchor, classes, content
    )


def across(scale: Scale, top: float, bottom: float) -> Markup:
    """The axis along the bottom, with lines up from its ticks."""
    parts = [
        Markup('<path class="grid" d="M{0} {1}V{2}"/>{3}').format(
            px(scale.at(tick)), px(bottom), px(top), text(scale.at(tick), bottom + 16, scale.text(tick), "middle")
        )
        for tick in scale.ticks()
    ]
    label = text((scale.begin + scale.end) / 2, bottom + 34, scale.axis.label, "middle", "label")
    return joined([*parts, label])


def upward(scale: Scale, left: float, right: float) -> Markup:
    """The axis along the left side, with lines to the right from its ticks, and its name above."""
    parts = [
        Markup('<path class="grid" d="M{0} {1}H{2}"/>{3}').format(
            px(left), px(scale.at(tick)), px(right), text(left - 7, scale.at(tick) + 4, scale.text(tick), "end")
        )
        for tick in scale.ticks()
    ]
    return joined([*parts, text(4, scale.end - 12, scale.axis.label, "start", "label")])


def legend(keys: Sequence[Key]) -> Markup:
    """Symbols and what they stand for."""
    if not keys:
        return Markup("")
    entries = []
    for key in keys:
        classes = "swatch" if key.colour is None else f"swatch c{key.colour % COLOURS}"
        style = "" if key.tint is None else Markup(' style="--tint:{}"').format(f"{key.tint:.2f}")
        picture = Markup('<svg class="{}{}" viewBox="-9 -9 18 18" aria-hidden="true"{}>{}</svg>').format(
            classes, "" if key.tint is None else " tinted", style, symbol(key.shape, 0.0, 0.0, key.size)
        )
        if key.series is None:
            entry = Markup('<span class="key">{}{}</span>').format(picture, key.label)
        else:
            entry = Markup(
                '<button type="button" class="key" aria-pressed="false" data-series="{}">{}{}</button>'
            ).format(key.series, picture, key.label)
        entries.append(Markup("<li>{}</li>").format(entry))
    return Markup('<ul class="legend">{}</ul>').format(joined(entries))


def figure(
    words: Words, width: float, height: float, body: Markup, keys: Sequence[Key] = (), numbers: Numbers | None = None
) -> Markup:
    """A chart with what is said of it above, and its numbers below."""
    shown = numbers is not None and 0 < len(numbers.rows) <= MOST_ROWS
    below = (
        details(f"{words.name}-numbers", "The numbers", table(numbers.head, numbers.rows, numbers.names))
        if numbers is not None and shown
        else ""
    )
    return Markup(
        '<figure class="chart" id="{name}"><figcaption id="{name}-caption"><strong>{title}</strong> {says}</figcaption>'
        '{legend}<div class="plot"><svg role="img" aria-labelledby="{name}-caption" viewBox="0 0 {width} {height}" '
        'style="--width:{width}px">{body}</svg></div>{below}</figure>'
    ).format(
        name=words.name,
        title=words.title,
        says=words.says,
        legend=legend(keys),
        width=px(width),
        height=px(height),
        body=body,
        below=below,
    )
