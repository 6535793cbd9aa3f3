#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference has every public name, with words, and no dead link: reference.py SOURCE FOLDER HEADER...

Doxygen makes the pages in FOLDER. A name that begins with gb_ or GB_ and has no description is a failure, and
so is anything else that Doxygen reports, but for members of structs, whose names may say all. Every function
that a header declares is in the search index; the tour names every room and only headers that are there."""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys

if not shutil.which("doxygen"):
    print("doxygen is not installed")
    sys.exit(77)
source, folder, headers = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
done = subprocess.run([sys.executable, source / "docs/generate/reference.py", source, folder, *headers],
                      capture_output=True, text=True, check=False)
failures = [] if done.returncode == 0 else [done.stderr]

MEMBER = re.compile(r"warning: Member (?!gb_|GB_).*\((variable|function)\) of (struct|union) \w+ is not doc")
for line in (folder / "warnings.txt").read_text(encoding="utf-8").splitlines():
    if line.strip() and not MEMBER.search(line):
        failures.append(line.replace(f"{folder.resolve()}/", ""))


class Page(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs.get("id"), attrs.get("name")}
        self.links += [attrs[key] for key in ("href", "src") if attrs.get(key)]


pages = {p.name: Page(p.read_text(encoding="utf-8")) for p in (folder / "html").glob("*.html")}
count = 0
for name, page in pages.items():
    for link in page.links:
        file, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or link.startswith("javascript"):
            continue
        count += 1
        file = file or name
        if file in pages and anchor and anchor not in pages[file].anchors:
            failures.append(f"{name}: there is no {link}")
        elif file not in pages and not (folder / "html" / file).exists():
            failures.append(f"{name}: there is no {file}")

index = "".join(p.read_text(encoding="utf-8") for p in (folder / "html" / "search").glob("*.js"))
declared = set()
for name in headers:
    text = re.sub(r"^#define(.*\\\n)*.*\n", "", (source / name).read_text(encoding="utf-8"), flags=re.M)
    declared |= set(re.findall(r"^GB_API [\w\s*]*?\b(gb_\w+)\(", text, re.M))
absent = sorted(name for name in declared if f"'{name}'" not in index)
failures += [f"{name} is not in the search index" for name in absent]

tour = (source / "docs/generate/reference.md").read_text(encoding="utf-8")
named = set(re.findall(r"(?<!<)\b\w+/\w+\.h\b", tour))
failures += [f"the tour names {name}, which is no header" for name in named - set(headers)]
failures += [f"the tour does not lead to {room}" for room in {n.split("/")[0] for n in headers if "/" in n}
             if not any(n.startswith(f"{room}/") for n in named)]
print("\n".join(failures[:40]) or f"{len(declared)} functions, {len(pages)} pages, {count} links")
sys.exit(bool(failures))
