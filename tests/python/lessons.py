# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs lessons, one after the other: lessons.py FILE... They are left out, in words, where NumPy is not
installed."""
import importlib.util
import os
import runpy
import sys
import time

if importlib.util.find_spec('numpy') is None:
    print(f'left out: {sys.executable} has no NumPy (python3-numpy)')
    sys.exit(77)
for file in sys.argv[1:]:
    start = time.process_time()
    runpy.run_path(file, run_name='__main__')
    print(f'---- {os.path.basename(file)}: {time.process_time() - start:.2f} s of CPU', flush=True)
