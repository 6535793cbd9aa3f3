#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No line of code, scripts and documents has more than 110 characters: columns.py ROOT

Exceptions are tables of data (.txt); in documents tables, code and pictures; and pages that a program
makes."""
import pathlib
import sys

MOST = 110
CODE = {".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".gp", ".sed"}
SCRIPTS = {"CMakeLists.txt", "check", "demo", "run"}
GENERATED = {"docs/distributions.md", "docs/swaps.md"}


def prose(text):
    """Returns the numbered lines that are neither in a table nor code nor a picture."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith(("|", "    ", "![")):
            yield number, line


def lines(file, name):
    """Returns the numbered lines of a file that have a limit."""
    if file.suffix in CODE or file.name in SCRIPTS:
        return enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return prose(file.read_text(encoding="utf-8")) if file.suffix == ".md" and name not in GENERATED else ()


root = pathlib.Path(sys.argv[1])
parts = [p for p in root.iterdir() if p.name not in ("build", ".git")]
files = [f for part in parts for f in ([part] if part.is_file() else part.rglob("*")) if f.is_file()]
long, count = [], 0
for file in sorted(files):
    name = file.relative_to(root).as_posix()
    limited = list(lines(file, name))
    count += len(limited) > 0
    long += [f"{name}:{number}: {len(line)} characters" for number, line in limited if len(line) > MOST]
print("\n".join(long) or f"{count} files")
sys.exit(bool(long))
