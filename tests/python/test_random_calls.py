# SPDX-License-Identifier: GPL-3.0-or-later
"""Random calls of all functions, with arguments that may be anything: also of closed tapes, of another kind,
or absurdly large. They return or raise; none ends the process. GB_ROUNDS=500 makes more of them, GB_SEED=2
others."""
import os
import random
import sys
import unittest
import warnings

import grebe as gb
import numpy as np
from grebe._c import interface

LONG = ('check_', 'sample_nuts', 'compare', 'race', 'calibrate')  # they may take long, or write files
RAISED = (gb.Error, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError)
FITTING = {'gb_node': 'nodes', 'gb_dist': 'laws', 'int': 'whole', 'int64_t': 'whole', 'char *': 'names',
           'double': 'numbers', 'gb_shape': 'shapes', 'gb_axes': 'axes', 'gb_tape *': 'tapes',
           'gb_elbo *': 'elbos'}


def functions():
    found = []
    for name in sorted(interface.FUNCTIONS):
        word = name.removeprefix('gb_').removesuffix('_with')
        if not word.startswith(LONG):
            try:
                found.append(getattr(gb, word))
            except AttributeError:
                pass
    return found


class Arguments:
    """What a call may get on one tape: by kind, and all together."""

    def __init__(self, tape, choose):
        self.choose, self.number = choose, 0
        x, m = tape.variable('x', [1.0, 2.0]), tape.variable('m', np.eye(2))
        elbo = gb.ELBO(tape, data_size=3)
        w = elbo.latent('w', gb.mean_field(), gb.normal(0, 1))
        elbo.observe('y', gb.normal(w, 1), [1.0, 2.0, 3.0])
        rows = tape.input('rows', rows=True)
        with gb.Tape() as closed:
            gone = [closed, closed.constant(1), gb.ELBO(closed, data_size=1)]
        self.kinds = {'nodes': [x, m, w, tape.constant(0.5), tape.ints([0, 1]), x > 1],
                      'whole': [0, 1, -1, 2, 3],
                      'laws': [gb.normal(0, 1), gb.normal(x, 1), gb.bernoulli(0.5)], 'names': ['w', 'y', 'a'],
                      'numbers': [0.5, 1, -1, 0], 'shapes': [(), (2,), (2, 2)], 'axes': [1, 1 << 63],
                      'tapes': [tape], 'elbos': [elbo]}
        self.all = [each for kind in self.kinds.values() for each in kind] + gone + [
            None, True, 'score', 'pathwise:draws=sobol', 1e308, float('nan'), float('inf'), 2 ** 63, 2 ** 40,
            -2 ** 31, [1, 2], [x, x], np.zeros((2, 2)), np.array([0, 1]), {}, {'a': 1}, gb.score(), gb.adam(),
            gb.mean_field(2), gb.cosine(3), gb.iwae(), gb.leave_one_out(), gb.linear_model(), gb.POSITIVE,
            tape.stream('s'), gb.exponential_transform(tape), tape.program(x), gb.Density(elbo),
            gb.batches_new(tape, columns={rows: np.arange(4.0)}), gb.expect_new(tape), lambda *given: None,
            lambda *given: 1 // 0]

    def call(self, function):
        plan = [step for step in getattr(function, 'plan', ()) if step[1] in ('value', 'list')]
        given = [self.argument(type_) for _, _, type_ in plan] or [self.argument('gb_node'),
                                                                   self.argument('int')]
        options = {}
        if getattr(function, 'options', None) and self.choose.random() < 0.4:
            options[self.choose.choice(list(function.options))] = self.choose.choice(self.all)
        try:
            found = function(*given, **options)
        except RAISED:
            return
        if found is not None and self.choose.random() < 0.3:
            self.all.append(found)

    def argument(self, type_):
        kind = FITTING.get(interface.plain(type_)) if type_ else None
        fits = kind and self.choose.random() < 0.7
        return self.choose.choice(self.kinds[kind] if fits else self.all)


class RandomCalls(unittest.TestCase):
    def test_none_ends_the_process(self):
        choose, known = random.Random(int(os.environ.get('GB_SEED', 1))), functions()
        self.assertGreater(len(known), 800)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            for _ in range(int(os.environ.get('GB_ROUNDS', 12))):
                tape = gb.Tape(seed=1, threads=1)
                arguments = Arguments(tape, choose)
                for end in (lambda: None, tape.reset, tape.close):
                    try:
                        end()
                    except RAISED:
                        pass  # by a function that was to be called at the end
                    for _ in range(60):
                        arguments.call(choose.choice(known))
        sys.stdout.flush()
