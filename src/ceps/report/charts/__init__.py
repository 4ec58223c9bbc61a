"""Charts as SVG, made as text: no plotting library, neither here nor in the page."""

from __future__ import annotations

from ceps.report.charts.bars import Bar, Segment, bars
from ceps.report.charts.boxes import Box, boxes
from ceps.report.charts.figure import SHAPES, Key, Numbers, Words
from ceps.report.charts.heat import Field, heat_map
from ceps.report.charts.plane import Band, Point, Series, plane
from ceps.report.charts.scale import Axis

__all__ = [
    "SHAPES",
    "Axis",
    "Band",
    "Bar",
    "Box",
    "Field",
    "Key",
    "Numbers",
    "Point",
    "Segment",
    "Series",
    "Words",
    "bars",
    "boxes",
    "heat_map",
    "plane",
]
