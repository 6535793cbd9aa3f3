# SPDX-License-Identifier: GPL-3.0-or-later
"""When pathwise loses: the variance of gradients of E cos k x at mu = sigma = 1.
docs/lessons/03-variance.md"""
import numpy as np
import grebe as gb

def wave(b):
    return np.cos(b) * np.exp(-b * b / 2)  # E cos b x

for k in (0.5, 1.0, 2.0, 4.0):
    g = -k * np.sin(k) * np.exp(-k * k / 2)
    exact = {"pathwise": k * k * (1 - wave(2 * k)) / 2 - g * g,
             "score": (1 + (1 - 4 * k * k) * wave(2 * k)) / 2 - g * g}
    c = gb.compare("gauss-cos", ["pathwise", "score"], draws=50_000, settings={"k": k}, seed=1)
    for name, variance in exact.items():
        is_ = c[name].parameters["mu"]
        print(f"k = {k}: {name:8} {is_['variance']:.4f}, closed form {variance:.4f}")
        assert abs(is_["variance"] - variance) < 6 * is_["variance_stderr"]
