# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of docs/results.md that compare estimators of gradients: toys, bounds of several draws, and a
sigmoid belief network."""
import math
import statistics

from words import (builds, cost, digits, fixed, latest, minus, plus_minus, record_of, say, table, verdict)


def number(x):
    """A number of any size: 0.0223, or 1.2e-05 where it is small."""
    return digits(x) if not 0 < abs(x) < 1e-3 else minus(f'{x:.2g}')


# ---- toys ----

TOYS = {0.45: 'Tucker et al. 2017', 0.499: 'Grathwohl et al. 2018'}
KNOWN = {('score', 0.499, 0.): 0.0156, ('REBAR', 0.499, 0.): 0.0223} # by hand, three digits


def better(runs, name, than, t):
    """Where one estimator has less variance than another, as ranges of φ."""
    phis = sorted({run['phi'] for run in runs})
    at = latest(runs, 't', 'phi', 'estimator')
    less = [phi for phi in phis
            if at[t, phi, name]['exact'] < at[t, phi, than]['exact'] * (1 - 1e-9)]
    if not less:
        return 'nowhere'
    ends = [phi for i, phi in enumerate(phis) if phi in less
            and (i in (0, len(phis) - 1) or phis[i - 1] not in less or phis[i + 1] not in less)]
    return 'everywhere' if len(less) == len(phis) else minus(', '.join(f'{phi:g}' for phi in ends))


def toys_race(folder):
    runs = list(latest(record_of(folder, 'toys_race'), 't', 'estimator', 'seed').values())
    names, ts = dict.fromkeys(run['estimator'] for run in runs), sorted({run['t'] for run in runs})

    def some(name, t):
        return [run['steps'] for run in runs if (run['estimator'], run['t']) == (name, t)]

    def cells(name, t):
        steps = some(name, t)
        done = sorted(s for s in steps if math.isfinite(s))
        middle = statistics.median(s if math.isfinite(s) else math.inf for s in steps)
        return [f'{len(done)} of {len(steps)}', fixed(middle, 0),
                f'{done[0]:.0f} … {done[-1]:.0f}' if done else '–']
    heads = [f'{what}, t = {t:g}' for t in ts for what in ('arrived', 'median', 'range')]
    lines = [[name, *(cell for t in ts for cell in cells(name, t))] for name in names]
    out = [say('''Training: Adam (0.01, as in the program of RELAX) from φ = 0, one sample for a step, until
sigmoid φ is within 0.01 of its best value 0; 20 seeds, at most 20,000 steps. Adam divides by the size of the
gradients, so only the ratio of signal and noise matters. ARM and DisARM have the same ratio on both toys, and
take as many steps. What REBAR and RELAX learn is relative to a running mean, whose own noise matters more at
t = 0.499. That REBAR with a learned η arrives there, other than in the paper, is due to this mean:'''),
           table(['estimator', *heads], lines)]
    if 0.499 in ts:
        arrives = {name: [s for s in some(name, 0.499) if math.isfinite(s)] for name in names}
        middle = {name: statistics.median(s) if s else math.inf for name, s in arrives.items()}
        stuck = not arrives['score'] and not arrives['REBAR']
        learned = middle['RELAX'] < min(middle['REBAR, η learned'], middle['REBAR, η, τ learned'])
        out.append(table(['published, t = 0.499', 'here', 'verdict'], [
            ['score and REBAR (η = 1 here) do not find θ = 0',
             'none arrives within 20,000 steps' if stuck else 'some arrive', verdict(stuck)],
            ['RELAX finds it, and sooner than REBAR',
             f"{fixed(middle['RELAX'], 0)} steps; REBAR, η learned: {fixed(middle['REBAR, η learned'], 0)}",
             verdict(learned)]]))
    return out


def toys_checks(runs):
    at = latest(runs, 't', 'phi', 'estimator')
    learn = ('learned', 'RELAX')
    off = [abs(run['variance'] - run['exact']) / run['variance_error'] for run in runs
           if run['variance_error'] > 0 and not any(word in run['estimator'] for word in learn)]
    zs = [abs(run['z']) for run in runs if math.isfinite(run['z'])]
    lines = [[f'{name}, t = {t:g}, φ = {phi:g}', known, digits(at[t, phi, name]['exact'], 4),
              verdict(abs(at[t, phi, name]['exact'] - known) < 5.1e-5)]
             for (name, t, phi), known in KNOWN.items() if (t, phi, name) in at]
    for values, what in ((off, 'measured variances without learning, and the exact ones'),
                         (zs, 'mean gradients, all estimators')):
        if values:
            lines.append([f'{len(values)} {what}', 'within 5 errors', f'at most {max(values):.1f}',
                          verdict(max(values) < 5)])
    return table(['variance of a gradient', 'target', 'here', 'verdict'], lines)


def toys(folder):
    runs = list(latest(record_of(folder, 'toys'), 't', 'phi', 'estimator').values())
    at, ts = latest(runs, 't', 'phi', 'estimator'), sorted({run['t'] for run in runs})
    phis = [phi for phi in (-6., -4., -2., 0., 2., 4., 6.) if any(run['phi'] == phi for run in runs)]
    names = [name for name in dict.fromkeys(run['estimator'] for run in runs) if 'coupled' not in name]

    def row(t, name, column):
        return [name, *(number(at[t, phi, name][column]) if (t, phi, name) in at else '–' for phi in phis)]

    def coupling(t):
        ways = ('REBAR', 'REBAR, η learned', 'REBAR, η, τ learned')
        coupled = {way: way.replace('REBAR', 'REBAR, coupled') for way in ways}
        return [[f'{t:g}', minus(f'{phi:g}'),
                 *(number(at[t, phi, name]['exact']) for way in ways for name in (way, coupled[way]))]
                for phi in phis if (t, phi, coupled[ways[-1]]) in at]
    heads = ['estimator', *(minus(f'φ = {phi:g}') for phi in phis)]
    out = ['## The toys of REBAR and RELAX\n', say(f'''
The cost is (b − t)², b ~ Bernoulli(sigmoid φ), with t = 0.45 (Tucker et al. 2017) or t = 0.499 (Grathwohl et
al. 2018). Variances of one gradient in φ are exact: closed forms, and integrals over the noise of relaxed
draws (`bench/results/one_bit.c`). Those that grebe's estimators have in 20,000 gradients are measured beside
(`bench/results/toys.c`; build {builds(runs)}). What is learned takes costs relative to their running mean
here; the exact figures have the best η, and the best temperature τ within a factor of 5 of 0.5.'''),
           toys_checks(runs), '![Exact variances of the gradient over φ](pictures/results-toys.svg)\n']
    for t in ts:
        out += [f'Exact variances, t = {t:g} ({TOYS[t]}):\n',
                table(heads, [row(t, name, 'exact') for name in names])]
        learned = ('REBAR, η learned', 'REBAR, η, τ learned', 'RELAX')
        out += ['What grebe reached by learning:\n',
                table(heads, [row(t, name, 'variance') for name in learned])]
    lines = [[name, *(better(runs, name, 'score', t) for t in ts)] for name in
             ('REBAR', 'REBAR, coupled', 'REBAR, η learned', 'DisARM')]
    lines += [[f'{name}, against the mean cost as baseline',
               *(better(runs, name, 'score, mean cost', t) for t in ts)]
              for name in ('REBAR, η learned', 'REBAR, η, τ learned', 'DisARM')]
    out += ['Where the exact variance is below that of the score function (ends of ranges of φ):\n',
            table(['', *(f't = {t:g}' for t in ts)], lines), say('''
So REBAR with η = 1 has *more* variance than the plain score function here, everywhere. Its relaxed cost (s −
t)² is not like the hard one: it falls from s = 0 to s = t and rises again. Most of what learning gains is
that of a baseline: REBAR with η = 0 and costs relative to their mean is the score function with that
baseline. The best η gains a further factor of 1.4 to 3.2, and the best η and τ one of 1.9 to 27. The
temperature is hard to learn where gradients are rare: at φ = ±6 grebe reached less by η and τ than by η
alone. For one bit the best constant leaves no variance. RELAX learns it, since its surrogate has a constant
term. So the toys say little about costs of many bits.

**Coupled noise.** z̃ needs uniform noise v. Public programs differ: it is drawn independently of the u of z,
or it is made of u such that z̃ is the same number as z, and only its derivative differs (the program of
RELAX's toy). Both are unbiased; grebe draws independently. Exact variances:'''),
            table(['t', 'φ', 'η = 1, τ = 0.5', 'coupled', 'best η', 'coupled', 'best η, τ', 'coupled'],
                  [line for t in ts for line in coupling(t)]), say('''
With η = 1 the coupling costs 6 % at φ = 0, and towards probabilities near 0 and 1 it takes up to 62 % off.
With the best η and τ it gains a factor of 2.8 to 46.''')]
    return out + (toys_race(folder) if (folder / 'toys_race.tsv').exists() else [])


# ---- bounds of several draws ----

def slope(points):
    """Of the least squares line through logarithms."""
    x, y = zip(*((math.log(a), math.log(b)) for a, b in points))
    mean = statistics.fmean(x)
    return sum((a - mean) * b for a, b in zip(x, y)) / sum((a - mean) ** 2 for a in x)


def dreg(folder):
    runs = list(latest(record_of(folder, 'dreg'), 'estimator', 'K').values())
    at, counts = latest(runs, 'estimator', 'K'), sorted({run['K'] for run in runs})
    names = dict.fromkeys(run['estimator'] for run in runs)

    def between(run, column):
        return f"{digits(run[column])} ({digits(run[column + '_low'])} … {digits(run[column + '_high'])})"

    def slope_of(name, column, least):
        points = [(k, at[name, k][column]) for k in counts if k >= least and at[name, k][column] > 0]
        return slope(points) if len(points) > 1 else math.nan

    def check(name, column, words, target):
        measured = slope_of(name, column, 50)
        return [f'{name}: {words}', minus(f'{target:g} ± 0.1'), fixed(measured, 2),
                verdict(abs(measured - target) <= 0.1) if math.isfinite(measured) else '–']
    heads = ['K', *names]
    last = max(counts)
    return ['## Importance weighted bounds: signal and noise\n', say(f'''
The toy of Rainforth et al. (2018): p(z) = N(μ, I), p(x | z) = N(z, I), q(z | x) = N(A x + b, ⅔ I), in 20
dimensions with 1,024 rows. A and b are at their optimum, but each number is off by noise of standard
deviation 0.01. One gradient of the bound of K particles in A and b, with one sample for each row; figures are
of {min(run['gradients'] for run in runs):.0f} to {max(run['gradients'] for run in runs):.0f} gradients by
`gb_watch`, intervals are 95 %. `bench/results/dreg.c`; build {builds(runs)}.

The signal-to-noise ratio |E g| / sd g:'''), table(heads, [
                [f'{k:.0f}', *(between(at[name, k], 'snr') for name in names)] for k in counts]),
            '![Variance and signal-to-noise ratio over the particles](pictures/results-dreg.svg)\n',
            'The variance, summed over all numbers; and how far the mean of `gb_stl_as_published` is from\n'
            'that of DReG, relative to the latter:\n',
            table([*heads, 'bias of STL'], [
                [f'{k:.0f}', *(number(at[name, k]['variance']) for name in names),
                 number(at['STL as published', k]['bias'])] for k in counts]),
            say('''
Slopes on logarithmic axes, over K ≥ 50. Rainforth et al. and Tucker et al. (2019) have them for large K; with
fewer particles they are not reached yet.'''),
            table(['', 'target', 'here', 'verdict'], [
                check('pathwise', 'snr', 'signal-to-noise ratio', -0.5),
                check('DReG', 'snr', 'signal-to-noise ratio', 0.5),
                check('pathwise', 'variance', 'variance', -1),
                check('DReG', 'variance', 'variance', -3)]),
            say(f'''
The signal-to-noise ratio of STL as published rises too, but towards another direction: at K = {last:.0f} its
mean is off by {digits(at['STL as published', last]['bias'])} times the gradient.'''),
            table(['', 'time', 'memory'], [['all', *cost([at['DReG', k] for k in counts])]])]


# ---- a belief network of 200 bits ----

def variances(runs, name):
    at, steps = latest(runs, 'estimator', 'step'), sorted({run['step'] for run in runs})
    names = dict.fromkeys(run['estimator'] for run in runs)
    lines = [[f'`{one}`', *(digits(at[one, s]['variance']) if (one, s) in at else '–' for s in steps),
              f"{at[one, steps[-1]]['evaluations']:.0f}",
              digits(at[one, steps[-1]]['variance'] * at[one, steps[-1]]['evaluations'])]
             for one in names if (one, steps[-1]) in at]
    return [f'{name}:\n', table(['estimator', *(f'step {s:.0f}' for s in steps), 'evaluations',
                                 'variance × evaluations, at the end'], lines)]


def is_below(runs, one, other, times=lambda run: 1):
    """Whether the interval of the first is below that of the second, at all steps but the start."""
    at, steps = latest(runs, 'estimator', 'step'), sorted({run['step'] for run in runs if run['step'] > 0})
    return all(at[one, s]['high'] * times(at[one, s]) < at[other, s]['low'] * times(at[other, s])
               for s in steps if (one, s) in at and (other, s) in at)


def bounds(folder):
    runs = list(latest(record_of(folder, 'belief200_bound'), 'layers', 'estimator', 'K').values())
    steps = max(run['steps'] for run in runs)
    lines = [[f"{run['layers']:.0f}", f"`{run['estimator']}`", f"{run['K']:.0f}", fixed(run['elbo'], 2),
              fixed(run['bound'], 2), fixed(run['iwae'], 2), digits(run['ms']), *cost([run])] for run in runs]
    vimco = sorted((run for run in runs if run['estimator'] == 'vimco' and run['layers'] == 1),
                   key=lambda run: run['K'])
    rises = all(a['bound'] < b['bound'] for a, b in zip(vimco, vimco[1:]))
    out = [say(f'''Bounds after trainings of {steps:.0f} steps each ({steps / 600:.1f} epochs), which is
short: published trainings have hundreds of thousands of steps or more, and end higher. Tucker et al. report
−111.6 for one layer by REBAR (the ELBO of training images), so these are no targets here. 2,000 test images
(every fifth), nats for each: the ELBO, the bound of K particles that was trained, and the bound of 1,000
particles. A step draws one sample, for leave-one-out two. With one layer it evaluates the cost twice for
leave-one-out, ARM and DisARM, three times for REBAR, once for RELAX, and K times for VIMCO. The first time is
that of a step, the second that of a training with its evaluation. Build {builds(runs)}.'''),
           table(['layers', 'estimator', 'K', 'ELBO', 'bound', '1,000 particles', 'ms', 'time', 'memory'],
                 lines)]
    if len(vimco) > 1:
        out.append(table(['', 'target', 'here', 'verdict'], [
            ['VIMCO: the bound that is trained, from K = 2 to 50', 'rises with K',
             ', '.join(fixed(run['bound'], 2) for run in vimco), verdict(rises)]]))
    return out


def belief200(folder):
    runs = list(latest(record_of(folder, 'belief200'), 'bound', 'estimator', 'step').values())
    elbo = [run for run in runs if run['bound'] == 'ELBO']
    loo = 'score:baseline=leave_one_out'
    out = ['## A sigmoid belief network of 200 bits on MNIST\n', say(f'''
As in Tucker et al. (2017) and Dong, Mnih and Tucker (2020): 784 pixels, one layer of 200 bits (or two), q and
p linear, pixels drawn once with the probability of their brightness. Batches of 100, Adam (10⁻³). Biases of
p(x | z) start at the log-odds of the pixels. `gb_watch` compares the estimators at the parameters of one
training, by DisARM for the ELBO and by VIMCO for the bound of 10 particles; what an estimator learns, it
learns beside that training. The variance is that of the draws, summed over the weights of q(z | x). Two
samples for the ELBO. `bench/results/belief200.c`; build {builds(runs)}. DisARM is also called U2G.'''),
           '![Variances along the training](pictures/results-belief200.svg)\n']
    for name in dict.fromkeys(run['bound'] for run in runs):
        out += variances([run for run in runs if run['bound'] == name], name)
    if elbo:
        out.append(table(['published, and here at all points after the start', 'verdict'], [
            ['the variance of DisARM is below that of ARM', verdict(is_below(elbo, 'disarm', 'arm'))],
            ['… and below that of leave-one-out, both times evaluations',
             verdict(is_below(elbo, 'disarm', loo, lambda run: run['evaluations']))]]))
    return out + (bounds(folder) if (folder / 'belief200_bound.tsv').exists() else [])
