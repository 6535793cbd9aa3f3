# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence = ELBO + KL(q || posterior), at every step of a training. docs/lessons/04-evidence.md"""
import numpy as np
import grebe as gb

sigma, x = 0.5, np.stack([np.ones(10), 0.2 * np.arange(10)], 1)
y = np.array([0.3, 0.9, 0.2, 1.2, 1.1, 0.6, 1.6, 2.1, 1.4, 1.9])
a = x.T @ x / sigma**2 + np.eye(2)  # the posterior's precision; the prior is N(0, I)
m = np.linalg.solve(a, x.T @ y / sigma**2)
log_z = -0.5 * (10 * np.log(2 * np.pi * sigma**2) + np.linalg.slogdet(a)[1] + y @ y / sigma**2 - m @ a @ m)

with gb.Tape(seed=1) as t:
    xs, ys = t.rows("x", x), t.rows("y", y)
    e = gb.ELBO(t, data_size=10)
    w = e.latent("w", gb.mean_field(2), gb.normal(0, 1), gb.quadrature(nodes=2))  # exact: log p is quadratic
    e.observe("y", gb.normal((xs * w).sum(), sigma), ys)
    loss = e.loss()
    posterior = gb.multivariate_normal_precision(t.constant(m), t.constant(a))
    kl = gb.kl(gb.independent(e.posterior("w"), 1), posterior)
    train = t.program(loss, kl, updates=gb.minimise(loss, gb.adam(lr=0.05)))
    for step in range(1000):
        train.run()
        elbo, rest = -train.read(loss), train.read(kl)
        if step % 200 == 0:
            print(f"step {step:3}: {elbo:9.5f} + {rest:8.5f} = {elbo + rest:.10f}, log Z {log_z:.10f}")
        assert abs(elbo + rest - log_z) < 1e-11
