#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that bench/trust works: trust.py SOURCE PROGRAM. It fits two posteriors whose truth is known, one
that a normal is near and one with a second mode, and makes the page; a verdict that is falsified on purpose
has to be counted."""
import pathlib
import re
import subprocess
import sys
import tempfile

source, program = map(pathlib.Path, sys.argv[1:3])


def need(good, words):
    if not good:
        sys.exit('bench/trust: ' + words)


def page(folder):
    command = [sys.executable, source / 'bench/trust/table.py', folder]
    return subprocess.run(command, check=True, capture_output=True, encoding='utf-8').stdout


def measure(folder):
    subprocess.run([program, folder, '--models', 'modes_near,modes_apart', '--families', 'mean', '--variants',
                    'plain'], check=True)
    lines = (folder / 'results.tsv').read_text(encoding='utf-8').splitlines()
    return {fields[0]: fields for fields in (line.split('\t') for line in lines)}, len(lines)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / 'results'
    runs, count = measure(folder)
    need(count == 2, f'{count} lines for 2 runs')
    near, apart = runs['modes_near'], runs['modes_apart']
    need(near[4] == 'good', f'two modes that make one are {near[4]}: {near[-1]}')
    need(float(near[6]) < 0.05 and float(near[8]) < 0.06, f'its means are {near[6]} off, its sds {near[8]}')
    need('good' not in apart[4], f'one mode of two is {apart[4]}: {apart[-1]}')
    need(abs(float(apart[6]) - 0.98) < 0.02 and abs(float(apart[8]) - 0.804) < 0.01,
         f'one mode of two is {apart[6]} and {apart[8]} off, which should be 5/√26, and 1 − 1/√26')
    need(measure(folder)[1] == 2, 'a run that was done is done again')
    need('False comfort, models below: 0 of 2' in page(folder), 'comfort is found where there is none')
    need('Called good where the family can be: 1 of 1' in page(folder), 'the good one is not counted')
    results = folder / 'results.tsv'
    results.write_text(results.read_text(encoding='utf-8').replace(apart[4], 'good, if no mode was missed'),
                       encoding='utf-8')
    need('False comfort, models below: 1 of 2' in page(folder), 'false comfort is not counted')
    results.write_text(results.read_text(encoding='utf-8').replace('good, if no mode was missed',
                                                                   'usable for means'), encoding='utf-8')
    need('False comfort, models below: 1 of 2' in page(folder), 'false comfort of means is not counted')
    need('Linear response' not in page(folder), 'a table of nothing')
    subprocess.run([program, folder, '--response', '--models', 'modes_near'], check=True)
    need(re.search(r'modes_near \| \d\.\d % \| \d\.\d %', page(folder)), 'linear response has no table')
