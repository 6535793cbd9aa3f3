# SPDX-License-Identifier: GPL-3.0-or-later
"""A time series, by scan: the Kalman filter of a local level. docs/lessons/18-a-series.md"""
import numpy as np
import grebe as gb

n, sigma, rng = 60, 0.5, np.random.default_rng(3)
y = np.cumsum(0.3 * rng.normal(size=n)) + 1 + sigma * rng.normal(size=n)

def log_p(t, tau):
    def step(m, v, seen):
        k = v / (v + sigma**2)
        density = gb.log_prob(gb.normal(m, gb.sqrt(v + sigma**2)), seen)
        return (m + k * (seen - m), k * sigma**2 + tau**2), density
    return gb.scan(t, step, (t.constant(0.0), t.constant(100.0)), inputs=t.constant(y)).output.sum()

def by_hand(tau):  # all y as one normal vector
    i = np.arange(n)
    c = 100 + tau**2 * np.minimum(i[:, None], i) + sigma**2 * np.eye(n)
    return -0.5 * (y @ np.linalg.solve(c, y) + np.linalg.slogdet(c)[1] + n * np.log(2 * np.pi))

with gb.Tape(seed=1) as t:
    scan = float(t.evaluate(log_p(t, 0.3)))
    print(f"log p(y | tau = 0.3): scan {scan:.9f}, by hand {by_hand(0.3):.9f}")
    assert abs(scan - by_hand(0.3)) < 1e-9
    e = gb.ELBO(t, data_size=n)
    gb.log_likelihood(e, "y", log_p(t, e.latent("tau", gb.mean_field(), gb.lognormal(-1, 1), gb.pathwise())))
    fit = e.fit()
    u = np.linspace(-6, 3, 400)  # log tau, on a grid
    p = np.exp([by_hand(np.exp(a)) - 0.5 * (a + 1) ** 2 for a in u])
    mean = (p * u).sum() / p.sum()
    found = t.variable_named("tau.location").value
    print(f"log tau {found:.2f}, exact {mean:.2f}: {fit.verdict.name}")
    assert abs(found - mean) < 0.1
