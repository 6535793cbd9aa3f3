# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one test file, or leaves it out in words where NumPy is not installed: run.py FILE ROOT BUILD CC"""
import importlib.util
import os
import sys
import unittest

if importlib.util.find_spec('numpy') is None:
    print(f'left out: {sys.executable} has no NumPy (python3-numpy)')
    sys.exit(77)

file, os.environ['GB_ROOT'], os.environ['GB_BUILD'], os.environ['GB_CC'] = sys.argv[1:5]
sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
name = os.path.basename(file)[:-len('.py')]


def main():
    result = unittest.main(module=name, argv=[name, *sys.argv[5:]], exit=False).result
    sys.exit(not result.wasSuccessful())


if __name__ == '__main__':
    main()
