# SPDX-License-Identifier: GPL-3.0-or-later
"""The predictive distribution of a line: epistemic + noise, and the log score.
docs/lessons/09-predictive.md"""
import numpy as np
import grebe as gb

sigma, rng = 0.3, np.random.default_rng(4)
x = np.stack([np.ones(6), np.linspace(0, 1, 6)], 1)
y = x @ [0.2, 0.6] + sigma * rng.normal(size=6)
s = np.linalg.inv(x.T @ x / sigma**2 + np.eye(2))  # the posterior is N(m, s)
m = s @ x.T @ y / sigma**2

with gb.Tape(seed=1) as t:
    xs, ys = t.rows("x", x), t.rows("y", y)
    e = gb.ELBO(t, data_size=6)
    w = e.latent("w", gb.full_rank(2), gb.normal(0, 1), gb.pathwise())
    e.observe("y", gb.normal((xs * w).sum(), sigma), ys)
    e.fit()
    new = np.stack([np.ones(5), [-1, 0, 1, 2, 3]], 1)
    outcome = new @ [0.2, 0.6] + sigma * rng.normal(size=5)
    p = e.predict("y", {xs: new, ys: outcome}, draws=20_000)
    v = np.einsum("ni,ij,nj->n", new, s, new)
    print("epistemic", p.epistemic.round(3), "exact", np.sqrt(v).round(3), "noise", p.noise.round(3))
    assert np.allclose(p.mean, new @ m, atol=0.05) and np.allclose(p.epistemic, np.sqrt(v), rtol=0.04)
    assert np.allclose(p.noise, sigma) and np.allclose(p.sd, np.sqrt(v + sigma**2), rtol=0.04)
    log_score = -0.5 * (np.log(2 * np.pi * (v + sigma**2)) + (outcome - new @ m) ** 2 / (v + sigma**2))
    print("log score", p.log_density.round(3), "exact", log_score.round(3))
    assert np.allclose(p.log_density, log_score, atol=0.1)
