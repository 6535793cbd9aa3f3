#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that bench/results works: results.py SOURCE PROGRAM. One split of a UCI set with few epochs,
continued after a line was cut off; the page that is made of it; and posteriors near their references. What
needs ../shared/data is skipped without it."""
import os
import pathlib
import subprocess
import sys
import tempfile

source, program = map(pathlib.Path, sys.argv[1:3])
data = source.parent / 'shared/data'


def need(good, words):
    if not good:
        sys.exit('bench/results: ' + words)


def run(folder, *words, fails=False):
    done = subprocess.run([program, folder, *words, '--build', 'test'], capture_output=True, encoding='utf-8')
    need((done.returncode != 0) == fails, f'{words}: status {done.returncode}: {done.stderr}')
    return done.stderr


def record(folder, name):
    lines = [line.split('\t') for line in (folder / f'{name}.tsv').read_text(encoding='utf-8').splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def page(folder):
    return subprocess.run([sys.executable, source / 'bench/results/table.py', folder], check=True,
                          capture_output=True, encoding='utf-8').stdout


def calibration(folder):
    """Needs no data. 40 posteriors that q can be: their probabilities are not all on one side."""
    run(folder, 'sbc', '--splits', '40')
    look = folder / 'look-splits-40'
    need(not (folder / 'sbc.tsv').exists(), 'a look is among the records')
    runs = record(look, 'sbc')
    need(len(runs) == 80, f'{len(runs)} simulations of two models with 40 each')
    for name in ('below1', 'below2', 'below3'):
        some = [float(r[name]) for r in runs if r['model'].startswith('linear')]
        need(all(0 < u < 1 for u in some), f'{name} is no probability')
        need(10 < sum(u < 0.5 for u in some) < 30, f'{name} is not uniform')
    before = (look / 'sbc.tsv').read_bytes()
    run(folder, 'sbc', '--splits', '40')
    need((look / 'sbc.tsv').read_bytes() == before, 'runs that were done are done again')


def gradients(folder):
    """Needs no data. Two values of φ, and two numbers of particles, with few draws."""
    run(folder, 'toys', '--only', '0.499', '--splits', '2', '--draws', '200', '--epochs', '50')
    look = folder / 'look-splits-2-epochs-50-draws-200'
    runs = record(look, 'toys')
    need(len(runs) == 26, f'{len(runs)} variances of 13 estimators at two places')
    at = {r['estimator']: float(r['exact']) for r in runs if r['phi'] == '-6'}
    need(at['score, best constant'] == 0, 'the best baseline of one bit leaves a variance')
    need(at['REBAR, coupled'] < at['REBAR'], 'coupled noise does not help where the bit is rarely 1')
    need(len(record(look, 'toys_race')) == 8, 'not every estimator was trained')
    need('REBAR and RELAX' in page(look), 'the page does not have the toys')

    run(folder, 'dreg', '--only', '1,10', '--draws', '8')
    runs = {(r['estimator'], r['K']): float(r['snr']) for r in record(folder / 'look-draws-8', 'dreg')}
    need(runs['pathwise', '10'] < runs['pathwise', '1'], 'pathwise does not lose its signal')
    need(runs['DReG', '10'] > runs['DReG', '1'], 'DReG loses its signal')


def belief(folder):
    run(folder, 'belief200', '--only', 'vimco', '--splits', '1', '--epochs', '2', '--draws', '20')
    runs = record(folder / 'look-splits-1-epochs-2-draws-20', 'belief200_bound')
    need(len(runs) == 5, f'{len(runs)} trainings by VIMCO')
    for r in runs:
        need(float(r['iwae']) > float(r['elbo']), 'more particles do not raise the bound')


def dropout(folder):
    words = 'uci', '--only', 'yacht', '--splits', '1', '--epochs', '200', '--draws', '100'
    run(folder, *words)
    look = folder / 'look-splits-1-epochs-200-draws-100'
    runs = record(look, 'uci')
    need(len(runs) == 13, f'{len(runs)} runs for 12 points of the grid and a test')
    grid, test = runs[:12], runs[12]
    best = max(grid, key=lambda r: float(r['ll']))
    need(test['part'] == 'test' and (test['rate'], test['tau']) == (best['rate'], best['tau']),
         'the test does not have the best settings of the grid')
    need(test['steps'] == '600', f"{test['steps']} steps in 200 epochs of three batches")
    need(float(test['rmse']) < 12, f"rmse {test['rmse']}, where the mean of the targets has about 15")
    path = look / 'uci.tsv'
    whole = path.read_text(encoding='utf-8')
    path.write_text(whole[:-20], encoding='utf-8')    # as if the process had been killed
    run(folder, *words)
    again = record(look, 'uci')
    need(len(again) == 14 and again[13]['ll'] == test['ll'] and again[13]['build'] == 'test',
         'a line that was cut off is not made again')
    need('| yacht | 1 of 20 |' in page(look), 'the page does not have the set')


def posteriors(folder):
    run(folder, 'posteriors', '--only', 'sblri-blr,arK-arK')
    for r in record(folder, 'posteriors'):
        need(float(r['mean_off']) < 0.1 and float(r['sd_off']) < 0.1,
             f"{r['posterior']} by {r['method']}: {r['mean_off']} sds and {r['sd_off']} off")
    need(page(folder).count('| pass |') >= 3, 'the page does not let them pass')


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / 'results'
    calibration(folder)
    gradients(folder)
    need('no such part' in run(folder, 'uci', '--only', 'nowhere', fails=True), 'an unknown set is not said')
    need('unknown experiment' in run(folder, 'nothing', fails=True), 'an unknown experiment is not rejected')
    need('skipped' in run(folder, 'uci', '--data', name, '--only', 'yacht'), 'missing data are not said')
    if data.exists():
        dropout(folder)
        posteriors(folder)
        belief(folder)
    else:
        print(f'{data} is not there: UCI sets and posteriors are skipped')
