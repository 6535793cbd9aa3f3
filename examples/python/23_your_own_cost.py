# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare estimators on your own cost: a baker's loaves, with a kink at each day's demand.
docs/lessons/23-your-own-cost.md"""
from math import erf, sqrt
import numpy as np
import grebe as gb

demand, sigma, mu = np.array([20.0, 24, 25, 29, 36, 40]), 4.0, 30.0

class Baker(gb.OwnProblem):
    name, formula = "lesson_baker", "E sum (a - d)+ + 3 (d - a)+, a ~ N(mu, 4)"
    settings = {"mu": (mu, 0.0, 100.0)}

    def cost(self, trial):
        baked = trial.draw("baked", gb.normal(trial.parameter("mu", (), self.mu), sigma))
        left = baked - demand
        return (gb.relu(left) + 3 * gb.relu(-left)).sum()

exact = sum(4 * (1 + erf((mu - d) / sigma / sqrt(2))) / 2 - 3 for d in demand)  # d/dmu of each day's mean
c = gb.compare(Baker, ["score", "measure", "pathwise"], draws=100_000, seed=1)
for each in c.estimators:
    is_ = c[each.text].parameters["mu"]
    print(f"{each.text:8} gradient {is_['mean']:.2f}, exact {exact:.2f}, variance {is_['variance']:.1f}")
    assert abs(is_["mean"] - exact) < 6 * is_["stderr"]
slopes = [(-18 + 4 * k) ** 2 for k in range(7)]  # pathwise: a slope between two demands, with its probability
cut = [0, *((1 + erf((d - mu) / sigma / sqrt(2))) / 2 for d in demand), 1]
variance = sum(s * (b - a) for s, a, b in zip(slopes, cut, cut[1:])) - exact**2
path = c["pathwise"].parameters["mu"]
assert abs(path["variance"] - variance) < 6 * path["variance_stderr"]
