#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes bernoulli.txt … relaxed_categorical.txt: values in high precision, for exactly the doubles printed
in the lines. Run it in this directory."""
from mpmath import mp, mpf, log, exp, loggamma, inf, nstr, ceil

mp.dps = 400  # so that 1 - p has its digits for the smallest p
out = {}


def numbers(value):
    if isinstance(value, list):
        return "[%d] %s" % (len(value), " ".join(numbers(x) for x in value))
    return repr(float(value)) if abs(float(value)) != float("inf") else ("inf" if value > 0 else "-inf")


def arguments(pairs):
    return " ; ".join("%s %s" % (name, numbers(value)) for name, value in pairs)


def digits(value):
    if isinstance(value, list):
        return "[%d] %s" % (len(value), " ".join(digits(x) for x in value))
    value = mpf(value)
    return "inf" if value == inf else "-inf" if value == -inf else nstr(value, 25)


def put(name, quantity, pairs, value):
    out.setdefault(name, []).append("%s ; %s ; %s" % (quantity, arguments(pairs), digits(value)))


def put_kl(name, q, p, value):
    out.setdefault(name, []).append("kl ; %s ; %s ; %s ; %s" % (arguments(q), name, arguments(p),
                                                                digits(value)))


def xlog(x, log_y):
    return mpf(0) if x == 0 else x * log_y


class Chance:
    def __init__(self, form, value):
        self.pair = (form, value)
        value = mpf(value)
        self.p = value if form == "prob" else 1 / (1 + exp(-value))
        self.q = 1 - value if form == "prob" else 1 / (1 + exp(value))
        self.log_p = log(self.p) if self.p else -inf
        self.log_q = log(self.q) if self.q else -inf


class Chances:
    def __init__(self, form, values):
        self.pair = (form, values)
        values = [mpf(v) for v in values]
        weights = values if form == "probs" else [mpf(0) if v == -inf else exp(v) for v in values]
        # rounded probabilities sum to 1 but for rounding: the normalised ones are meant
        self.p = [w / sum(weights) for w in weights]
        self.log_p = [log(w) if w else -inf for w in self.p]
        if form == "probs":
            self.log_w = [log(w) if w else -inf for w in weights]


def kl_chance(a, b):
    return kl_vector([a.p, a.q], [a.log_p, a.log_q], [b.log_p, b.log_q])


def kl_vector(p, log_p, log_q):
    return sum((xlog(x, u - v) if not (x and v == -inf) else inf) for x, u, v in zip(p, log_p, log_q))


def entropy(p, log_p):
    return -sum(xlog(x, u) for x, u in zip(p, log_p))


PROBS = [("prob", v) for v in (0.5, 0.1, 0.999, 1e-3, 1e-10, 1e-300, 0.7)]
BORDERS = [("prob", 0.0), ("prob", 1.0)]
LOGITS = [("logits", v) for v in (0.0, -2.5, 3.25, 40.0, -45.0, 700.0, -800.0)]


def bernoulli():
    for form, value in PROBS + BORDERS + LOGITS:
        c = Chance(form, value)
        put("bernoulli", "log_prob", [c.pair, ("x", 0)], c.log_q)
        put("bernoulli", "log_prob", [c.pair, ("x", 1)], c.log_p)
        put("bernoulli", "mean", [c.pair], c.p)
        put("bernoulli", "variance", [c.pair], c.p * c.q)
        put("bernoulli", "entropy", [c.pair], entropy([c.p, c.q], [c.log_p, c.log_q]))
    c = Chance("prob", 0.25)
    for x, value in ((0, c.q), (1, 1), (-1, 0), (0.5, c.q)):
        put("bernoulli", "cdf", [c.pair, ("x", x)], value)
    for u, value in ((0, 0), (0.75, 0), (0.7500001, 1), (1, 1)):
        put("bernoulli", "icdf", [c.pair, ("u", u)], value)
    put("bernoulli", "mode", [c.pair], 0)
    put("bernoulli", "mode", [("logits", 0.5)], 1)
    pairs = [(PROBS[0], PROBS[1]), (PROBS[2], PROBS[4]), (PROBS[5], PROBS[6]), (BORDERS[0], PROBS[1]),
             (BORDERS[1], PROBS[3]), (PROBS[0], BORDERS[0]), (BORDERS[0], BORDERS[0]),
             (BORDERS[0], BORDERS[1]), (LOGITS[0], PROBS[6]), (LOGITS[3], LOGITS[6]), (LOGITS[5], LOGITS[6]),
             (LOGITS[1], LOGITS[1]), (("prob", 0.3), ("prob", 0.3000001)),
             (("logits", 1.0), ("logits", 1.000001))]
    for a, b in pairs:
        put_kl("bernoulli", [a], [b], kl_chance(Chance(*a), Chance(*b)))


def log_choose(n, k):
    return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)


def sum_of(term, low, high):
    return sum(term(k) for k in range(low, high + 1))


def put_quantiles(name, pairs, log_p, us, last=10**9):
    """Sums probabilities; u may be a tie only if it is exact."""
    for u in us:
        k, below = 0, exp(log_p(0))
        while below < mpf(u) and k < last:
            k += 1
            below += exp(log_p(k))
        put(name, "icdf", pairs + [("u", u)], k)


TAILS = (0.0, 1e-20, 1e-3, 0.3, 0.5, 0.9, 0.999, 1 - 2.0**-30)


def log_binomial(n, k, c):
    return -inf if k > n or k < 0 else log_choose(mpf(n), mpf(k)) + xlog(k, c.log_p) + xlog(n - k, c.log_q)


def binomial():
    name = "binomial"
    cases = [(10, "prob", 0.3, (0, 3, 10, 11)), (0, "prob", 0.3, (0, 1)), (5, "prob", 0.0, (0, 1)),
             (5, "prob", 1.0, (5, 4)), (40, "prob", 0.5, (20, 15, 16, 0, 40)),
             (1000, "prob", 1e-3, (0, 1, 40)), (1000000, "prob", 0.37, (370000, 371000, 10, 999990, 500000)),
             (1000000, "prob", 1e-6, (0, 2, 30)), (20, "logits", -800.0, (0, 3, 20)),
             (50, "logits", 2.0, (44, 10)), (100000000, "prob", 0.5, (50000000, 50010000))]
    for n, form, value, xs in cases:
        c = Chance(form, value)
        for x in xs:
            put(name, "log_prob", [("total", n), c.pair, ("x", x)], log_binomial(n, x, c))
        put(name, "mean", [("total", n), c.pair], n * c.p)
        put(name, "variance", [("total", n), c.pair], n * c.p * c.q)
    for n, p in ((10, 0.3), (1000, 1e-3), (300, 0.9), (5, 0.0), (5, 1.0), (0, 0.4)):
        c = Chance("prob", p)
        put_quantiles(name, [("total", n), c.pair], lambda k: log_binomial(n, k, c), TAILS, n)
        put(name, "icdf", [("total", n), c.pair, ("u", 1)], n if p else 0)
    put(name, "mode", [("total", 10), ("prob", 0.35)], 3)
    put(name, "mode", [("total", 10), ("prob", 1.0)], 10)
    for n, p, xs in ((10, 0.3, (0, 3, 9, 10)), (1000, 1e-3, (0, 5)), (200, 0.6, (60, 120, 150))):
        c = Chance("prob", p)
        for x in xs:
            put(name, "cdf", [("total", n), c.pair, ("x", x)],
                sum_of(lambda k: exp(log_binomial(n, k, c)), 0, x))
    for n, a, b in ((7, ("prob", 0.2), ("prob", 0.3)), (7, ("prob", 0.0), ("prob", 0.3)),
                    (7, ("prob", 0.3), ("prob", 0.0)), (1000000, ("prob", 0.2), ("prob", 0.2000001)),
                    (0, ("prob", 0.3), ("prob", 0.0)), (3, ("logits", 4.0), ("logits", -900.0))):
        put_kl(name, [("total", n), a], [("total", n), b], n * kl_chance(Chance(*a), Chance(*b)) if n else 0)
    put_kl(name, [("total", 4), ("prob", 0.5)], [("total", 3), ("prob", 0.5)], inf)
    put_kl(name, [("total", 4), ("prob", 0.0)], [("total", 3), ("prob", 0.5)], 3 * log(mpf(2)))


def geometric():
    name = "geometric"
    for form, value in PROBS[:6] + [BORDERS[1]] + LOGITS[:5]:
        c = Chance(form, value)
        for x in (0, 3, 1000000):
            put(name, "log_prob", [c.pair, ("x", x)], c.log_p + xlog(x, c.log_q))
        for x in (0, 7, 100000):
            put(name, "cdf", [c.pair, ("x", x)], 1 - exp((x + 1) * c.log_q) if c.q else 1)
        put(name, "mean", [c.pair], c.q / c.p)
        if c.p > 1e-200:
            put(name, "variance", [c.pair], c.q / c.p**2)
        put(name, "entropy", [c.pair], entropy([c.p, c.q], [c.log_p, c.log_q]) / c.p)
        for u in (0.0, 1e-9, 0.3, 0.875, 0.999999, 1 - 2.0**-30):
            if c.p > 1e-9:
                put(name, "icdf", [c.pair, ("u", u)],
                    max(0, ceil(log(1 - mpf(u)) / c.log_q - mpf(10)**-300) - 1) if c.q else 0)
    put(name, "icdf", [("prob", 0.5), ("u", 1)], inf)
    put(name, "mode", [("prob", 0.2)], 0)
    for a, b in ((("prob", 0.2), ("prob", 0.3)), (("prob", 1.0), ("prob", 0.3)),
                 (("prob", 0.3), ("prob", 1.0)), (("prob", 1e-10), ("prob", 2e-10)),
                 (("logits", -3.0), ("logits", -3.001)), (("logits", 2.0), ("prob", 0.5))):
        put_kl(name, [a], [b], kl_chance(Chance(*a), Chance(*b)) / Chance(*a).p)


def log_poisson(rate, x):
    return xlog(x, log(rate) if rate else -inf) - rate - loggamma(mpf(x) + 1)


def poisson():
    name = "poisson"
    for rate, xs in ((3.5, (0, 1, 3, 15, 16, 17, 100)), (1e-3, (0, 1, 20)), (0.0, (0, 1)),
                     (1e6, (0, 999000, 1000000, 1004000, 2000000)), (1e-300, (0, 2, 20)),
                     (25.0, (0, 10, 25, 60)), (1e8, (100000000, 100030000))):
        for x in xs:
            put(name, "log_prob", [("rate", rate), ("x", x)], log_poisson(mpf(rate), x))
        put(name, "mean", [("rate", rate)], rate)
        put(name, "variance", [("rate", rate)], rate)
    for rate in (3.5, 1e-3, 150.0, 0.0):
        put_quantiles(name, [("rate", rate)], lambda k: log_poisson(mpf(rate), k), TAILS)
        put(name, "icdf", [("rate", rate), ("u", 1)], inf if rate else 0)
    put(name, "mode", [("rate", 3.5)], 3)
    for rate, xs in ((3.5, (0, 3, 20)), (1e-3, (0, 1)), (200.0, (100, 200, 260))):
        for x in xs:
            put(name, "cdf", [("rate", rate), ("x", x)],
                sum_of(lambda k: exp(log_poisson(mpf(rate), k)), 0, x))
    for a, b in ((2.0, 3.0), (0.0, 3.0), (3.0, 0.0), (0.0, 0.0), (1e6, 1000001.0), (1e-3, 1e3),
                 (1e-300, 1.0)):
        u, v = mpf(a), mpf(b)
        value = v if u == 0 else inf if v == 0 else u * log(u / v) - u + v
        put_kl(name, [("rate", a)], [("rate", b)], value)
    for eta, xs in ((1.25, (0, 3, 20)), (-745.5, (0, 1, 2, 30)), (-1e5, (0, 1)), (0.0, (0, 5)),
                    (14.0, (0, 1202604, 1200000)), (700.0, (0, 7, 1e6))):
        rate = exp(mpf(eta))
        for x in xs:
            put(name, "log_prob", [("log_rate", eta), ("x", x)],
                x * mpf(eta) - rate - loggamma(mpf(x) + 1))
        put(name, "mean", [("log_rate", eta)], rate)
        put(name, "variance", [("log_rate", eta)], rate)
    for a, b in ((0.5, 1.5), (-3.0, 2.0), (13.5, 13.5000001), (2.0, 2.0)):
        u, v = exp(mpf(a)), exp(mpf(b))
        put_kl(name, [("log_rate", a)], [("log_rate", b)], u * (mpf(a) - mpf(b)) - u + v)


def log_beta(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def beta_binomial():
    name = "beta_binomial"
    for n, a, b, xs in ((10, 2.0, 3.0, (0, 3, 10, 11)), (0, 2.0, 3.0, (0, 1)), (7, 1.0, 1.0, (0, 5)),
                        (20, 1e-6, 1e-3, (0, 1, 19, 20)), (50, 0.25, 30.0, (0, 1, 40, 50)),
                        (40, 1e12, 3e12, (0, 10, 25, 40)), (1000000, 1e9, 2e9, (333333, 335000, 10)),
                        (1000000, 0.5, 0.5, (0, 1, 500000, 1000000)), (5, 1e-300, 1.0, (0, 1, 5)),
                        (100000000, 300.0, 700.0, (30000000, 31000000))):
        pair = [("total", n), ("alpha", a), ("beta", b)]
        u, v = mpf(a), mpf(b)
        s = u + v
        for x in xs:
            put(name, "log_prob", pair + [("x", x)], -inf if x > n else
                log_choose(mpf(n), mpf(x)) + log_beta(x + u, n - x + v) - log_beta(u, v))
        put(name, "mean", pair, n * u / s)
        put(name, "variance", pair, n * u * v * (s + n) / (s * s * (s + 1)))
    for n, a, b, mode in ((10, 2.5, 3.25, 4), (10, 0.5, 0.75, 0), (10, 0.75, 0.5, 10), (10, 0.5, 3.0, 0),
                          (10, 3.0, 0.5, 10), (6, 1.0, 4.0, 0), (0, 2.0, 2.5, 0)):
        put(name, "mode", [("total", n), ("alpha", a), ("beta", b)], mode)


def logistic(x):
    return 1 / (1 + exp(-x))


def ordered_logistic():
    name = "ordered_logistic"
    for eta, cuts in ((0.25, [-1.0, 0.5, 2.0]), (3.0, [0.0]), (-40.0, [-1.0, 1.0]), (800.0, [-1.0, 1.0, 1.5]),
                      (-0.5, [-2.0, -2.0 + 2.0**-40, 2.0**-30]), (0.0, [-300.0, 300.0])):
        pair = [("eta", eta), ("cutpoints", cuts)]
        # differences of upper tails, or of lower ones: in 400 digits either has enough
        up_to = [logistic(mpf(c) - mpf(eta)) for c in cuts] + [mpf(1)]
        above = [mpf(1)] + [logistic(mpf(eta) - mpf(c)) for c in cuts] + [mpf(0)]
        p = [above[k] - above[k + 1] for k in range(len(cuts) + 1)]
        log_p = [log(x) for x in p]
        mean = sum(k * x for k, x in enumerate(p))
        for k in range(len(p)):
            put(name, "log_prob", pair + [("x", k)], log_p[k])
            put(name, "cdf", pair + [("x", k)], up_to[k])
        put(name, "log_prob", pair + [("x", len(p))], -inf)
        put(name, "mean", pair, mean)
        put(name, "variance", pair, sum(x * (k - mean)**2 for k, x in enumerate(p)))
        put(name, "entropy", pair, entropy(p, log_p))
        put(name, "mode", pair, p.index(max(p)))
        for u in (1e-9, 0.5, 0.9):
            put(name, "icdf", pair + [("u", u)], sum(1 for q in up_to[:-1] if q < mpf(u)))


def log_negative_binomial(r, x, c):
    return loggamma(x + r) - loggamma(mpf(x) + 1) - loggamma(r) + xlog(x, c.log_p) + r * c.log_q


def negative_binomial():
    name = "negative_binomial"
    for r, form, value, xs in ((3.0, "prob", 0.4, (0, 1, 2, 20, 100)), (0.5, "prob", 0.9, (0, 4, 50)),
                               (1e-3, "prob", 0.5, (0, 1, 30)), (1e6, "prob", 1e-3, (0, 1001, 900, 5000)),
                               (1e6, "prob", 0.5, (1000000, 1002000)), (7.0, "prob", 0.0, (0, 1)),
                               (20.0, "logits", 3.0, (400, 0, 1000)), (2.0, "logits", -700.0, (0, 2)),
                               (2.5, "prob", 0.999999, (2500000, 0, 17))):
        c = Chance(form, value)
        for x in xs:
            put(name, "log_prob", [("total", r), c.pair, ("x", x)], log_negative_binomial(mpf(r), x, c))
        put(name, "mean", [("total", r), c.pair], r * c.p / c.q)
        put(name, "variance", [("total", r), c.pair], r * c.p / c.q**2)
    for r, p in ((3.0, 0.4), (0.5, 0.9), (60.0, 0.7), (2.0, 0.0)):
        c = Chance("prob", p)
        put_quantiles(name, [("total", r), c.pair], lambda k: log_negative_binomial(mpf(r), k, c), TAILS)
        put(name, "icdf", [("total", r), c.pair, ("u", 1)], inf if p else 0)
    put(name, "mode", [("total", 3.0), ("prob", 0.55)], 2)
    put(name, "mode", [("total", 0.5), ("prob", 0.5)], 0)
    for r, p, xs in ((3.0, 0.4, (0, 2, 20)), (0.5, 0.9, (0, 10))):
        c = Chance("prob", p)
        for x in xs:
            put(name, "cdf", [("total", r), c.pair, ("x", x)],
                sum_of(lambda k: exp(log_negative_binomial(mpf(r), k, c)), 0, x))
    for r, a, b in ((2.5, ("prob", 0.2), ("prob", 0.3)), (2.5, ("prob", 0.0), ("prob", 0.3)),
                    (2.5, ("prob", 0.3), ("prob", 0.0)), (1000.0, ("logits", 1.0), ("logits", 1.001))):
        put_kl(name, [("total", r), a], [("total", r), b],
               r / Chance(*a).q * kl_chance(Chance(*a), Chance(*b)))


VECTORS = [("probs", [0.25, 0.75]), ("probs", [0.5, 0.125, 0.375]), ("probs", [0.5, 0.0, 0.5]),
           ("probs", [1.0, 0.0, 0.0]), ("logits", [0.3, -1.2, 2.0, 0.0]), ("logits", [-inf, 1.0, 0.5]),
           ("logits", [800.0, -800.0, 799.0]), ("logits", [-1000.5, -1001.5]), ("logits", [1.5, 2.5, 0.25])]
VECTOR_PAIRS = [(1, 8), (8, 1), (2, 1), (1, 2), (2, 2), (5, 8), (8, 5), (5, 5), (5, 6), (6, 1), (3, 1),
                (0, 7)]


def lists():
    for form, values in VECTORS:
        c = Chances(form, values)
        size = len(values)
        mean = sum(k * p for k, p in enumerate(c.p))
        for k in range(size):
            hot = [int(i == k) for i in range(size)]
            value = (c.log_w if form == "probs" else c.log_p)[k]
            put("categorical", "log_prob", [c.pair, ("x", k)], value)
            put("one_hot_categorical", "log_prob", [c.pair, ("x", hot)], value)
            put("categorical", "cdf", [c.pair, ("x", k)], sum(c.p[:k + 1]))
        put("categorical", "mean", [c.pair], mean)
        put("categorical", "variance", [c.pair], sum(p * (k - mean)**2 for k, p in enumerate(c.p)))
        put("one_hot_categorical", "mean", [c.pair], c.p)
        put("one_hot_categorical", "variance", [c.pair], [p * (1 - p) for p in c.p])
        place = max(range(size), key=lambda k: c.p[k])
        put("categorical", "mode", [c.pair], place)
        put("one_hot_categorical", "mode", [c.pair], [int(i == place) for i in range(size)])
        for name in ("categorical", "one_hot_categorical"):
            put(name, "entropy", [c.pair], entropy(c.p, c.log_p))
    for u, k in ((0, 0), (0.5, 0), (0.51, 1), (0.625, 1), (0.63, 2), (1, 2)):
        put("categorical", "icdf", [VECTORS[1], ("u", u)], k)
    for i, j in VECTOR_PAIRS:
        a, b = Chances(*VECTORS[i]), Chances(*VECTORS[j])
        for name in ("categorical", "one_hot_categorical"):
            put_kl(name, [a.pair], [b.pair], kl_vector(a.p, a.log_p, b.log_p))
        put_kl("multinomial", [("total", 6), a.pair], [("total", 6), b.pair],
               6 * kl_vector(a.p, a.log_p, b.log_p))


def log_multinomial(n, xs, c):
    if sum(xs) != n:
        return -inf
    return loggamma(mpf(n) + 1) + sum(xlog(x, u) - loggamma(mpf(x) + 1) for x, u in zip(xs, c.log_p))


def multinomial():
    name = "multinomial"
    for n, vector, xs in ((4, 1, ([2, 1, 1], [4, 0, 0], [0, 0, 4], [1, 1, 1])), (0, 1, ([0, 0, 0],)),
                          (5, 2, ([2, 0, 3], [2, 1, 2])),
                          (1000000, 1, ([500000, 125000, 375000], [499000, 125500, 375500], [999990, 5, 5])),
                          (30, 4, ([5, 1, 20, 4],)), (9, 5, ([0, 4, 5], [1, 4, 4])),
                          (9, 6, ([9, 0, 0], [0, 9, 0])), (100, 8, ([20, 75, 5], [16, 15, 69]))):
        c = Chances(*VECTORS[vector])
        for x in xs:
            put(name, "log_prob", [("total", n), c.pair, ("x", x)], log_multinomial(n, x, c))
        put(name, "mean", [("total", n), c.pair], [n * p for p in c.p])
        put(name, "variance", [("total", n), c.pair], [n * p * (1 - p) for p in c.p])


def relaxed_bernoulli():
    name = "relaxed_bernoulli"
    for t, form, value in ((0.5, "prob", 0.3), (1.0, "prob", 0.5), (0.01, "prob", 0.999),
                           (20.0, "prob", 1e-10), (0.1, "logits", 0.7), (2.0, "logits", -300.0),
                           (1e-3, "logits", 0.0)):
        c = Chance(form, value)
        logit = c.log_p - c.log_q
        for x in (0.5, 0.1, 1e-12, 1e-300, 0.75, 1 - 2.0**-53):
            x_ = mpf(x)
            u = mpf(t) * (log(x_) - log(1 - x_)) - logit
            density = log(mpf(t)) - u - 2 * log(1 + exp(-u)) - log(x_) - log(1 - x_)
            put(name, "log_prob", [("temperature", t), c.pair, ("x", x)], density)
            put(name, "cdf", [("temperature", t), c.pair, ("x", x)], 1 / (1 + exp(-u)))
    put(name, "log_prob", [("temperature", 1.0), ("prob", 0.5), ("x", 0.0)], -inf)
    put(name, "log_prob", [("temperature", 1.0), ("prob", 0.5), ("x", 1.0)], -inf)
    for t, p, u in ((0.5, 0.3, 0.2), (1.0, 0.5, 0.5), (5.0, 0.9, 1e-20), (2.0, 0.1, 0.999)):
        u_, p_ = mpf(u), mpf(p)
        put(name, "icdf", [("temperature", t), ("prob", p), ("u", u)],
            1 / (1 + exp(-(log(u_) - log(1 - u_) + log(p_) - log(1 - p_)) / mpf(t))))
    put(name, "icdf", [("temperature", 1.0), ("prob", 0.5), ("u", 0)], 0)
    put(name, "icdf", [("temperature", 1.0), ("prob", 0.5), ("u", 1)], 1)


def relaxed_categorical():
    name = "relaxed_categorical"
    points = {2: ([0.25, 0.75], [2.0**-40, 1 - 2.0**-40]),
              3: ([0.5, 0.25, 0.25], [2.0**-30, 0.5, 0.5 - 2.0**-30], [1e-300, 1.0, 1e-200]),
              4: ([0.125, 0.5, 0.25, 0.125],)}
    for t in (0.5, 1.0, 0.05, 10.0):
        for form, values in (VECTORS[0], VECTORS[1], VECTORS[4], VECTORS[8], VECTORS[6]):
            c = Chances(form, values)
            k = len(values)
            for x in points[k]:
                scores = [u - mpf(t) * log(mpf(e)) for u, e in zip(c.log_p, x)]
                value = loggamma(k) + (k - 1) * log(mpf(t)) + sum(scores) \
                    - k * log(sum(exp(s) for s in scores))
                put(name, "log_prob", [("temperature", t), c.pair, ("x", x)],
                    value - sum(log(mpf(e)) for e in x))
    put(name, "log_prob", [("temperature", 1.0), VECTORS[1], ("x", [0.0, 0.5, 0.5])], -inf)


for group in (bernoulli, binomial, geometric, poisson, beta_binomial, negative_binomial,
              ordered_logistic, lists, multinomial,
              relaxed_bernoulli, relaxed_categorical):
    group()
for name, lines in out.items():
    with open(name + ".txt", "w") as file:
        file.write("\n".join(lines) + "\n")
