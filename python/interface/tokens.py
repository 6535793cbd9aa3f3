# SPDX-License-Identifier: GPL-3.0-or-later
"""The public headers as the compiler's preprocessor leaves them: tokens with their places."""
import collections
import os
import re
import subprocess

# A word of a header. `line` is that of the file, so comments of the unexpanded text can be found by it.
Token = collections.namedtuple('Token', 'text file line is_comment')

WORDS = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d[\w.]*|\.\.\.|\S',
                   re.S)


def public_headers(root, rooms):
    """Returns the paths of the public headers of rooms, relative to the root."""
    return [f'{room}/{name}' for room in rooms for name in sorted(os.listdir(f'{root}/{room}'))
            if name.endswith('.h') and not re.search(r'_(impl|table)\.h$', name)]


def preprocessed(root, headers, compiler):
    """Returns the tokens of the headers, with macros expanded and comments kept."""
    lines = ''.join(f'#include "{root}/{name}"\n' for name in headers)
    text = subprocess.run([*compiler, '-std=c17', '-E', '-CC', '-x', 'c', '-'], input=lines, text=True,
                          check=True, stdout=subprocess.PIPE, encoding='utf-8').stdout
    wanted = {os.path.realpath(f'{root}/{name}'): name for name in headers}
    known, tokens, file, line = {}, [], None, 0
    for piece in re.split(r'^(# \d+ "[^"\n]*".*)\n', text, flags=re.M):
        marker = re.match(r'# (\d+) "([^"]*)"', piece)
        if marker:
            if marker[2] not in known:
                known[marker[2]] = wanted.get(os.path.realpath(marker[2]))
            file, line = known[marker[2]], int(marker[1])
        elif file:
            tokens += tokens_of(piece, file, line)
    return tokens


def tokens_of(text, file, line):
    found, at = [], 0
    for word in WORDS.finditer(text):
        line += text.count('\n', at, word.start())
        at = word.start()
        found.append(Token(word[0], file, line, word[0].startswith('/*')))
    return found
