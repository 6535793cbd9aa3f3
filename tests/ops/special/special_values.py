#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values of the special functions, for test_special_values.c:

    python3 special_values.py > special_values.txt

A line is: name, argument (exact), value, and the size in whose units in the last place errors are measured.
That is the size of the value; but if a function has a zero at an argument that is not exact, it is that of
its terms. An optional first argument is the number of random points for each range; names after it choose
functions."""
import random
import struct
import sys

import mpmath as mp

mp.mp.prec = 240


def to_float(x):
    try:
        return struct.unpack('<f', struct.pack('<f', x))[0]
    except OverflowError:
        return x


def log_abs_gamma(x):
    return mp.inf if x <= 0 and x == mp.floor(x) else mp.re(mp.loggamma(x))


def polygamma(n):
    def value(x):
        if x > 0 or x != mp.floor(x):
            return mp.psi(n, x)
        return mp.inf if n == 1 else -mp.inf if x == 0 else mp.nan
    return value


def log_erfc(x):
    """For any x: by the asymptotic series where it has more than enough digits."""
    if x < 1000:
        return mp.log(mp.erfc(x))
    term, series = mp.mpf(1), mp.mpf(1)
    for k in range(1, 40):
        term *= -(2 * k - 1) / (2 * x * x)
        series += term
    return -x * x + mp.log(series / (x * mp.sqrt(mp.pi)))


def erfc(x):
    return mp.erfc(x) if abs(x) < 1000 else mp.mpf(0 if x > 0 else 2)


def ndtr(x):
    return erfc(-x / mp.sqrt(2)) / 2


def log_ndtr(x):
    return log_erfc(-x / mp.sqrt(2)) - mp.log(2) if x < 0 else mp.log1p(-ndtr(-x))


def mills_excess(x):
    """x + phi(x) / Phi(x): left of -30 by the continued fraction of Laplace (1805)."""
    if x >= -30:
        return x + normal_density(x) / ndtr(x)
    fraction = -x
    for k in range(200, 1, -1):
        fraction = -x + k / fraction
    return 1 / fraction


def normal_density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) if abs(x) < 1000 else mp.mpf(0)


def ndtri_of_log(log_p, log_q):
    """The x with log_ndtr(x) = log_p, where log_q = log(1 - p)."""
    if log_p > log_q:
        return -ndtri_of_log(log_q, log_p)
    if log_p == log_q:
        return mp.mpf(0)
    root = mp.sqrt(-2 * log_p)
    x = -root if root < 3 else -(root - mp.log(root * mp.sqrt(2 * mp.pi)) / root)
    for _ in range(60):
        log_left = log_ndtr(x)
        mills = -1 / x if x < -1e10 else mp.exp(log_left + x * x / 2) * mp.sqrt(2 * mp.pi)
        step = (log_left - log_p) * mills
        x -= step
        if abs(step) < abs(x) * mp.mpf(2) ** -200:
            break
    return x


def ndtri(p):
    if p < 0 or p > 1:
        return mp.nan
    if p == 0 or p == 1:
        return mp.inf if p else -mp.inf
    return ndtri_of_log(mp.log(p), mp.log1p(-p))


def ndtri_exp(y):
    if y >= 0:
        return mp.inf if y == 0 else mp.nan
    return ndtri_of_log(y, mp.log(-mp.expm1(y)))


def scaled_bessel(n):
    def value(x):
        a = abs(x)
        if a < 2000:
            v = mp.besseli(n, a) * mp.exp(-a)
        else:
            term, v = mp.mpf(1), mp.mpf(1)
            for k in range(1, 40):
                term *= -(4 * n * n - (2 * k - 1) ** 2) / (8 * k * a)
                v += term
            v /= mp.sqrt(2 * mp.pi * a)
        return -v if n and x < 0 else v
    return value


def own(x, value):
    return value


def gamma_size(n):
    """Left of 0 the larger of the two terms of the reflection."""
    def size(x, value):
        if x > 0 or x == mp.floor(x):
            return value
        return max(abs(value), abs(log_abs_gamma(1 - x) if n < 0 else mp.psi(n, 1 - x)))
    return size


HUGE = [1e8, 1e15, 1e30, 1e100, 1e300]
TINY = [1e-8, 1e-17, 1e-30, 1e-100, 1e-300, 1e-310, 5e-324, 1e-40, 1e-45]
GAMMA_POINTS = [0.5, 1, 2, 3, 4, 5, 0.25, 1.5, 2.5, 3.999999, 4.000001, 0.999999, 1.000001, 1.99999999,
                2.00000001, 1.4616321449683623, 1.4616321449, 1.46164, 10, 100, 170.5, 1000, *HUGE, *TINY,
                0.1, 0.9, -0.5, -1.5, -2.5, -0.1, -0.9, -1e-5, -1.001, -10.3, -100.7, -12345.678, -1e-17,
                -1e-40, -5e-324, -1e-45, -1e-310, -2.4570247382208006, -2.7476826467274127,
                -0.504083008264455, -1.573498473162390]
GAMMA_RANGES = [(1e-3, 1), (1, 4), (4, 20), (20, 1e6), (-20, 0)]
NORMAL_POINTS = [0, 1e-3, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 26,
                 27, 37, 38, 38.4, 40, 100, 1e4, *HUGE, *TINY]
NORMAL_RANGES = [(-0.7, 0.7), (-2, -0.5), (0.5, 2), (-6, -2), (2, 8), (-14, -5), (-38, -10)]
BESSEL_POINTS = [0, 1e-3, 0.1, 0.5, 1, 2, 3, 5, 7, 7.99, 8.01, 9, 10, 11, 11.99, 12.01, 15, 20, 30, 100, 700,
                 1e3, 1e4, *HUGE, *TINY, -1, -3.75, -7.5, -13, -200, -1e30, -1e-30]
FUNCTIONS = {
    'lgamma': (log_abs_gamma, gamma_size(-1), GAMMA_POINTS + [-1, -3, 0, 2.5e305], GAMMA_RANGES),
    'digamma': (polygamma(0), gamma_size(0), GAMMA_POINTS + [-1, -3, 0], GAMMA_RANGES),
    'trigamma': (polygamma(1), gamma_size(1), GAMMA_POINTS + [-1, -3, 0], GAMMA_RANGES),
    'erf': (mp.erf, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS], NORMAL_RANGES),
    'erfc': (erfc, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS] + [26.5, 26.6, 9.3, 10.05],
             [(-x, -y) for x, y in NORMAL_RANGES] + [(10, 27)]),
    'ndtr': (ndtr, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS], NORMAL_RANGES),
    'log_ndtr': (log_ndtr, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS],
                 NORMAL_RANGES + [(-1e5, -38), (8, 38)]),
    'normal_density': (normal_density, own, NORMAL_POINTS, NORMAL_RANGES),
    'mills': (lambda x: mills_excess(x) - x, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS], NORMAL_RANGES),
    'mills_excess': (mills_excess, own, NORMAL_POINTS + [-x for x in NORMAL_POINTS], NORMAL_RANGES),
    'ndtri': (ndtri, own, [0, 1, 0.5, 0.25, 0.75, 0.1, 0.9, 0.02425, 0.97575, 0.075, 0.925, 0.4999999,
                           0.50000001, 1 - 2**-53, 1 - 2**-24, 1 - 1e-10, -1, 2, 1e-3, 1e-5, 1e-7, 1e-12,
                           1e-20, 1e-38, 1e-200, *TINY],
              [(0, 1), (0, 0.1), (0.9, 1), (1e-9, 1e-3), (0.45, 0.55)]),
    'ndtri_exp': (ndtri_exp, own, [0, 1, -0.5, -0.6931471805599453, -0.69314718, -0.693, -0.7, -1, -2, -3, -5,
                                   -10, -14, -30, -37, -100, -700, -745, -800, -1000, -1e4, -1e6, -1e10,
                                   -1e15, -1e30, -1e100, -1e300, -0.1, -0.01, -0.001, *(-x for x in TINY)],
                  [(-0.8, 0), (-3, -0.6), (-30, -2), (-1000, -20), (-1e6, -1000), (-0.01, 0)]),
    'i0e': (scaled_bessel(0), own, BESSEL_POINTS, [(0, 12), (7, 30), (30, 1e4)]),
    'i1e': (scaled_bessel(1), own, BESSEL_POINTS, [(-12, 12), (7, 30), (30, 1e4)]),
}


def word(value):
    if mp.isfinite(value):
        return mp.nstr(value, 25)
    return 'nan' if mp.isnan(value) else 'inf' if value > 0 else '-inf'


def draw(low, high):
    """Uniform, or uniform in the logarithm where the range is wide."""
    if high - low < 1e3:
        return random.uniform(low, high)
    return (1 if low >= 0 else -1) * 10 ** random.uniform(1, 6)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    random.seed(1)
    for name in sys.argv[2:] or FUNCTIONS:
        f, size, points, ranges = FUNCTIONS[name]
        points = points + [draw(low, high) for low, high in ranges for _ in range(count)]
        for x in dict.fromkeys(y for x in points for y in (float(x), to_float(x))):
            value = f(mp.mpf(x))
            s = size(mp.mpf(x), value)
            print(name, x.hex(), word(value), word(mp.mpf(float(abs(s)))) if s is not value else '=')


if __name__ == '__main__':
    main()
