# SPDX-License-Identifier: GPL-3.0-or-later
"""`pip install ./python` in a virtual environment, with the library of this build: it needs no network, and
the package then works without the build tree."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = os.environ['GB_ROOT'], os.environ['GB_BUILD']
PROGRAM = '''
import os, sys
import numpy as np
import grebe as gb
assert gb.__file__.startswith(sys.argv[1]), gb.__file__
with gb.Tape(seed=1) as t:
    e = gb.ELBO(t, data_size=3)
    m = e.latent("m", gb.mean_field(), gb.normal(0, 3))
    e.observe("y", gb.normal(m, 0.5), [1.0, 2.0, 3.0])
    assert e.fit().good
assert gb.check(gb.cosine(10))
print("works")
'''


class Wheel(unittest.TestCase):
    def run_(self, *words, **environment):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(('PYTHON', 'PIP', 'GB_'))}
        done = subprocess.run(words, text=True, capture_output=True, env={**kept, **environment}, cwd='/',
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def test_pip_installs_it_without_network(self):
        for module in ('venv', 'ensurepip'):
            if subprocess.run([sys.executable, '-c', f'import {module}'], capture_output=True,
                              check=False).returncode:
                self.skipTest(f'{sys.executable} has no {module} (python3-venv)')
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            self.run_(sys.executable, '-m', 'venv', '--system-site-packages', '--without-pip',
                      f'{folder}/venv')
            python = f'{folder}/venv/bin/python'
            if subprocess.run([python, '-c', 'import pip'], capture_output=True, check=False).returncode:
                self.run_(python, '-m', 'ensurepip')
            self.run_(python, '-m', 'pip', 'install', '--no-index', '--no-deps', '--no-compile',
                      f'{ROOT}/python', GREBE_BUILD=BUILD)
            information, = glob.glob(f'{folder}/venv/lib/python3*/site-packages/grebe-*.dist-info')
            with open(f'{information}/RECORD', encoding='utf-8') as file:
                names = [line.split(',')[0] for line in file]
            self.assertEqual(len(names), len(set(names)))
            for word in ('grebe/_lib/interface.json', 'grebe/__init__.pyi', 'grebe/py.typed'):
                self.assertIn(word, names)
            self.assertEqual(sum('libgrebe.' in name for name in names), 1, names)
            with open(f'{information}/WHEEL', encoding='utf-8') as file:
                self.assertRegex(file.read(), r'(?m)^Tag: py3-none-(?!any)\w+$')  # of this platform
            self.assertIn('works', self.run_(python, '-c', PROGRAM, f'{folder}/venv'))
