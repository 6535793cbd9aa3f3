#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values of ops/density.h, for test_density.c:

    python3 density_values.py [COUNT] > density_values.txt

A line is the function, its arguments (y is 0 if unused), the value, and the size to which its error is
relative: the value, or the largest term of the sum."""
import random
import struct
import sys

from mpmath import digamma, log, loggamma, mp, mpf

mp.dps = 450  # log Gamma at 1e200 is a difference of large numbers
count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
random.seed(1)


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def spread(low, high):
    """Draws as many small numbers as large ones."""
    return as_float(float(mpf(low) * (mpf(high) / mpf(low)) ** random.random()))


def around(x):
    return as_float(x * random.uniform(0.7, 1.4))


def put(name, x, y, value, size=0):
    print(f"{name} {x.hex()} {y.hex()} {mp.nstr(value, 25)} {mp.nstr(max(abs(value), abs(size)), 25)}")


def body(a, r):
    if a <= 4:
        return put("gamma_body", a, r, (a - 1) * log(r) - r, max(abs((a - 1) * log(r)), r))
    deviance = a * log(mpf(a) / r) - a + r
    is_near = abs(a - r) < 0.25 * (a + r)
    logs = max(abs(log(r)), log(a))
    put("gamma_body", a, r, -deviance - log(mpf(r) / a), max(deviance, logs) if is_near else a * logs)


def of_shape(a):
    exact = mpf(a)
    put("log_gamma_step", a, 0.0, loggamma(exact + 0.5) - loggamma(exact), 0.5)
    put("log_gamma_step_slope", a, 0.0, digamma(exact + 0.5) - digamma(exact))
    less = (exact - 1) * log(exact) - exact if a > 4 else 0
    put("gamma_rest", a, 0.0, loggamma(exact) - less)
    put("gamma_rest_slope", a, 0.0, digamma(exact) - (log(exact) - 1 / exact if a > 4 else 0))


def of_distance(z):
    square = mpf(z) ** 2
    put("log1p_square", z, 0.0, log(1 + square))
    put("log1p_square_slope", z, 0.0, 2 * mpf(z) / (1 + square))


for z in [0.0, 1.0, 2.0**24, 2.0**26, 2.0**53, 2.0**55, 1e200, -1e300, 1e-200]:
    of_distance(z)
for a in [0.5, 1.0, 2.0, 4.0, as_float(4.0001), 8.0, as_float(7.9999), 2.0**60, 1e200, 1e-200]:
    of_shape(a)
for a, r in [(1.0, 3.0), (5.0, 5.0), (2.0**40, 2.0**40 + 2.0**20), (1e200, 1e200), (0.25, 1e-300),
             (300.0, 1e-30)]:
    body(a, r)
for _ in range(count):
    of_distance(random.choice([-1, 1]) * spread(1e-6, 1e12))
    of_shape(random.choice([spread(1e-6, 1e8), as_float(random.uniform(0.1, 12))]))
    body(spread(1e-3, 4), spread(1e-6, 30))
    large = spread(4.01, 1e6)
    body(large, random.choice([around(large), spread(1e-4, 1e7)]))
