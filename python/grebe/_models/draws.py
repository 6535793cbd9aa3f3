# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws of the posterior: of a judgement with weights, and of NUTS."""
from __future__ import annotations

import ctypes as c
import math

import numpy as np

from .._c.arrays import numbers_at, structs_at
from .._c.convert import Viewed, whole
from .._c.enums import enum_of
from .._c.functions import made
from .._c.library import lib
from .._c.types import text


class Draws(dict):
    """Draws of latents by name: arrays of (chain, draw, *shape) for chains, else (draw, *shape)."""

    def __init__(self, arrays, chained, attributes):
        super().__init__(arrays)
        self.chained, self.attributes = chained, attributes

    def to_arviz(self):
        """Returns arviz.InferenceData. Fails with an ImportError where ArviZ is not installed."""
        import arviz
        posterior = {name: array if self.chained else array[None] for name, array in self.items()}
        return arviz.from_dict(posterior=posterior, attrs=self.attributes)

    def to_pandas(self):
        """Returns a pandas.DataFrame with a column for each number."""
        import pandas
        columns = {}
        for name, array in self.items():
            flat = array.reshape(-1, *array.shape[1 + self.chained:])
            for place in np.ndindex(flat.shape[1:]):
                index = f'[{", ".join(map(str, place))}]' if place else ''
                columns[name + index] = flat[(slice(None), *place)]
        return pandas.DataFrame(columns)


def by_name(density, values, lead):
    """Returns {latent: array} of values [draw][number]."""
    count = c.c_size_t()
    address = lib.gb_density_parts(density, c.addressof(count))
    found = {}
    for part in structs_at(address, 'gb_density_part', count.value):
        shape = tuple(part.shape.size[:part.shape.rank])
        block = values[..., part.first_value:part.first_value + part.values]
        found[text(part.name)] = block.reshape(*lead, *shape)
    return found


class Judgement(Viewed):
    """How far q is from the posterior, by weighted draws of q. print(judgement) shows what was measured."""

    def __init__(self, thing, elbo):
        self._elbo, self._view = elbo, thing
        view = self._struct
        self.verdict, self.words = enum_of('gb_verdict')(view.verdict), text(view.words)
        self.elbo, self.error, self.k = view.elbo, view.elbo_error, view.weights.k
        self.corrects_by_wide = view.corrects_by_wide

    @property
    def _tape(self):
        return self._elbo._tape

    @property
    def _struct(self):
        self._elbo._check()
        self._view._check()
        return self._view._struct

    def weighted(self) -> tuple[Draws, np.ndarray]:
        """Returns (draws by name, weights that sum to 1): the draws of q, or the wider ones where these
        correct q's numbers."""
        view = self._struct
        wide = view.corrects_by_wide
        draws = view.wide_draws if wide else view.draws
        values = numbers_at(view.wide_value if wide else view.value, (draws, view.values))
        smooth = (view.wide if wide else view.weights).log_weights
        weights = np.exp(numbers_at(smooth, (draws,)))
        return Draws(by_name(view.density, values, (draws,)), False, {}), weights / weights.sum()

    def draws(self, count: int | None = None, seed: int = 0) -> Draws:
        """Returns `count` draws (1000), taken in proportion to their smoothed weights, some more than once:
        draws of the posterior, as far as the weights are right. `words` of the judgement say whether they
        are; the attributes of the result have its verdict."""
        found, weights = self.weighted()
        count = 1000 if count is None else whole(count, 'count')
        if count < 1:
            raise ValueError(f'count is {count}, and must be positive')
        rows = np.random.default_rng(seed).choice(len(weights), count, p=weights)
        attributes = {'verdict': text(lib.gb_verdict_text(self.verdict)), 'words': self.words, 'k': self.k}
        return Draws({name: array[rows] for name, array in found.items()}, False, attributes)

    def __str__(self):
        return made('gb_judgement_print')(self._view)

    def __repr__(self):
        return f'<grebe.Judgement: {self.words.splitlines()[0]}>'


class Nuts(Viewed):
    """Draws of the no-U-turn sampler. `draws()` has them by latent; `words` are warnings, "" if there are
    none."""

    def __init__(self, view, elbo):
        self._view, self._elbo = view, elbo
        struct = view._struct
        self.chains, self.count = struct.chains, struct.draws
        self.words, self.divergences = text(struct.words), struct.divergences
        self.is_stopped, self.seconds, self.gradients = struct.is_stopped, struct.seconds, struct.gradients

    @property
    def _tape(self):
        return self._elbo._tape

    def draws(self) -> Draws:
        """Returns the draws of the latents by name, (chain, draw, *shape)."""
        self._elbo._check()
        struct = self._view._struct
        lead = (struct.chains, struct.draws)
        values = numbers_at(struct.value, (*lead, struct.values))
        return Draws(by_name(struct.density, values, lead), True, {'words': self.words})

    def to_arviz(self):
        return self.draws().to_arviz()

    def summary(self, **options):
        return self._elbo.summary(nuts=self, **options)

    @property
    def rhat(self) -> float:
        """The largest R̂ of all values."""
        found = structs_at(self._view._struct.convergence, 'gb_convergence', self._view._struct.values)
        return max((each.rhat for each in found), default=math.nan)

    def __str__(self):
        return made('gb_nuts_print')(self._view)

    def __repr__(self):
        return f'<grebe.Nuts: {self.chains} chains of {self.count} draws>'
