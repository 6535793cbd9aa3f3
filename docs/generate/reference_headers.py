#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes public headers as Doxygen reads them: reference_headers.py SOURCE TARGET HEADER...

Comments of the headers are plain. Here the first one becomes that of the file; one before a declaration, or
behind it in its line, becomes its description. A comment holds for all declarations below it up to a blank
line or the next comment, as people read it. Indented lines are code."""
import pathlib
import re
import sys

TITLE = re.compile(r"---- .* ----$")


def words_of(comment):
    """The text of a comment, without its frame."""
    lines = comment[2:-2].split("\n")
    return [re.sub(r"^\s*\*( |$)", "", line) if i else line.lstrip(" ") for i, line in enumerate(lines)]


def as_doxygen(lines):
    """The same text with its code marked, and nothing that Doxygen would take for a command."""
    out, is_code = [], False
    for line in lines:
        was_code, is_code = is_code, line.startswith("    ") or (is_code and not line.strip())
        if is_code != was_code:
            out.append("@code{.c}" if is_code else "@endcode")
        if not is_code:
            line = re.sub(r"([\\@&$#<>%\"])", r"\\\1", line)
        out.append(line)
    return "\n".join(out + (["@endcode"] if is_code else [])).rstrip()


# Declarations whose meaning is in their form.
KNOWN = (
    (r"size_t size;", "The size of the struct, which tells versions of it apart."),
    (r"typedef struct (gb_\w+)_options {", r"The options of \1."),
    (r"typedef gb_\w+_options (gb_\w+)_options;", r"The options of \1."),
    (r"typedef struct (gb_\w+) \1;", "A type that only the functions below know from within."),
    (r"GB_RESERVE\(", "Room for later members: zeros."),
    (r"(GB_[A-Z_]+);", r"The members that the macro \1 has."),
)
NO_DECLARATION = ("}", "#if", "#endif", "#include", "#undef", "#else", "GB_BEGIN", "GB_END", "{")


class Filter:
    """Writes a header, piece by piece."""

    def __init__(self):
        self.out = []
        self.current = None  # the description of what follows
        self.is_fresh = False  # it was just written
        self.is_open = False  # within a declaration of several lines
        self.is_macro = False  # which is a macro
        self.around = []  # descriptions of open braces

    def comment(self, text, follows_code):
        words = words_of(text)
        if words[0].startswith("clang-format"):
            return
        if TITLE.match(words[0].strip()):
            words = words[1:]
            self.current = None
        if not any(words):
            return
        if follows_code:
            self.out.append(f"/**< {as_doxygen(words)} */")
        else:
            self.current = f"/** {as_doxygen(words)} */"
            self.out.append(self.current)
            self.is_fresh = True

    def code(self, text, has_tail):
        """A piece of code; has_tail: a comment follows in its last line."""
        lines = text.split("\n")
        for i, line in enumerate(lines):
            if 0 < i < len(lines) - 1 and not line.strip() and not self.is_open and not self.is_fresh:
                self.current = None
            self.line(line, has_tail and i == len(lines) - 1)
            self.out.append("\n" if i < len(lines) - 1 else "")

    def line(self, line, has_tail):
        bare = line.strip()
        begins = bare and not self.is_open and not bare.startswith(NO_DECLARATION)
        known = [found.expand(words) for form, words in KNOWN if (found := re.match(form, bare))]
        if begins and known and not self.is_fresh and not has_tail:
            self.out.append(f"/** {known[0]} */ ")
        elif begins and self.current and not self.is_fresh and not has_tail:
            self.out.append(self.current + " ")
        self.out.append(line)
        if not bare:
            return
        self.is_fresh = False
        if bare.startswith("#") or self.is_macro or bare == "\\":
            self.is_open = self.is_macro = bare.endswith("\\")
            return
        self.is_open = not bare.endswith((";", "{", "}", ",", "GB_BEGIN_DECLS", "GB_END_DECLS"))
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                self.around.append(self.current)
                self.current = None
            elif self.around:
                self.current = self.around.pop()


def as_read(text):
    """A header as Doxygen reads it."""
    for name in re.findall(r"^#undef (\w+)", text, re.M):  # tools of the header, and none of its reader
        text = re.sub(rf"^#define {name}\b(.*\\\n)*.*\n", "", text, flags=re.M)
    # One declaration for each name, so that each has its description.
    text = re.sub(r"^GB_API extern const (\w+) ([\w\s]+,[\w\s,]+);", lambda found: "\n".join(
        f"GB_API extern const {found[1]} {one.strip()};" for one in found[2].split(",")), text, flags=re.M)
    head = re.match(r"/\* SPDX.*?\*/\s*(/\*.*?\*/)?(?=\s*#ifndef)", text, re.S)
    words = as_doxygen(words_of(head.group(1))) if head.group(1) else ""
    parts = [part for part in re.split(r"(/\*.*?\*/)", text[head.end():], flags=re.S) if part]
    result = Filter()
    for i, part in enumerate(parts):
        follows_code = i > 0 and bool(parts[i - 1].split("\n")[-1].strip())
        if part.startswith("/*"):
            result.comment(part, follows_code)
        else:
            result.code(part, i + 1 < len(parts) and bool(part.split("\n")[-1].strip()))
    return f"/** @file\n{words}\n*/" + "".join(result.out)


source, target = (pathlib.Path(folder) for folder in sys.argv[1:3])
for name in sys.argv[3:]:
    place = target / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(as_read((source / name).read_text(encoding="utf-8")), encoding="utf-8")
