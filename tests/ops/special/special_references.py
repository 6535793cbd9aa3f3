#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints tests/ops/special/special_references.txt: function, arguments (hexadecimal, so exact), value to 25
digits. The values are sums of positive terms and quadratures in many digits. Delicate values are not computed
by the method of ops/special/*.c."""
import sys
from mpmath import mp, mpf, log, exp, expm1, log1p, sqrt, psi, loggamma, besseli, nstr, cos, sin, pi, quad


def put(name, args, value):
    if value != 0 and (abs(value) < mpf(10) ** -290 or abs(value) > mpf(10) ** 300):
        return
    print(name, *[float(a).hex() for a in args], nstr(value, 25))


def digits(n):
    mp.dps = n


# ---- gamma: x^a e^-x / Gamma(a + 1) (1 + x/(a+1) + ...) ----

def gamma_sums(a, x):
    """P, Q, dP/da, x density"""
    term = total = mpf(1)
    harmonic = weighted = mpf(0)
    n = 0
    while term > total * mpf(10) ** -(mp.dps + 5) or n < x - a:
        n += 1
        u = 1 / (a + n)
        term *= x * u
        harmonic += u
        total += term
        weighted += term * harmonic
    head = exp(a * log(x) - x - loggamma(a + 1))
    p = head * total
    return p, 1 - p, p * (log(x) - psi(0, a + 1)) - head * weighted, a * head


def enough_for_gamma(a, x):
    a, x = mpf(a), mpf(x)
    tail = (x - a - a * log(x / a)) / log(10) if x > a else 0
    digits(45 + int(tail) + 8)


def gamma_points():
    for a in 1e-10, 1e-5, 0.01, 0.3, 0.9, 1.0, 1.5, 4.0:
        for x in 1e-300, 1e-20, 1e-5, 0.1, 0.5, 1.05, 1.2, 3.0, 7.0, 20.0, 60.0, 300.0:
            yield a, x
    for a in 8.0, 15.9, 16.1, 29.0, 31.0, 100.0, 1e3, 1e5, 1e8:
        for z in (-8, -4, -2, -0.5, 0, 0.7, 2.5, 4.1, 6, 12) if a < 1e8 else (-9, -1, 0, 1, 5):
            if a + z * a ** 0.5 > 0:
                yield a, a + z * a ** 0.5
        if a <= 1e3:
            for r in 0.02, 0.36, 0.38, 0.69, 0.71, 1.29, 1.31, 2.7, 2.75, 5.0:
                yield a, a * r


def gamma_table():
    digits(50)
    for a, x in gamma_points():
        enough_for_gamma(a, x)
        p, q, slope, density = gamma_sums(mpf(a), mpf(x))
        put('gamma_p', (a, x), p)
        put('gamma_q', (a, x), q)
        put('gamma_p_slope', (a, x), slope)
        put('gamma_density', (a, x), density / mpf(x))
        log_x = float(log(mpf(x)))
        p, q, slope, density = gamma_sums(mpf(a), exp(mpf(log_x)))
        put('gamma_draw_slope', (a, log_x), -slope / density)
    for a in 1e-5, 1e-4, 1e-3, 0.03:
        for log_x in -1e5, -3e4, -1e4, -1e3, -200.0:
            digits(50)
            p, q, slope, density = gamma_sums(mpf(a), exp(mpf(log_x)))
            put('gamma_draw_slope', (a, log_x), -slope / density)
    for a in 1e-5, 0.01, 0.5, 1.0, 2.5, 12.0, 40.0, 1e3, 1e5:
        for p in 1e-280, 1e-30, 1e-5, 0.01, 0.3, 0.5, 0.6, 0.95, 0.999, 1 - 2.0 ** -40:
            inverse_gamma(a, p)


def inverse_gamma(a, p):
    """Newton for log P (or Q) in log x."""
    digits(40)
    y = (log(mpf(p)) + loggamma(mpf(a) + 1)) / a
    if y < -100:
        put('gamma_p_inverse', (a, p), exp(y))
        return
    if p <= 0.5:
        y = min(y, log(mpf(a)) - mpf(7) / sqrt(mpf(a)))
    else:
        y = log(mpf(a) + sqrt(-2 * a * log(1 - mpf(p))) - log(1 - mpf(p)))
    for _ in range(100):
        enough_for_gamma(a, exp(y))
        below, above, _, density = gamma_sums(mpf(a), exp(y))
        step = log(p / below) * below / density if p <= 0.5 else -log((1 - mpf(p)) / above) * above / density
        y += max(step, mpf(-5)) if p <= 0.5 else step
        if abs(step) < mpf(10) ** -32:
            put('gamma_p_inverse', (a, p), exp(y))
            return
    raise ArithmeticError((a, p))


# ---- beta: x^a y^b / (a B) (1 + (a+b)/(a+1) x + ...) ----

def beta_sums(a, b, x, y):
    """I, dI/da, dI/db, x y density"""
    if x > (a + 1) / (a + b + 2):
        value, by_b, by_a, weight = beta_sums(b, a, y, x)
        return 1 - value, -by_a, -by_b, weight
    term = total = mpf(1)
    by_a = by_b = sum_a = sum_b = mpf(0)
    n = 0
    while term > total * mpf(10) ** -(mp.dps + 5):
        u, v = 1 / (a + b + n), 1 / (a + 1 + n)
        term *= x * v / u
        sum_a += u - v
        sum_b += u
        total += term
        by_a += term * sum_a
        by_b += term * sum_b
        n += 1
    head = exp(a * log(x) + b * log(y) + loggamma(a + b) - loggamma(a + 1) - loggamma(b))
    return (head * total, head * (total * (log(x) - psi(0, a + 1) + psi(0, a + b)) + by_a),
            head * (total * (log(y) - psi(0, b) + psi(0, a + b)) + by_b), a * head)


def beta_points():
    shapes = 1e-10, 1e-3, 0.3, 1.0, 2.5, 12.0, 300.0
    for a in shapes:
        for b in shapes:
            mean = a / (a + b)
            for x in (1e-200, 1e-8, mean * 0.3, mean * 0.97, mean + (1 - mean) * 0.04, 0.4, 0.8, 0.999,
                      1 - 2.0 ** -30):
                if 0 < x < 1:
                    yield a, b, x
    for a, b in (1e6, 1e6), (1e6, 2.0), (3.0, 1e6), (1e4, 1e6), (0.2, 1e5):
        mean, deviation = a / (a + b), (a * b / (a + b + 1)) ** 0.5 / (a + b)
        for z in -6, -1, 0.001, 1, 6:
            if 0 < mean + z * deviation < 1:
                yield a, b, mean + z * deviation


def beta_table():
    for i, (a, b, x) in enumerate(beta_points()):
        digits(90 if x > 1e-100 else 50)
        value, by_a, by_b, weight = beta_sums(mpf(a), mpf(b), mpf(x), 1 - mpf(x))
        put('beta_i', (a, b, x), value)
        if i % 3:
            continue
        put('beta_density', (a, b, x), weight / (mpf(x) * (1 - mpf(x))))
        put('beta_i_slope_a', (a, b, x), by_a)
        put('beta_i_slope_b', (a, b, x), by_b)
        put('beta_draw_slope_a', (a, b, x), -by_a / weight * mpf(x) * (1 - mpf(x)))
        put('beta_draw_slope_b', (a, b, x), -by_b / weight * mpf(x) * (1 - mpf(x)))


def beta_inverse_table():
    for a, b in (0.01, 3.0), (0.5, 0.5), (1.0, 4.0), (7.0, 2.0), (30.0, 0.2), (100.0, 200.0), (1e3, 5e3):
        for p in 1e-250, 1e-20, 1e-4, 0.03, 0.4, 0.5, 0.7, 0.97, 0.9999, 1 - 2.0 ** -40:
            inverse_beta(a, b, p)


def inverse_beta(a, b, p):
    """Newton for log I in the logit, from below: only positive terms."""
    digits(45)
    a, b, target = mpf(a), mpf(b), mpf(p)
    if p > 0.5:
        a, b, target = b, a, 1 - target
    low = (log(target) + loggamma(a + 1) + loggamma(b) - loggamma(a + b)) / a
    u = min(log(a / b), low) - 5
    for _ in range(200):
        x, y = 1 / (1 + exp(-u)), 1 / (1 + exp(u))
        value, _, _, weight = beta_sums(a, b, x, y)
        step = log(target / value) * value / weight
        u += step
        if abs(step) < mpf(10) ** -30:
            put('beta_i_inverse', (a, b, p) if p <= 0.5 else (b, a, p), x if p <= 0.5 else y)
            return
    raise ArithmeticError((a, b, p))


def beta_upper_table():
    """The tails of Student's t among others; their inverses by the mirror image."""
    points = [(0.5, df / 2, z * z / (df + z * z)) for df in (0.5, 3.0, 30.0, 100.0, 1e3, 1e4)
              for z in (1e-5, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 8.0, 12.0, 20.0, 28.0, 35.0)]
    for a, b, x in points + list(beta_points())[5::23]:
        digits(60 + int(b * -log1p(-mpf(x)) / log(10)) if x < 0.5 else 120)
        value = beta_sums(mpf(b), mpf(a), 1 - mpf(x), mpf(x))[0]
        put('beta_i_upper', (a, b, x), value)
        density = beta_sums(mpf(b), mpf(a), 1 - mpf(x), mpf(x))[3] / (mpf(x) * (1 - mpf(x)))
        if 1e-250 < value < 0.99 and density > value:  # the rounded value decides x
            put('beta_i_upper_inverse', (a, b, float(value)), x + (value - float(value)) / density)


# ---- von Mises ----

def around(kappa, low, high, at):
    """Returns points between which the rule misses no narrow peak."""
    scale = min(mpf(1), 1 / sqrt(mpf(kappa))) if kappa else mpf(1)
    fall = kappa * sin(at) if kappa else mpf(0)
    if fall * scale > 1 and at == low:
        scale = 1 / fall
    points, step, t = [low], scale / 2, low
    while t + step < high and len(points) < 60:
        t += step
        points.append(t)
        step *= mpf('1.3')
    return points + [high]


def von_mises(kappa, x):
    digits(40)
    kappa, x = mpf(kappa), mpf(x)
    ax = abs(x)

    def integral(f, low, high, at, origin):
        return quad(lambda t: f(t) * exp(-2 * kappa * (sin(t / 2) ** 2 - sin(origin / 2) ** 2)),
                    around(kappa, low, high, at))

    mass = integral(lambda t: mpf(1), mpf(0), +pi, mpf(0), mpf(0))
    spread = integral(lambda t: 2 * sin(t / 2) ** 2, mpf(0), +pi, mpf(0), mpf(0)) / mass
    tail = integral(lambda t: mpf(1), ax, +pi, ax, ax)
    slope = -integral(lambda t: 2 * sin(t / 2) ** 2 - spread, ax, +pi, ax, ax)
    density = exp(-2 * kappa * sin(x / 2) ** 2) / (2 * mass)
    put('von_mises_density', (kappa, x), density)
    put('von_mises_cdf', (kappa, x), density * tail if x < 0 else 1 - density * tail)
    put('von_mises_draw_slope', (kappa, x), slope if x > 0 else -slope)
    put('von_mises_cdf_slope', (kappa, x), (-slope if x > 0 else slope) * density)


def spread_of_von_mises(kappa):
    """And its derivatives, −Var[cos t] and, where it is not small, the third cumulant of 1 − cos t."""
    digits(80)
    k = mpf(kappa)
    ratio = besseli(1, k) / besseli(0, k)
    slope = ratio ** 2 - 1 + (ratio / k if k else mpf(1) / 2)
    put('von_mises_spread', (kappa,), 1 - ratio)
    put('von_mises_spread_slope', (kappa,), slope)
    if kappa >= 1:
        put('von_mises_spread_curve', (kappa,), -slope / k - ratio / k ** 2 - 2 * ratio * slope)


def spread_table():
    for n in range(-12, 52):
        spread_of_von_mises(1.7 ** n)
    for kappa in 29.0, 31.999, 32.0, 33.0, 36.0, 40.0, 57.0, 80.0:
        spread_of_von_mises(kappa)


def von_mises_bregman_table():
    digits(60)
    for a in 1e-6, 0.01, 0.7, 1.5, 6.0, 30.0, 1e3, 1e6:
        for c in a * (1 + 2.0 ** -30), a * (1 - 1e-3), a * 1.15, a + 0.1, a * 1.3, a * 4, a / 7, a / 1e3:
            x, y = mpf(a), mpf(c)
            rest = log(besseli(0, y) / besseli(0, x)) - (y - x) * besseli(1, x) / besseli(0, x)
            put('von_mises_bregman', (y, x), rest)


def von_mises_table():
    for kappa in 0.0, 1e-6, 0.1, 1.0, 6.0, 30.0, 300.0, 1e4, 1e8:
        deviation = min(1.0, (kappa or 1.0) ** -0.5)
        for x in -3.0, -1.2, 0.3, 2.0, 3.1:
            von_mises(kappa, x)
        for z in -7.5, -2.0, -0.01, 0.8, 1.1, 4.0:
            if abs(z * deviation) < 3.14:
                von_mises(kappa, z * deviation)


# ---- log gamma and its derivatives ----

def log_gamma_table():
    for a in 1e-300, 1e-10, 0.1, 0.9, 1.7, 5.0, 9.9, 10.1, 40.0, 1e5, 1e16:
        for b in 1e-200, 1e-8, 0.4, 1.0, 3.3, 9.0, 25.0, 1e7, 1e300:
            digits(800 if max(a, b) > 1e20 or min(a, b) < 1e-20 else 80)
            x, y = mpf(a), mpf(b)
            put('lbeta', (a, b), loggamma(x) + loggamma(y) - loggamma(x + y))
            put('digamma_difference', (a, b), psi(0, x + y) - psi(0, x))
    digits(60)
    for n in 0, 1, 2, 3, 7, 20, 60, 100:
        for x in 1e-3, 0.2, 1.0, 1.46163214496836225, 1.5, 4.0, 11.0, 50.0, 300.0, 1e4, 1e9:
            put('polygamma', (n, x), psi(n, mpf(x)))


def order_table():
    for n in 0, 1, 2, 3, 4, 7, 20:
        for x in 1e-8, 1e-3, 0.2, 0.9, 1.0, 1.7, 4.0, 11.0, 13.9, 18.3, 50.0, 300.0, 1e6, 1e16:
            digits(60 + 18 * (n + 2))
            y = mpf(x)
            log_slope = (-1) ** (n + 1) * mp.factorial(n - 1) / y ** n if n else log(y)
            if n:
                put('polygamma_rest', (n, x), psi(n, y) - log_slope)
            step = psi(n - 1, y + 0.5) - psi(n - 1, y) if n else loggamma(y + 0.5) - loggamma(y)
            put('log_gamma_step_rest', (n, x), step - log_slope / 2)
            for b in -0.99, -1e-5, 1e-10, 0.5, 3.0, 1e5:
                z = y + mpf(b * (x if b < 0 else 1))
                put('polygamma_difference', (n, x, b * (x if b < 0 else 1)), psi(n, z) - psi(n, y))


# ---- Kumaraswamy: an expectation over t = -b log(1 - x^a), which is exponential ----

def kumaraswamy(a, b):
    digits(32)
    a, b = mpf(a), mpf(b)

    def integral(f):  # in y = log t; quad takes what is tiny for 0
        ends = [-90, -30, -10, -4, -2, 0, 1, 2, 2.5, 3, 3.5, 4, 5, 6.5]
        size = max(abs(f(exp(mpf(y)))) * exp(y - exp(mpf(y))) for y in ends)
        return size * quad(lambda y: f(exp(y)) / size * exp(y - exp(y)), ends)

    def log1mexp(u):  # log(1 - e^-u)
        return log(-expm1(-u)) if u < 1 else log1p(-exp(-u))

    def log_x(t):
        return log1mexp(t / b) / a

    def odds(t):  # x / (1 - x)
        return 1 / expm1(-log_x(t))

    put('kumaraswamy_log_rest', (a, b), integral(lambda t: -log1mexp(-log_x(t))))
    put('kumaraswamy_log_rest_slope_a', (a, b), integral(lambda t: -odds(t) * log_x(t) / a))
    put('kumaraswamy_log_rest_slope_b', (a, b), integral(lambda t: -odds(t) * t / b / expm1(t / b) / (a * b)))


def kumaraswamy_table():
    for a in 0.05, 0.3, 0.8, 1.0, 2.5, 7.0, 40.0, 300.0:
        for b in 0.02, 0.3, 0.9, 1.0, 2.0, 9.0, 50.0, 1e4:
            kumaraswamy(a, b)


# ---- what is left where much cancels ----

def bregman(f, slope, c, a):
    return f(c) - f(a) - (c - a) * slope(a)


def bregman_table():
    digits(80)
    for n in range(40):
        for w in 2.0 ** -n, -2.0 ** -n, 1.37 * n - 30:
            put('exp_excess', (w,), exp(mpf(w)) - 1 - w)
            put('log_less_digamma', (abs(w),), log(abs(mpf(w))) - psi(0, abs(mpf(w))))
    for a in 1e-10, 1e-3, 0.3, 1.0, 2.5, 9.9, 12.0, 300.0, 1e6:
        for factor in 1e-5, 0.3, 0.9, 1 - 2.0 ** -20, 1 + 2.0 ** -30, 1.1, 3.0, 20.0, 1e4:
            x, y = mpf(a), mpf(a * factor)
            kernel = x * log(y) - y - loggamma(x)
            if abs(kernel) > 0.1:  # not near its zeros
                put('log_gamma_kernel', (x, y), kernel)
            put('log_gamma_bregman', (y, x), bregman(loggamma, lambda t: psi(0, t), y, x))
            put('stirling_bregman', (y, x), bregman(lambda t: loggamma(t) - t * log(t) + t,
                                                    lambda t: psi(0, t) - log(t), y, x))
    digits(260)
    for x in 1e-100, 1e-8, 0.5, 2.0, 9.5, 12.0, 1e8, 1e12, 1e18, 1e24, 1e100:
        for y in 1e-100, 1e-8, 0.5, 2.0, 9.5, 12.0, 1e8, 1e12, 1e18, 1e24, 1e100:
            if x != y:
                x, y = mpf(x), mpf(y)
                put('log_gamma_bregman', (y, x), bregman(loggamma, lambda t: psi(0, t), y, x))
                put('stirling_bregman', (y, x), bregman(lambda t: loggamma(t) - t * log(t) + t,
                                                        lambda t: psi(0, t) - log(t), y, x))
                put('digamma_gap', (y, x), psi(0, y) - psi(0, x))
                put('digamma_rest_gap', (y, x), psi(0, y) - log(y) - psi(0, x) + log(x))


# ---- draws of beta and Student's t: slopes at a constant rank, by differences in many digits ----

def log_odds_slopes(a, b, l):
    digits(60)
    a, b, l = mpf(a), mpf(b), mpf(l)
    tiny = mpf(10) ** -20

    def tail(p, q):  # the smaller one, so that its digits last
        head, rest = (p, q) if l < 0 else (q, p)
        ends = [-mp.inf, *[-abs(l) - 40 * k / head for k in (3, 2, 1, 0.3, 0.1)], -abs(l)]
        return mp.quad(lambda u: exp(head * u) * (1 + exp(u)) ** -(p + q), ends) / mp.beta(p, q)

    sign = 1 if l < 0 else -1
    density = sign * exp(a * l) * (1 + exp(l)) ** -(a + b) / mp.beta(a, b)
    put('beta_log_odds_slope_a', (a, b, l), -(tail(a + tiny, b) - tail(a - tiny, b)) / (2 * tiny) / density)
    put('beta_log_odds_slope_b', (a, b, l), -(tail(a, b + tiny) - tail(a, b - tiny)) / (2 * tiny) / density)


def student_t_slope(df, z):
    digits(100)
    df, z = mpf(df), mpf(z)
    tiny = df * mpf(10) ** -20

    def log_density(n, t):
        return loggamma((n + 1) / 2) - loggamma(n / 2) - log(n * pi) / 2 - (n + 1) / 2 * log1p(t * t / n)

    def mass(n):
        return mp.quad(lambda t: exp(log_density(n, t)), [z * k / 16 for k in range(17)])

    of_df = (mass(df + tiny) - mass(df - tiny)) / (2 * tiny)
    put('student_t_draw_slope', (df, z), -of_df / exp(log_density(df, z)))


def implicit_table():
    for a in 0.05, 0.7, 1.0, 3.0, 40.0:
        for b in 0.3, 1.5, 25.0:
            for offset in -3.0, -0.5, 0.1, 2.0:
                log_odds_slopes(a, b, float(log(mpf(a) / b)) + offset * (1 / a + 1 / b) ** 0.5)
    for df in 0.1, 0.5, 1.0, 3.0, 7.5, 30.0, 700.0, 1e4, 9e5, 1.1e6:
        for z in 1e-6, 0.3, -1.0, 1.9, 4.0, -7.0, 9.5:
            student_t_slope(df, z)


tables = {'gamma': gamma_table, 'beta': beta_table, 'beta_inverse': beta_inverse_table,
          'beta_upper': beta_upper_table, 'von_mises': von_mises_table,
          'von_mises_bregman': von_mises_bregman_table, 'log_gamma': log_gamma_table, 'spread': spread_table,
          'bregman': bregman_table, 'kumaraswamy': kumaraswamy_table,
          'order': order_table, 'implicit': implicit_table}
if __name__ == '__main__':
    print('# made by special_references.py, in some minutes')
    for name, table in tables.items():
        if len(sys.argv) < 2 or name in sys.argv:
            table()
