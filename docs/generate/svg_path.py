# SPDX-License-Identifier: GPL-3.0-or-later
"""For compact_svg.py: reads lines, polygons and circles from elements of SVG, and writes them as path
data."""
import re
from dataclasses import dataclass

UNIT = 10  # units of the data in a pixel
TOLERANCE = 0.05  # pixels between a line and what is left of it
COLUMNS = 118


class Unknown(Exception):
    """A part of a picture that is not rewritten."""


@dataclass
class Shape:
    """A line; if closed, a polygon; of one point, a dot, or with a radius a circle.

    Points are complex numbers, in pixels.
    """
    points: list
    closed: bool = False
    radius: float = 0

    def box(self, reach):
        """Left, top, right and bottom of all points that are at most `reach` away."""
        xs, ys = [p.real for p in self.points], [p.imag for p in self.points]
        reach += self.radius
        return min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach

    def is_upright(self):
        """Returns whether it has no slanted side."""
        return all(a.real == b.real or a.imag == b.imag for a, b in zip(self.points, self.points[1:]))

    def continues(self, bars):
        """Returns whether it is a bar to the right of `bars`, on the same base. Bars begin and end on their
        base."""
        p, q = bars.points, self.points
        return (self.closed and bars.closed and self.is_upright() and bars.is_upright() and len(q) == 4 and
                p[-1] == q[0] and p[0].real < q[0].real < q[3].real and p[0].imag == q[0].imag == q[3].imag)


def numbers(text):
    return [float(x) for x in re.findall(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", text or "")]


def short(x, digits=1):
    return re.sub(r"^(-?)0\.", r"\1.", re.sub(r"\.0*$|(\.[0-9]*[1-9])0+$", r"\1", f"{x:.{digits}f}"))


# ---- from elements ----

def shapes_of_path(d):
    """A part that begins where the one before ends continues it."""
    shapes = []
    for command, arguments in re.findall("([a-zA-Z])([^a-zA-Z]*)", d):
        v = numbers(arguments)
        if command in "Zz" and not v:
            shapes[-1].closed = True
        elif command in "ML" and len(v) == 2:
            last = shapes[-1].points[-1] if shapes and not shapes[-1].closed else None
            if command == "M" and last != complex(*v):
                shapes.append(Shape([]))
            shapes[-1].points.append(complex(*v))
        elif command in "hv" and len(v) == 1:
            shapes[-1].points.append(shapes[-1].points[-1] + v[0] * (1 if command == "h" else 1j))
        else:
            raise Unknown(f"path command {command}{arguments}")
    return [s for s in shapes if len(s.points) > 1]


def shapes_of(tag, get):
    if tag == "path":
        return shapes_of_path(get("d"))
    if tag == "polygon":
        v = numbers(get("points"))
        return [Shape([complex(*p) for p in zip(v[::2], v[1::2])], closed=True)]
    x, y, width, height, cx, cy, r = (float(get(a, 0))
                                      for a in ("x", "y", "width", "height", "cx", "cy", "r"))
    if tag == "circle":
        return [Shape([complex(cx, cy)], radius=r)]
    p = complex(x, y)
    return [Shape([p, p + width, p + complex(width, height), p + complex(0, height)], closed=True)]


# ---- to data ----

def thinned(p):
    """The points that a line needs (Ramer, Douglas and Peucker)."""
    keep, todo = {0, len(p) - 1}, [(0, len(p) - 1)]
    while todo:
        a, b = todo.pop()
        side, farthest, place = p[b] - p[a], TOLERANCE, None
        for i in range(a + 1, b):
            away = p[i] - p[a]
            along = (away * side.conjugate()).real / (abs(side) ** 2 or 1)
            distance = abs(away - min(max(along, 0), 1) * side)
            if distance > farthest:
                farthest, place = distance, i
        if place:
            keep.add(place)
            todo += [(a, place), (place, b)]
    return [p[i] for i in sorted(keep)]


def on_grid(shape):
    """Returns points in whole units, without repeats in a row."""
    p = shape.points
    p = thinned(p + p[:1])[:-1] if shape.closed else thinned(p)
    p = [complex(round(UNIT * z.real), round(UNIT * z.imag)) for z in p]
    return [z for i, z in enumerate(p) if i == 0 or z != p[i - 1]]


def path_data(shapes):
    """Returns path data; all steps are relative to the point before. A dot is a line of length 0."""
    steps, at = [], 0
    for shape in shapes:
        p, r = on_grid(shape), round(UNIT * shape.radius)
        if len(p) < min(2, len(shape.points)):
            continue  # far less than a pixel
        start = p[0] - r
        steps.append(("m", start - at))
        at = start
        if r:
            steps += [(f"a{r} {r} 0 1 0", 2 * r), (f"a{r} {r} 0 1 0", -2 * r)]
        for z in p[1:] if len(p) > 1 else [] if r else p:
            steps.append(("v" if z.real == at.real and z != at else "h" if z.imag == at.imag else "l",
                          z - at))
            at = z
        if shape.closed:
            steps.append(("z", None))
            at = start
    lines, line, before = [], "", ""
    for letter, step in steps:
        values = {"h": ["real"], "v": ["imag"], "z": []}.get(letter[0], ["real", "imag"])
        text = " ".join(str(int(getattr(complex(step), part))) for part in values).replace(" -", "-")
        if letter[0] == "a":
            text = f"{letter} {text}"
        elif letter != before and (before, letter) != ("m", "l"):
            text = letter + text
        elif text[0] != "-":
            text = " " + text
        if len(line) + len(text) > COLUMNS:
            lines.append(line)
            line = ""
        line, before = line + text, letter
    return "\n".join(lines + [line]).replace("\n ", "\n")
