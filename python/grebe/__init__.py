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
from ._interface import DATA as interface
from ._errors import Error, Status
from ._library import lib
from ._convert import Domain, Thing
from ._tape import Tape
from ._node import Node
from ._plugins import Plugin, listed
from ._distribution import Distribution
from ._program import Program
from ._gradients import grads, replaced
from ._elbo import ELBO
from ._fit import Fit
from ._draws import Draws, Judgement, Nuts
from ._summary import Summary
from ._prediction import Prediction
from ._own import (OwnBaseline, OwnBound, OwnDistribution, OwnEstimator, OwnFamily, OwnSchedule, needs,
                   register)
from ._density import Density
from ._files import load, load_bundle, save
from ._scan import Scan, scan
from ._analysis import Analysis, table
from ._compare import Comparison, OwnProblem, compare
from ._check import Report, check
from ._names import find, names as _names

# Functions of C that are methods of a class here.
fit, judge, summary, sample_nuts = ELBO.fit, ELBO.judge, ELBO.summary, ELBO.nuts
latent_block, elbo_loo, elbo_posterior_read = ELBO.block, ELBO.loo, ELBO.posterior_read
elbo_print = ELBO.show

__version__ = interface['version']


def __getattr__(name):
    return find(name)


def __dir__():
    return sorted({*globals(), *_names()} - {'annotations'})
