# SPDX-License-Identifier: GPL-3.0-or-later
"""Local reparameterisation: the same gradient, less noise. Variances in closed form.
docs/lessons/17-local.md"""
import numpy as np
import grebe as gb

rows, inputs, runs = 32, 16, 4000
rng = np.random.default_rng(3)
x, y, s = rng.normal(size=(rows, inputs)), rng.normal(size=(rows, 1)), 1 / np.sqrt(inputs)
v = (x**2).sum(1) * s**2
exact = {"shared": (s**2 * (x.T @ x)[0] ** 2).sum(), "local": (x[:, 0] ** 2 * v).sum()}
for noise, variance in exact.items():
    with gb.Tape(seed=1, threads=1) as t:
        e = gb.ELBO(t, data_size=rows)
        q = gb.mean_field(locations=t.constant(np.zeros((inputs, 1))), scale=s)
        f = e.dense("f", t.rows("x", x), 1, noise=noise, posterior=q, no_bias=True)
        e.observe("y", gb.normal(f, 1), t.rows("y", y))
        g = gb.grad(e.loss(), t.variable_named("f.weight.location"))
        program = t.program(g)
        draws = np.array([program.run() or program.read(g)[0, 0] for _ in range(runs)])
        print(f"{noise:6} variance {draws.var():.1f}, closed form {variance:.1f}")
        assert abs(draws.var() / variance - 1) < 6 * np.sqrt(2 / runs)
