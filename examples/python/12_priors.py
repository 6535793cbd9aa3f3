# SPDX-License-Identifier: GPL-3.0-or-later
"""Priors, and what they do to weights: each is a normal with a drawn variance. docs/lessons/12-priors.md"""
import numpy as np
import grebe as gb

seen, error, u = np.array([0.1, 0.5, 1, 2, 4]), 0.3, (np.arange(20_000) + 0.5) / 20_000
priors = {"normal": (gb.normal(0, 1), np.ones_like(u)),
          "Laplace": (gb.laplace(0, 0.7), -2 * 0.7**2 * np.log(u)),
          "mixture": (gb.scale_mixture(0.5, 1.4, 0.05), np.where(u < 0.5, 1.4, 0.05) ** 2)}
for name, (prior, v) in priors.items():
    p = np.exp(-0.5 * seen[:, None] ** 2 / (v + error**2)) / np.sqrt(2 * np.pi * (v + error**2))
    exact = seen * (p * v / (v + error**2)).mean(1) / p.mean(1)
    log_evidence = np.log(p.mean(1)).sum()
    with gb.Tape(seed=1) as t:
        e = gb.ELBO(t, data_size=1)
        w = e.latent("w", gb.mean_field(5), prior, gb.pathwise())
        e.observe("seen", gb.normal(w, error), seen)
        fit = e.fit()
        mean, sd = e.posterior_read("w")
        print(f"{name:8} q {mean.round(2)}, exact {exact.round(2)}")
        print(f"{'':8} ELBO {fit.elbo:.2f} of {log_evidence:.2f}")
        assert np.allclose(mean, exact, atol=0.2 if name == "mixture" else 0.01)
        assert fit.elbo < log_evidence + 6 * fit.error + 1e-9
