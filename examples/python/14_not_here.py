# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each estimator may not go: grebe refuses in words, and another estimator is right.
docs/lessons/14-not-here.md"""
import numpy as np
import grebe as gb

density = np.exp(-0.125) / np.sqrt(2 * np.pi)
places = [("a jump", lambda p: gb.normal(p, 1), lambda x: gb.to_real(x > 0), 0.5, "pathwise", "score",
           density),
          ("moving ends", lambda p: gb.uniform(0, p), gb.square, 1.5, "score", "pathwise", 1.0),
          ("counts", lambda p: gb.poisson(p), gb.square, 3.0, "pathwise", "measure", 7.0)]

def gradient(law, cost, at, estimator):
    with gb.Tape(seed=1, samples=200_000) as t:
        p = t.variable("p", at)
        e = gb.expect_new(t)
        x = gb.draw(e, "x", law(p), estimator)
        return float(t.evaluate(gb.grad(gb.expected(e, cost(x)), p)))

for name, law, cost, at, unfit, fit, exact in places:
    try:
        gradient(law, cost, at, unfit)
        raise AssertionError(f"{name}: {unfit} was not refused")
    except gb.Error as error:
        print(f"{name}: {error}")
    found = gradient(law, cost, at, fit)
    print(f"    {fit} gives {found:.3f}, exact {exact:.3f}")
    assert abs(found - exact) < 0.02 * exact
