# SPDX-License-Identifier: GPL-3.0-or-later
"""Discrete draws: unbiased estimators of E (b - 0.45)^2, and a relaxation that goes the wrong way.
docs/lessons/13-discrete.md"""
import numpy as np
import grebe as gb

theta = 0.3
f1, f0 = 0.55**2, 0.45**2
p, d = theta * (1 - theta), f1 - f0
g, m = p * d, min(theta, 1 - theta)
variance = {"score": p * ((1 - theta) * f1 + theta * f0) ** 2,
            "arm": 2 * d**2 * (1 / 8 - (0.5 - m) ** 3) / 3 - g**2,
            "disarm": d**2 * m * (1 - m) ** 2 / 2 - g**2}
c = gb.compare("bernoulli-toy", [*variance, "relaxed"], draws=100_000, seed=1,
               settings={"phi": np.log(theta / (1 - theta)), "t": 0.45})
for name, exact in variance.items():
    is_ = c[name].parameters["phi"]
    print(f"{name:7} gradient {is_['mean']:.4f} of {g:.4f}, variance {is_['variance']:.6f} of {exact:.6f}")
    assert abs(is_["mean"] - g) < 6 * is_["stderr"]
    assert abs(is_["variance"] - exact) < 6 * is_["variance_stderr"]

u = (np.arange(100_000) + 0.5) / 100_000  # the mean gradient of a relaxed draw z, at temperature 1/2
z = 1 / (1 + np.exp(-2 * (np.log(theta / (1 - theta)) + np.log(u / (1 - u)))))
wrong = np.mean(2 * (z - 0.45) * z * (1 - z) * 2)
is_ = c["relaxed"].parameters["phi"]
print(f"relaxed gradient {is_['mean']:.4f}, exact for the relaxed draw {wrong:.4f}: the wrong sign")
assert wrong < 0 < g and abs(is_["mean"] - wrong) < 6 * is_["stderr"]
