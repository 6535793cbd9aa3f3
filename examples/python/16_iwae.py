# SPDX-License-Identifier: GPL-3.0-or-later
"""Several samples: the bound gets better, its pathwise gradient worse, and dreg mends it.
docs/lessons/16-iwae.md"""
import numpy as np
import grebe as gb

y, m, s, last = 1.5, 0.2, 0.9, 0.0
for k in (1, 16, 32, 64):
    c = gb.compare("gauss-evidence", ["pathwise", "dreg"], draws=20_000, seed=1, bound=gb.iwae(draws=k),
                   settings={"mu": m, "sigma": s, "y": y, "noise": 1})
    path, dreg = c["pathwise"].parameters["mu"], c["dreg"].parameters["mu"]
    ratio = [dreg["mean"] / np.sqrt(each["variance"]) for each in (path, dreg)]
    print(f"K = {k:2}: gradient {dreg['mean']:.4f}, signal / noise {ratio[0]:.3f} and {ratio[1]:.2f}")
    assert abs(path["mean"] - dreg["mean"]) < 6 * path["stderr"]
    if k == 1:
        assert abs(dreg["mean"] - (y - 2 * m)) < 6 * dreg["stderr"]  # the ELBO's gradient
    if k > 16:
        assert abs(ratio[1] / last - np.sqrt(2)) < 0.1
    last = ratio[1]
