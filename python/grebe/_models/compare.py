# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons of estimators: gb.compare("gauss-square", ["pathwise", "score"])."""
from __future__ import annotations

import ctypes as c
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TYPE_CHECKING

from .._c.arrays import structs_at
from .._c.call import Call
from .._c.callbacks import Closure
from .._c.convert import Thing, array_in, sequence, to_c
from .._c.enums import enum_of
from .._c.errors import Error, pending
from .._c.functions import made, options_struct
from .._c.interface import STRUCTS
from .._c.interrupts import interrupts
from .._c.library import lib
from .._c.types import struct, text
from .problem import problem_of
from .tables import Table

if TYPE_CHECKING:
    from .._graph.plugins import Plugin


class Comparison(Table):
    """The result: variances and costs of estimators. `estimators` has one entry for each, `error` is why
    results are missing ("" if none are). print(c), c.to_pandas(), c.json()."""

    columns = ('estimator', 'parameter', 'mean', 'stderr', 'variance', 'variance_stderr', 'kurtosis', 'snr',
               'exact', 'z', 'evaluations', 'seconds', 'samples', 'ratio', 'marks')

    def __init__(self, thing):
        self._view = thing
        view = thing._struct
        self.status, self.error = enum_of('gb_status')(view.status), text(view.error) or ''
        self.draws, self.samples, self.seed = view.draws, view.samples, view.seed
        names = (c.c_char_p * view.parameters).from_address(view.parameter) if view.parameters else []
        self.parameters = [text(name) for name in names]
        self.estimators = [Compared(each, self.parameters)
                           for each in structs_at(view.estimator, 'gb_compared', view.estimators)]

    def __getitem__(self, name: str) -> Compared:
        """Returns the results of an estimator, by its name or its text."""
        for each in self.estimators:
            if name in (each.name, each.text):
                return each
        raise KeyError(f'{name}; there are: {", ".join(each.text for each in self.estimators)}')

    def records(self):
        return [row for each in self.estimators for row in each.records()]

    def title(self):
        return self.error

    def json(self) -> str:
        """Returns all of it as JSON, with what repeats it."""
        return made('gb_comparison_json')(self._view)

    def csv(self) -> str:
        return made('gb_comparison_csv')(self._view)

    def plot(self, axes=None):
        """Draws the variances by matplotlib."""
        from .plots import plot_comparison
        return plot_comparison(self, axes)

    def __str__(self):
        return made('gb_comparison_print')(self._view)

    def __repr__(self):
        return f'<grebe.Comparison of {", ".join(each.text for each in self.estimators)}>'


class Compared:
    """One estimator: `parameters` has {mean, stderr, variance, …} by parameter; {} if it was not measured."""

    def __init__(self, view, parameters):
        self.name, self.text = text(view.name), text(view.text)
        for word in ('evaluations', 'seconds', 'samples', 'total_variance', 'total_variance_stderr',
                     'variance_times_cost', 'ratio', 'ratio_low', 'ratio_high'):
            setattr(self, word, getattr(view, word))
        found = structs_at(view.parameter, 'gb_measured', len(parameters))
        self.parameters = {name: measured(each) for name, each in zip(parameters, found)}

    def records(self):
        return [{'estimator': self.text, 'parameter': name, **each, 'evaluations': self.evaluations,
                 'seconds': self.seconds, 'samples': self.samples, 'ratio': self.ratio}
                for name, each in self.parameters.items()]

    def __repr__(self):
        return f'<grebe.Compared: {self.text}, variance {self.total_variance:.4g}>'


def measured(view):
    found = {field['name'].removesuffix('_'): getattr(view, field['name'])
             for field in STRUCTS['gb_measured']['fields']}
    unseen, moving = found.pop('unseen'), found.pop('moving')
    biased = abs(found['z']) > 5
    found['marks'] = ', '.join(word for word, holds in (('biased', biased), ('unseen', unseen),
                                                        ('moving', moving)) if holds)
    return found


def asked(function, problem, estimators, settings, names, progress, options):
    """Returns (call, options struct) of a comparison; what it points to is kept by the call."""
    unknown = [word for word in options if word not in function.options or word in BY_HAND]
    if unknown:
        there = ', '.join(word for word in function.options if word not in BY_HAND)
        raise TypeError(f'{function.name} has no option {unknown[0]}; there are: settings, names, progress, '
                        f'{there}')
    call = Call()
    given = options_struct(function, options, call)
    given.problem = problem_of(problem)
    given.estimators, given.estimator = array_in('gb_estimator', estimators, call, 'estimators')
    if names is not None:
        if len(sequence(names, 'names')) != given.estimators:
            raise ValueError(f'{len(names)} names for {given.estimators} estimators')
        _, given.names = array_in('char *', names, call, 'names')
    pairs = (struct('gb_compare_setting') * max(1, len(settings or {})))()
    for row, (word, value) in zip(pairs, (settings or {}).items()):
        row.name, row.value = to_c('char *', word, call, 'settings'), to_c('double', value, call, word)
    given.settings, given.setting = len(settings or {}), c.addressof(pairs)
    closure = Closure('gb_compare_options.progress', progress or (lambda part: True))
    given.progress = closure.address
    call.keep.extend([pairs, closure])
    return call, given


BY_HAND = {'problem', 'estimators', 'estimator', 'names', 'settings', 'setting', 'raw', 'progress', 'data'}


def made_by(name, kind, *arguments):
    """Returns the result of a comparing function, after what its callback raised."""
    with interrupts:
        address = getattr(lib, name)(*arguments)
        if not address:
            raise MemoryError('there is no memory for a comparison')
        found = Thing(kind, address, None, f'gb_{"sweep" if kind == "gb_sweep" else "comparison"}_free')
        exception = pending.take()
        if exception is not None:
            raise exception
    return found


def compare(problem: Any, estimators: Sequence[Plugin | str], *,
            settings: Mapping[str, float] | None = None, names: Sequence[str] | None = None,
            progress: Callable[[float], bool | None] | None = None, **options: Any) -> Comparison:
    """Compares estimators: makes many independent gradient estimates of one problem, with common random
    numbers, and returns a gb.Comparison.

        c = gb.compare("gauss-square", ["pathwise", gb.score()], draws=100000)

    `problem` is a name of gb.listed("problem"), or a class of gb.OwnProblem. `settings` are numbers by name.
    `progress(part)` is called about ten times a second, and returns False to stop. Other options: draws,
    samples, seed, threads, real, equal_cost, at, steps, bound, batch."""
    call, given = asked(made('gb_compare_with'), problem, estimators, settings, names, progress, options)
    found = Comparison(made_by('gb_compare_with', 'gb_comparison', c.byref(given)))
    del call
    if found.status and not lib.gb_comparison_has_results(found._view._address):
        raise Error(found.error, found.status)
    if found.error:
        warnings.warn(found.error, stacklevel=2)
    return found
