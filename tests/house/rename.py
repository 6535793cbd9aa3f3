#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks docs/rename-0.2.sed: rename_0_1.c, a program in the names of 0.1, compiles against the headers after
the script. Without any one command of the script it must not, so the program holds each of them.

    rename.py SOURCE BUILD CC"""
import pathlib
import subprocess
import sys

SKIPPED = 77


def has_gnu_sed():
    run = subprocess.run(["sed", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return "GNU" in run.stdout


def renamed(program, commands):
    return subprocess.run(["sed", "-E", "\n".join(commands)], input=program, stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def faults_of(program, build, cc):
    """Returns what the compiler says of a program; "" if it compiles."""
    run = subprocess.run([cc, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c",
                          "-I", build / "include", "-"], input=program, stderr=subprocess.PIPE, text=True)
    return run.stderr if run.returncode else ""


def main():
    source, build, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    if not has_gnu_sed():
        print("left out: the script needs GNU sed")
        sys.exit(SKIPPED)
    script = (source / "docs/rename-0.2.sed").read_text(encoding="utf-8")
    commands = [line for line in script.splitlines() if line and not line.startswith("#")]
    program = (source / "tests/house/rename_0_1.c").read_text(encoding="utf-8")
    faults = faults_of(renamed(program, commands), build, cc)
    if faults:
        sys.exit(f"the renamed program does not compile:\n{faults}")
    without = {c: renamed(program, [d for d in commands if d != c]) for c in commands}
    needless = [c for c in commands if not faults_of(without[c], build, cc)]
    if needless:
        sys.exit("the program does not need these commands:\n" + "\n".join(needless))
    print(f"{len(commands)} commands rename a program of 0.1")


main()
