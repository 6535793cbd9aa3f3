# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of bench_results as numbers, and numbers as text."""
import math
import statistics
import textwrap


def record_of(folder, name):
    """The lines of a record, as dicts whose numbers are numbers. A line that was cut off does not count."""
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
    """The last line of each run, by its keys."""
    return {tuple(run[key] for key in keys): run for run in runs}


def by_split(run):
    return run['split']


# ---- numbers ----

def digits(x, count=3):
    """So many significant digits."""
    if not math.isfinite(x):
        return '–'
    if x == 0:
        return '0'
    after = max(0, count - 1 - math.floor(math.log10(abs(x))))
    return minus(f'{x:.{after}f}')


def minus(text):
    return text.replace('-', '−')


def fixed(x, after):
    return minus(f'{x:.{after}f}') if math.isfinite(x) else '–'


def per_cent(x, after=1):
    return f'{100 * x:.{after}f} %'


def plus_minus(mean, error):
    """A mean with its standard error, whose first two digits decide how many there are."""
    if not error > 0 or not math.isfinite(error):
        return digits(mean)
    after = max(0, 1 - math.floor(math.log10(error)))
    return minus(f'{mean:.{after}f} ± {error:.{after}f}')


def duration(seconds):
    if seconds < 10:
        return f'{seconds:.1f} s'
    if seconds < 120:
        return f'{seconds:.0f} s'
    return f'{seconds / 60:.0f} min' if seconds < 7200 else f'{seconds / 3600:.1f} h'


def verdict(passes):
    return 'pass' if passes else '**miss**'


def mean_error(x):
    """Mean, and its standard error; NaN for one number."""
    return statistics.fmean(x), statistics.stdev(x) / math.sqrt(len(x)) if len(x) > 1 else math.nan


# ---- text ----

def say(text):
    """Paragraphs, filled."""
    paragraphs = text.strip().split('\n\n')
    return '\n\n'.join(textwrap.fill(' '.join(p.split()), 108, break_long_words=False, break_on_hyphens=False)
                       for p in paragraphs) + '\n'


def row(cells):
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def table(heads, rows):
    return '\n'.join([row(heads), row(['---'] + ['--:'] * (len(heads) - 1)), *map(row, rows)]) + '\n'


def builds(runs):
    return ', '.join(dict.fromkeys(str(run['build']) for run in runs))


def cost(runs):
    """Time and memory."""
    return [duration(sum(run['seconds'] for run in runs)), f"{max(run['MB'] for run in runs):.0f} MB"]
