"""The largest and worst calls that canvas drawing may get, each with the error it must lead to; made when asked for."""

import json

import numpy as np

from designgym.envs.canvas.tools import OPERATIONS

PAGE = {"x1": 0, "y1": 0, "x2": 399, "y2": 399}
FAR = {"x1": -2000, "y1": -2000, "x2": 2399, "y2": 2399}
SLICE = {"start_angle": 10, "end_angle": 350}


def scattered(count, low=0, high=400):
    """Points all over the page, or far beyond it."""
    return np.random.default_rng(0).integers(low, high, (count, 2)).tolist()


def spread(count):
    """Points so that every line goes from one side of the page to the other."""
    return [[399 * (k % 2), (k * 7) % 400] for k in range(count)]


def call(tool, operations):
    return {"name": tool, "arguments": {OPERATIONS[tool]: operations}}


def polygon(sides):
    return {"x": 200, "y": 200, "radius": 200, "n_sides": sides, "rotation": 17}


def cut(points, size):
    return [{"points": points[at : at + size]} for at in range(0, len(points), size)]


EXTREME_CALLS = {
    "dots": ("", lambda: call("draw_dots", [{"x": "200.4", "y": 200}] * 1000)),
    "lines": ("", lambda: call("draw_lines", [FAR] * 113)),
    "rectangles": ("", lambda: call("draw_rectangles", [FAR] * 113)),
    "rounded rectangles": ("", lambda: call("draw_rounded_rectangles", [{**FAR, "radius": 2000}] * 113)),
    "rounded rectangles, page": ("", lambda: call("draw_rounded_rectangles", [{**PAGE, "radius": 190}] * 1000)),
    "circles": ("", lambda: call("draw_circles", [{"x": 200, "y": 200, "radius": 2000}] * 125)),
    "circles, page": ("", lambda: call("draw_circles", [{"x": 200, "y": 200, "radius": 199}] * 1000)),
    "circles, too many": ("limit", lambda: call("draw_circles", [{"x": 200, "y": 200, "radius": 2000}] * 1000)),
    "ellipses": ("", lambda: call("draw_ellipses", [FAR] * 113)),
    "ellipses, page": ("", lambda: call("draw_ellipses", [PAGE] * 1000)),
    "arcs": ("", lambda: call("draw_arcs", [{**FAR, **SLICE}] * 113)),
    "arcs, page": ("", lambda: call("draw_arcs", [{**PAGE, **SLICE}] * 1000)),
    "pie slices": ("", lambda: call("draw_pieslices", [{**FAR, **SLICE}] * 113)),
    "pie slices, page": ("", lambda: call("draw_pieslices", [{**PAGE, **SLICE}] * 1000)),
    "chords": ("", lambda: call("draw_chords", [{**FAR, **SLICE}] * 113)),
    "chords, page": ("", lambda: call("draw_chords", [{**PAGE, **SLICE}] * 1000)),
    "chords, too many": ("limit", lambda: call("draw_chords", [{**FAR, **SLICE}] * 1000)),
    "regular polygons": ("", lambda: call("draw_regular_polygons", [polygon(360)] * 277)),
    "regular polygons, 100 sides": ("", lambda: call("draw_regular_polygons", [polygon(100)] * 1000)),
    "regular polygons, too many": ("limit", lambda: call("draw_regular_polygons", [polygon(360)] * 1000)),
    "polylines": ("", lambda: call("draw_polylines", cut(scattered(10_000, -2000, 2400), 2000))),
    "polylines, page": ("", lambda: call("draw_polylines", cut(spread(10_000), 2000))),
    "polygons": ("", lambda: call("draw_polygons", cut(scattered(10_000, -2000, 2400), 2000))),
    "polygons, page": ("", lambda: call("draw_polygons", cut(spread(10_000), 2000))),
    "polygons, many": ("", lambda: call("draw_polygons", cut(scattered(10_000), 10))),
    "points": ("invalid_parameters", lambda: call("draw_polylines", [{"points": [[1, 2]] * 1_000_000}])),
    "points, many": ("limit", lambda: call("draw_polylines", [{"points": [[1, 2]] * 2000}] * 1000)),
    "operations": ("limit", lambda: call("draw_lines", [PAGE] * 1_000_000)),
    "malformed": ("invalid_parameters", lambda: call("draw_lines", [{**PAGE, "y2": "x" * 1000}] * 1000)),
    "misspelt": ("invalid_parameters", lambda: call("draw_lines", [{"x1": 1, "y1": 2, "x2": 3, "y" * 60: 4}] * 1000)),
    "huge numbers": ("", lambda: call("draw_lines", [{"x1": 10**4000, "y1": 0, "x2": -(10**4000), "y2": 9}] * 1000)),
    "JSON": ("", lambda: {"name": "draw_lines", "arguments": json.dumps({"lines": [PAGE] * 1000})}),
    "JSON of nothing": ("limit", lambda: {"name": "draw_lines", "arguments": '{"lines":[' + "[1]," * 200_000 + "1]}"}),
    "JSON, deep": ("invalid_parameters", lambda: {"name": "draw_lines", "arguments": '{"a":' * 160_000}),
    "JSON, one number": ("invalid_parameters", lambda: {"name": "draw_lines", "arguments": "1" * 1_000_000}),
    "JSON, too long": ("limit", lambda: {"name": "draw_lines", "arguments": "[" * 1_000_001}),
    "keys": ("format", lambda: dict.fromkeys(map(str, range(1_000_000)))),
    "a name": ("invalid_action", lambda: {"name": "d" * 1_000_000, "arguments": {}}),
}

LINE = '<line x2="9"/>'
M = 999_000  # characters, just within the limit


def listed(points):
    return " ".join(f"{x},{y}" for x, y in points)


EXTREME_MARKUP = {
    "lines": ("", lambda: '<line x2="399" y2="399"/>' * 1000),
    "circles": ("", lambda: '<circle cx="200" cy="200" r="190"/>' * 200),
    "a path": ("", lambda: f'<path d="M0 0{"L399 399L0 200" * 9_900}"/>'),
    "a path, too long": ("limit", lambda: f'<path d="M0 0{"L399 399L0 200" * 70_000}"/>'),
    "a polyline": ("", lambda: f'<polyline points="{listed(spread(19_900))}"/>'),
    "a polygon": ("", lambda: f'<polygon points="{listed(scattered(19_900))}"/>'),
    "a polygon, far": ("", lambda: f'<polygon points="{listed(scattered(19_900, -20_000, 20_400))}"/>'),
    "curves": ("", lambda: f'<path d="M0 0{"c1 1 2 2 3 0" * 3_900}"/>'),
    "dots": ("", lambda: f'<path d="{"M9 9Z" * 4_900}"/>'),
    "text": ("invalid_parameters", lambda: f"<text>{'a' * M}</text>"),
    "unknown elements": ("limit", lambda: "<foo/>" * (M // 6)),
    "attributes": ("invalid_parameters", lambda: "<line " + " ".join(f"a{k}='1'" for k in range(90_000)) + "/>"),
    "nesting": ("limit", lambda: "<g>" * (M // 3)),
    "transforms": ("", lambda: f'<g transform="{"rotate(10)" * 20}">{LINE * 900}</g>'),
    "a bad transform": ("", lambda: f'<line x2="9" transform="{"translate ( 1 , 1 ) , " * 40_000}"/>'),
    "a number": ("", lambda: f'<line x2="{"1" * M}"/>'),
    "white space": ("", lambda: f'<path d="M0 0 L{" " * M}9 9"/>'),
    "brackets": ("invalid_parameters", lambda: "<" * M),
    "a comment": ("invalid_parameters", lambda: "<!--" + "-x" * (M // 2)),
    "too long": ("limit", lambda: "x" * 1_000_001),
}
