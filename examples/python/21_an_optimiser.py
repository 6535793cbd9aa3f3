# SPDX-License-Identifier: GPL-3.0-or-later
"""Write an optimiser: Rprop, as updates of variables. docs/lessons/21-an-optimiser.md"""
import numpy as np
import grebe as gb

def rprop(t, loss, x, length=0.1):
    before, grown = t.variable("before", np.zeros(x.shape)), t.variable("grown", np.zeros(x.shape))
    now = gb.sign(gb.grad(loss, x))
    same = before * now  # 1, -1, or 0 in the first step
    log_length = grown + np.log(1.2) * gb.relu(same) + np.log(0.5) * gb.relu(-same)
    moved = gb.assign(x, x - length * gb.exp(log_length) * now)
    return gb.updates_join(moved, gb.updates_join(gb.assign(before, now), gb.assign(grown, log_length)))

h, at, s, sign = np.array([1, 100, 1e4]), np.array([3.0, 2, 1]), np.full(3, 0.1), np.zeros(3)
with gb.Tape() as t:
    x = t.variable("x", at)
    loss = 0.5 * (h * x ** 2).sum()
    step = t.program(loss, updates=rprop(t, loss, x))
    for _ in range(200):
        step.run()
        now = np.sign(h * at)
        s *= np.where(sign * now > 0, 1.2, np.where(sign * now < 0, 0.5, 1))
        at, sign = at - s * now, now
        assert np.abs(x.value - at).max() < 1e-14
    print("x after 200 steps in valleys of steepness 1, 100, 10000:", x.value)
    assert np.abs(x.value).max() < 1e-20
