#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files about the project agree with it: about.py ROOT

CITATION.cff has what its format requires, and the version of core/version.h; so has debian/. docs/errors.md
has each code of core/status.h with its number and text, and each exit status. Each file has a licence and a
copyright by the REUSE specification."""
import pathlib
import re
import subprocess
import sys
import tomllib

root = pathlib.Path(sys.argv[1])
LICENCE = "GPL-3.0-or-later"
failures = []


def text(path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def expect(holds, words):
    if not holds:
        failures.append(words)


def check_citation():
    cff = text("CITATION.cff")
    try:
        import yaml
        fields = yaml.safe_load(cff)
        expect([a["name"] for a in fields["authors"]] == ["The grebe authors"], "CITATION.cff: the authors")
    except ImportError:
        fields = dict(re.findall(r"^([a-z-]+): *(.*)$", cff, re.M))
    missing = {"cff-version", "message", "title", "authors", "version", "license", "type"} - set(fields)
    expect(not missing, f"CITATION.cff: without {missing}")
    version = ".".join(re.findall(r"^#define GB_VERSION_[A-Z]+ (\d+)$", text("core/version.h"), re.M))
    expect(fields.get("version") == version, f"CITATION.cff: version {fields.get('version')}, not {version}")
    expect(fields.get("cff-version") == "1.2.0", "CITATION.cff: another version of the format")
    expect(fields.get("license") == LICENCE, "CITATION.cff: another licence")


def check_packages():
    """The version of the packages for Debian, and the sonames in their names, are those of the library."""
    version = re.findall(r"^#define GB_VERSION_[A-Z]+ (\d+)$", text("core/version.h"), re.M)
    due = f"grebe ({'.'.join(version)}-"
    expect(text("debian/changelog").startswith(due), f"debian/changelog does not begin with {due}")
    soname = ".".join(version[:2] if version[0] == "0" else version[:1])
    control = text("debian/control")
    packages = re.findall(r"^Package: (libgrebe(?:-kit|-mpi)?)(\d[\d.]*)$", control, re.M)
    expect(packages == [(f"libgrebe{which}", soname) for which in ("", "-kit", "-mpi")],
           f"debian/control: {packages}, and the soname is {soname}")
    files = [p.name.removesuffix(".install") for p in (root / "debian").glob("*.install")]
    expect(all(f"Package: {name}\n" in control for name in files),
           f"debian/: files of unknown packages among {files}")


def rows(page, first):
    """The cells of rows of tables whose first cell is like `first`."""
    for line in page.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(first, cells[0]):
            yield cells


def check_errors():
    codes = re.findall(r'do_\((GB_\w+), "([^"]*)"\)', text("core/status.h"))
    page = text("docs/errors.md")
    found = list(rows(page, r"`GB_\w+`"))
    due = [(f"`{code}`", str(i), words) for i, (code, words) in enumerate(codes)]
    expect([tuple(c[:3]) for c in found] == due, f"docs/errors.md: not the codes {due}")
    for cells in found:
        expect(len(cells) == 5 and cells[3] and (cells[4] or cells[1] == "0"),
               f"docs/errors.md: {cells[0]} does not say when, or what to do")
    body = re.search(r"typedef enum gb_cli_code \{(.*?)\}", text("cli/shell/say.h"), re.S).group(1)
    statuses = [str(i) for i in range(len(re.findall(r"GB_CLI_\w+(?=,)", body)))] + ["130, 143"]
    expect([c[0] for c in rows(page, r"\d+(, \d+)*")] == statuses, "docs/errors.md: other exit statuses")
    return len(found)


def files():
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.splitlines()]
    return [p for part in root.iterdir() if part.name not in ("build", ".git")
            for p in ([part] if part.is_file() else part.rglob("*"))]


def check_licences():
    """A file that can have comments says its licence in its first lines; REUSE.toml covers what it lacks."""
    toml = tomllib.loads(text("REUSE.toml"))
    (whole,) = toml["annotations"]
    expect(toml["version"] == 1 and whole["path"] == "**" and whole["precedence"] == "closest"
           and whole["SPDX-FileCopyrightText"] == "The grebe authors"
           and whole["SPDX-License-Identifier"] == LICENCE, "REUSE.toml does not cover all files")
    expect(text(f"LICENSES/{LICENCE}.txt") == text("LICENSE"), "LICENSES/ and LICENSE differ")
    expect([p.name for p in (root / "LICENSES").iterdir()] == [f"{LICENCE}.txt"], "LICENSES/ has other files")
    count, spoken = 0, {".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".in", ".R", ".sed"}
    for path in (p for p in files() if p.is_file() and not p.is_symlink()):
        head = path.read_bytes()[:400].decode("utf-8", "replace")
        found = re.findall(r"^\W*SPDX-License-Identifier: (\S+)", head, re.M)
        expect(all(f == LICENCE for f in found), f"{path.relative_to(root)}: licence {found}")
        expect(found or path.suffix not in spoken or path.name.endswith(".pc.in"),
               f"{path.relative_to(root)}: no licence in its first lines")
        count += 1
    return count


check_citation()
check_packages()
policy = text("docs/stability.md")
absent = [p.stem for p in (root / "docs/schemas").glob("*") if f"(schemas/{p.name})" not in policy]
expect(not absent, f"docs/stability.md: without {absent}")
codes_seen, files_seen = check_errors(), check_licences()
print("\n".join(failures[:40]) or f"{codes_seen} codes, {files_seen} files with a licence")
sys.exit(bool(failures))
