#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Within a soname an old program runs with a newer library (docs/design.md, "The binary interface").

    growth.py SOURCE BUILD CC CMAKE [LAUNCHER]

Makes a copy of the library in BUILD/growth whose option structs have one more member, and whose type structs
have one more slot, taken out of their reserve. Builds it (baseline kernels, no optimisation), with LAUNCHER,
such as ccache, before the compiler. Compiles growth.c against the headers as they are, without -fPIE, so that
the linker copies type structs into the program. Runs it with the library of BUILD, with the grown one, and
with the grown one and the old kit: all must print the same. The grown library writes down which structs it
looked at; none may be missing.
"""
import os
import pathlib
import platform
import re
import subprocess
import sys

SKIPPED = 77
ROOMS = ["core", "data", "ops", "plugins", "distributions", "estimators", "models", "ready",
         "fitting", "prediction", "compare", "kit"]
# Structs that grow like options, under another name.
LIKE_OPTIONS = {"gb_checkpoint", "gb_fit_seeds"}
# Where the copy looks at the new slot of a type: a function that gets one, and the expression for it.
LOOKS_AT_SLOT = {
    "gb_op": ("gb_apply", "op"),
    "gb_dist_type": ("gb_dist_type_fault", "type"),
    "gb_transform_type": ("gb_transform_forward", "t.type"),
    "gb_domain": ("gb_domain_holds", "domain"),
    "gb_kind": ("gb_kind_find", "kind"),
    "gb_estimator_type": ("gb_estimator_of", "type"),
    "gb_baseline_type": ("gb_baseline_of", "type"),
    "gb_family_type": ("gb_family_of", "type"),
    "gb_optimiser_type": ("gb_optimiser_of", "type"),
    "gb_schedule_type": ("gb_schedule_of", "type"),
    "gb_bound_type": ("gb_bound_of", "type"),
    "gb_shrinkage_type": ("gb_shrinkage_of", "type"),
    "gb_model_type": ("gb_model_of", "type"),
    "gb_problem": ("gb_trial_record", "problem"),
}
GROWN_H = """
/* Of the copy: it notes what it looked at. Behind the options of growth.c stands 7. */
GB_BEGIN_DECLS
GB_API int gb_grown_option(const char *of, double value);
GB_API void gb_grown_slot(void);
GB_API void gb_grown_note(const char *of);
GB_END_DECLS
#define GB_GROWN_SLOT(of, type) \\
    do { \\
        const char *const end = (type) ? (const char *)(&(type)->grown_slot + 1) : NULL; \\
        if (end && (type)->size >= (size_t)(end - (const char *)(type)) && (type)->grown_slot) { \\
            (type)->grown_slot(); \\
            gb_grown_note(of); \\
        } \\
    } while (0)

#endif
"""
GROWN_C = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"

static const char *noted[256];

void gb_grown_note(const char *of)
{
    for (size_t i = 0; i < 256; i++) {
        if (!noted[i])
            noted[i] = of;
        if (strcmp(noted[i], of) == 0)
            return;
    }
}

void gb_grown_slot(void)
{
}

int gb_grown_option(const char *of, double value)
{
    gb_grown_note(of);
    if (value != 7)
        return 1;
    printf("%s: the library reads what is behind the program's struct\\n", of);
    exit(1);
}

__attribute__((destructor)) static void write_notes(void)
{
    FILE *const file = getenv("GB_GROWN_NOTES") ? fopen(getenv("GB_GROWN_NOTES"), "w") : NULL;
    for (size_t i = 0; file && noted[i]; i++)
        fprintf(file, "%s\\n", noted[i]);
    if (file)
        fclose(file);
}
"""
GROWN_UNPACK = """
    for (const gb_option *o = table; o->name; o++) {
        double value;
        memcpy(&value, block + o->offset, sizeof value);
        if (strcmp(o->name, "grown_option") == 0)
            gb_grown_option(o->words, value);
    }
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(grown LANGUAGES C)
set(CMAKE_SYSTEM_PROCESSOR "one instruction set")
set(GB_KIT ON)
set(GB_TESTS OFF)
add_subdirectory(source grebe EXCLUDE_FROM_ALL)
set_target_properties(grebe grebe_kit PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/$<TARGET_PROPERTY:NAME>")
"""


def die(text):
    print(text)
    sys.exit(1)


class Copy:
    """The sources, to be changed and written."""

    def __init__(self, source):
        folders = [source / name for name in ROOMS + ["cli", "cmake"]]
        paths = [p for folder in folders for p in sorted(folder.rglob("*")) if p.is_file()]
        paths += [source / "grebe.h", source / "CMakeLists.txt"]
        paths += sorted((source / "docs/generate").glob("*.c"))
        self.text = {str(p.relative_to(source)): p.read_text() for p in paths}

    def public(self):
        return [p for p in self.text if re.fullmatch(r"(%s)/\w+\.h" % "|".join(ROOMS), p)
                and not re.search(r"_(impl|table)\.h$", p)]

    def only(self, pattern):
        """The one file that has the pattern, and the match."""
        sources = [p for p in self.text if p.endswith(".c")]
        found = [(p, m) for p in sources for m in re.finditer(pattern, self.text[p], re.M)]
        if len(found) != 1:
            die(f"growth.py is out of date: {len(found)} places have {pattern}")
        return found[0]

    def replace(self, path, old, new):
        if self.text[path].count(old) != 1:
            die(f"growth.py is out of date: {path} has {self.text[path].count(old)} times {old!r}")
        self.text[path] = self.text[path].replace(old, new)

    def write(self, to):
        """What did not change keeps its time, so that a second run builds little."""
        for file in to.rglob("*"):
            if file.is_file() and str(file.relative_to(to)) not in self.text:
                file.unlink()
        for path, text in self.text.items():
            file = to / path
            if not file.exists() or file.read_text() != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)


def grow_options(copy):
    """A member at the end of each options struct; returns their names."""
    grown = set()

    def one(m):
        head = re.match(r"\s*(size_t size|GB_OPTIMISER_HEAD);", m[2])
        if not head or not (m[1].endswith("_options") or m[1] in LIKE_OPTIONS):
            return m[0]
        grown.add(m[1])
        return f"typedef struct {m[1]} {{{m[2]}\n    double grown_option;\n}}"

    for path in copy.public():
        copy.text[path] = re.sub(r"typedef struct (gb_\w+) \{(.*?)\n\}", one, copy.text[path], flags=re.S)
    return grown


def look_at_options(copy):
    """What a function copied, it looks at; a plug-in's options are looked at where they are unpacked."""

    def type_of(before, pointer, theirs):
        for pattern in (rf"const (gb_\w+) \*(?:const )?{theirs}\b", rf"\b(gb_\w+) {pointer.split('.')[-1]};"):
            found = re.findall(pattern, before)
            if found:
                return found[-1]
        die(f"growth.py does not see the type of {pointer}, copied from {theirs}")

    call = re.compile(r"\bgb_options_(?:copy|take)\((?:[^();]*, )?(&?)([\w.>-]+), sizeof [^,]*, ([\w.>-]+)\)")
    for path, text in copy.text.items():
        def one(m):
            member = m[2] + ("." if m[1] else "->") + "grown_option"
            of = type_of(text[:m.start()], m[2], m[3])
            return f'({m[0]} && gb_grown_option("{of}", {member}))'
        if path.endswith(".c"):
            copy.text[path] = call.sub(one, text)

    rows = 0
    for path, text in copy.text.items():
        def one(m):
            nonlocal rows
            options = re.search(r"gb_\w+_options\b", m[2])
            if not options:
                return m[0]
            rows += 1
            row = f'GB_OPTION_NUMBER({options[0]}, grown_option, 0, GB_REAL, "{options[0]}")'
            return f"{m[1]}{m[2]}{row}, {{0}}}};"
        if path.startswith(("estimators/", "models/", "ready/")) and path.endswith(".c"):
            table = r"(gb_option \w+\[\] = \{)((?:(?!\};).)*?)\{0\}\};"
            copy.text[path] = re.sub(table, one, text, flags=re.S)
    end = "        at = take(packed, at + 1, option, block + option->offset);\n    }\n"
    copy.replace("plugins/options/pack.c", end, end + GROWN_UNPACK)
    if rows < 20:
        die(f"growth.py is out of date: it sees only {rows} tables of options")


def grow_types(copy):
    """A slot out of the reserve of each type struct, filled in those of the library."""
    grown = set()
    for path in copy.public():
        def one(m):
            if m[1] in ("gb_option", "gb_team"):  # a row has no functions; the library makes no team
                return m[0]
            grown.add(m[1])
            return m[0].replace(m[2], f"void (*grown_slot)(void);\n    GB_RESERVE({int(m[3]) - 1});")
        copy.text[path] = re.sub(r"struct (gb_\w+) \{(?:(?!\n\}).)*?(GB_RESERVE\((\d+)\);)\n\}", one,
                                 copy.text[path], flags=re.S)
    if grown != set(LOOKS_AT_SLOT):
        die(f"growth.py is out of date: type structs with a reserve are {sorted(grown)}")
    for path in copy.text:
        if path.endswith((".c", ".h")):
            copy.text[path] = re.sub(r"(?<=[{,\s])\.size = sizeof\((%s)\)" % "|".join(grown),
                                     r"\g<0>, .grown_slot = gb_grown_slot", copy.text[path])
    copy.replace("distributions/transforms/domains.c", ".reserved = {NULL}}", ".grown_slot = gb_grown_slot}")
    for name, (function, pointer) in LOOKS_AT_SLOT.items():
        path, m = copy.only(r"^[^\n;=(]*\b%s\([^;{]*\)\n\{\n" % function)
        copy.text[path] = copy.text[path].replace(m[0], m[0] + f'    GB_GROWN_SLOT("{name}", {pointer});\n')
    return grown


def grow(source):
    copy = Copy(source)
    structs = grow_options(copy)
    look_at_options(copy)
    structs |= grow_types(copy)
    export = copy.text["core/export.h"]
    copy.text["core/export.h"] = export[:export.rindex("#endif")] + GROWN_H
    copy.text["core/ground/grown.c"] = GROWN_C
    block = "#if defined(__x86_64__) && !defined(GB_PLAIN)\n#define GB_EACH_ISA"
    copy.replace("core/kernels/block_impl.h", block, block.replace("defined(__x86_64__)", "0"))
    return copy, structs


def quietly(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode != 0:
        print(done.stdout[-6000:])
        die(f"failed: {' '.join(str(c) for c in command)}")


def run(program, libraries, notes, checkpoint):
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(str(x) for x in libraries), GREBE_ISA="baseline",
                       GB_GROWN_NOTES=str(notes))
    done = subprocess.run([str(program), str(checkpoint)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout + (f"exit status {done.returncode}\n" if done.returncode else "")


def main():
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        print("left out: it is of x86-64, as Linux has it")
        sys.exit(SKIPPED)
    source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    cc, cmake, launcher = (sys.argv[3:] + [""])[:3]
    work = build / "growth"
    copy, structs = grow(source)
    copy.write(work / "source")
    (work / "CMakeLists.txt").write_text(CMAKE)
    quietly(cmake, "-G", "Ninja", "-S", work, "-B", work / "build", f"-DCMAKE_C_COMPILER={cc}",
            f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}", "-DCMAKE_BUILD_TYPE=Debug", "-DGB_MPI=OFF",
            "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DCMAKE_C_FLAGS=-w")
    quietly(cmake, "--build", work / "build", "--target", "grebe", "grebe_kit", "--", "--quiet")

    program, notes = work / "program", work / "notes"
    here = pathlib.Path(__file__).resolve().parent
    quietly(cc, "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-pie", "-no-pie", here / "growth.c",
            "-I", build / "include", "-L", build, "-lgrebe-kit", "-lgrebe", f"-Wl,-rpath-link,{build}",
            "-o", program)
    relocations = subprocess.run(["readelf", "-rW", program], stdout=subprocess.PIPE, text=True).stdout
    copied = relocations.count("R_X86_64_COPY")
    if copied < 10:
        die(f"the program has copies of only {copied} structs of the library: its test of them is void")

    grown = [work / "build" / "grebe", work / "build" / "grebe_kit"]
    should = run(program, [build], notes, work / "checkpoint")
    if "exit status" in should or "failed" in should:
        die(f"with the library itself:\n{should}")
    failed = 0
    for what, libraries in (("grown", grown), ("grown, with the old kit", [grown[0], build])):
        notes.unlink(missing_ok=True)
        found = run(program, libraries, notes, work / "checkpoint")
        seen = set(notes.read_text().split()) if notes.exists() else set()
        pairs = zip(found.split("\n"), should.split("\n"))
        first = next((f"{a!r} instead of {b!r}" for a, b in pairs if a != b), "")
        if found != should:
            print(f"{what}: the program prints something else, first {first}\n{found[-1500:]}")
            failed += 1
        missing = sorted(s for s in structs - seen if libraries is grown or not s.startswith("gb_check_"))
        if missing and found == should:
            print(f"{what}: growth.c does not use {', '.join(missing)}")
            failed += 1
    lines = len(should.splitlines())
    print(f"{len(structs)} structs grown, {copied} copied into the program; it prints {lines} lines")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
