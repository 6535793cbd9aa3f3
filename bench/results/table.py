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
    return f'{seconds:.1f} s' if seconds < 10 else f'{seconds:.0f} s' if seconds < 120 else f'{seconds / 60:.0f} min' if seconds < 7200 else \
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


# ---- posteriors ----

VERDICTS = ('not judged', 'not converged', 'not to be trusted', 'usable for means', 'good, if no mode was missed',
            'good')
MEANS, SDS = 0.1, 0.1    # how far numbers may be off: in reference sds, and relatively


def posteriors(folder):
    runs = list(latest(record_of(folder, 'posteriors'), 'posterior', 'method').values())
    by_fit, by_nuts = ([run for run in runs if run['method'] == method] for method in ('fit', 'nuts'))

    def near(run):
        return run['mean_off'] <= MEANS and run['sd_off'] <= SDS

    def line(run, says, evidence):
        return [run['posterior'], f"{run['mean_off']:.3f}", f"{100 * run['sd_off']:.1f} %", says, *evidence,
                f"{run['seconds']:.2f} s", f"{run['MB']:.0f} MB"]
    fits = [line(run, VERDICTS[int(run['verdict'])],
                 [plus_minus(run['elbo'], run['error']),
                  f"{run['log_z']:.3f}".replace('-', '−') if math.isfinite(run['log_z']) else '–']) +
            [verdict(near(run)) + ('' if near(run) or run['verdict'] > 3 else ', and says so')] for run in by_fit]
    nuts = [line(run, f"{run['verdict']:.0f}", []) + [verdict(near(run))] for run in by_nuts]
    return [f'''## Posteriors with references

The eight of posteriordb in `../shared/data`, each in under 40 lines (`bench/results/posteriors.c`): one normal with
all covariances over all free numbers, `gb_fit(e)` without options, `gb_summary`. The distances are the largest over all
numbers: of means in reference standard deviations, of standard deviations relatively. References are exact by
quadrature where oracles know them, else 10,000 draws, whose own error is about 0.01 and 1 %. τ of the eight schools
has a heavy tail, and is compared by its median and its 90 % interval. Seed 1; build {builds(runs)}.

Target: means within {MEANS} and standard deviations within {100 * SDS:.0f} %. No normal is near the centred schools,
which have the form of a funnel, and `gb_fit` must say so. The ELBO is at most log Z.
''', table(['posterior', 'means', 'sds', 'verdict of gb_fit', 'ELBO', 'log Z', 'time', 'memory', 'verdict'], fits),
            'The same by `gb_sample_nuts`, 4 chains of 4,000 draws, `.target = 0.95`:\n',
            table(['posterior', 'means', 'sds', 'divergences', 'time', 'memory', 'verdict'], nuts)]


# ---- logistic regression ----

def logistic(folder):
    runs = list(latest(record_of(folder, 'logistic'), 'estimator', 'step').values())
    names, steps = (dict.fromkeys(run[key] for run in runs) for key in ('estimator', 'step'))
    at = latest(runs, 'estimator', 'step')
    shown = [step for step in steps if step in (0, 500, 1000, 2000, 3000, 4000, 5000)]

    def cells(name, make):
        return [make(at[name, step]) if (name, step) in at else '–' for step in shown]
    heads = ['estimator', *(f'step {step:.0f}' for step in shown)]
    out = [f'''## Bayesian logistic regression along its training

Mohamed et al. (2019), Monte Carlo gradient estimation: breast cancer data, 569 rows, 30 predictors and a constant;
prior N(0, 1), q a normal with independent elements that starts at 0 ± 1; batches of 32, 50 samples, SGD with
10⁻³ cos(π t / 2T), T = 5,000 (`bench/results/logistic.c`). Seed 1; build {builds(runs)}.

The ELBO of all rows, by 10,000 samples:
''', table(heads, [[name, *cells(name, lambda r: plus_minus(r['elbo'], r['error']))] for name in names]),
           'The variance of the gradient in a location, of draws and batches together; mean over the 31:\n',
           table(heads, [[name, *cells(name, lambda r: digits(r['variance']))] for name in names])]
    start, end = at.get(('pathwise', 0.)), at.get(('pathwise', 5000.))
    if start and end:
        rows = [['ELBO at the start, exact −1226.59', 'within 3 errors', plus_minus(start['elbo'], start['error']),
                 verdict(abs(start['elbo'] + 1226.59) < 3 * start['error'])],
                ['ELBO at the end, pathwise', '−67.5 ± 0.5', plus_minus(end['elbo'], end['error']),
                 verdict(abs(end['elbo'] + 67.5) < 0.5)],
                ['accuracy of a draw at the end', '97.6 ± 0.3 %', f"{100 * end['accuracy_of_draw']:.2f} %",
                 verdict(abs(end['accuracy_of_draw'] - 0.976) < 0.003)],
                ['accuracy of the mean over draws', '', f"{100 * end['accuracy']:.2f} %", '']]
        out.append(table(['', 'target', 'measured', 'verdict'], rows))
    last = [max((run for run in runs if run['estimator'] == name), key=lambda r: r['step']) for name in names]
    out.append(table(['estimator', 'time', 'memory'], [[run['estimator'], *cost([run])] for run in last]))
    return out


# ---- simulation-based calibration ----

BINS = 20


def chi_square_tail(x, degrees):
    """P(χ² > x) for an odd or even number of degrees, by the recurrence of the incomplete gamma function."""
    half, tail = x / 2, (math.erfc(math.sqrt(x / 2)) if degrees % 2 else math.exp(-x / 2))
    a = 0.5 if degrees % 2 else 1.
    while a < degrees / 2:
        tail += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return tail


def sbc(folder):
    runs = list(latest(record_of(folder, 'sbc'), 'model', 'simulation').values())
    rows = []
    for name in dict.fromkeys(run['model'] for run in runs):
        some = [run for run in runs if run['model'] == name]
        for i in (1, 2, 3):
            below = [run[f'below{i}'] for run in some if not math.isnan(run[f'below{i}'])]
            if not below:
                continue
            counts = collections.Counter(min(int(BINS * u), BINS - 1) for u in below)
            expected = len(below) / BINS
            chi = sum((counts[k] - expected) ** 2 / expected for k in range(BINS))
            p = chi_square_tail(chi, BINS - 1)
            rows.append([f'{name}, number {i}', len(below), 'p ≥ 0.001', f'χ² {chi:.1f}, p {p:.3f}', verdict(p >= 0.001),
                         *cost(some)])
    return [f'''## Simulation-based calibration

Parameters are drawn from the prior and data from them; q is fitted to the data. If q is the posterior, the
probability that it has below the drawn value is uniform: χ² over {BINS} bins. Both posteriors are in the family
of q: a normal by `gb_fit` without options, and a gamma (`gb_mean_field_matching`) by Adam. Seeds 1 to 1,000;
`bench/results/sbc.c`; build {builds(runs)}.
''', table(['', 'simulations', 'target', 'measured', 'verdict', 'time', 'memory'], rows)]


# ---- MNIST ----

TARGETS = {'point': 1.8, 'dropout': 1.5, 'Bayes by Backprop': 1.6}
BLUNDELL = {0: 1.24, 0.5: 1.24, 0.75: 1.24, 0.95: 1.29, 0.98: 1.39}    # test error, 2 × 1200, Table 2 of the paper


def mnist(folder):
    runs = list(latest(record_of(folder, 'mnist'), 'method', 'units', 'part', 'a', 'b', 'seed').values())
    choices, tests, pruned = [], [], []
    for method in dict.fromkeys(run['method'] for run in runs):
        some = [run for run in runs if run['method'] == method]
        tried = [run for run in some if run['part'] == 'choice']
        choices += [[method, f"{run['a']:g}", f"{run['b']:g}", f"{run['epochs']:.0f}", f"{run['error']:.2f} %",
                     digits(run['ll']), *cost([run])] for run in tried]
        final = [run for run in some if run['part'] == 'test']
        if final:
            mean, error = mean_error([run['error'] for run in final])
            tests.append([method, len(final), f'≤ {TARGETS[method]} %', plus_minus(mean, error) + ' %',
                          plus_minus(*mean_error([run['ll'] for run in final])),
                          digits(statistics.fmean(run['calibration'] for run in final)),
                          verdict(mean <= TARGETS[method]), *cost(final)])
        pruned += [[f"{100 * float(run['part'].split()[1]):.0f} %", f"{run['error']:.2f} %",
                    f"{BLUNDELL[float(run['part'].split()[1])]:.2f} %"]
                   for run in some if str(run['part']).startswith('pruned')]
    return [f'''## MNIST

784-400-400-10, ReLU, floats, batches of 128, Adam (10⁻³, falling along half a cosine to 0), pixels / 126. Settings
a and b (`bench/results/mnist.c`) are chosen by the errors on the last 10,000 training images; then seeds 1, 2 and 3
train on all 60,000. 100 draws predict. Build {builds(runs)}. Test error:
''', table(['method', 'seeds', 'target', 'measured', 'log density', 'calibration error', 'verdict', 'time', 'memory'],
              tests), 'What was chosen from, by 50,000 images:\n',
            table(['method', 'a', 'b', 'epochs', 'error', 'log density', 'time', 'memory'], choices)] + ([
                'Weights of least signal-to-noise |mean| / sd set to 0, 2 × 1200 units, one network; beside it\n'
                'Blundell et al. (2015), Table 2:\n',
                table(['pruned', 'test error', 'Blundell et al.'], pruned)] if pruned else [])


EXPERIMENTS = {'uci': uci, 'beside': beside, 'posteriors': posteriors, 'logistic': logistic, 'sbc': sbc, 'mnist': mnist}


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
