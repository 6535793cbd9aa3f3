# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a distribution: Lomax, with P(x > c) = (1 + c / scale)^-shape. docs/lessons/19-a-distribution.md"""
import numpy as np
import grebe as gb

class Lomax(gb.OwnDistribution):
    name, formula = "lesson_lomax", "log(shape / scale) - (shape + 1) log(1 + x / scale)"
    parameters = {"shape": gb.POSITIVE, "scale": gb.POSITIVE}
    support = gb.NON_NEGATIVE

    def log_prob(self, x):
        return gb.log(self.shape / self.scale) - (self.shape + 1) * gb.log1p(x / self.scale)

    def rsample(self, source):
        y = gb.expm1(source.exponential() / self.shape)
        return self.scale * gb.clip(y, 0, 1e30)  # a shape of 0.001 would draw larger numbers than there are

    def cdf(self, x):
        return -gb.expm1(-self.shape * gb.log1p(x / self.scale))

report = gb.check(Lomax, draws=6400, cases=2)
print(report)
assert report.ok
u = (np.arange(20_000) + 0.5) / 20_000  # x = 2 u / (1 - u) brings all x to (0, 1)
loss = 2 * ((np.arange(40) + 0.5) / 40) ** -(1 / 3) - 2  # quantiles, for shape 3 and scale 2
with gb.Tape(seed=1) as t:
    density = np.exp(t.evaluate(gb.log_prob(Lomax(3.0, 2.0), t.constant(2 * u / (1 - u)))))
    print("integral", (density * 2 / (1 - u) ** 2).mean())
    assert abs((density * 2 / (1 - u) ** 2).mean() - 1) < 1e-8
    e = gb.ELBO(t, data_size=40)
    a = e.latent("shape", gb.mean_field_matching(), gb.gamma(2, 1), gb.pathwise())
    e.observe("loss", Lomax(a, 2.0), loss)
    e.fit()
    mean, sd = e.posterior_read("shape")
    exact = (2 + 40) / (1 + np.log1p(loss / 2).sum())  # a gamma prior is conjugate
    print(f"shape {mean:.3f} +- {sd:.3f}, exact {exact:.3f} +- {exact / np.sqrt(42):.3f}")
    assert abs(mean - exact) < 0.05 * sd and abs(sd / exact * np.sqrt(42) - 1) < 0.05
