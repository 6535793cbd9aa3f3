# SPDX-License-Identifier: GPL-3.0-or-later
"""Can I trust this fit? A mean field of two correlated normals, and eight schools in two forms.
docs/lessons/15-trust.md"""
import numpy as np
import grebe as gb

with gb.Tape(seed=1) as t:
    for name, family in (("full", gb.full_rank(2)), ("mean", gb.mean_field(2))):
        e = gb.ELBO(t, data_size=1)
        prior = gb.multivariate_normal([0, 0], [[1, 0], [0.95, np.sqrt(1 - 0.95**2)]])
        e.latent(name, family, prior, gb.pathwise())
        fit = e.fit()
        sd = e.posterior_read(name)[1][0]
        print(f"{name:4} sd {sd:.2f}, exact 1: {fit.verdict.name}")
        assert fit.good == (name == "full") and abs(sd - (1 if fit.good else np.sqrt(1 - 0.95**2))) < 0.02

effect, error = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
for form in ("theta", "z"):
    with gb.Tape(seed=1) as t:
        e = gb.ELBO(t, data_size=1)
        mu = e.latent("mu", gb.mean_field(), gb.normal(0, 5), gb.pathwise())
        tau = e.latent("tau", gb.mean_field(), gb.half_cauchy(5), gb.pathwise())
        law = gb.normal(mu, tau) if form == "theta" else gb.normal(0, 1)
        each = e.latent(form, gb.mean_field(8), law, gb.pathwise())
        theta = each if form == "theta" else mu + tau * each
        e.observe("y", gb.normal(theta, t.constant(error)), effect)
        fit = e.fit()
        mean, sd = e.posterior_read("mu")
        print(f"{form:5} mu {mean:.1f} +- {sd:.1f}, exact 4.4 +- 3.3: {fit.verdict.name}")
        assert not fit.good and fit.elbo < -31.311 and (sd < 2 if form == "theta" else sd > 3)
