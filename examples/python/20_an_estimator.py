# SPDX-License-Identifier: GPL-3.0-or-later
"""Write an estimator, and prove it by enumeration: flips of single bits. docs/lessons/20-an-estimator.md"""
import numpy as np
import grebe as gb

class Flips(gb.OwnEstimator):
    name, formula = "lesson_flips", "sum over i of (f(b with b_i = 1) - f(b with b_i = 0)) dp_i"
    needs = gb.NEEDS_SEPARATE_SAMPLES | gb.NEEDS_SEPARATE_ROWS
    expansion = gb.PROBES
    first_order = drops_own_path = True

    def lacks(self, q, options=None):
        return None if q.type == "bernoulli" else "vector of bits"

    def evaluations(self, site):
        return 4

    def draw(self, site):
        b = gb.sample(site.q, site.noise, site.axes)
        return gb.stop(b + np.vstack([np.zeros(3), np.eye(3)]) * (1 - 2 * b))

    def combine(self, site, costs):
        b = site.value(0)
        return site.inject(costs[0], site.q.mean(), (costs[1:] - costs[0]) * (1 - 2 * b))

phi, a = np.array([-0.8, 0.2, 1.0]), np.array([1.0, 0.7, -0.5])
p = 1 / (1 + np.exp(-phi))
states = np.array(list(np.ndindex(2, 2, 2)), float)
f = (states @ a - 1.3) ** 2 + states.prod(1)
weight = np.where(states > 0, p, 1 - p).prod(1)
exact = (weight * f) @ (states - p)  # of the sum of p(b) f(b), in the logits
with gb.Tape(seed=1) as t:
    logits = t.variable("phi", phi)
    e = gb.expect_new(t)
    b = gb.draw(e, "b", gb.bernoulli(logits=logits), Flips())
    g = gb.grad(gb.expected(e, ((b * a).sum() - 1.3) ** 2 + gb.prod(b)), logits)
    shown = gb.mean_of_draws(e, b)
    program, found = t.program(g, shown), {}
    for _ in range(1000):
        program.run()
        found[tuple(program.read(shown))] = program.read(g)
mean = sum(w * found[tuple(s)] for w, s in zip(weight, states))
print("sum of p(b) times the estimate", mean, "gradient", exact)
assert np.allclose(mean, exact, rtol=0, atol=1e-14)
