#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Within a soname public structs keep their length, except options, which begin with it (docs/design.md, "The
binary interface"). sizes.txt has the lengths, as x86-64 has them.

    sizes.py SOURCE BUILD CC           compares
    sizes.py SOURCE BUILD CC --write   writes the table: for another soname, or a struct that is new

A struct that begins with its size may grow: each new member begins where the struct ended, and not in its
last bytes of padding, which an old program does not set. sizes.txt has the length and the last member.

The same holds of exported objects, which linkers copy into programs: each must be declared with a complete
type, a list of words with a length.
"""
import pathlib
import platform
import re
import subprocess
import sys

SKIPPED = 77
ROOMS = "core|data|ops|plugins|distributions|estimators|models|ready|fitting|prediction|compare|kit"
# Begin with their size and grow at their end: the library copies them as options, or makes them itself.
GROWING = {"gb_checkpoint", "gb_fit_seeds", "gb_site"}


def headers(source):
    found = [p for p in sorted(source.glob("*/*.h")) if re.fullmatch(ROOMS, p.parent.name)]
    return [p for p in found if not re.search(r"_(impl|table)\.h$", p.name)]


def members_of(body):
    """Names of the members of a struct, in order. A macro of members counts as one of its name."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    found = []
    for declaration in filter(str.strip, body.split(";")):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        parts = [declaration] if pointer else re.sub(r"\[.*?\]", "", declaration).split(",")
        found += [pointer.group(1) if pointer else re.findall(r"\w+", part)[-1] for part in parts]
    return found


def growing_structs(texts):
    """Structs that grow at their end, with their members."""
    found = {}
    for text in texts:
        for body, name in re.findall(r"^(?:typedef )?struct \w+ \{\n(.*?)^\} (gb_\w+);", text, re.M | re.S):
            head = body.lstrip().startswith(("size_t size;", "GB_OPTIMISER_HEAD;"))
            if name in GROWING or (name.endswith("_options") and head):
                found[name] = members_of(body)
    return found


def public_structs(texts):
    """Structs and unions of public headers, as C writes them and by name, except those that grow."""
    found = []
    start = r"^(?:typedef )?(struct|union) (gb_\w+) \{[^\n]*\n\s*([^\n]*)"
    for text in texts:
        for kind, name, head in re.findall(start, text, re.M):
            has_size = re.match(r"size_t size;|GB_OPTIMISER_HEAD;", head)
            if name not in GROWING and not (name.endswith("_options") and has_size):
                found.append((f"{kind} {name}", name))
    return found


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def exported_objects(build):
    found = {}
    for library in ("libgrebe.so", "libgrebe-kit.so"):
        for line in output_of("nm", "-D", "-S", "--defined-only", build / library).split("\n"):
            words = line.split()
            if len(words) == 4 and words[2] in "BDRV":
                found[words[3]] = int(words[1], 16)
    return found


def values_of(expressions, includes, build, cc):
    folder = build / "sizes"
    folder.mkdir(exist_ok=True)
    lines = "".join(f'    printf("%zu\\n", {e});\n' for e in expressions)
    start = "#include <stddef.h>\n#include <stdio.h>\n"
    start += "".join(f"#include <grebe/{include}>\n" for include in includes)
    (folder / "sizes.c").write_text(f"{start}int main(void)\n{{\n{lines}}}\n")
    output_of(cc, "-std=c17", "-I", build / "include", "-c", folder / "sizes.c", "-o", folder / "sizes.o")
    output_of(cc, folder / "sizes.o", "-o", folder / "sizes")
    return [int(size) for size in output_of(folder / "sizes").split()]


def count_in_padding(growing, lengths, rows, values):
    """Counts growing structs that are not in the table, or have a member in what was padding."""
    failed = 0
    for name, members in growing.items():
        if name not in rows or rows[name][1] not in members:
            print(f"{name}: it is not in sizes.txt, or has lost its member there")
            failed += 1
            continue
        new = members[members.index(rows[name][1]) + 1:]
        places = values([f"offsetof({name}, {member})" for member in new]) if new else []
        for member, place in zip(new, places):
            if place < int(rows[name][0]):
                print(f"{name}.{member} stands in what was padding: put a member of 8 bytes, or "
                      f"padding, before it, so that it begins at byte {rows[name][0]} or later")
                failed += 1
        if lengths[name] < int(rows[name][0]):
            print(f"{name} has become shorter: {lengths[name]}, in sizes.txt {rows[name][0]}")
            failed += 1
    return failed


def main():
    source, build, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    table = source / "tests/house/sizes.txt"
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        print("left out: the table is of x86-64, as Linux has it")
        sys.exit(SKIPPED)
    public = headers(source)
    texts = [p.read_text() for p in public]
    structs, objects = public_structs(texts), exported_objects(build)
    arrays = set(re.findall(r"extern const [^;(]*?\b(gb_\w+)\[", "\n".join(texts)))
    includes = [p.relative_to(source) for p in public]
    sizes = values_of([f"sizeof({e})" for e in [e for e, _ in structs] + list(objects)], includes, build, cc)
    found = {name: size for (_, name), size in zip(structs, sizes)}
    failed = 0
    for name, size in zip(objects, sizes[len(structs):]):
        if size != objects[name]:
            print(f"{name} has {objects[name]} bytes in the library, and {size} in its header")
            failed += 1
        if name in arrays:
            found[name] = size
    rows = {line.split()[0]: line.split()[1:] for line in table.read_text().splitlines()}
    growing = growing_structs(texts)
    lengths = dict(zip(growing, values_of([f"sizeof({name})" for name in growing], includes, build, cc)))
    if sys.argv[4:] == ["--write"]:
        new = {name: [str(size)] for name, size in found.items()}
        new.update({name: rows.get(name, [str(lengths[name]), growing[name][-1]]) for name in growing})
        table.write_text("".join(f"{name} {' '.join(new[name])}\n" for name in sorted(new)))
        rows = new
    failed += count_in_padding(growing, lengths, rows, lambda e: values_of(e, includes, build, cc))
    should = {name: int(row[0]) for name, row in rows.items() if len(row) == 1}
    for name in sorted(should.keys() | found.keys()):
        if found.get(name) != should.get(name):
            print(f"{name}: {found.get(name, 'not there')}, in sizes.txt {should.get(name, 'not there')}")
            failed += 1
    if failed:
        print("A struct that changes its length needs another soname: before 1.0, another minor version.\n"
              "For that, and for a struct that is new: sizes.py SOURCE BUILD CC --write")
    print(f"{len(found)} lengths, {len(objects)} objects")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
