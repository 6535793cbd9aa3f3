#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No line of C or C++ has more than 110 characters, comments included: columns.py ROOT"""
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
folders = [p for p in root.iterdir() if p.is_dir() and p.name not in ("build", ".git")]
files = [f for folder in folders for f in folder.rglob("*") if f.suffix in (".c", ".h", ".cpp")]
long = [f"{file.relative_to(root)}:{number}: {len(line)} characters" for file in sorted(files)
        for number, line in enumerate(file.read_text().splitlines(), 1) if len(line) > 110]
print("\n".join(long) or f"{len(files)} files")
sys.exit(bool(long))
