# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons of estimators: gb.compare("gauss-square", ["pathwise", "score"])."""
from __future__ import annotations

import ctypes as c
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TYPE_CHECKING

from .._c.arrays import structs_at
from .._c.call import Call
from .._c.callbacks import Closure, _forever
from .._c.convert import Thing, array_in, sequence, set_field, to_c
from .._c.enums import enum_of
from .._c.errors import Error, pending
from .._c.functions import made, options_struct
from .._c.interface import STRUCTS
from .._c.interrupts import interrupts
from .._c.library import lib
from .tables import Table
from .._c.types import struct, text

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


class OwnProblem:
    """An expectation of your own, to compare estimators on:

        class Ring(gb.OwnProblem):
            name, formula = "ring", "E (z - k)^2, z ~ N(mu, 1)"
            settings = {"k": 1.0}

            def cost(self, trial):
                mu = trial.parameter("mu", (), 0.5)
                z = trial.draw("z", gb.normal(mu, 1))
                return gb.square(z - self.k)

            def expected(self, trial): …                     the closed form, if there is one

    A setting is a number, or (number, lowest, highest)."""

    name = formula = exact = None
    settings = {}
    is_log_weight = expects_bound = False
    expected = None

    def __init__(self):
        if not self.name or not self.formula:
            raise TypeError(f'{type(self).__qualname__} needs a name and a formula')
        self._made = struct('gb_problem')()
        self._made.size = c.sizeof(self._made)
        call = Call()
        fields = {field['name']: field for field in STRUCTS['gb_problem']['fields']}
        for word in ('name', 'formula', 'exact', 'is_log_weight', 'expects_bound'):
            if getattr(self, word) is not None:
                set_field(self._made, fields[word], getattr(self, word), call, word)
        if len(self.settings) > len(self._made.settings) - 1:
            raise TypeError(f'{self.name} has {len(self.settings)} settings; at most '
                            f'{len(self._made.settings) - 1} are possible')
        for row, (word, value) in zip(self._made.settings, self.settings.items()):
            value, low, high = value if isinstance(value, tuple) else (value, -1e308, 1e308)
            row.name, row.words = word.encode(), word.encode()
            row.value, row.low, row.high = value, low, high
        self._made.cost = self._slot('cost')
        if self.expected is not None:
            self._made.expected = self._slot('expected')
        _forever.append(self._made)

    def _slot(self, word):
        def call(trial):
            for i, name in enumerate(self.settings):
                setattr(self, name, trial.setting[i])
            return getattr(self, word)(trial)
        call.__qualname__ = f'{type(self).__qualname__}.{word}'
        closure = Closure(f'gb_problem.{word}', call)
        _forever.append(closure)
        return closure.address


def problem_of(value):
    """Returns the address of a problem: by its name, of your own, or a class of your own."""
    if isinstance(value, str):
        found = lib.gb_problem_find(value.encode())
        if not found:
            from .._graph.plugins import listed
            names = ', '.join(member['name'] for member in listed('problem'))
            raise ValueError(f'there is no problem {value}; there are: {names}')
        return found
    if isinstance(value, type) and issubclass(value, OwnProblem):
        value = value()
    if isinstance(value, OwnProblem):
        _forever.append(value)
        return c.addressof(value._made)
    if isinstance(value, Thing) and value._name == 'gb_problem':
        return value._pointer()
    raise TypeError(f'{value!r} is no problem: give its name, or a class of gb.OwnProblem')


def compare(problem: Any, estimators: Sequence[Plugin | str], *, settings: Mapping[str, float] | None = None,
            names: Sequence[str] | None = None, progress: Callable[[float], bool | None] | None = None,
            **options: Any) -> Comparison:
    """Compares estimators: makes many independent gradient estimates of one problem, with common random
    numbers, and returns a gb.Comparison.

        c = gb.compare("gauss-square", ["pathwise", gb.score()], draws=100000)

    `problem` is a name of gb.listed("problem"), or a class of gb.OwnProblem. `settings` are numbers by name.
    `progress(part)` is called about ten times a second, and returns False to stop. Other options: draws,
    samples, seed, threads, real, equal_cost, at, steps, bound, batch."""
    function = made('gb_compare_with')
    taken = {'problem', 'estimators', 'estimator', 'names', 'settings', 'setting', 'raw', 'progress', 'data'}
    unknown = [word for word in options if word not in function.options or word in taken]
    if unknown:
        raise TypeError(f'compare has no option {unknown[0]}; there are: settings, names, progress, ' +
                        ', '.join(word for word in function.options if word not in taken))
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
    with interrupts:
        address = lib.gb_compare_with(c.byref(given))
        if not address:
            raise MemoryError('there is no memory for a comparison')
        found = Comparison(Thing('gb_comparison', address, None, 'gb_comparison_free'))
        exception = pending.take()
        if exception is not None:
            raise exception
    if found.status and not lib.gb_comparison_has_results(address):
        raise Error(found.error, found.status)
    if found.error:
        warnings.warn(found.error, stacklevel=2)
    return found
