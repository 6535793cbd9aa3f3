# SPDX-License-Identifier: GPL-3.0-or-later
"""Bayes by Backprop on Blundell's curve: the epistemic standard deviation grows away from the data.
docs/lessons/07-bayes-by-backprop.md"""
import numpy as np
import grebe as gb

rng = np.random.default_rng(5)
x, noise = rng.uniform(0, 0.5, (100, 1)), 0.02 * rng.normal(size=(100, 1))
y = x + 0.3 * np.sin(2 * np.pi * (x + noise)) + 0.3 * np.sin(4 * np.pi * (x + noise)) + noise

with gb.Tape(seed=1, samples=4, threads=1) as t:
    xs, ys = t.rows("x", x), t.rows("y", y)
    e = gb.ELBO(t, data_size=100)
    f = e.mlp("net", xs, [32, 32, 1], activation="relu")
    e.observe("y", gb.normal(f, 0.05), ys)
    e.fit(optimiser=gb.adam(lr=0.01, schedule=gb.cosine(3000)), steps=3000)
    near, away = np.linspace(0.05, 0.45, 41)[:, None], np.linspace(1.0, 1.2, 21)[:, None]
    sd = [e.predict("y", {xs: at}, draws=300).epistemic.mean() for at in (near, away)]
    print(f"sd near the data {sd[0]:.3f}, away {sd[1]:.3f}")
    assert sd[1] > 3 * sd[0]
