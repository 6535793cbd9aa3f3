#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewrites gnuplot's SVG pictures compactly, in place: compact_svg.py FILE|FOLDER...

A picture looks as before. The program removes points that a line does not need, draws marks as paths, joins
paths that look alike, and gives each look a class. The unit is a tenth of a pixel, so that coordinates are
integers. Text stays text. A file without gnuplot's canvas is unchanged, so a second call changes nothing.
An unknown element or attribute is an error, and the file stays as it was.
"""
import cmath
import math
import re
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from svg_path import UNIT, Shape, Unknown, numbers, path_data, shapes_of, short

SVG = "{http://www.w3.org/2000/svg}"
SPACE, HREF = "{http://www.w3.org/XML/1998/namespace}space", "{http://www.w3.org/1999/xlink}href"
INITIAL = {"color": "black", "fill": "black", "fill-opacity": "1", "stroke": "none", "stroke-opacity": "1",
           "stroke-width": "1", "stroke-linecap": "butt", "stroke-linejoin": "miter",
           "stroke-dasharray": "none",
           "shape-rendering": "auto", "text-anchor": "start", "font-family": "sans-serif", "font-size": "12",
           SPACE: "default"}
OTHERS = {"id", "class", "d", "points", "x", "y", "width", "height", "cx", "cy", "r", "dy", "transform",
          HREF}
COLOURS = {"black": "#000", "white": "#fff", "gray": "#808080"}
PATHS = {**INITIAL, "fill": "none", "stroke-width": short(UNIT)}  # what needs no class
TEXTS = {**INITIAL, "fill": "#000", "font-size": f"{12 * UNIT}px"}
NO_TITLE = re.compile("Gnuplot|gnuplot_plot_[0-9]+[a-z]*")  # gnuplot's own


@dataclass
class Item:
    """Shapes that look alike, or a text."""
    group: object  # the title of a part of the picture, or None
    look: str
    colour: object  # None if it has several, or if what is below shines through
    fills: bool
    boxes: list  # around each shape: left, top, right, bottom
    shapes: list
    text: str = ""

    def apart(self, other):
        return all(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                   for a in self.boxes for b in other.boxes)


def css(style, names, usual):
    return ";".join(f"{k}:{style[k]}" for k in sorted(names) if style[k] != usual[k])


# ---- reading ----

def tag_of(element):
    return element.tag.replace(SVG, "")


def moved(text, scale, origin):
    """Returns the map z -> scale z + origin of a transform attribute, applied after the given one."""
    for name, arguments in re.findall(r"(\w+)\s*\(([^)]*)\)", text):
        v = numbers(arguments)
        if name == "translate" and len(v) == 2:
            origin += scale * complex(*v)
        elif name == "scale" and len(v) == 1:
            scale *= v[0]
        elif name == "rotate" and len(v) == 1:
            scale *= cmath.rect(1, math.radians(v[0]))
        else:
            raise Unknown(f"transform {name}({arguments})")
    return scale, origin


def styled(element, style):
    for name in element.keys():
        if name not in INITIAL and name not in OTHERS:
            raise Unknown(f"attribute {name} of {tag_of(element)}")
    return {**style, **{k: v.strip() for k, v in element.items() if k in INITIAL}}


def colour_of(style, name):
    value = style["color"] if style[name] == "currentColor" else style[name]
    if value.startswith("rgb("):
        value = "#%02x%02x%02x" % tuple(int(x) for x in numbers(value))
    value = COLOURS.get(value, value.lower())
    if not re.fullmatch("[a-z]+|#[0-9a-f]+", value):
        raise Unknown(f"{name} {value}")
    return re.sub(r"^#(.)\1(.)\2(.)\3$", r"#\1\2\3", value)


def items_of(element, by_id, style=INITIAL, scale=1, origin=0, group=None):
    """All items, from the lowest to the topmost."""
    tag, style = tag_of(element), styled(element, style)
    scale, origin = moved(element.get("transform", ""), scale, origin)
    if tag == "g":
        title = element.findtext(SVG + "title", "Gnuplot")
        group = group if NO_TITLE.fullmatch(title) else title
        for child in element:
            yield from items_of(child, by_id, style, scale, origin, group)
    elif tag == "use":
        yield from items_of(by_id[element.get(HREF)[1:]], by_id, style, scale, origin, group)
    elif tag == "text":
        yield from text_item(element, style, scale, origin, group)
    elif tag in ("path", "polygon", "rect", "circle"):
        for shape in shapes_of(tag, element.get):
            shape.points, shape.radius = [scale * p + origin for p in shape.points], abs(scale) * shape.radius
            yield from shape_item(shape, style, abs(scale), group)
    elif tag not in ("title", "desc", "defs"):
        raise Unknown(f"element {tag}")


def shape_item(shape, style, scale, group):
    fill, stroke = colour_of(style, "fill"), colour_of(style, "stroke")
    opaque = float(style["fill-opacity"]) == 1 == float(style["stroke-opacity"])
    width = scale * float(style["stroke-width"]) if stroke != "none" else 0
    dashes = " ".join(short(UNIT * scale * x) for x in numbers(style["stroke-dasharray"])) or "none"
    colours = {fill, stroke} - {"none"}
    if shape.radius and opaque and fill == stroke:  # a disc is a dot of a round pen
        width, shape.radius, fill = width + 2 * shape.radius, 0, "none"
        style = {**style, "stroke-linecap": "round"}
    if shape.closed and len(shape.points) == 4 and stroke == "none":  # gnuplot begins with the base of a bar
        shape.points[1:] = shape.points[:0:-1]
    style = {**style, "fill": fill, "stroke": stroke, "stroke-width": short(UNIT * width),
             "stroke-dasharray": dashes, "fill-opacity": short(float(style["fill-opacity"]), 2)}
    names = [k for part in ("fill", "stroke") if style[part] != "none" for k in style if k.startswith(part)]
    if shape.is_upright():  # others would be ragged
        names.append("shape-rendering")
    if colours:
        colour = colours.pop() if len(colours) == 1 and opaque else None
        yield Item(group, css(style, names, PATHS), colour, fill != "none", [shape.box(width / 2)], [shape])


def text_item(element, style, scale, origin, group):
    text, size, colour = words(element, style), float(style["font-size"]), colour_of(style, "fill")
    plain = re.sub("<.*?>", "", text)
    space = ' xml:space="preserve"' if style[SPACE] == "preserve" and re.search("^ |  | $", plain) else ""
    text = text if space else " ".join(text.split())
    if not text:
        return
    if colour_of(style, "stroke") != "none" or abs(abs(scale) - 1) > 1e-9:
        raise Unknown("text with a stroke, or stretched")
    x, y = round(UNIT * origin.real), round(UNIT * origin.imag)
    angle = round(math.degrees(cmath.phase(scale)), 2)
    place = f'transform="translate({x} {y})rotate({angle:g})"' if angle else f'x="{x}" y="{y}"'
    length = 0.7 * size * len(plain)  # about
    left = {"start": 0, "middle": -length / 2, "end": -length}[style["text-anchor"]]
    corners = [complex(left + u * length, v * size) for u in (0, 1) for v in (-1.2, 0.6)]
    around = Shape([scale * corner + origin for corner in corners])
    look = css({**style, "fill": colour, "font-size": f"{short(UNIT * size)}px"},
               ("fill", "font-family", "font-size", "text-anchor"), TEXTS)
    yield Item(group, look, colour, True, [around.box(0)], [], f"{place}{space}>{text}")


def words(element, style):
    """Returns the text; parts in another font or height become a tspan each."""
    text = escape(element.text or "")
    for child in element:
        own = styled(child, style)
        if tag_of(child) != "tspan" or own["fill"] != style["fill"]:
            raise Unknown(f"{tag_of(child)} in a text, or its colour")
        sizes = [short(UNIT * float(s["font-size"])) for s in (style, own)]
        changes = f' font-size="{sizes[1]}"' if sizes[0] != sizes[1] else ""
        if own["font-family"] != style["font-family"]:
            changes += f' font-family="{own["font-family"]}"'
        if child.get("dy"):
            changes += f' dy="{short(UNIT * numbers(child.get("dy"))[0])}"'
        inner = words(child, own)
        text += f"<tspan{changes}>{inner}</tspan>" if inner and changes else inner
        text += escape(child.tail or "")
    return text


# ---- writing ----

def key(item):
    return item.look, [(s.points, s.closed, s.radius) for s in item.shapes], item.text


def merged(items):
    """Joins items that look alike. No item moves below another that it covers, unless both have the same
    colour."""
    result = []
    last = {str(key(item)): i for i, item in enumerate(items)}
    for i, item in enumerate(items):
        if item.colour and last[str(key(item))] > i:
            continue  # the same is drawn over it
        for other in reversed(result):
            if item.shapes and (other.group, other.look) == (item.group, item.look):
                beside = item.fills and item.shapes[0].continues(other.shapes[-1])
                if beside:  # one outline
                    other.shapes[-1].points[-1:] = item.shapes[0].points[1:]
                elif item.apart(other) or item.colour and not item.fills:
                    other.shapes += item.shapes
                if beside or other.shapes[-1] is item.shapes[-1]:
                    other.boxes += item.boxes
                    break
            if not item.apart(other) and (not item.colour or item.colour != other.colour):
                result.append(item)
                break
        else:
            result.append(item)
    return result


def compact(root, name):
    by_id = {e.get("id"): e for e in root.iter() if e.get("id")}
    items = merged([item for child in root for item in items_of(child, by_id)])
    looks = dict.fromkeys(item.look for item in items if item.look)
    classes = {look: f"c{i}" for i, look in enumerate(looks)}
    view = numbers(root.get("viewBox"))
    title = root.findtext(SVG + "title", "Gnuplot")
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{view[2]:g}" height="{view[3]:g}" '
           f'viewBox="{" ".join(short(UNIT * x) for x in view)}">',
           f"<title>{escape(name if NO_TITLE.fullmatch(title) else title)}</title>"]
    out += [f"<desc>{escape(e.text.strip())}</desc>" for e in root.findall(SVG + "desc")]
    out += ["<style>", f"svg{{font:{12 * UNIT}px sans-serif}}", f"path{{fill:none;stroke-width:{UNIT}}}"]
    out += [f".{c}{{{look}}}" for look, c in classes.items()] + ["</style>"]
    for group, inside in groupby(items, key=lambda item: item.group):
        out += [f"<g><title>{escape(group)}</title>"] if group else []
        for (look, is_text), run in groupby(inside, key=lambda item: (item.look, bool(item.text))):
            run, mark = list(run), f' class="{classes[look]}"' if look else ""
            if not is_text:
                out += [f'<path{mark} d="{path_data(item.shapes)}"/>' for item in run]
            elif mark and len(run) > 1:
                out += [f"<g{mark}>"] + [f"<text {item.text}</text>" for item in run] + ["</g>"]
            else:
                out += [f"<text{mark} {item.text}</text>" for item in run]
        out += ["</g>"] if group else []
    return "\n".join(out + ["</svg>", ""])


def main(arguments):
    files = [f for a in map(Path, arguments) for f in (sorted(a.glob("*.svg")) if a.is_dir() else [a])]
    for file in files:
        try:
            root = xml.parse(file).getroot()
            if root.find(SVG + "g[@id='gnuplot_canvas']") is not None:
                file.write_text(compact(root, file.stem), encoding="utf-8")
        except (Unknown, xml.ParseError) as what:
            sys.exit(f"compact_svg.py: {file} is not a picture that can be rewritten: {what}")


if __name__ == "__main__":
    main(sys.argv[1:])
