#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/pictures/house.svg from tests/house/layering.txt: house.py > docs/pictures/house.svg

A room may know the rooms below it; inside a room, a box may know those to its left. The test house/layering
checks both."""
import os
import sys
from xml.sax.saxutils import escape

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
WIDTH, LEFT, TOP, GAP = 1000, 16, 40, 10
TITLE, LINE, PAD = 17, 15, 10
COLOURS = ['#e8eef7', '#e6f2ee', '#f3f0e2', '#f7ece2', '#f5e6ea', '#ece8f5', '#e4f0f6', '#eeeeee']
STYLE = '''text{font-family:sans-serif;fill:#222}
.t{font-size:16px;font-weight:bold}.s{font-size:12px;fill:#555}\
.b{font-size:12px;font-weight:bold}.n{font-size:10.5px;fill:#444}
.r{stroke:#999}.x{fill:#fff;stroke:#bbb}'''


def read_house():
    """Rooms from the ground up: (name, what it is for, [(box, what it is for)])."""
    rooms = []
    for line in open(os.path.join(ROOT, 'tests/house/layering.txt'), encoding='utf-8'):
        name, _, says = line.split('#')[0].partition(' - ')
        if name.startswith('room '):
            rooms.append((name.split()[1], says.strip(), []))
        elif name.strip() and name[0].isspace():
            rooms[-1][2].append((name.strip(), says.strip()))
    return rooms


def wrap(text, width):
    """Lines of at most `width` characters."""
    lines = ['']
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append('')
        lines[-1] += (' ' if lines[-1] else '') + word
    return lines


def draw_room(y, room, colour, out):
    """Draws a room; returns its height."""
    name, says, boxes = room
    width = (WIDTH - 2 * LEFT - 2 * PAD - GAP * (len(boxes) - 1)) / len(boxes)
    texts = [wrap(text, int((width - 12) / 5.7)) for _, text in boxes]
    inner = PAD + TITLE + 13 * max(map(len, texts))
    height = PAD + TITLE + inner + PAD + 6
    out.append(f'<rect class="r" x="{LEFT}" y="{y}" width="{WIDTH - 2 * LEFT}" height="{height}" rx="6" '
               f'fill="{colour}"/>')
    out.append(f'<text class="t" x="{LEFT + PAD}" y="{y + 20}">{name}/</text>')
    out.append(f'<text class="s" x="{LEFT + PAD + 9.8 * len(name) + 22:.0f}" y="{y + 20}">'
               f'{escape(says)}</text>')
    for i, (box, _) in enumerate(boxes):
        x, top = LEFT + PAD + i * (width + GAP), y + PAD + TITLE + 4
        out.append(f'<rect class="x" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{inner}" rx="4"/>')
        out.append(f'<text class="b" x="{x + 7:.1f}" y="{top + 17}">{box}</text>')
        for j, text in enumerate(texts[i]):
            out.append(f'<text class="n" x="{x + 7:.1f}" y="{top + 32 + 13 * j}">{escape(text)}</text>')
    return height


def main():
    rooms, out, y = read_house(), [], TOP
    for i, room in enumerate(reversed(rooms)):
        y += draw_room(y, room, COLOURS[i % len(COLOURS)], out) + GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 6}" role="img">')
    print(f'<title>The house: {len(rooms)} rooms, from the ground up</title>\n<style>{STYLE}</style>')
    print(f'<rect width="{WIDTH}" height="{y + 6}" fill="#fff"/>')
    print(f'<text class="s" x="{LEFT}" y="25">A room knows only the rooms below it; inside a room, '
          'a box knows only the boxes to its left. (A list of members knows them, and they know it.)</text>')
    print('\n'.join(out) + '\n</svg>')


if __name__ == '__main__':
    sys.stdout.reconfigure(encoding='utf-8')
    main()
