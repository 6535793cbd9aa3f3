#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that bench/trust works: trust.py SOURCE PROGRAM. It fits two posteriors whose truth is known, one
that a normal is near and one with a second mode, and makes the page; a verdict that is falsified on purpose
has to be counted, a run that is missing named, and what another build left is not used."""
import pathlib
import re
import shutil
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


def results_of(folder):
    return folder / (folder / 'build').read_text(encoding='utf-8').strip() / 'results.tsv'


def measure(folder, program):
    subprocess.run([program, folder, '--models', 'modes_near,modes_apart', '--families', 'mean', '--variants',
                    'plain'], check=True)
    lines = results_of(folder).read_text(encoding='utf-8').splitlines()
    return {fields[0]: fields for fields in (line.split('\t') for line in lines)}, len(lines)


def respond(folder, model):
    """Relative errors of a mean field's sds, and of those by linear response, in per cent."""
    subprocess.run([program, folder, '--response', '--models', model], check=True)
    found = re.search(model + r' \| (\d+\.\d) % \| (\d+\.\d) %', page(folder))
    need(found, f'linear response of {model} has no table')
    return map(float, found.groups())


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / 'results'
    runs, count = measure(folder, program)
    need(count == 2, f'{count} lines for 2 runs')
    near, apart = runs['modes_near'], runs['modes_apart']
    need(near[4] == 'good', f'two modes that make one are {near[4]}: {near[-1]}')
    need(float(near[6]) < 0.05 and float(near[8]) < 0.06, f'its means are {near[6]} off, its sds {near[8]}')
    need('good' not in apart[4], f'one mode of two is {apart[4]}: {apart[-1]}')
    need(abs(float(apart[6]) - 0.98) < 0.02 and abs(float(apart[8]) - 0.804) < 0.01,
         f'one mode of two is {apart[6]} and {apart[8]} off, which should be 5/√26, and 1 − 1/√26')
    need(measure(folder, program)[1] == 2, 'a run that was done is done again')
    need('False comfort, models below: 0 of 2' in page(folder), 'comfort is found where there is none')
    need('Called good where the family can be: 1 of 1' in page(folder), 'the good one is not counted')
    results = results_of(folder)
    results.write_text(results.read_text(encoding='utf-8').replace(apart[4], 'good, if no mode was missed'),
                       encoding='utf-8')
    need('False comfort, models below: 1 of 2' in page(folder), 'false comfort is not counted')
    results.write_text(results.read_text(encoding='utf-8').replace('good, if no mode was missed',
                                                                   'usable for means'), encoding='utf-8')
    need('False comfort, models below: 1 of 2' in page(folder), 'false comfort of means is not counted')
    need('Linear response' not in page(folder), 'a table of nothing')
    field, response = respond(folder, 'modes_near')
    need(field < 2 and response < 2, f'sds of a normal that is near are {field} and {response} % off')

    # One reference for both: chains that have not mixed are none.
    field, response = respond(folder, 'arma')
    need(20 < field < 60 and response < 10, f'sds of arma are {field} and {response} % off')
    need('arma' not in page(folder).split('## References')[1], 'a reference of no run is listed')

    # A run that was interrupted is missing, and has a reference; one without a reference is named too.
    lines = results.read_text(encoding='utf-8').splitlines(keepends=True)
    results.write_text(lines[0], encoding='utf-8')
    lost = lines[1].split('\t')[0]
    need(f'not made: 1 runs** (interrupted or failed), of {lost}, mean field: 1' in page(folder),
         'a run that is missing is not named')
    (results.parent / f'reference-{lost}.csv').write_text('source,none\n', encoding='utf-8')
    need(f'NUTS did not reach what is asked: 1 runs, of {lost}' in page(folder) and
         'not made' not in page(folder), 'a run without a reference is not named')

    # Another build: its own results, and a word about the others.
    other = pathlib.Path(name) / 'other'
    shutil.copy(program, other)
    with other.open('ab') as file:
        file.write(b'\n')
    need(measure(folder, other)[1] == 2, 'results of another build are used')
    need('1 results of other builds are not used' in ' '.join(page(folder).split()),
         'results of another build are not named')
    lines = page(folder).splitlines()
    near = next(line for line in lines if line.startswith('| modes_near, mean field | 1 of'))
    need('| known |' in near and float(near.split('|')[3]) < 0.03, f'far from the optimum: {near}')
