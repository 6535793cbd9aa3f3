# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests use: the model of eight students, and its data."""
import grebe as gb
import numpy as np

HOURS = np.arange(0.5, 4.5, 0.5)
PASSED = np.array([0, 0, 1, 0, 0, 1, 1, 1])


def students(tape):
    """Returns (the ELBO, the weight, log p of each student)."""
    e = gb.ELBO(tape, data_size=8)
    w = e.latent('w', gb.mean_field(), gb.normal(0, 2), gb.pathwise())
    return e, w, e.observe('passed', gb.bernoulli(logits=w * (HOURS - 2)), PASSED)


def trained(seed):
    """Returns the ELBO after a short training, for other processes."""
    with gb.Tape(seed=seed, threads=2) as t:
        return float(students(t)[0].fit(optimiser=gb.adam(lr=0.05), steps=200).last.elbo)
