#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manual pages and completions have what the command's help has: pages.py COMMAND FOLDER

Each command has a page, each option of `grebe help COMMAND` is in its page and in both completions with the
same words. Pages are rendered without a warning where man is installed; bash completes; zsh reads its
file."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
bash, zsh = (folder / name for name in ("grebe.bash", "grebe.zsh"))
failures = []


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def expect(holds, words):
    if not holds:
        failures.append(words)


def plain(text):
    """Roff as it is read: without fonts and escapes."""
    text = re.sub(r"\\f[BIR]", "", text)
    for code, letter in {"\\-": "-", "\\(ga": "`", "\\(aq": "'", "\\&": "", "\\e": "\\"}.items():
        text = text.replace(code, letter)
    return text


def complete(*words):
    """What bash offers for the last of these words."""
    script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _grebe; '
              '[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"')
    done = run("bash", "--norc", "-c", script, "bash", str(bash), *words)
    expect(done.returncode == 0 and not done.stderr, f"bash: {words}: {done.stderr}")
    return done.stdout.split("\n")[:-1]


def rendered(page):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = run("man", "--warnings", "-l", str(page), env=environment)
    expect(done.returncode == 0 and not done.stderr, f"man: {page.name}: {done.stderr}")
    return re.sub(".\b", "", done.stdout)


def check_command(name, summary):
    page = folder / "man" / f"grebe-{name}.1"
    roff, words = plain(page.read_text()), run(command, "help", name).stdout
    expect(f"grebe-{name} - {summary}" in roff, f"{page.name}: no summary")
    part = words.partition("\nOptions:\n")[2].partition("\n\n")[0]
    options = re.findall(r"^  --([a-z-]+) ?(\S*)(?:\n +| +)(.*)", part, re.M)
    for option, value, meaning in options:
        expect(f"\n--{option}{value and ' ' + value}\n{meaning}\n" in roff, f"{page.name}: no --{option}")
        expect(re.search(rf"^        '--{option}[=[]", zsh_part(name), re.M), f"zsh: no {name} --{option}")
    expect(set(complete("grebe", name, "--")) == {f"--{o[0]}" for o in options} | {"--help"},
           f"bash: other options of {name}")
    for line in words.splitlines()[3:]:  # after the first line, and the summary
        expect(line.strip() in roff or line.startswith(("grebe ", "Options:", "  --")),
               f"{page.name}: without the line: {line}")
    return len(options)


def zsh_part(name):
    return re.search(rf"^    {name}\)\n(.*?)^      ;;", zsh.read_text(), re.M | re.S).group(1)


overview = run(command, "help").stdout
commands = re.findall(r"^  grebe ([a-z]+) +(.*)", overview, re.M)
expect(len(commands) >= 5, "help lists few commands")
pages = sorted(p.name for p in (folder / "man").iterdir())
expect(pages == sorted(["grebe.1"] + [f"grebe-{name}.1" for name, _ in commands]), f"pages are {pages}")
main = plain((folder / "man" / "grebe.1").read_text())
for _name, _summary in commands:
    expect(f"\n{_summary}\n" in main, f"grebe.1: no {_name}")
for _line in overview.splitlines()[len(commands) + 5:]:
    expect(_line in main, f"grebe.1: without the line: {_line}")
options_seen = sum(check_command(*one) for one in commands)

for _words, _offers in {
    ("grebe", "com"): ["compare"],
    ("grebe", "help", "do"): ["doctor"],
    ("grebe", "--te"): ["--team"],
    ("grebe", "--team", ""): ["mpi"],
    ("grebe", "--team", "mpi", "comp"): ["compare"],
    ("grebe", "--team", "mpi", "compare", "x", "--dtype", "f6"): ["f64"],
    ("grebe", "list", "est"): ["estimators"],
    ("grebe", "check", "optimisers", "rms"): ["rmsprop"],
    ("grebe", "compare", "gauss-sq"): ["gauss-square"],
    ("grebe", "compare", "x", "--at", ""): ["given", "fitted", "path"],
    ("grebe", "compare", "x", "--at", "=", "f"): ["fitted"],
    ("grebe", "compare", "x", "--dtype", "="): ["f64", "f32"],
    ("grebe", "compare", "x", "--estimators", "score,rebar,pathw"): ["score,rebar,pathwise"],
    ("grebe", "compare", "x", "--draws", ""): [],
    ("grebe", "compare", "x", "--json", str(bash)[:-1]): [str(bash)],
    ("grebe", "check", str(bash)[:-1]): [str(bash)],
}.items():
    expect(complete(*_words) == _offers, f"bash: {' '.join(_words)} gives {complete(*_words)}")
known = run("bash", "--norc", "-c", f'. "{bash}"; complete -p grebe').stdout
expect(known == "complete -F _grebe grebe\n", f"bash: complete -p: {known}")

if shutil.which("man"):
    for _page in pages:
        expect("NAME" in rendered(folder / "man" / _page), f"{_page} is not rendered")
if shutil.which("zsh"):
    done = run("zsh", "-n", str(zsh))
    expect(done.returncode == 0 and not done.stderr, f"zsh: {done.stderr}")
for _words in ('--plot=[a picture, by gnuplot]:FILE.svg|png:_files -g "*.(svg|png)"',
               "'*:file of plug-ins:_files -g \"*.so\"'"):
    expect(_words in zsh.read_text(), f"zsh: {_words} is missing")
left_out = [name for name in ("man", "zsh") if not shutil.which(name)]
print("\n".join(failures) or f"{len(pages)} pages, {options_seen} options"
      + (f"; left out, not installed: {', '.join(left_out)}" if left_out else ""))
sys.exit(bool(failures))
