# SPDX-License-Identifier: GPL-3.0-or-later
"""A point is a posterior: MAP with an L2 penalty is ridge, and a mean field with that prior the posterior.
docs/lessons/06-points.md"""
import numpy as np
import grebe as gb

sigma, tau, n = 0.5, 0.5, 16
i = np.arange(n)
x = np.stack([np.where(i % 2, 1.0, -1), np.where(i // 2 % 2, 1.0, -1)], 1)  # orthogonal columns
y = x @ [1.0, -0.1] + sigma * np.random.default_rng(11).normal(size=n)
ridge = x.T @ y / n * n / (n + (sigma / tau) ** 2)
scale = 1 / np.sqrt(n / sigma**2 + 1 / tau**2)

for family, optimiser, sd in ((gb.point(2), gb.lbfgs(), 0), (gb.mean_field(2), gb.natural(lr=1.0), scale)):
    with gb.Tape(seed=1) as t:
        e = gb.ELBO(t, data_size=n)
        w = e.latent("w", family, gb.normal(0, tau), gb.quadrature(nodes=2))
        e.observe("y", gb.normal((t.rows("x", x) * w).sum(), sigma), t.rows("y", y))
        e.fit(optimiser=optimiser, steps=20)
        m, s = e.posterior_read("w")
        print(f"{m.round(6)} +- {s.round(6)}, closed form {ridge.round(6)} +- {sd:.6f}")
        assert np.allclose(m, ridge, atol=1e-6)
        assert np.allclose(s, sd, atol=1e-6)
