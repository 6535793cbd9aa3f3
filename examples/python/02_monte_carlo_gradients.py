# SPDX-License-Identifier: GPL-3.0-or-later
"""Three Monte Carlo gradients of E (w - 3)^2 + mu^2, w ~ N(mu, 1), at mu = 1: two are right.
docs/lessons/02-monte-carlo-gradients.md"""
import numpy as np
import grebe as gb

k, mu, draws = 3.0, 1.0, 100_000
for way in ("pathwise", "score", "naive"):
    with gb.Tape(seed=1, samples=draws) as t:
        m, s = t.variable("mu", mu), t.variable("sigma", 1.0)
        q = gb.normal(gb.stop(m), gb.stop(s)) if way == "naive" else gb.normal(m, s)
        e = gb.expect_new(t)
        w = gb.draw(e, "w", q, gb.score() if way == "score" else gb.pathwise())
        loss = gb.expected(e, (w - k) ** 2 + m ** 2)
        g, z = t.evaluate(gb.grad(loss, m), w)
        z = z - mu
        by_hand = 2 * mu + {"pathwise": 2 * (z + mu - k), "score": (z + mu - k) ** 2 * z, "naive": 0 * z}[way]
        error = by_hand.std() / np.sqrt(draws)
        print(f"{way:9} grebe {g:7.4f}, by hand {by_hand.mean():7.4f} +- {error:.4f}, exact -2")
        assert abs(g - by_hand.mean()) < 1e-10
        assert abs(g - 2) < 1e-10 if way == "naive" else abs(g + 2) < 6 * error
