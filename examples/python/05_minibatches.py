# SPDX-License-Identifier: GPL-3.0-or-later
"""Three scalings of one loss for a batch of B out of N rows: times 1, B / N and 1 / N.
docs/lessons/05-minibatches.md"""
import numpy as np
import grebe as gb

n, batch = 64, 24
x = np.linspace(-1, 1, n)
y = 1.5 * x + 0.5 * np.random.default_rng(1).normal(size=n)
def log_p(rows):  # E_q of each row's log density at the start, q = N(0, 0.1^2)
    return -np.log(2 * np.pi * 0.25) / 2 - 2 * (y[rows] ** 2 + 0.01 * x[rows] ** 2)

kl = 0.5 * (0.01 - 1 - np.log(0.01))
for unit, factor in (("data_set", 1), ("batch", n / batch), ("datum", n)):
    with gb.Tape(seed=1) as t:
        e = gb.ELBO(t, data_size=n, unit=unit)
        w = e.latent("w", gb.mean_field(), gb.normal(0, 1), gb.quadrature(nodes=2))
        e.observe("y", gb.normal(t.rows("x", x[:batch]) * w, 0.5), t.rows("y", y[:batch]))
        loss = float(t.evaluate(e.loss()))
        print(f"per {unit:8} {loss:9.4f}, times {factor:6.3f} = {loss * factor:.6f}")
        assert abs(loss * factor - (kl - n / batch * log_p(slice(batch)).sum())) < 1e-9

# N / B is unbiased: the mean over batches that have each row equally often is the sum over all rows.
batches = [np.arange(start, start + batch) % n for start in range(n)]
assert abs(np.mean([n / batch * log_p(rows).sum() for rows in batches]) - log_p(slice(n)).sum()) < 1e-9
