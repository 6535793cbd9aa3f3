# SPDX-License-Identifier: GPL-3.0-or-later
"""grebe: variational inference whose gradients can be exchanged and compared.

    import grebe as gb
    t = gb.Tape(seed=1)
    e = gb.ELBO(t, data_size=8)
    w = e.latent("w", gb.mean_field(), gb.normal(0, 2), gb.pathwise())
    e.observe("passed", gb.bernoulli(logits=w * (hours - 2)), passed)
    fit = e.fit()
    print(fit)

Functions have the names of the C library without gb_, and its options as keywords; docs/python.md is a tour.
gb.lib has all functions as C has them."""
from ._c.convert import Domain, Thing
from ._c.errors import Error, Status
from ._c.interface import DATA as interface
from ._c.library import lib
from ._graph.distribution import Distribution
from ._graph.gradients import grads, replaced
from ._graph.node import Node
from ._graph.own import (OwnBaseline, OwnBound, OwnDistribution, OwnEstimator, OwnFamily, OwnSchedule, needs,
                         register)
from ._graph.plugins import Plugin, listed
from ._graph.program import Program
from ._graph.scan import Scan, scan
from ._graph.tape import Tape
from ._models.analysis import Analysis, table
from ._models.calibrate import calibrate
from ._models.check import Report, check
from ._models.compare import Comparison, compare
from ._models.density import Density
from ._models.draws import Draws, Judgement, Nuts
from ._models.elbo import ELBO
from ._models.files import load, load_bundle, save
from ._models.fit import Fit
from ._models.prediction import Prediction
from ._models.problem import OwnProblem
from ._models.scores import Loo, loo, reliability_of_classes, score_accuracy, score_brier
from ._models.summary import Summary
from ._models.sweep import Sweep, compare_path, compare_sweep
from ._names import find, names as _names, of

for _class in (Domain, Error, Distribution, Node, Plugin, Program, Tape, Analysis, Report, Comparison,
               Density, Draws, Judgement, Nuts, ELBO, Fit, Loo, Prediction, Summary, Sweep):
    _class.__module__ = 'grebe'  # where users find them, for messages

# Functions of C that are methods of a class here.
fit, judge, summary, sample_nuts = map(of(ELBO), (ELBO.fit, ELBO.judge, ELBO.summary, ELBO.nuts))
latent_block, elbo_loo, elbo_print = map(of(ELBO), (ELBO.block, ELBO.loo, ELBO.show))
elbo_posterior_read, tape_reset = of(ELBO)(ELBO.posterior_read), of(Tape)(Tape.reset)

__version__ = interface['version']


def __getattr__(name):
    return find(name)


def __dir__():
    return sorted({*globals(), *_names()} - {'annotations'})
