# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of matrices, whoever made them: leave-one-out cross-validation of log likelihoods, and scores of
the probabilities of classes."""
from __future__ import annotations

import ctypes as c
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.arrays import records_at
from .._c.convert import Thing, from_c
from .._c.errors import Error, Status
from .._c.library import lib
from .._c.types import struct, text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

def numbers(given, what, dimensions):
    """Returns an array of doubles with so many axes, row after row in memory."""
    array = np.ascontiguousarray(given, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f'{what} has the shape {array.shape}, and must have {dimensions} axes')
    return array


def of_classes(probability, outcome):
    probability, outcome = numbers(probability, 'probability', 2), numbers(outcome, 'outcome', 1)
    if len(probability) != len(outcome):
        raise ValueError(f'probability has {len(probability)} rows, and outcome {len(outcome)}')
    return (*probability.shape, probability.ctypes.data, outcome.ctypes.data), (probability, outcome)


def told(name, found, status):
    """Returns a result of C's, or raises what is wrong with the numbers."""
    if status:
        raise Error('a number is NaN' if status == Status.ENONFINITE else
                    'there are no rows, or a number that cannot be, such as a probability below 0', status)
    return from_c(name, found, None)


def score_accuracy(probability: ArrayLike, outcome: ArrayLike) -> Thing:
    """How often the most probable class is the outcome; `probability` is (row, class)."""
    given, _kept = of_classes(probability, outcome)
    found = lib.gb_score_accuracy(*given)
    return told('gb_score', found, found.status)


def score_brier(probability: ArrayLike, outcome: ArrayLike) -> Thing:
    """The mean of the squared differences between probabilities and what came, from 0 to 2."""
    given, _kept = of_classes(probability, outcome)
    found = lib.gb_score_brier(*given)
    return told('gb_score', found, found.status)


def reliability_of_classes(probability: ArrayLike, outcome: ArrayLike, bins: int = 0) -> Thing:
    """The expected calibration error, and its bins (0: 15)."""
    given, _kept = of_classes(probability, outcome)
    found = lib.gb_reliability_of_classes(*given, bins)
    return told('gb_reliability', found, found.score.status)


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
        raise Error(f'loo: {text(found.words)}', found.status)
    return Loo(found, data)
