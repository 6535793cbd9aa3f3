# SPDX-License-Identifier: GPL-3.0-or-later
"""Dropout as a posterior: the KL of the ELBO is weight decay less the entropy of the masks.
docs/lessons/08-dropout.md"""
import numpy as np
import grebe as gb

keep, units = 0.9, 32
with gb.Tape(seed=1) as t:
    e = gb.ELBO(t, data_size=100)
    family = gb.dropout_posterior((units, 1), spread=0.2, keep=keep, by_unit=True)
    w = e.latent("w", family, gb.normal(0, 1), gb.pathwise())
    x = t.rows("x", np.random.default_rng(2).normal(size=(100, units)))
    e.observe("y", gb.normal((x[None] @ w)[0], 0.3), t.rows("y", np.zeros((100, 1))))
    loss = e.loss()
    kl = -t.evaluate(e.term_named("w").value)
    squares = (t.variable_named("w.weight").value ** 2).sum()
    by_hand = keep * squares / 2 + units * (keep * np.log(keep) + (1 - keep) * np.log(1 - keep))
    print(f"KL {kl:.9f}, by hand {by_hand:.9f}")
    assert abs(kl - by_hand) < 1e-9
