#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values of the gamma, inverse gamma, chi-squared, inverse Gaussian, beta, Kumaraswamy, Weibull,
Pareto, von Mises and Dirichlet distributions, by the plain formulas in 80 digits: writes NAME.txt beside this
file."""
import os
from mpmath import (mp, mpf, log, exp, loggamma, psi, gamma, gammainc, betainc, besseli, cos, pi, quad, euler,
                    inf, nan, expm1, log1p, floor, findroot, sqrt, power, erfc)

mp.dps = 80
HERE = os.path.dirname(os.path.abspath(__file__))


def number(x):
    x = float(x)
    return "inf" if x == inf else "-inf" if x == -inf else "nan" if x != x else repr(x)


def argument(x):
    if isinstance(x, (list, tuple)):
        return "[%d] " % len(x) + " ".join(number(e) for e in x)
    return number(x)


def exact(x):
    return [mpf(float(e)) for e in x] if isinstance(x, (list, tuple)) else mpf(float(x))


def value_text(x):
    x = mpf(x)
    if x == inf or x == -inf or x != x:
        return "inf" if x == inf else "-inf" if x == -inf else "nan"
    return mp.nstr(x, 25, min_fixed=-5, max_fixed=25)


def result(x):
    if isinstance(x, (list, tuple)):
        return "[%d] " % len(x) + " ".join(value_text(e) for e in x)
    return value_text(x)


class Law:
    def __init__(self, name, params, log_prob, **closed):
        self.name, self.params, self.log_prob, self.closed = name, params, log_prob, closed
        self.lines = []

    def words(self, values):
        return " ; ".join("%s %s" % (n, argument(v)) for n, v in zip(self.params, values))

    def add(self, quantity, values, value, extra=""):
        self.lines.append("%s ; %s%s ; %s" % (quantity, self.words(values), extra, result(value)))

    def case(self, values, xs=(), us=(), cdfs=None, moments=True):
        p = [exact(v) for v in values]
        for x in xs:
            self.add("log_prob", values, self.log_prob(*p, exact(x)), " ; x " + argument(x))
        if "cdf" in self.closed:
            for x in xs if cdfs is None else cdfs:
                self.add("cdf", values, self.closed["cdf"](*p, exact(x)), " ; x " + argument(x))
        for u in us:
            self.add("icdf", values, self.closed["icdf"](*p, exact(u)), " ; u " + argument(u))
        for quantity in ("mean", "variance", "mode", "entropy") if moments else ():
            if quantity in self.closed:
                self.add(quantity, values, self.closed[quantity](*p))

    def kl(self, values, other, others, formula):
        v = formula(*[exact(x) for x in values], *[exact(x) for x in others])
        self.lines.append("kl ; %s ; %s ; %s ; %s" % (self.words(values), other.name, other.words(others),
                                                      result(v)))

    def write(self):
        with open(os.path.join(HERE, self.name + ".txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")
        print(self.name, len(self.lines))


# ---- gamma ----

def gamma_p(a, x):
    return gammainc(a, 0, x, regularized=True)


def gamma_q(a, x):
    return gammainc(a, x, inf, regularized=True)


def root(f, target, low, high):
    """The x in (low, high) with f(x) = target, f growing or falling; on the scale of log x."""
    low, high = log(mpf(low)), log(mpf(high))
    grows = f(exp(high)) > f(exp(low))
    for _ in range(110):
        middle = (low + high) / 2
        if (f(exp(middle)) < target) == grows:
            low = middle
        else:
            high = middle
    return exp((low + high) / 2)


def gamma_log_prob(a, b, x):
    if x == 0:
        return inf if a < 1 else log(b) if a == 1 else -inf
    return a * log(b) + (a - 1) * log(x) - b * x - loggamma(a)


def gamma_entropy(a, b):
    return a - log(b) + loggamma(a) + (1 - a) * psi(0, a)


def gamma_kl(a, b, c, d):
    return (a - c) * psi(0, a) - loggamma(a) + loggamma(c) + c * log(b / d) + a * (d - b) / b


def gamma_icdf(a, b, u):
    if u == 0 or u == 1:
        return mpf(0) if u == 0 else inf
    return root(lambda x: gamma_p(a, x), u, mpf("1e-300"), a + 40 * sqrt(a) + 800) / b


g = Law("gamma", ["concentration", "rate"], gamma_log_prob,
        cdf=lambda a, b, x: gamma_p(a, b * x), icdf=gamma_icdf,
        mean=lambda a, b: a / b, variance=lambda a, b: a / b / b, mode=lambda a, b: max(a - 1, mpf(0)) / b,
        entropy=gamma_entropy)
g.case((2.5, 1.5), (0.3, 1.0, 4.0, 40.0, 1e-8), (1e-10, 0.3, 0.99))
g.case((0.5, 2.0), (1e-12, 0.25, 3.0), (0.01, 0.7))
g.case((1.0, 3.0), (0.0, 0.1, 7.0), (0.0, 0.5, 1.0))
g.case((2.0, 3.0), (0.0,), moments=False)
g.case((0.5, 3.0), (0.0,), cdfs=(), moments=False)
g.case((1e-3, 1.0), (1e-200, 1e-3, 2.0), ())
g.case((1e6, 2.0), (5e5, 5.01e5, 4.99e5, 4e5), (), cdfs=(5e5, 5.01e5, 4.99e5))
g.case((1e4, 1e-3), (1e7, 1.02e7), ())
for q, p in [((2.5, 1.5), (1.5, 0.5)), ((0.1, 3.0), (4.0, 1.0)), ((1e-3, 1.0), (2.0, 5.0)),
             ((1e6, 1e3), (1.001e6, 1e3)), ((1e6, 1e3), (1e6 + 1, 1e3 + 0.001)), ((3.0, 2.0), (3.0001, 2.0)),
             ((50.0, 2.0), (0.01, 1.0)), ((12.0, 4.0), (12.0, 4.0))]:
    g.kl(q, g, p, gamma_kl)

ex = Law("exponential", ["rate"], None)  # written elsewhere: only as the other one of a pair
g.kl((2.5, 1.5), ex, (0.7,), lambda a, b, d: gamma_kl(a, b, mpf(1), d))
g.kl((1.0, 1.5), ex, (1.5,), lambda a, b, d: gamma_kl(a, b, mpf(1), d))

# ---- inverse gamma ----

ig = Law("inverse_gamma", ["concentration", "scale"],
         lambda a, b, x: a * log(b) - (a + 1) * log(x) - b / x - loggamma(a),
         cdf=lambda a, b, x: gamma_q(a, b / x),
         icdf=lambda a, b, u: mpf(0) if u == 0 else inf if u == 1 else
         b / root(lambda y: gamma_q(a, y), u, mpf("1e-300"), a + 40 * sqrt(a) + 800),
         mean=lambda a, b: b / (a - 1) if a > 1 else inf,
         variance=lambda a, b: b * b / (a - 1) ** 2 / (a - 2) if a > 2 else inf,
         mode=lambda a, b: b / (a + 1), entropy=lambda a, b: a + log(b) + loggamma(a) - (1 + a) * psi(0, a))
ig.case((3.0, 2.0), (0.1, 0.7, 5.0, 1e4, 0.003), (0.0, 1e-30, 0.2, 0.9, 1.0))
ig.case((0.7, 1.3), (0.05, 1.0, 1e8), (0.1, 0.5))
ig.case((1.5, 0.2), (0.1,), ())
ig.case((1e6, 1e6), (1.0, 0.998, 1.003), ())
ig.case((1e-3, 1.0), (1e-2, 1e50), ())
ig.kl((3.0, 2.0), ig, (1.0, 0.5), gamma_kl)
ig.kl((0.3, 2.0), ig, (7.0, 4.0), gamma_kl)
ig.kl((1e6, 1e3), ig, (1.0005e6, 1e3), gamma_kl)

# ---- chi-squared ----

def of_chi(f):
    return lambda k, *x: f(k / 2, mpf(1) / 2, *x)


chi = Law("chi_squared", ["df"], of_chi(gamma_log_prob), cdf=of_chi(g.closed["cdf"]), icdf=of_chi(gamma_icdf),
          mean=lambda k: k, variance=lambda k: 2 * k, mode=lambda k: max(k - 2, mpf(0)),
          entropy=of_chi(gamma_entropy))
chi.case((1.0,), (0.0, 0.01, 2.0, 200.0), (0.05, 0.5), cdfs=(0.01, 2.0, 200.0))
chi.case((2.0,), (0.0, 1.0), (0.5, 0.999))
chi.case((7.5,), (1e-4, 3.0, 30.0), (1e-12, 0.95))
chi.case((2e6,), (2e6, 2.01e6), ())
chi.case((1e-2,), (1e-100, 0.5), ())
half = mpf(1) / 2
for q, p in [(3.0, 5.0), (0.1, 100.0), (2e6, 2.0001e6)]:
    chi.kl((q,), chi, (p,), lambda a, c: gamma_kl(a / 2, half, c / 2, half))
chi.kl((3.0,), g, (2.0, 1.5), lambda k, c, d: gamma_kl(k / 2, half, c, d))
g.kl((2.0, 1.5), chi, (3.0,), lambda a, b, k: gamma_kl(a, b, k / 2, half))

# ---- beta ----

def log_beta(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def power_log(a, x):
    return mpf(0) if a == 0 else a * log(x) if x > 0 else (-inf if a > 0 else inf)


def beta_log_prob(a, b, x):
    return power_log(a - 1, x) + power_log(b - 1, 1 - x) - log_beta(a, b)


def beta_cdf(a, b, x):
    if x <= 0 or x >= 1:
        return mpf(1 if x >= 1 else 0)
    if a + b < 1e4:
        return betainc(a, b, 0, x, regularized=True)
    middle, width = a / (a + b), sqrt(a * b / (a + b) ** 3)
    low = max(mpf(0), min(x, middle) - 30 * width)
    points = [low + (x - low) * k / 12 for k in range(13)]
    return quad(lambda t: exp(beta_log_prob(a, b, t)), points)


def beta_entropy(a, b):
    return log_beta(a, b) - (a - 1) * psi(0, a) - (b - 1) * psi(0, b) + (a + b - 2) * psi(0, a + b)


def beta_mode(a, b):
    if a > 1 and b > 1:
        return (a - 1) / (a + b - 2)
    return mpf(0) if a <= b else mpf(1)


def beta_kl(a, b, c, d):
    s = psi(0, a + b)
    return log_beta(c, d) - log_beta(a, b) + (a - c) * (psi(0, a) - s) + (b - d) * (psi(0, b) - s)


be = Law("beta", ["alpha", "beta"], beta_log_prob, cdf=beta_cdf,
         icdf=lambda a, b, u: mpf(u) if u in (0, 1)
         else root(lambda x: beta_cdf(a, b, x), u, mpf("1e-300"), mpf(1)),
         mean=lambda a, b: a / (a + b), variance=lambda a, b: a * b / (a + b) ** 2 / (a + b + 1),
         mode=beta_mode,
         entropy=beta_entropy)
be.case((2.0, 3.0), (0.1, 0.5, 0.999, 1e-9), (0.0, 1e-6, 0.4, 1.0))
be.case((0.5, 0.5), (1e-12, 0.3, 0.75), (0.2, 0.9), moments=False)
be.case((0.3, 2.0), (0.0, 0.01, 0.9), (0.5,), cdfs=(0.01, 0.9))
be.case((2.0, 0.3), (1.0, 0.99), (), cdfs=(0.99,))
be.case((1.0, 4.0), (0.0, 1.0, 0.2), (0.3,))
be.case((4.0, 1.0), (0.0, 1.0, 0.2), (0.3,))
be.case((1e6, 2e6), (1 / 3, 0.334, 0.25), (), cdfs=(1 / 3, 0.334))
be.case((1e-3, 1e3), (1e-300, 1e-3, 0.5), (), cdfs=())
be.case((1e6, 2.0), (0.999999, 0.5), (), cdfs=())
for q, p in [((2.0, 3.0), (1.0, 1.0)), ((0.5, 0.1), (3.0, 20.0)), ((1e6, 2e6), (1.0001e6, 2e6)),
             ((1e6, 1e6), (2e6, 2e6)), ((1e-3, 2.0), (1.0, 1e4)), ((3.0, 4.0), (3.0, 4.0001)),
             ((100.0, 1e5), (101.0, 1e5))]:
    be.kl(q, be, p, beta_kl)

# ---- Kumaraswamy ----

def ku_moment(n, a, b):
    return exp(log(b) + log_beta(1 + n / a, b))


def harmonic(b):
    return psi(0, b + 1) + euler


def ku_log_prob(a, b, x):
    return log(a) + log(b) + power_log(a - 1, x) + power_log(b - 1, 1 - x ** a)


def ku_mode(a, b):
    if a < 1 or (a == 1 and b >= 1):
        return mpf(0)
    return mpf(1) if b < 1 else ((a - 1) / (a * b - 1)) ** (1 / a)


def ku_log_rest(a, b):
    """-E[log(1 - x)], with t = e^s from Exponential(1) and x^a = 1 - e^(-t/b)."""
    def f(s):
        tau = exp(s) / b
        log_x = (log1p(-exp(-tau)) if tau > 1 else log(-expm1(-tau))) / a
        return exp(s - exp(s)) * (-log(-expm1(log_x)) if abs(log_x) > mpf(10) ** -60 else tau + log(a))
    at = float(log(b))
    points = [-90, -60, -40, -25, -15, -9, -6, -4, -2, -1, 0, 1, 2, 3, 4, 5.5]
    points += [at + k for k in (-6, -4, -2, 0, 1, 1.5, 2, 2.5, 3, 3.5, 4) if -90 < at + k < 5.5]
    mp.dps = 40
    value = quad(f, sorted(set(points)))
    mp.dps = 80
    return value


def ku_kl(a, b, alpha, beta):
    return (log(a * b) - (b - 1) / b + (alpha - a) / a * harmonic(b) + (beta - 1) * ku_log_rest(a, b)
            + log_beta(alpha, beta))


ku = Law("kumaraswamy", ["a", "b"], ku_log_prob, cdf=lambda a, b, x: 1 - (1 - x ** a) ** b,
         icdf=lambda a, b, u: (1 - (1 - u) ** (1 / b)) ** (1 / a), mean=lambda a, b: ku_moment(1, a, b),
         variance=lambda a, b: ku_moment(2, a, b) - ku_moment(1, a, b) ** 2, mode=ku_mode,
         entropy=lambda a, b: 1 - 1 / b + (1 - 1 / a) * harmonic(b) - log(a * b))
ku.case((2.0, 3.0), (0.1, 0.5, 0.999, 1e-9), (0.0, 1e-12, 0.4, 1.0))
ku.case((0.5, 0.4), (1e-12, 0.3, 0.75, 1 - 2 ** -50), (0.2, 0.9), moments=False)
ku.case((0.3, 2.0), (0.0, 0.01, 0.9), (0.5,))
ku.case((2.0, 0.3), (1.0, 0.99), ())
ku.case((1.0, 4.0), (0.0, 1.0, 0.2), (0.3,))
ku.case((4.0, 1.0), (0.0, 1.0, 0.2), (0.3,))
ku.case((1e3, 1e3), (0.99, 0.995), (0.5, 1e-5))
ku.case((1e-2, 1e2), (1e-200, 1e-100), (0.1,))
for q, p in [((2.0, 3.0), (2.0, 3.0)), ((1.0, 1.0), (1.0, 1.0)), ((0.5, 0.5), (2.0, 0.3)),
             ((0.05, 20.0), (1.0, 5.0)), ((50.0, 0.1), (3.0, 2.0)), ((30.0, 1e3), (20.0, 7.0)),
             ((0.01, 0.01), (1.0, 50.0)), ((1.0, 5.0), (1.0, 5.0))]:
    ku.kl(q, be, p, ku_kl)

# ---- Weibull ----

def wei_kl(k, scale, k2, scale2):
    return (log(k / scale ** k) - log(k2 / scale2 ** k2) + (k - k2) * (log(scale) - euler / k)
            + (scale / scale2) ** k2 * gamma(k2 / k + 1) - 1)


def wei_gamma_kl(k, scale, a, b):
    log_mean, mean = log(scale) - euler / k, scale * gamma(1 + 1 / k)
    return log(k / scale) - (k - 1) * euler / k - 1 - a * log(b) + loggamma(a) - (a - 1) * log_mean + b * mean


wei = Law("weibull", ["concentration", "scale"],
          lambda k, s, x: log(k / s) + power_log(k - 1, x / s) - (x / s) ** k,
          cdf=lambda k, s, x: -expm1(-(x / s) ** k),
          icdf=lambda k, s, u: s * (-log1p(-u)) ** (1 / k) if u < 1 else inf,
          mean=lambda k, s: s * gamma(1 + 1 / k),
          variance=lambda k, s: s * s * (gamma(1 + 2 / k) - gamma(1 + 1 / k) ** 2),
          mode=lambda k, s: s * ((k - 1) / k) ** (1 / k) if k > 1 else mpf(0),
          entropy=lambda k, s: euler * (1 - 1 / k) + log(s / k) + 1)
wei.case((1.5, 2.0), (0.0, 1e-9, 0.5, 3.0, 30.0), (0.0, 1e-12, 0.4, 0.999, 1.0))
wei.case((0.3, 0.1), (0.0, 1e-20, 0.2, 100.0), (0.5,))
wei.case((1.0, 4.0), (0.0, 2.0), (0.7,))
wei.case((1e3, 2.0), (2.0, 1.99, 2.003), (0.1,))
wei.case((0.05, 1.0), (1e-30, 5.0), (0.3,))
wei.case((20.0, 1e-5), (1e-5,), ())
for q, p in [((1.5, 2.0), (0.7, 3.0)), ((2.0, 1.0), (2.0, 1.0)), ((0.3, 1.0), (3.0, 5.0)),
             ((5.0, 0.1), (5.001, 0.1)), ((100.0, 2.0), (101.0, 2.0)), ((1.0, 1.0), (20.0, 3.0))]:
    wei.kl(q, wei, p, wei_kl)
for q, p in [((1.5, 2.0), (0.7, 3.0)), ((1.0, 1.0), (1.0, 1.0)), ((0.3, 1.0), (3.0, 5.0)),
             ((50.0, 2.0), (3000.0, 1500.0))]:
    wei.kl(q, g, p, wei_gamma_kl)

# ---- Pareto ----

def pareto_kl(m, a, m2, a2):
    if m < m2:
        return inf
    return log(a / a2) + a2 * log(m / m2) + a2 / a - 1


par = Law("pareto", ["scale", "concentration"],
          lambda m, a, x: log(a) + a * log(m) - (a + 1) * log(x) if x >= m else -inf,
          cdf=lambda m, a, x: 1 - (m / x) ** a if x > m else mpf(0),
          icdf=lambda m, a, u: m * (1 - u) ** (-1 / a) if u < 1 else inf,
          mean=lambda m, a: a * m / (a - 1) if a > 1 else inf,
          variance=lambda m, a: m * m * a / (a - 1) ** 2 / (a - 2) if a > 2 else inf,
          mode=lambda m, a: m, entropy=lambda m, a: log(m / a) + 1 / a + 1)
par.case((2.0, 3.0), (2.0, 2.0000001, 5.0, 1e9, 1.5), (0.0, 1e-12, 0.4, 0.999, 1.0))
par.case((0.1, 1.5), (0.1, 4.0), (0.5,))
par.case((7.0, 0.5), (9.0, 1e200), (0.5,))
par.case((3.0, 1e6), (3.0, 3.00001), (0.5,))
par.case((1e-5, 1e-3), (1.0, 1e100), (0.2,))
for q, p in [((2.0, 3.0), (1.0, 4.0)), ((2.0, 3.0), (2.0, 3.0001)), ((1.0, 3.0), (2.0, 3.0)),
             ((2.0, 1e3), (1.999, 1e3)), ((5.0, 0.01), (1e-3, 20.0))]:
    par.kl(q, par, p, pareto_kl)

# ---- von Mises ----

def log_bessel(k):
    return log(besseli(0, k)) if k < 1e4 else k + log(bessel_scaled(k))


def bessel_scaled(k, n=0):
    """e^-k I_n(k) for large k, by its asymptotic series."""
    term, total = mpf(1), mpf(1)
    for j in range(1, 60):
        term *= -((4 * n * n) - (2 * j - 1) ** 2) / (j * 8 * k)
        total += term
        if abs(term) < mpf(10) ** -75:
            break
    return total / sqrt(2 * pi * k)


def mean_cosine(k):
    return besseli(1, k) / besseli(0, k) if k < 1e4 else bessel_scaled(k, 1) / bessel_scaled(k)


def vm_log_prob(m, k, x):
    return k * cos(x - m) - log(2 * pi) - log_bessel(k)


def vm_cdf(m, k, x):
    constant, width = log(2 * pi) + log_bessel(k), 1 / sqrt(k + 1)
    centres = [m + 2 * pi * j for j in range(-3, 4)]
    low = mpf(-pi)
    points = {low, x}
    for c in centres:
        for j in (-12, -8, -6, -4, -2, -1, 0, 1, 2, 4, 6, 8, 12):
            if low < c + j * width < x:
                points.add(c + j * width)
    mp.dps = 40
    value = quad(lambda t: exp(k * cos(t - m) - constant), sorted(points)) if x > low else mpf(0)
    mp.dps = 80
    return value


def vm_kl(m, k, m2, k2):
    return log_bessel(k2) - log_bessel(k) + mean_cosine(k) * (k - k2 * cos(m - m2))


vm = Law("von_mises", ["loc", "concentration"], vm_log_prob, cdf=vm_cdf,
         mode=lambda m, k: m - 2 * pi * floor((m + pi) / (2 * pi)),
         entropy=lambda m, k: log(2 * pi) + log_bessel(k) - k * mean_cosine(k))
vm.case((0.5, 2.0), (-3.0, -1.0, 0.5, 2.0, 3.14), ())
vm.case((-2.5, 0.1), (-3.14, 0.0, 3.0), ())
vm.case((10.0, 5.0), (-2.5, -3.1, 1.0), ())
vm.case((3.0, 50.0), (3.1, -3.1, 2.0, 0.0), ())
vm.case((1.0, 1e-3), (0.3, -2.0), ())
vm.case((0.0, 1e6), (0.0, 0.001, -0.003, 1.0), (), cdfs=(0.0, 0.001, -0.003))
vm.case((1.0, 0.0), (0.3, -2.0), ())
for q, p in [((0.5, 2.0), (0.5, 2.0)), ((0.5, 2.0), (-1.0, 3.0)), ((0.0, 1e-3), (1.0, 10.0)),
             ((2.0, 1e6), (2.001, 1e6)), ((0.0, 100.0), (0.1, 1.0)), ((3.0, 5.0), (-3.0, 5.1)),
             ((1.0, 3.0), (0.0, 0.0))]:
    vm.kl(q, vm, p, vm_kl)

# ---- Dirichlet ----

def dir_log_prob(a, x):
    return sum(power_log(e - 1, y) for e, y in zip(a, x)) - sum(loggamma(e) for e in a) + loggamma(sum(a))


def dir_entropy(a):
    s = sum(a)
    return (sum(loggamma(e) for e in a) - loggamma(s) + (s - len(a)) * psi(0, s) -
            sum((e - 1) * psi(0, e) for e in a))


def dir_kl(a, c):
    s = sum(a)
    return (loggamma(s) - loggamma(sum(c)) - sum(loggamma(e) for e in a) + sum(loggamma(e) for e in c)
            + sum((e - f) * (psi(0, e) - psi(0, s)) for e, f in zip(a, c)))


di = Law("dirichlet", ["concentration"], dir_log_prob,
         mean=lambda a: [e / sum(a) for e in a],
         variance=lambda a: [e * (sum(a) - e) / sum(a) ** 2 / (sum(a) + 1) for e in a],
         mode=lambda a: [(e - 1) / (sum(a) - len(a)) for e in a] if min(a) > 1 else [nan] * len(a),
         entropy=dir_entropy)
di.case(([2.0, 3.0, 1.5],), ([0.25, 0.5, 0.25], [0.125, 0.75, 0.125], [0.0, 0.5, 0.5]))
di.case(([0.5, 0.1, 4.0],), ([0.25, 0.5, 0.25], [2.0 ** -60, 0.25, 0.75], [0.0, 0.5, 0.5]))
di.case(([1.0, 1.0],), ([0.25, 0.75], [0.0, 1.0]))
di.case(([1.0, 2.0],), ([0.0, 1.0], [1.0, 0.0]), moments=False)
di.case(([1e6, 3e6],), ([0.25, 0.75], [0.2509765625, 0.7490234375], [0.5, 0.5]))
di.case(([1e-3, 1e-3, 1e3],), ([2.0 ** -500, 2.0 ** -30, 1.0 - 2.0 ** -30],))
di.case(([7.0],), ([1.0],))
for q, p in [([2.0, 3.0, 1.5], [1.0, 1.0, 1.0]), ([0.1, 0.5, 4.0], [3.0, 0.01, 20.0]),
             ([1e6, 2e6], [1e6, 2.001e6]), ([1e6, 2e6, 3e6], [2e6, 4e6, 6e6]), ([5.0, 6.0], [5.0, 6.0]),
             ([1e-3, 1e3], [1e3, 1e-3])]:
    di.kl((q,), di, (p,), dir_kl)

# ---- inverse Gaussian ----


def wald_log_prob(m, k, x):
    return -inf if x <= 0 else log(k / (2 * pi * x ** 3)) / 2 - k * (x - m) ** 2 / (2 * m ** 2 * x)


def wald_cdf(m, k, x):
    root = sqrt(k / x)
    return erfc(root * (1 - x / m) / sqrt(2)) / 2 + exp(2 * k / m) * erfc(root * (1 + x / m) / sqrt(2)) / 2


def wald_survival(m, k, x):
    root = sqrt(k / x)
    return erfc(root * (x / m - 1) / sqrt(2)) / 2 - exp(2 * k / m) * erfc(root * (1 + x / m) / sqrt(2)) / 2


def wald_mode(m, k):
    r = 3 * m / (2 * k)
    return m * (sqrt(1 + r * r) - r)


def wald_kl(m, k, n, s):
    return (log(k / s) - 1 + s / k) / 2 + s * (m - n) ** 2 / (2 * m * n ** 2)


wald = Law("inverse_gaussian", ("mean", "shape"), wald_log_prob, cdf=wald_cdf, mean=lambda m, k: m,
           variance=lambda m, k: m ** 3 / k, mode=wald_mode)
for values, xs in [((1.0, 1.0), (1e-3, 0.125, 1.0, 5.0, 60.0)), ((2.5, 0.125), (1e-3, 0.5, 40.0, 1e4)),
                   ((0.5, 300.0), (0.375, 0.5, 0.625)), ((1e-3, 1e3), (0.00099, 0.001, 0.0010078125)),
                   ((1e6, 1e-6), (1e-9, 1.0, 1e6)), ((3.0, 1e8), (2.9990234375, 3.0, 3.0009765625))]:
    wald.case(values, xs)
    for x in xs + (8 * values[0], 900.0 * values[0]):
        wald.add("survival", values, wald_survival(*exact(values), exact(x)), " ; x " + argument(x))
for q, p in [((1.0, 2.0), (1.5, 0.5)), ((1e-3, 1e3), (1e3, 1e-3)), ((2.0, 3.0), (2.0, 3.0)),
             ((2.0, 3.0), (2.0000001, 3.0)), ((4.0, 1e6), (4.0, 1.000001e6))]:
    wald.kl(q, wald, p, wald_kl)

for law in (g, ig, chi, wald, be, ku, wei, par, vm, di):
    law.write()
