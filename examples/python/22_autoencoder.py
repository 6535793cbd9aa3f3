# SPDX-License-Identifier: GPL-3.0-or-later
"""A variational autoencoder; the linear one is probabilistic PCA, and reaches its likelihood.
docs/lessons/22-autoencoder.md"""
import numpy as np
import grebe as gb

n, sigma, rng = 400, 0.15, np.random.default_rng(4)
turn = rng.normal(size=n)
x = np.stack([1.5 * np.sin(turn), np.cos(turn)], 1) + sigma * rng.normal(size=(n, 2))
e2, e1 = np.linalg.eigvalsh(np.cov(x.T, bias=True))
best = -np.log(2 * np.pi) - (np.log(e1) + 2 * np.log(sigma)) / 2 - (1 + e2 / sigma**2) / 2
elbo = {}
for name, hidden in (("line", []), ("network", [16])):
    with gb.Tape(seed=1, threads=1) as t:
        e = gb.ELBO(t, data_size=n)
        data = t.rows("x", x)
        free = dict(posterior=gb.point(), prior=gb.no_prior, activation="tanh")
        head = gb.head_of(e.mlp("encoder", data, [*hidden, 2], **free), 1e-3)
        z = e.latent("z", gb.posterior_of(gb.normal(head.mean, head.scale)), gb.normal(0, 1), gb.pathwise())
        e.observe("x", gb.normal(e.mlp("decoder", z, [*hidden, 2], **free), sigma), data)
        e.fit(optimiser=gb.adam(lr=0.02, schedule=gb.cosine(4000)), steps=4000)
        bound = e.term_named("ELBO").value
        look = t.program(bound)
        look.samples = 1000
        look.run()
        elbo[name] = float(look.read(bound)) / n
        print(f"{name}: ELBO {elbo[name]:.3f} per datum; best line {best:.3f}")
assert best - 0.02 < elbo["line"] < best + 0.005 and elbo["network"] > best + 3
