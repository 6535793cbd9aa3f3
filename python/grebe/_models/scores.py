# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of numbers, whoever made them: leave-one-out cross-validation of a matrix of log likelihoods, and
scores of predictions. They take arrays of NumPy, or what becomes one."""
from __future__ import annotations

import collections
import ctypes as c
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.arrays import records_at
from .._c.convert import Thing, from_c
from .._c.errors import Status
from .._c.library import lib
from .._c.types import struct, text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Score = collections.namedtuple('Score', 'value error')
Score.__doc__ = 'A score over rows, and its standard error (gb_score).'


def numbers(given, what, dimensions):
    """Returns an array of doubles with so many axes, row after row in memory."""
    array = np.ascontiguousarray(given, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f'{what} has the shape {array.shape}, and must have {dimensions} axes')
    return array


def alike(**given):
    """Returns arrays of one axis and one length."""
    arrays = {word: numbers(values, word, 1) for word, values in given.items()}
    if len({len(array) for array in arrays.values()}) > 1:
        raise ValueError(', '.join(f'{word} has {len(array)}' for word, array in arrays.items())
                         + ' numbers, and must have as many')
    return [array.ctypes.data for array in arrays.values()], len(next(iter(arrays.values()))), arrays


def of_classes(probability, outcome):
    probability, outcome = numbers(probability, 'probability', 2), numbers(outcome, 'outcome', 1)
    if len(probability) != len(outcome):
        raise ValueError(f'probability has {len(probability)} rows, and outcome {len(outcome)}')
    return (*probability.shape, probability.ctypes.data, outcome.ctypes.data), (probability, outcome)


def refuse(status):
    if status == Status.EARGUMENT:
        raise ValueError('there are no rows, or a number that cannot be, such as a probability below 0')
    if status == Status.ENONFINITE:
        raise ValueError('a number is NaN')


def score_of(found):
    refuse(found.status)
    return Score(found.value, found.error)


def score_mean(x: ArrayLike) -> Score:
    """The mean of numbers, as of log predictive densities."""
    addresses, count, _kept = alike(x=x)
    return score_of(lib.gb_score_mean(b'mean', count, *addresses))


def score_rmse(predicted: ArrayLike, outcome: ArrayLike) -> Score:
    """The root of the mean squared difference."""
    addresses, count, _kept = alike(predicted=predicted, outcome=outcome)
    return score_of(lib.gb_score_rmse(count, *addresses))


def score_mae(predicted: ArrayLike, outcome: ArrayLike) -> Score:
    """The mean absolute difference."""
    addresses, count, _kept = alike(predicted=predicted, outcome=outcome)
    return score_of(lib.gb_score_mae(count, *addresses))


def score_accuracy(probability: ArrayLike, outcome: ArrayLike) -> Score:
    """How often the most probable class is the outcome; `probability` is (row, class)."""
    given, _kept = of_classes(probability, outcome)
    return score_of(lib.gb_score_accuracy(*given))


def score_brier(probability: ArrayLike, outcome: ArrayLike) -> Score:
    """The mean of the squared differences between probabilities and what came, from 0 to 2."""
    given, _kept = of_classes(probability, outcome)
    return score_of(lib.gb_score_brier(*given))


def score_coverage(below: ArrayLike, up_to: ArrayLike, level: float) -> Score:
    """How many outcomes lie in central intervals of probability `level`; see gb.reliability_of_intervals."""
    addresses, count, _kept = alike(below=below, up_to=up_to)
    return score_of(lib.gb_score_coverage(count, *addresses, level))


def reliability_of_classes(probability: ArrayLike, outcome: ArrayLike, bins: int = 0) -> Thing:
    """The expected calibration error, and its bins (0: 15)."""
    given, _kept = of_classes(probability, outcome)
    return reliability(lib.gb_reliability_of_classes(*given, bins))


def reliability_of_intervals(below: ArrayLike, up_to: ArrayLike, bins: int = 0) -> Thing:
    """How many outcomes lie in central intervals (0: 10 of them). `below` and `up_to` are P(prediction <
    outcome) and P(prediction <= outcome) of each row."""
    addresses, count, _kept = alike(below=below, up_to=up_to)
    return reliability(lib.gb_reliability_of_intervals(count, *addresses, bins))


def reliability(found):
    refuse(found.score.status)
    return from_c('gb_reliability', found, None)


def crps_draws(draws: ArrayLike, outcome: float) -> float:
    """The continuous ranked probability score of independent draws, in any order."""
    ascending = np.sort(numbers(draws, 'draws', 1))
    return lib.gb_crps_draws(len(ascending), ascending.ctypes.data, outcome)


class Loo:
    """Leave-one-out cross-validation. elpd, elpd_error, p, p_error, ic, ic_error, monte_carlo_error,
    threshold, unreliable, worst, largest_k and words are those of gb_loo; `pointwise` is an array of records,
    one for each datum: elpd, error, p, k, ess."""

    def __init__(self, found, data):
        for name in ('elpd', 'elpd_error', 'p', 'p_error', 'ic', 'ic_error', 'monte_carlo_error', 'threshold',
                     'unreliable', 'worst', 'largest_k'):
            setattr(self, name, getattr(found, name))
        self.words = text(found.words)
        self.pointwise = records_at(c.addressof(data), 'gb_loo_datum', len(data))

    def __repr__(self):
        return f'<grebe.Loo: elpd {self.elpd:.4g} ± {self.elpd_error:.2g}, {self.unreliable} unreliable>'


def loo(log_likelihood: ArrayLike, *, log_ratios: ArrayLike | None = None, weights: ArrayLike | None = None,
        r_eff: ArrayLike | None = None) -> Loo:
    """PSIS-LOO of a log likelihood (draw, datum), or (chain, draw, datum) as ArviZ has it: gb.Loo.

    log_ratios: log p(draw, data) - log q(draw) of each draw, if the draws are those of q
    weights:    how often each datum counts
    r_eff:      the relative efficiency of the draws for each datum; without it, that of the chains"""
    table = np.ascontiguousarray(log_likelihood, dtype=np.float64)
    chains = len(table) if table.ndim == 3 else 0
    if chains:
        table = table.reshape(-1, table.shape[2])
    table = numbers(table, 'log_likelihood', 2)
    given: dict[str, Any] = {'log_ratios': (log_ratios, len(table)), 'weights': (weights, table.shape[1]),
                             'r_eff': (r_eff, table.shape[1])}
    options, kept = struct('gb_loo_options')(), []
    options.size, options.chains = c.sizeof(options), chains
    for word, (values, count) in given.items():
        if values is None:
            continue
        array = numbers(values, word, 1)
        if len(array) != count:
            raise ValueError(f'{word} has {len(array)} numbers, and must have {count}')
        kept.append(array)
        setattr(options, word, array.ctypes.data)
    data = (struct('gb_loo_datum') * table.shape[1])()
    options.pointwise = c.addressof(data)
    found = lib.gb_loo_with(*table.shape, table.ctypes.data, c.byref(options))
    if found.status:
        raise ValueError(f'loo: {text(found.words)}')
    return Loo(found, data)
