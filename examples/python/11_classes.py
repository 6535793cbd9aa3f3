# SPDX-License-Identifier: GPL-3.0-or-later
"""The two uncertainties of a classification: total entropy = noise + information.
docs/lessons/11-classes.md"""
import numpy as np
import grebe as gb

x = np.array([-2, -1.8, -1.5, -1.3, -1, -0.8, -0.5, -0.2, 0.1, 0.3, 0.6, 0.8, 1.1, 1.4, 1.7, 2])
y = np.array([0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1])
new = np.array([-6.0, -2.4, 0.0, 2.4, 6.0])

def entropy(p):
    return -p * np.log(p) - (1 - p) * np.log1p(-np.minimum(p, 1 - 1e-15))

a, b = np.meshgrid(np.linspace(-5, 5, 301), np.linspace(-2, 10, 301))  # the posterior on a grid
log_p = -(a**2 + b**2) / 18 - sum(np.logaddexp(0, -(2 * yi - 1) * (a + b * xi)) for xi, yi in zip(x, y))
weight = np.exp(log_p - log_p.max())
each = 1 / (1 + np.exp(-(a[..., None] + b[..., None] * new)))
one, noise = [(weight[..., None] * v).sum((0, 1)) / weight.sum() for v in (each, entropy(each))]

with gb.Tape(seed=1) as t:
    xs, ys = t.rows("x", x), t.rows("y", y)
    e = gb.ELBO(t, data_size=len(x))
    w = e.latent("w", gb.full_rank(2), gb.normal(0, 3), gb.pathwise())
    e.observe("y", gb.bernoulli(logits=w[0] + w[1] * xs), ys)
    p = e.predict("y", {xs: new}, judgement=e.fit().judgement, only_moments=True)
    information = p.information.ravel()
    print("information", information.round(3), "exact", (entropy(one) - noise).round(3))
    assert np.allclose(p.probability[:, 1], one, atol=0.01)
    assert np.allclose(information, entropy(one) - noise, atol=0.01)
    assert np.allclose(p.expected_entropy.ravel(), noise, atol=0.01)
