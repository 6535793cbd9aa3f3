#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes docs/results.md from the records of bench_results: table.py FOLDER > docs/results.md.

FOLDER has a file EXPERIMENT.tsv for each experiment. What is published is read from ../shared/data, beside
the project; without it there is nothing to compare with, and the page is not made."""
import collections
import math
import pathlib
import statistics
import sys

from gradients import belief200, dreg, toys
from words import (builds, by_split, cost, digits, fixed, latest, mean_error, per_cent, plus_minus,
                   record_of, say, table, verdict)

DATA = pathlib.Path(__file__).resolve().parents[3] / 'shared/data'


# ---- UCI ----

def published(name, what):
    path = DATA / 'uci' / name / 'results' / f'test_{what}_100_xepochs_1_hidden_layers.txt'
    return [float(line) for line in path.read_text(encoding='utf-8').split()]


def number_in(name, what):
    return int((DATA / 'uci' / name / what).read_text(encoding='utf-8').split()[0])


def compared(tests, name, column, what, sign):
    """Ours, theirs, the mean paired difference with its standard error, and whether that passes. A positive
    `sign`: larger is better."""
    theirs = published(name, what)
    pairs = [run[column] - theirs[int(run['split'])] for run in tests]
    mean, error = mean_error(pairs)
    good = sign * mean >= -(error if math.isfinite(error) else 0)
    there = statistics.fmean(theirs[int(run['split'])] for run in tests)
    here = plus_minus(*mean_error([run[column] for run in tests]))
    ratio = sign * mean / error if error > 0 else math.nan
    return [here, digits(there, 4), plus_minus(mean, error), verdict(good)], ratio


def say_together(ratios):
    """Whether the differences of all sets together are those of chance."""
    ratios = [z for z in ratios if math.isfinite(z)]
    if len(ratios) < 2:
        return ''
    mean, chance = fixed(statistics.fmean(ratios), 2), 1 / math.sqrt(len(ratios))
    return say(f'''Over these {len(ratios)} sets, the difference in standard errors (positive: better here) is
{mean} on average, ± {chance:.2f} by chance.''')


def uci(folder):
    runs = list(latest(record_of(folder, 'uci'), 'set', 'split', 'part', 'rate', 'tau').values())
    lines = {'rmse': [], 'll': []}
    ratios, settings = {'rmse': [], 'll': []}, []
    for name in dict.fromkeys(run['set'] for run in runs):
        some = [run for run in runs if run['set'] == name]
        tests = sorted((run for run in some if run['part'] == 'test'), key=by_split)
        if not tests:
            continue
        splits = number_in(name, 'n_splits.txt')
        done = splits if len(tests) == splits else f'{len(tests)} of {splits}'
        for column, what, sign in (('rmse', 'MC_rmse', -1), ('ll', 'll', 1)):
            cells, ratio = compared(tests, name, column, what, sign)
            if len(tests) < splits: # not judged before all are there
                cells[-1], ratio = '–', math.nan
            lines[column].append([name, done, *cells])
            ratios[column].append(ratio)
        rates, taus = (collections.Counter(run[key] for run in tests) for key in ('rate', 'tau'))
        settings.append([name, 100 * number_in(name, 'n_epochs.txt'), number_in(name, 'n_hidden.txt'),
                         ', '.join(f'{k:g}: {n}' for k, n in sorted(rates.items())),
                         ', '.join(f'{k:g}: {n}' for k, n in sorted(taus.items())), *cost(some)])
    heads = ['set', 'splits', 'here', 'published', 'difference', 'verdict']
    return ['## MC-dropout on UCI sets\n', say(f'''
The protocol of Gal and Ghahramani (2016), as Gal ran it again in 2018, on his splits. One hidden layer of
ReLU, dropout before both layers, masks for each row, Adam (10⁻³) with batches of 128, starts by Glorot
and Bengio, squared error of the standardised target, decay of weights by the lengthscale 0.01, none of
biases. The rate, of four, and the precision τ, of three, are those with the best log-likelihood of the
last fifth of the split's training rows; then the network is trained on all of them. 10,000 draws predict,
each with one mask for all rows, which is the same for a single row. Seeds: 1 + split.
`bench/results/uci.c`, `uci_models.c`; build {builds(runs)}.

Target: the mean *paired* difference over the splits to his results is within one standard error, or better.
Both results have the noise of a training, so of two equal methods a sixth of such comparisons misses. Test
RMSE, with standard errors over the splits:'''), table(heads, lines['rmse']), say_together(ratios['rmse']),
            'Test log-likelihood of a row, in the units of the target:\n', table(heads, lines['ll']),
            say_together(ratios['ll']),
            'Settings that were chosen (value: splits), processor time, and the most memory of the\n'
            'process until then:\n',
            table(['set', 'epochs', 'units', 'rates', 'τ', 'time', 'memory'], settings)]


def beside(folder):
    runs = list(latest(record_of(folder, 'beside'), 'set', 'method', 'split').values())
    sets, built = dict.fromkeys(run['set'] for run in runs), builds(runs)
    tests = [run for run in record_of(folder, 'uci') if run['part'] == 'test' and run['set'] in sets]
    runs += [dict(run, method='MC-dropout, grid') for run in latest(tests, 'set', 'split').values()]
    methods = sorted(dict.fromkeys(run['method'] for run in runs), key=lambda m: not m.startswith('MC'))

    def of(name, method):
        return [run for run in runs if (run['set'], run['method']) == (name, method)]

    def scores(column):
        def cell(some):
            return plus_minus(*mean_error([run[column] for run in some])) if some else '–'
        return table(['set', *methods], [[name, *(cell(of(name, m)) for m in methods)] for name in sets])

    def coverage(some):
        if not some:
            return '–'
        shares = (statistics.fmean(run[c] for run in some) for c in ('cover50', 'cover90', 'cover95'))
        off = statistics.fmean(run['calibration'] for run in some)
        return ' / '.join(f'{100 * share:.0f}' for share in shares) + f' ({100 * off:.0f})'

    def counts(name):
        most = max(len(of(name, m)) for m in methods)
        return f'{name}, {most} splits'
    times = [cost([run for run in runs if run['method'] == m])[0] for m in methods]
    return ['## Other methods on the same splits\n', say(f'''
Nothing is chosen by a grid: one setting for all sets. The same network; Adam (3·10⁻³); weights have the prior
N(0, 1), and q starts as `gb_dense` has it; the noise is learned, as a point. The number of epochs is that
after which the last fifth of the training rows was predicted best, in a training without them (at most those
of the protocol, or 40,000 steps). 1,000 draws predict. Nothing is published for these settings, so
there are no
targets. `bench/results/uci_models.c`; build {built}. Test log-likelihood:'''), scores('ll'),
            'Test RMSE:\n', scores('rmse'), say('''
Calibration: how many per cent of the test targets lie in central intervals of 50, 90 and 95 %, and in
parentheses the mean distance of observed from predicted frequencies at 10 levels, in per cent, averaged over
the splits:'''), table(['set', *methods], [[counts(name), *(coverage(of(name, m)) for m in methods)]
                                           for name in sets]),
            table(['', *methods], [['time, without the grid', *times]])]


# ---- posteriors ----

VERDICTS = ('not judged', 'not converged', 'not to be trusted', 'usable for means',
            'good, if no mode was missed', 'good')
GOOD = 4                 # this verdict and better
MEANS, SDS = 0.1, 0.1    # how far numbers may be off: in reference sds, and relatively


def posteriors(folder):
    runs = list(latest(record_of(folder, 'posteriors'), 'posterior', 'method').values())

    def near(run):
        return run['mean_off'] <= MEANS and run['sd_off'] <= SDS

    def distances(run):
        return [run['posterior'], fixed(run['mean_off'], 3), per_cent(run['sd_off'])]

    def judged(run):
        says_so = '' if near(run) or run['verdict'] >= GOOD else ', and says so'
        return verdict(near(run)) + says_so
    fits = [[*distances(run), VERDICTS[int(run['verdict'])], plus_minus(run['elbo'], run['error']),
             fixed(run['log_z'], 3), judged(run), *cost([run])] for run in runs if run['method'] == 'fit']
    nuts = [[*distances(run), f"{run['verdict']:.0f}", verdict(near(run)), *cost([run])]
            for run in runs if run['method'] == 'nuts']
    return ['## Posteriors with references\n', say(f'''
The eight of posteriordb in `../shared/data`, each in under 40 lines (`bench/results/posteriors.c`): one
normal with all covariances over all free numbers, `gb_fit(e)` without options, then `gb_summary`. The
distances are the largest over all numbers: of means in reference standard deviations, of standard deviations
relatively. References are exact by quadrature where that is known, else 10,000 draws, whose own errors
are about 0.01
and 1 %. τ of the eight schools has a heavy tail, and is compared by its median and its 90 % interval. Seed 1;
build {builds(runs)}.

Target: means within {MEANS} and standard deviations within {per_cent(SDS, 0)}. No normal is near the centred
schools, which have the form of a funnel: there `gb_fit` has to say so. The ELBO is at most log Z.'''),
            table(['posterior', 'means', 'sds', 'verdict of gb_fit', 'ELBO', 'log Z', 'verdict', 'time',
                   'memory'], fits),
            'The same by `gb_sample_nuts`, 4 chains of 4,000 draws, `.target = 0.95`:\n',
            table(['posterior', 'means', 'sds', 'divergences', 'verdict', 'time', 'memory'], nuts)]


# ---- logistic regression ----

def logistic(folder):
    runs = list(latest(record_of(folder, 'logistic'), 'estimator', 'step').values())
    names, at = dict.fromkeys(run['estimator'] for run in runs), latest(runs, 'estimator', 'step')
    shown = [step for step in (0., 500., 1000., 2000., 3000., 4000., 5000.) if any(s == step for _, s in at)]

    def rows(make):
        return [[name, *(make(at[name, step]) if (name, step) in at else '–' for step in shown)]
                for name in names]
    heads = ['estimator', *(f'step {step:.0f}' for step in shown)]
    last = [max((run for run in runs if run['estimator'] == name), key=lambda r: r['step']) for name in names]
    out = ['## Bayesian logistic regression along its training\n', say(f'''
Mohamed, Rosca, Figurnov and Mnih (2019): breast cancer data, 569 rows, 30 predictors and a constant; prior
N(0, 1), q a normal with independent elements that starts at 0 ± 1; batches of 32, 50 samples, SGD
with 10⁻³ cos(π t / 2T), T = 5,000 (`bench/results/logistic.c`). Seed 1; build {builds(runs)}.

The ELBO of all rows, by 10,000 samples:'''),
           table(heads, rows(lambda r: plus_minus(r['elbo'], r['error']))),
           'The variance of the gradient in a location, of draws and batches together; mean over the 31:\n',
           table(heads, rows(lambda r: plus_minus(r['variance'], r['variance_error'])))]
    start, end = at.get(('pathwise', 0.)), at.get(('pathwise', 5000.))
    if start and end:
        out.append(table(['', 'target', 'measured', 'verdict'], [
            ['ELBO at the start, exact −1226.59', 'within 3 errors',
             plus_minus(start['elbo'], start['error']),
             verdict(abs(start['elbo'] + 1226.59) < 3 * start['error'])],
            ['ELBO at the end, pathwise', '−67.5 ± 0.5', plus_minus(end['elbo'], end['error']),
             verdict(abs(end['elbo'] + 67.5) < 0.5)],
            ['accuracy of a draw at the end', '97.6 ± 0.3 %', per_cent(end['accuracy_of_draw'], 2),
             verdict(abs(end['accuracy_of_draw'] - 0.976) < 0.003)],
            ['accuracy of the mean over draws', '', per_cent(end['accuracy'], 2), '']]))
    out.append('![The ELBO and the variance of the gradient along the training]'
               '(pictures/results-logistic.svg)\n')
    return out + [table(['estimator', 'time', 'memory'], [[run['estimator'], *cost([run])] for run in last])]


# ---- simulation-based calibration ----

BINS = 20


def chi_square_tail(x, degrees):
    """P(χ² > x), by the recurrence of the incomplete gamma function."""
    half, a = x / 2, (degrees % 2) / 2 or 1.
    tail = math.erfc(math.sqrt(half)) if degrees % 2 else math.exp(-half)
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
            counts, each = collections.Counter(min(int(BINS * u), BINS - 1) for u in below), len(below) / BINS
            chi = sum((counts[k] - each) ** 2 / each for k in range(BINS))
            p = chi_square_tail(chi, BINS - 1)
            rows.append([f'{name}, number {i}', len(below), 'p ≥ 0.001', f'χ² {chi:.1f}, p {p:.3f}',
                         verdict(p >= 0.001), *cost(some)])
    return ['## Simulation-based calibration\n', say(f'''
Parameters are drawn from the prior and data from them; q is fitted to the data. If q is the posterior, the
probability that it has below the drawn value is uniform: χ² over {BINS} bins. Both posteriors are in the
family of q: a normal by `gb_fit` without options, and a gamma (`gb_mean_field_matching`) by Adam. Seeds 1 to
1,000; `bench/results/sbc.c`; build {builds(runs)}.'''),
            table(['', 'simulations', 'target', 'measured', 'verdict', 'time', 'memory'], rows)]


# ---- MNIST ----

TARGETS = {'point': 1.8, 'dropout': 1.5, 'Bayes by Backprop': 1.6}

# Blundell et al. (2015): test errors with 400 units, and after pruning 1200 units.
PUBLISHED = {'point': 1.83, 'dropout': 1.51, 'Bayes by Backprop': 1.36}
PRUNED = {0: 1.24, 0.5: 1.24, 0.75: 1.24, 0.95: 1.29, 0.98: 1.39}


def curves(folder):
    """Log densities of the images that are held out, at parts of the steps."""
    runs = record_of(folder, 'mnist_curve')
    lines = []
    for key in dict.fromkeys((run['method'], run['a'], run['b']) for run in runs):
        some = latest((run for run in runs if (run['method'], run['a'], run['b']) == key), 'step')
        steps = sorted(step for (step,), run in some.items() if math.isfinite(run['validation']))
        at = [steps[min(len(steps) - 1, len(steps) * part // 8)] for part in (0, 1, 2, 4, 6, 8)]
        lines.append([f'{key[0]}, {key[1]:g}, {key[2]:g}',
                      *(f"{digits(some[step,]['validation'])} ({step:.0f})" for step in at)])
    return ['Learning curves: log density of the held-out images (10 draws), and in parentheses the step:\n',
            '![Log density of held-out images along the training, for each setting]'
            '(pictures/results-mnist.svg)\n',
            table(['method, a, b', 'first', '1/8', '1/4', '1/2', '3/4', 'last'], lines)] if lines else []


def epochs(folder, tests):
    """Seconds of an epoch, here and by PyTorch."""
    there = record_of(folder, 'mnist_torch')
    torch = {run['method']: run['seconds'] / run['epochs'] for run in there}
    here = {}
    for run in tests:
        here.setdefault(run['method'], []).append(run['seconds'] / run['epochs'])
    return [say(f'''
Processor time of an epoch of 60,000 images on one thread: here as in the runs above, looks at held-out images
included, and by PyTorch {there[0]['torch']} (`bench/results/mnist_torch.py`), while others used the machine
too:'''), table(['method', 'here', 'PyTorch', 'ratio'],
                 [[method, digits(statistics.fmean(some)) + ' s', digits(torch[method]) + ' s',
                   digits(torch[method] / statistics.fmean(some), 2)]
                  for method, some in here.items() if method in torch])
            ] if there and here else []


def mnist(folder):
    runs = list(latest(record_of(folder, 'mnist'), 'method', 'units', 'part', 'a', 'b', 'seed').values())
    choices, tests, pruned, entropies = [], [], [], []
    for method in dict.fromkeys(run['method'] for run in runs):
        some = [run for run in runs if run['method'] == method]
        choices += [[method, f"{run['a']:g}", f"{run['b']:g}", int(run["epochs"]), f"{run['error']:.2f} %",
                     digits(run['ll']), *cost([run])] for run in some if run['part'] == 'choice']
        final = [run for run in some if run['part'] == 'test']
        if final:
            mean, error = mean_error([run['error'] for run in final])
            tests.append([method, len(final), f'{PUBLISHED[method]} %', f'≤ {TARGETS[method]} %',
                          plus_minus(mean, error) + ' %', verdict(mean <= TARGETS[method]),
                          plus_minus(*mean_error([run['ll'] for run in final])),
                          digits(statistics.fmean(run['calibration'] for run in final)), *cost(final)])
            entropies.append([method, *(digits(statistics.fmean(run[key] for run in final)) for key in
                                        ('entropy', 'entropy_turned', 'entropy_mixed'))])
        pruned += [[per_cent(part, 0), f"{run['error']:.2f} %", f'{PRUNED[part]} %', digits(run['ll'])]
                   for run in some if run['part'].startswith('pruned')
                   for part in [float(run['part'].split()[1])]]
    out = ['## MNIST\n', say(f'''
784-400-400-10, ReLU, floats, batches of 128, Adam (10⁻³, falling along half a cosine to 0), pixels / 126.
Settings a and b (`bench/results/mnist.c`) are chosen by the errors on the last 10,000 training images; then
seeds 1, 2 and 3 train on all 60,000. 100 draws predict. Published: Blundell et al. (2015), one training each.
Build {builds(runs)}. Test errors:'''),
           table(['method', 'seeds', 'published', 'target', 'measured', 'verdict', 'log density',
                  'calibration error', 'time', 'memory'], tests),
           'What was chosen from, trained on 50,000 images:\n',
           table(['method', 'a', 'b', 'epochs', 'error', 'log density', 'time', 'memory'], choices)]
    if entropies:
        out += [say('''The mean entropy of predictions, in nats (at most log 10 = 2.30): of test images; of
the same turned by a right angle; with their pixels in another order, so that they are no digits:'''),
                table(['method', 'digits', 'turned', 'no digits'], entropies)]
    out += curves(folder) + epochs(folder, [run for run in runs if run['part'] == 'test'])
    if pruned:
        out += ['Weights of least signal-to-noise |mean| / sd set to 0, one network of 2 × 1200 units:\n',
                table(['pruned', 'test error', 'published', 'log density'], pruned)]
    return out


# ---- noise ----

def noise(folder):
    runs = record_of(folder, 'noise')
    if not runs:
        return []
    at = latest(runs, 'noise', 'step')
    steps = sorted({run['step'] for run in runs})
    shown = [step for step in steps if step % 469 == 0 and step // 469 in (1, 2, 4, 6, 8, 10, 12)]
    names = list(dict.fromkeys(run['noise'] for run in runs))

    def cell(name, step):
        run = at.get((name, step))
        return f"{digits(run['elbo'] / 60000)} ({run['seconds']:.0f} s)" if run else '–'

    def time_to(name, level):
        there = [at[name, step]['seconds'] for step in steps
                 if (name, step) in at and at[name, step]['elbo'] >= level]
        return f'{there[0]:.0f} s' if there else '–'
    levels = [at['shared', step]['elbo'] for step in shown if ('shared', step) in at]
    return ['## Shared noise and local noise: the time to an ELBO\n', say(f'''
Bayes by Backprop as in the last section, without a schedule, for 12 epochs: with one draw of the weights for
a batch, and with one for each image by local reparameterisation (Kingma et al. 2015). The bound is the same
in expectation. Seed 1; `bench/results/noise.c`; build {builds(runs)}. Mean ELBO of a seventh of an epoch, in
nats for each image, at the end of epochs, and processor time:'''),
            '![The ELBO over the processor time, and over epochs](pictures/results-noise.svg)\n',
            table(['noise', *(f'epoch {step // 469:.0f}' for step in shown)],
                  [[name, *(cell(name, step) for step in shown)] for name in names]),
            'Processor time until the ELBO is there that shared noise has at those times:\n',
            table(['noise', *(digits(level / 60000) for level in levels)],
                  [[name, *(time_to(name, level) for level in levels)] for name in names])]


# ---- CO2 ----

def co2(folder):
    runs = record_of(folder, 'co2')
    shown = (-1., 0., 1., 1.75, 2., 3., 4.)
    at = latest(runs, 'model', 'x')
    models = dict.fromkeys(run['model'] for run in runs)
    return ['## CO2 at Mauna Loa\n', say(f'''
After Figure 2 of Gal and Ghahramani (2016): the data are standardised, without trend, and end at 1.73.
Five hidden layers of 200 units with dropout of a tenth before each but the first, 60,000 steps of Adam,
and a noise of 0.2; a Gaussian process with the squared exponential covariance, whose three scales are
points (`bench/results/co2.c`; build {builds(runs)}). The darker band is twice the epistemic standard
deviation, the lighter one has the noise too. The networks have not learned the cycles near the ends of
the data yet. Beyond the data, ReLU units go on in straight lines and become less sure, tanh units go on
without change and are as sure as before, and the process returns to its prior.'''),
            '![Dropout with ReLU, dropout with tanh, a Gaussian process](pictures/results-co2.svg)\n',
            'Mean and epistemic standard deviation:\n',
            table(['model', *(f'x = {x:g}'.replace('-', '−') for x in shown), 'time', 'memory'],
                  [[model, *(f"{fixed(at[model, x]['mean'], 2)} ± {fixed(at[model, x]['epistemic'], 2)}"
                             if (model, x) in at else '–' for x in shown),
                    *cost([run for run in runs if run['model'] == model][:1])] for model in models])]


# ---- belief network ----

def belief(folder):
    runs = list(latest(record_of(folder, 'belief'), 'estimator', 'step').values())
    at, steps = latest(runs, 'estimator', 'step'), sorted({run['step'] for run in runs})
    names = dict.fromkeys(run['estimator'] for run in runs)
    last = {name: max((run for run in runs if run['estimator'] == name), key=lambda r: r['step'])
            for name in names}

    def rows(make, *more):
        return [[f'`{name}`', *(make(at[name, s]) if (name, s) in at else '–' for s in steps),
                 *(cell for of in more for cell in of(last[name]))] for name in names]
    heads = [f'step {s:.0f}' for s in steps]
    return ['## A sigmoid belief network by every estimator\n', say(f'''
30 hidden bits; 10,000 of the digits that `gb_digits_draw` draws, of 14 × 14 black and white pixels; q(z | x)
and p(x | z) are one layer each. 6,000 steps of Adam (10⁻³), batches of 100, two samples. The bound is that
with hard draws, also for the relaxed estimators, whose gradients are biased. Seed 1 for all, so all start
alike and see the same batches. `bench/results/belief.c`; build {builds(runs)}. There are no published
numbers for this network, so
there are no targets. The ELBO of a test row, in nats:'''),
            '![The ELBO and the variance of the gradient along the training](pictures/results-belief.svg)\n',
            table(['estimator', *heads, 'time', 'memory'],
                  rows(lambda r: fixed(r['test_bound'], 2), lambda r: cost([r]))),
            'The variance of the gradient in the weights of q, summed over them, of one batch:\n',
            table(['estimator', *heads], rows(lambda r: digits(r['variance'])))]


EXPERIMENTS = {'uci': uci, 'beside': beside, 'posteriors': posteriors, 'logistic': logistic, 'sbc': sbc,
               'mnist': mnist, 'noise': noise, 'co2': co2, 'belief': belief,
               'belief200': belief200, 'toys': toys, 'dreg': dreg}


def main():
    folder = pathlib.Path(sys.argv[1])
    if not DATA.exists():
        sys.exit(f'{DATA} is not there: what is published is read from it')
    print('<!-- Made by `bench/results/run --page`; do not edit -->\n# Published experiments, done again\n')
    print(say('''`bench/results/run EXPERIMENT...` runs them; each is a short program of public parts. The
records, a line for each run, are in `bench/results/record`. Data stand beside the project, in
`../shared/data`. All runs have one thread; times are those of the processor, on a machine with two cores that
others used too.'''))
    for name, make in EXPERIMENTS.items():
        if (folder / (name + '.tsv')).exists():
            print('\n'.join(make(folder)))


if __name__ == '__main__':
    main()
