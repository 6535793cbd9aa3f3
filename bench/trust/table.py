#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes docs/trust.md from the results of bench_trust: table.py FOLDER [--seconds] [--list] > docs/trust.md.
Only results of the latest build are used; FOLDER/build names it.

--seconds adds a column of times, for results of a quiet machine. --list prints, in place of the page, each
run that comforts falsely, and each that should be called good and is not."""
import collections
import math
import os
import statistics
import sys
import textwrap

COLUMNS = ('model family variant seed verdict end mean mean_of sd sd_of corrected_mean corrected_sd elbo '
           'error seconds reference numbers words').split()
NUMBERS = 'mean sd corrected_mean corrected_sd elbo error seconds'.split()
# Both comfort; where the family can be good, only the first counts.
GOOD = ('good', 'good, if no mode was missed')
VERDICTS = GOOD + ('usable for means', 'not to be trusted', 'not converged', 'not judged')
MEANS_OFF, SDS_OFF = 0.3, 0.3          # what no comfort may exceed, in reference sds, and relative
MEANS_NEAR, SDS_NEAR = 0.1, 0.1        # of a family's optimum
VARIANTS = {'plain': 'as is', 'x': 'predictors × 10⁴', 'y': 'outcomes × 10⁻³', 'far': 'starts 20 sd away'}
HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    with open(path, encoding='utf-8') as file:
        for line in file:
            run = dict(zip(COLUMNS, line.rstrip('\n').split('\t')))
            for name in NUMBERS:
                run[name] = float(run[name])
            run['each'] = pairs_of(run['numbers'])
            yield run


def comforts_falsely(run):
    """The verdict says more than the reference."""
    return ((run['verdict'] in GOOD and (run['mean'] > MEANS_OFF or run['sd'] > SDS_OFF)) or
            (run['verdict'] == 'usable for means' and run['mean'] > MEANS_OFF))


def corrects_falsely(run):
    """The same for the corrected numbers of a fit that is called good."""
    return run['verdict'] in GOOD and (run['corrected_mean'] > MEANS_OFF or run['corrected_sd'] > SDS_OFF)


def pairs_of(text):
    return [tuple(map(float, pair.split(':'))) for pair in text.split(';') if pair]


def bound(n):
    return f'{3 / n:.2g}' if n else 'none'


def off_optimum(runs, optimum):
    """The largest distances of means and sds from the family's optimum where it is known, or else from the
    run with the highest ELBO: the best member that was seen. Other units have another ELBO."""
    means = sds = 0.
    by_variant = collections.defaultdict(list)
    for run in runs:
        by_variant[{'far': 'plain'}.get(run['variant'], run['variant'])].append(run)
    for group in by_variant.values():
        seen = max((r for r in group if r['each']), key=lambda r: r['elbo'], default={'each': []})
        best = optimum or seen['each']
        for run in group:
            if run['verdict'] not in GOOD or len(run['each']) != len(best):
                continue
            for (mean, sd), (mean0, sd0) in zip(run['each'], best):
                means = max(means, abs(mean - mean0))
                sds = max(sds, abs(sd / sd0 - 1))
    return means, sds


def number(x):
    if x is None or math.isnan(x):
        return '–'
    return '∞' if math.isinf(x) else f'{x:.2f}' if x < 100 else f'{x:.0f}'


def row(cells):
    return '| ' + ' | '.join(str(c) for c in cells) + ' |'


def table(heads, rows):
    return '\n'.join([row(heads), row(['---'] + ['--:'] * (len(heads) - 1)), *map(row, rows)]) + '\n'


def verdict_cells(runs):
    counts = collections.Counter(run['verdict'] for run in runs)
    return [sum(counts[v] for v in GOOD), counts['usable for means'], counts['not to be trusted'],
            counts['not converged'] + counts['not judged'] + counts['']]


HEADS = ['model, family', 'runs', 'good', 'for means', 'not trusted', 'not converged', 'mean off', 'sd off',
         'corrected mean', 'corrected sd', 'false comfort']


def cells(name, runs, seconds):
    def worst(key, some):
        return number(max((r[key] for r in some if not math.isnan(r[key])), default=None))
    end = [f"{statistics.median(r['seconds'] for r in runs):.2f}"] if seconds else []
    return [name, len(runs), *verdict_cells(runs), *(worst(k, runs) for k in
            ('mean', 'sd', 'corrected_mean', 'corrected_sd')), sum(map(comforts_falsely, runs)), *end]


def groups_of(runs):
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run['model'], run['family']].append(run)
    return groups


def missing_of(folder, runs):
    """Runs that were asked for and are not there: without a reference, and others, as keys."""
    with open(os.path.join(folder, 'asked.tsv'), encoding='utf-8') as file:
        asked = {tuple(line.rstrip('\n').split('\t')[:4]) for line in file}
    keys = sorted(asked - {tuple(r[k] for k in COLUMNS[:4]) for r in runs})
    without = [key for key in keys if source_of(folder, key[0]) == 'none']
    return without, [key for key in keys if key not in set(without)]


def source_of(folder, model):
    path = os.path.join(folder, f"reference-{model.replace(':', '-')}.csv")
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8') as file:
        return file.readline().rstrip('\n').partition(',')[2]


def wrapped(item):
    """A line of a list, within 110 columns."""
    return '\n'.join(textwrap.wrap(item, 110, subsequent_indent='  ', break_long_words=False,
                                   break_on_hyphens=False))


def say_missing(folder, runs):
    """Lines about runs that are asked for and not there."""
    without, others = missing_of(folder, runs)
    out = []
    if without:
        models = sorted({key[0] for key in without})
        out.append('- Without a reference, because NUTS did not reach what is asked: '
                   f"{len(without)} runs, of {', '.join(models)}")
    if others:
        counts = collections.Counter(key[:2] for key in others)
        out.append(f'- **Asked for, but not made: {len(others)} runs** (interrupted or failed), of '
                   + '; '.join(f"{', '.join(key)}: {n}" for key, n in counts.items()))
    return [wrapped(item) for item in out]


def say_build(parent, folder):
    """Which build made the results, and what others left."""
    build, others = os.path.basename(folder), 0
    for name in os.listdir(parent):
        path = os.path.join(parent, name, 'results.tsv')
        if name != build and os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                others += sum(1 for _ in file)
    words = f'- All results are of one build, {build} (a checksum of the program, library included)'
    return [wrapped(words + (f'; {others} results of other builds are not used' if others else ''))]


def page(parent, folder, runs, can, seconds):
    fixed = [r for r in runs if not r['model'].startswith('random:')]
    drawn = [r for r in runs if r['model'].startswith('random:')]
    groups, heads = groups_of(fixed), HEADS + (['seconds'] if seconds else [])
    out = [f'''<!-- Made by `bench/trust/run{' --seconds' if seconds else ''}`; do not edit -->
# Do the verdicts hold?

Each run is one call `gb_fit(e)` without options. Its q is compared with a reference that does not come from
the fit: exact by a formula or quadrature, draws that posteriordb publishes (their least effective size is
said under References: for most a little below 10,000), or `gb_sample_nuts` with an effective size of at least
10,000 for each number, R̂ below 1.01 and no divergence, where necessary in other parameters.
`bench/trust/run` makes this page; `bench/trust/run --seeds 20 --random SEED 200` runs all of it.
[Lesson 15](lessons/15-trust.md) shows how to read a verdict.

- *False comfort*: a run is called good, with or without a condition, though a mean is more than {MEANS_OFF}
  reference standard deviations off, or a standard deviation more than {100 * SDS_OFF:.0f} %; or it is
  called usable for means, though a mean is so far off.
- *mean off* and *sd off* are the worst over all runs and numbers, in reference standard deviations, and
  relative. Numbers with heavy tails are compared by the median, and by the distance from the 5 % to the
  95 % quantile. *corrected* are those of `gb_summary`, which uses weights where they are reliable.
- Variants: {', '.join(VARIANTS.values())}. Units and priors change
  together, so each posterior stays the same one. A search whose result does not depend on units and starts
  makes such runs copies of each other, so bounds are given without them too.
''']
    seeds = sorted({int(r['seed']) for r in fixed})
    if seeds:
        out.append(f'Models below: seeds {seeds[0]} to {seeds[-1]}.\n')
    for name, some in (('models below', fixed), ('random posteriors', drawn)):
        wrong = sum(map(comforts_falsely, some))
        good = sum(r['verdict'] in GOOD for r in some)
        again = sum(map(corrects_falsely, some))
        alone = len({(r['model'], r['family'], r['seed']) for r in some})
        out.append(f'- **False comfort, {name}: {wrong} of {len(some)}** (bound 3/n: {bound(len(some))}, or '
                   f'{bound(alone)}\n  for the {alone} that differ in more than units and starts);\n'
                   f'  {good} are called good; corrected numbers of {again} of these are off')
    reached = [r for key in can for r in groups.get(key, [])]
    good = sum(r['verdict'] == 'good' for r in reached)
    if reached:
        out.append(f'- **Called good where the family can be: {good} of {len(reached)}** '
                   f'({100 * good / len(reached):.1f} %; 97 % are asked)')
    out += say_missing(folder, runs) + say_build(parent, folder)
    out.append('\n## Where the family can be good\n\nWritten down before the first fit '
               '(`bench/trust/reach.c`). *means* and *sds*: of runs that are called good,\n'
               f"the largest distances from the family's optimum, where {MEANS_NEAR} standard\ndeviations "
               f'and {100 * SDS_NEAR:.0f} % are allowed. *optimum*: known by a formula or quadrature;\nor '
               'only the best of these same runs, the one with the highest ELBO, which cannot\nshow an error '
               'that they share.\n')
    rows = []
    for key, (why, optimum) in can.items():
        some = groups.get(key, [])
        if some:
            means, sds = off_optimum(some, optimum)
            rows.append([', '.join(key), f"{sum(r['verdict'] == 'good' for r in some)} of {len(some)}",
                         f'{means:.3f}', f'{100 * sds:.1f} %', 'known' if optimum else 'best run', why])
    out.append(table(['model, family', 'called good', 'means', 'sds', 'optimum', 'why'], rows))
    out.append('## All models\n')
    out.append(table(heads, [cells(', '.join(key), some, seconds) for key, some in groups.items()]))
    out.append('## By units and starts\n')
    by_variant = [cells(VARIANTS[v], some, seconds) for v in VARIANTS
                  if (some := [r for r in fixed if r['variant'] == v])]
    out.append(table(['variant', *heads[1:]], by_variant))
    if drawn:
        seeds = sorted({int(r['model'].split(':')[1]) for r in drawn})
        out.append(f'''## Random posteriors

{len(seeds)} posteriors, seeds {seeds[0]} to {seeds[-1]}: random dimension, correlation, skew, scales, tails,
bounds, bends and likelihoods (`bench/trust/random.c`).
''')
        by_family = [cells(f, some, seconds) for f in ('mean field', 'full rank')
                     if (some := [r for r in drawn if r['family'] == f])]
        out.append(table(['family', *heads[1:]], by_family))
    out += beside(parent, folder) + response(folder)
    sources = {}
    for run in fixed:
        sources[run['model']] = run['reference']
    out.append('## References\n')
    out.append('\n'.join(f'- {name}: {source}' for name, source in sources.items()))
    return '\n'.join(out)


def lines_of(folder, name, columns):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [dict(zip(columns, line.rstrip('\n').split('\t'))) for line in file]


def beside(parent, folder):
    """Times and distances of methods here and of Stan's, on the shared posteriors."""
    columns = 'model method seed seconds says mean sd ess'.split()
    runs = lines_of(folder, 'beside-grebe.tsv', columns) + lines_of(parent, 'beside-stan.tsv', columns)
    seeds, kept = len({r['seed'] for r in runs}), ''
    if not any(r['method'].startswith('Stan') for r in runs):
        # Medians that were kept: of one run of both, on a quieter machine, with an earlier build.
        runs, seeds = lines_of(os.path.join(HERE, 'record'), 'beside.tsv', columns), '3'
        kept = ' These medians are kept, of an earlier build of the library.'
    models, methods = (list(dict.fromkeys(r[key] for r in runs)) for key in ('model', 'method'))

    def median(model, method, key):
        some = [float(r[key]) for r in runs if (r['model'], r['method']) == (model, method)]
        return statistics.median(some) if some else math.nan

    def brief(x):
        return '–' if math.isnan(x) else '∞' if math.isinf(x) else f'{x:.2g}' if x < 100 else f'{x:.0f}'

    def cell(model, method):
        mean, sd = (median(model, method, key) for key in ('mean', 'sd'))
        return f"{brief(median(model, method, 'seconds'))}: {brief(mean)}, {brief(sd)}"
    out = [f'''## Times beside Stan

Processor seconds: distance of the worst mean in reference sds, of the worst sd relatively. Medians of {seeds}
seeds, usual options (`bench_trust --beside`, `bench/trust/stan.R`; rstan 2.21.7). Times here include
recording the model, and judging where it says nothing else; those of Stan leave out compiling it, which takes
about a minute, and include 20,000 draws of the normal of ADVI and of optimizing. NUTS: four chains of 1000
draws after a warm-up of 1000.{kept}
''', table(['', *models], [[method, *(cell(m, method) for m in models)] for method in methods]),
           'Effective draws (bulk, of the worst number) per processor second of NUTS, warm-up included:\n',
           table(['', *models], [[method, *(brief(median(m, method, 'ess')) for m in models)]
                                 for method in methods if 'nuts' in method.lower()])]
    return out


def response(folder):
    runs = lines_of(folder, 'response.tsv', 'model seed mean_field response words'.split())
    if not runs:
        return []
    groups = collections.defaultdict(list)
    for r in runs:
        groups[r['model']].append(r)

    def worst(some, key):
        known = [float(r[key]) for r in some if r[key] != 'nan']
        return f'{100 * max(known):.1f} %' if known else '–'
    rows = [[model, worst(some, 'mean_field'), worst(some, 'response'),
             next((r['words'].split(':')[0] for r in some if r['words']), '')]
            for model, some in groups.items()]
    return ['''## Linear response

Standard deviations of a mean field, and those that `gb_linear_response` makes of it, against the
reference's, in free numbers: the worst one. References are those named below: exact, or chains with an
effective size of at least 10,000 for each free number too, whose sds have errors of about 1 %; where the
reference is from posteriordb, chains that agree with it.
''', table(['model', 'mean field', 'linear response', 'rejected'], rows)]


def listing(runs, can):
    for run in runs:
        key = run['model'], run['family']
        what = ('FALSE COMFORT' if comforts_falsely(run) else
                'corrected numbers are off' if corrects_falsely(run) else
                'should be good' if key in can and run['verdict'] != 'good' else
                'near the posterior, and not called good'
                if run['mean'] < 0.1 and run['sd'] < 0.1 and run['verdict'] not in GOOD else '')
        if what:
            print(f"{what}: {run['model']}, {run['family']}, {run['variant']}, seed {run['seed']}: mean "
                  f"{run['mean']:.3f} ({run['mean_of']}), sd {run['sd']:.3f} ({run['sd_of']}), corrected "
                  f"{run['corrected_mean']:.3f}, {run['corrected_sd']:.3f}")
            print('    ' + run['words'].replace(' | ', '\n    ').rstrip())


def main():
    parent = sys.argv[1]
    with open(os.path.join(parent, 'build'), encoding='utf-8') as file:
        folder = os.path.join(parent, file.read().strip())
    runs = list(read(os.path.join(folder, 'results.tsv')))
    can = {}
    with open(os.path.join(folder, 'can.tsv'), encoding='utf-8') as file:
        for line in file:
            model, family, why, optimum = line.rstrip('\n').split('\t')
            can[model, family] = why, pairs_of(optimum)
    if '--list' in sys.argv:
        listing(runs, can)
    else:
        print(page(parent, folder, runs, can, '--seconds' in sys.argv))


if __name__ == '__main__':
    main()
