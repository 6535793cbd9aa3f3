#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the reference of the public headers, by Doxygen: reference.py SOURCE FOLDER HEADER...

The pages are in FOLDER/html, and what Doxygen did not like in FOLDER/warnings.txt."""
import pathlib
import re
import shutil
import subprocess
import sys

source, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
here = source / "docs" / "generate"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
headers = [sys.executable, here / "reference_headers.py", source, folder / "grebe", *sys.argv[3:]]
subprocess.run(headers, check=True)

version = re.findall(r"^#define GB_VERSION_[A-Z]+ (\d+)$", (source / "core" / "version.h").read_text(), re.M)
text = (here / "Doxyfile.in").read_text(encoding="utf-8")
for name, value in {"VERSION": ".".join(version), "FOLDER": folder, "HERE": here}.items():
    text = text.replace(f"@{name}@", str(value))
(folder / "Doxyfile").write_text(text, encoding="utf-8")
sys.exit(subprocess.run(["doxygen", folder / "Doxyfile"], check=False).returncode)
