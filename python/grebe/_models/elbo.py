# SPDX-License-Identifier: GPL-3.0-or-later
"""The evidence lower bound of a model, and what can be done with it."""
from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Mapping
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.arrays import structs_at
from .._c.call import Call
from .._c.convert import Thing, from_c, register, to_c
from .._c.functions import function, made
from .._c.library import lib
from .._graph.tape import Tape
from .._c.types import struct, text

if TYPE_CHECKING:
    from .._graph.distribution import Distribution
    from .._graph.node import Node
    from .._graph.plugins import Plugin
    from .draws import Judgement, Nuts
    from .fit import Fit
    from .prediction import Prediction
    from .summary import Summary


class ELBO(Thing):
    """The evidence lower bound (ELBO) of a model:

        e = gb.ELBO(t, data_size=8)
        w = e.latent("w", gb.mean_field(), gb.normal(0, 2), gb.pathwise())
        e.observe("passed", gb.bernoulli(logits=w * (hours - 2)), passed)
        fit = e.fit()

    `data_size` is the number of rows of the whole data set. Options are those of gb.elbo_new: samples, kl,
    kl_weight, kl_schedule, unit, bound. print(e) shows every term after a run, or before the first one."""

    def __init__(self, tape: Tape, data_size: float | None = None, **options: Any) -> None:
        if data_size is not None:
            options['data_size'] = data_size
        if not isinstance(tape, Tape):
            raise TypeError(f'tape is of type {type(tape).__name__}, and must be a gb.Tape')
        found = function('elbo_new')(tape, **options)
        super().__init__('gb_elbo', found._address, tape)
        self.last_fit = None

    @classmethod
    def _at(cls, address, tape):
        found = cls.__new__(cls)
        Thing.__init__(found, 'gb_elbo', address, tape)
        found.last_fit = None
        return found

    def latent(self, name: str, family: Plugin | str, prior: Distribution | str,
               estimator: Plugin | str = 'pathwise', **options: Any) -> Node:
        """Records a latent: its posterior family, its prior, and the estimator of its draws. Returns the
        draw, a node with one value for each sample.

        A prior of numbers is recorded on the tape of the ELBO; gb.no_prior is none. Options: support (of
        gb.no_prior), weight."""
        return made('gb_latent_with')(self, name, family, prior, estimator, **options)

    def block(self, name: str, family: Plugin | str, parts: Mapping[str, Any],
              estimator: Plugin | str = 'pathwise') -> dict[str, Node]:
        """Records several latents with one joint posterior, and returns their draws by name:

            w = e.block("theta", gb.full_rank(), {"slope": (gb.normal(0, 1), 3), "noise": gb.half_normal(1)})

        A part is a prior, or (prior, shape), or a dictionary of a gb_latent_part: shape, prior, support,
        above, below."""
        call = Call(self._tape)
        self._check()
        names = list(parts)
        array = (struct('gb_latent_part') * max(1, len(names)))()
        for i, each in enumerate(names):
            given = parts[each]
            if not isinstance(given, dict):
                prior, shape = given if isinstance(given, tuple) else (given, ())
                given = {'prior': prior, 'shape': shape}
            array[i] = to_c('gb_latent_part', {'shape': (), **given, 'name': each}, call, f'block {name}')
        draws = (struct('gb_node') * max(1, len(names)))()
        call.run(lib.gb_latent_block, self._pointer(), to_c('char *', name, call, 'name'),
                 to_c('gb_family', family, call, 'family'), len(names), c.addressof(array),
                 to_c('gb_estimator', estimator, call, 'estimator'), c.addressof(draws))
        return {each: from_c('gb_node', draws[i], self._tape) for i, each in enumerate(names)}

    def observe(self, name: str, law: Distribution | str, data: Any, **options: Any) -> Node:
        """Adds the term log p(data). Returns log p of each datum. Options: weight, is_foreseen."""
        return made('gb_observe_with')(self, name, law, data, **options)

    def posterior_read(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns (mean, standard deviation) of q of a latent, as arrays, for the present variables."""
        call = Call(self._tape)
        key = to_c('char *', name, call, 'name')
        shape = call.run(lib.gb_elbo_posterior_mean, self._pointer(), key)
        shape = from_c('gb_shape', lib.gb_node_shape(shape), self._tape)
        mean, sd = np.empty(shape), np.empty(shape)
        call.run(lib.gb_elbo_posterior_read, self._pointer(), key, mean.ctypes.data, sd.ctypes.data,
                 mean.size)
        return mean, sd

    @property
    def terms(self) -> dict[str, Thing]:
        """The terms by name, the sum ("ELBO") last: things with value, error, scale and weight as nodes."""
        count = c.c_size_t()
        call = Call(self._tape)
        address = call.run(lib.gb_elbo_terms, self._pointer(), c.addressof(count))
        return {text(view.name): from_c('gb_elbo_term', view, self._tape)
                for view in structs_at(address, 'gb_elbo_term', count.value)}

    def fit(self, **options: Any) -> Fit:
        """Fits q; see gb.Fit. Without an optimiser a method chooses its own steps, and the result is
        judged."""
        from .fit import fit
        return fit(self, options)

    def judge(self, **options: Any) -> Judgement:
        """Compares q with its weighted draws, and returns a gb.Judgement."""
        from .draws import Judgement
        return Judgement(made('gb_judge_with')(self, **options), self)

    def nuts(self, *, each: Callable[[Any], bool | None] | None = None, **options: Any) -> Nuts:
        """Draws from the posterior by the no-U-turn sampler, and returns a gb.Nuts. `each(progress)` is
        called about ten times a second, and returns False to stop; so does Ctrl-C, with a
        KeyboardInterrupt."""
        from .draws import Nuts
        found = made('gb_sample_nuts_with')(self, each=each or (lambda progress: True), **options)
        return Nuts(found, self)

    def summary(self, **options: Any) -> Summary:
        """The posterior as a table, a gb.Summary. Options: judgement, nuts, data, nodes, only_nodes, of_q."""
        from .summary import Summary
        return Summary(self, options)

    def predict(self, what: str | Node, data: Any = None, **options: Any) -> Prediction:
        """Predicts an outcome by its name, or any node: a gb.Prediction. `data` are new rows, {input:
        array}."""
        from .prediction import predict
        return predict(self, what, data, options)

    def loo(self, *log_likelihoods: Node, **options: Any) -> Thing:
        """PSIS-LOO of the nodes that observe returned. Fails in the words of the library; see gb.elbo_loo."""
        found = made('gb_elbo_loo_with')(self, list(log_likelihoods), **options)
        return found

    def show(self, samples: int | None = None) -> str:
        """Returns every term as text: its value, standard error and scale, by a run of its own."""
        roots = made('gb_elbo_roots')(self)
        program = self._tape.program(*roots)
        if samples is not None:
            program.samples = samples
        program.run()
        return made('gb_elbo_print')(self)

    def __str__(self):
        return self.show()

    def __repr__(self):
        return '<grebe.ELBO>'


register('gb_elbo', ELBO, ELBO._at)


def batches(tape, data, **options):
    """Returns rows as batches: {input: array, …}, or batches that were made before."""
    if data is None or isinstance(data, Thing):
        return data
    return function('batches_new')(tape, columns=data, **options)
