# SPDX-License-Identifier: GPL-3.0-or-later
"""A table: MC dropout and Bayes by Backprop on rows that are held out. GREBE_DATA names a file of numbers
with a line of names and the outcome last. docs/lessons/10-a-table.md"""
import os
import numpy as np
import grebe as gb

path = os.environ.get("GREBE_DATA")
if path:
    table = np.random.default_rng(0).permutation(np.genfromtxt(path, delimiter=",", skip_header=1))
else:
    x, noise = np.random.default_rng(1).uniform(size=(300, 7)), np.random.default_rng(2).normal(size=300)
    f = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    table = np.column_stack([x, f + noise])
n = len(table) * 4 // 5  # rows are in random order; the last fifth is held out
mean, sd = table[:n].mean(0), table[:n].std(0)
x, y = (table[:, :-1] - mean[:-1]) / sd[:-1], (table[:, -1:] - mean[-1]) / sd[-1]
rmse = {}
for name, network in (("line", dict(widths=[1])), ("backprop", dict(widths=[50, 1], noise="local")),
                      ("dropout", dict(widths=[50, 1], dropout=0.05))):
    with gb.Tape(seed=1, threads=1) as t:
        xs, ys = t.input("x", x.shape[1], rows=True), t.input("y", 1, rows=True)
        e = gb.ELBO(t, data_size=n)
        out = e.mlp("net", xs, network.pop("widths"), activation="relu", **network)
        scale = e.latent("sigma", gb.point(location=np.log(0.5)), gb.half_normal(1), gb.pathwise())
        e.observe("y", gb.normal(out, scale), ys)
        data = gb.batches_new(t, columns={xs: x[:n], ys: y[:n]}, batch=32)
        e.fit(optimiser=gb.adam(lr=0.01, schedule=gb.cosine(3000)), data=data, steps=3000)
        p = e.predict("y", {xs: x[n:], ys: y[n:]}, scale=sd[-1], shift=mean[-1])
        rmse[name] = p.scores["rmse"][0]
        print(f"{name:9} rmse {rmse[name]:.3f}, log density {p.scores['log density'][0]:.3f}")
if not path:
    best = np.sqrt(np.mean(noise[n:] ** 2))
    assert best < rmse["backprop"] < rmse["line"] / 1.25 and best < rmse["dropout"] < rmse["line"] / 1.25
