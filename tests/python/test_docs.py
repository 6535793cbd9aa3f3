# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents show the truth: each ```python block of docs/python.md and README.md runs, in one process for a
document, and the ```printed block after it is what it prints: equal words, numbers within a fifth."""
import contextlib
import io
import os
import re
import unittest

ROOT = os.environ['GB_ROOT']
NUMBER = re.compile(r'-?\d+\.?\d*(?:e-?\d+)?')


def blocks(page):
    """Returns (kind, text, line) of each block."""
    with open(f'{ROOT}/{page}', encoding='utf-8') as file:
        text = file.read()
    return [(kind, body, text.count('\n', 0, found.start()) + 1) for found in
            re.finditer(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S) for kind, body in [found.groups()]]


def resembles(said, printed):
    """Whether words are equal, and numbers within a fifth."""
    if NUMBER.sub('#', ' '.join(said.split())) != NUMBER.sub('#', ' '.join(printed.split())):
        return False
    pairs = zip(NUMBER.findall(said), NUMBER.findall(printed), strict=True)
    return all(abs(float(a) - float(b)) <= 0.2 * abs(float(a)) for a, b in pairs)


class Documents(unittest.TestCase):
    def runs(self, page, least):
        names, printed, count = {'__name__': 'document'}, None, 0
        for kind, body, line in blocks(page):
            if kind == 'python':
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile('\n' * line + body, page, 'exec'), names)  # pylint: disable=exec-used
                printed, count = out.getvalue(), count + 1
            elif kind == 'printed':
                self.assertTrue(resembles(body, printed), f'{page}:{line}: it prints\n{printed}')
                printed = None
        self.assertGreaterEqual(count, least)

    def test_python_md(self):
        self.runs('docs/python.md', 10)

    def test_readme(self):
        self.runs('README.md', 1)

    def test_other_numbers_are_seen(self):
        self.assertTrue(resembles('a 1.0  b\n2', 'a 1.1 b 2'))
        self.assertFalse(resembles('a 1.0', 'a 1.3'))
        self.assertFalse(resembles('a 1.0', 'b 1.0'))
