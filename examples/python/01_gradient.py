# SPDX-License-Identifier: GPL-3.0-or-later
"""A gradient and its gradient: x e^x has the derivative (k + x) e^x of order k.
docs/lessons/01-gradient.md"""
import numpy as np
import grebe as gb

x = np.linspace(-5, 1, 61)
with gb.Tape() as t:
    at = t.variable("x", x)
    y = at * gb.exp(at)
    for k in range(4):
        assert np.allclose(t.evaluate(y), (k + x) * np.exp(x), rtol=1e-13, atol=1e-15)
        y = gb.grad(y.sum(), at)

with gb.Tape() as t:  # Newton's method to the minimum at -1: the error e becomes e^2 / (1 + e)
    z = t.variable("z", 1.0)
    f = z * gb.exp(z)
    slope = gb.grad(f, z)
    step = t.program(f, updates=gb.assign(z, z - slope / gb.grad(slope, z)))
    e = 2.0
    for _ in range(7):
        step.run()
        e = e * e / (1 + e)
        print(f"x + 1 = {z.value + 1:.12f}, closed form {e:.12f}")
        assert abs(z.value + 1 - e) < 1e-14
