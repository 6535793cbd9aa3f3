# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons at several values of a setting, or along a training."""
from __future__ import annotations

import ctypes as c
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._c.arrays import numbers_at
from .._c.convert import Thing, array_in, to_c
from .._c.enums import enum_of
from .._c.errors import Error
from .._c.functions import made
from .._c.types import text
from .compare import Comparison, asked, made_by
from .tables import Table

if TYPE_CHECKING:
    from .._graph.plugins import Plugin


class Sweep(Table):
    """Comparisons at several values of one setting: `values`, and `points`, a gb.Comparison for each."""

    def __init__(self, thing):
        self._view = thing
        view = thing._struct
        self.status, self.error = enum_of('gb_status')(view.status), text(view.error) or ''
        self.setting = text(view.setting)
        self.values = numbers_at(view.value, (view.points,))
        addresses = (c.c_void_p * view.points).from_address(view.point) if view.points else []
        self.points = [Comparison(Thing('gb_comparison', address, None)) for address in addresses]
        for each in self.points:
            each._owner = thing
        self.columns = (self.setting, *Comparison.columns)

    def records(self):
        return [{self.setting: float(value), **row} for value, each in zip(self.values, self.points)
                for row in each.records()]

    def json(self) -> str:
        return made('gb_sweep_json')(self._view)

    def __str__(self):
        return made('gb_sweep_print')(self._view)

    def __repr__(self):
        return f'<grebe.Sweep over {self.setting}, {len(self.points)} points>'


def compare_sweep(problem: Any, setting: str, values: Any, estimators: Sequence[Plugin | str], *,
                  settings: Mapping[str, float] | None = None, names: Sequence[str] | None = None,
                  progress: Callable[[float], bool | None] | None = None, **options: Any) -> Sweep:
    """Compares at each of `values` of one setting of the problem, with other options as those of gb.compare:

        gb.compare_sweep("gauss-cos", "k", [0.1, 1, 10], ["pathwise", "score"])"""
    function = made('gb_compare_with')  # with the same options
    call, given = asked(function, problem, estimators, settings, names, progress, options)
    count, address = array_in('double', values, call, 'values')
    return swept(made_by('gb_compare_sweep_with', 'gb_sweep', to_c('char *', setting, call, 'setting'), count,
                         address, c.byref(given)))


def compare_path(problem: Any, estimators: Sequence[Plugin | str], *,
                 settings: Mapping[str, float] | None = None, names: Sequence[str] | None = None,
                 progress: Callable[[float], bool | None] | None = None, **options: Any) -> Sweep:
    """Compares at ten places along a training by the first estimator: a gb.Sweep over "step"."""
    call, given = asked(made('gb_compare_with'), problem, estimators, settings, names, progress, options)
    found = made_by('gb_compare_path_with', 'gb_sweep', c.byref(given))
    del call
    return swept(found)


def swept(thing):
    found = Sweep(thing)
    if found.status and not found.points:
        raise Error(found.error, found.status)
    if found.error:
        warnings.warn(found.error, stacklevel=3)
    return found
