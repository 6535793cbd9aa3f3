#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes docs/results.md from the records of bench_results: table.py FOLDER > docs/results.md.

FOLDER has a file EXPERIMENT.tsv for each experiment. What is published is read from ../shared/data, beside the
project; without it there is nothing to compare with, and the page is not made."""
import collections
import math
import os
import pathlib
import statistics
import sys

DATA = pathlib.Path(os.environ.get('GB_SHARED_DATA') or pathlib.Path(__file__).parents[3] / 'shared/data')


def record_of(folder, name):
    """The lines of a record, as dicts whose numbers are numbers. The last line of a run counts, and one that was
    cut off does not."""
    path = folder / (name + '.tsv')
    if not path.exists():
        return []
    lines = [line.split('\t') for line in path.read_text(encoding='utf-8').split('\n')[:-1]]
    return [{key: number_of(cell) for key, cell in zip(lines[0], line)} for line in lines[1:]
            if len(line) == len(lines[0])]


def number_of(text):
    try:
        return float(text)
    except ValueError:
        return text


def latest(runs, *keys):
    return {tuple(run[key] for key in keys): run for run in runs}


# ---- numbers as text ----

def digits(x, count=3):
    """So many significant digits."""
    if not math.isfinite(x):
        return '–'
    if x == 0:
        return '0'
    after = max(0, count - 1 - math.floor(math.log10(abs(x))))
    return f'{x:.{after}f}'.replace('-', '−')


def plus_minus(mean, error):
    """A mean with its standard error, whose first two digits decide how many there are."""
    if not error > 0 or not math.isfinite(error):
        return digits(mean)
    after = max(0, 1 - math.floor(math.log10(error)))
    return f'{mean:.{after}f} ± {error:.{after}f}'.replace('-', '−')


def duration(seconds):
    return f'{seconds:.0f} s' if seconds < 120 else f'{seconds / 60:.0f} min' if seconds < 7200 else \
        f'{seconds / 3600:.1f} h'


def verdict(passes):
    return 'pass' if passes else '**miss**'


def mean_error(x):
    return statistics.fmean(x), statistics.stdev(x) / math.sqrt(len(x)) if len(x) > 1 else math.nan


def row(cells):
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def table(heads, rows):
    return '\n'.join([row(heads), row(['---'] + ['--:'] * (len(heads) - 1)), *map(row, rows)]) + '\n'


def builds(runs):
    return ', '.join(dict.fromkeys(str(run['build']) for run in runs))


def cost(runs):
    """Time and memory."""
    return [duration(sum(run['seconds'] for run in runs)), f"{max(run['MB'] for run in runs):.0f} MB"]


# ---- UCI ----

def published(name, what):
    path = DATA / 'uci' / name / 'results' / f'test_{what}_100_xepochs_1_hidden_layers.txt'
    return [float(line) for line in path.read_text(encoding='utf-8').split()]


def file_of(name, what):
    return (DATA / 'uci' / name / what).read_text(encoding='utf-8').split()


def compared(tests, name, column, what, sign):
    """Ours, theirs, the mean paired difference with its standard error, and whether that passes. A positive
    `sign`: larger is better."""
    theirs = published(name, what)
    ours = [run[column] for run in tests]
    pairs = [run[column] - theirs[int(run['split'])] for run in tests]
    mean, error = mean_error(pairs)
    good = sign * mean >= -(error if math.isfinite(error) else 0)
    return [plus_minus(*mean_error(ours)), digits(statistics.fmean(theirs[int(run['split'])] for run in tests), 4),
            plus_minus(mean, error), verdict(good)]


def uci(folder):
    runs = list(latest(record_of(folder, 'uci'), 'set', 'split', 'part', 'rate', 'tau').values())
    sets = dict.fromkeys(run['set'] for run in runs)
    rmse, density, settings = [], [], []
    for name in sets:
        some = [run for run in runs if run['set'] == name]
        tests = sorted((run for run in some if run['part'] == 'test'), key=lambda run: run['split'])
        if not tests:
            continue
        splits = int(file_of(name, 'n_splits.txt')[0])
        done = f'{len(tests)} of {splits}' if len(tests) < splits else str(splits)
        rmse.append([name, done, *compared(tests, name, 'rmse', 'MC_rmse', -1)])
        density.append([name, done, *compared(tests, name, 'll', 'll', 1)])
        rates, taus = (collections.Counter(run[key] for run in tests) for key in ('rate', 'tau'))
        settings.append([name, 100 * int(file_of(name, 'n_epochs.txt')[0]), int(file_of(name, 'n_hidden.txt')[0]),
                         ', '.join(f'{k:g}: {n}' for k, n in sorted(rates.items())),
                         ', '.join(f'{k:g}: {n}' for k, n in sorted(taus.items())), *cost(some)])
    heads = ['set', 'splits', 'here', 'published', 'difference', 'verdict']
    return [f'''## MC-dropout on UCI sets

The protocol of Gal and Ghahramani (2016), as Gal ran it again in 2018, and his splits. One hidden layer of ReLU,
dropout before both layers, masks for each row, Adam (10⁻³) with batches of 128, starts by Glorot and Bengio,
squared error of the standardised target, decay of weights by the lengthscale 0.01, none of biases. The rate, of
four, and the precision τ, of three, are those with the best log-likelihood of the last fifth of the split's
training rows; then the network is trained on all of them. 10,000 draws predict. Seeds: 1 + split; `bench/results/uci.c`;
build {builds(runs)}.

Target: the mean *paired* difference over the splits to his results is within one standard error, or better.
With a true difference of 0 a sixth of such comparisons miss. Test RMSE, ± standard errors:
''', table(heads, rmse), 'Test log-likelihood of a row, in the units of the target:\n', table(heads, density),
            'Settings that were chosen (value: splits), processor time and memory of one thread:\n',
            table(['set', 'epochs', 'units', 'rates', 'τ', 'time', 'memory'], settings)]


def beside(folder):
    runs = list(latest(record_of(folder, 'beside'), 'set', 'method', 'split').values())
    tests = [run for run in record_of(folder, 'uci') if run['part'] == 'test']
    runs += [dict(run, method='MC-dropout, grid') for run in latest(tests, 'set', 'split').values()]
    methods = sorted(dict.fromkeys(run['method'] for run in runs), key=lambda m: not m.startswith('MC'))
    sets = dict.fromkeys(run['set'] for run in runs if run['method'] != methods[0])

    def cells(name, column):
        out = []
        for method in methods:
            some = [run[column] for run in runs if (run['set'], run['method']) == (name, method)]
            out.append(plus_minus(*mean_error(some)) if some else '–')
        return out

    def coverage(name):
        out = []
        for method in methods:
            some = [run for run in runs if (run['set'], run['method']) == (name, method)]
            parts = ' / '.join(f"{100 * statistics.fmean(run[c] for run in some):.0f}" for c in
                               ('cover50', 'cover90', 'cover95')) if some else '–'
            out.append(parts + f" ({100 * statistics.fmean(r['calibration'] for r in some):.0f})" if some else parts)
        return out
    out = [f'''## Other methods on the same splits

Nothing is chosen by a grid: one setting for all sets. The same network; Adam (3·10⁻³); weights have the prior
N(0, 1), and q starts as `gb_dense` has it; the noise is learned, as a point. The number of epochs is that after
which the last fifth of the training rows was predicted best, in a training without them (at most those of the
protocol, or 40,000 steps); 1,000 draws predict. There are no published numbers for these settings, so no
targets. Build {builds(r for r in runs if r['method'] != methods[0])}; `bench/results/uci_models.c`.
Test log-likelihood:
''', table(['set', *methods], [[name, *cells(name, 'll')] for name in sets]),
           'Test RMSE:\n', table(['set', *methods], [[name, *cells(name, 'rmse')] for name in sets]),
           'Calibration: how many per cent of test targets lie in central intervals of 50, 90 and 95 %, and in\n'
           'parentheses the mean distance of observed from predicted frequencies at 10 levels, averaged over splits:\n',
           table(['set', *methods], [[name, *coverage(name)] for name in sets])]
    return out if sets else []


EXPERIMENTS = {'uci': uci, 'beside': beside}


def main():
    folder = pathlib.Path(sys.argv[1])
    if not DATA.exists():
        sys.exit(f'{DATA} is not there: what is published is read from it')
    print('''<!-- Made by `bench/results/run --page`; do not edit -->
# Published experiments, done again

`bench/results/run EXPERIMENT...` runs them; each is one short program of public parts. The records, a line for
each run, are in `bench/results/record`. Data stand beside the project, in `../shared/data`. All runs have one
thread; times are those of the processor, on a machine that others used too.
''')
    for name, make in EXPERIMENTS.items():
        if (folder / (name + '.tsv')).exists():
            print('\n'.join(make(folder)))


if __name__ == '__main__':
    main()
