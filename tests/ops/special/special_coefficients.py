#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the tables of ops/special/coefficients_table.h:

    special_coefficients.py > ops/special/coefficients_table.h"""
from fractions import Fraction as F
from textwrap import fill
from mpmath import mp, mpf, legendre, findroot, cos, pi

mp.dps = 60
N = 44


def inverse(p):
    """1 / (p[0] + p[1] t + ...) as a power series."""
    q = [1 / p[0]]
    for n in range(1, len(p)):
        q.append(-sum(p[i] * q[n - i] for i in range(1, n + 1)) / p[0])
    return q


def times(p, q):
    return [sum(p[i] * q[n - i] for i in range(n + 1)) for n in range(min(len(p), len(q)))]


def economized(taylor, radius, tolerance):
    """A polynomial on [-radius, radius], shorter than the Taylor series, within about the tolerance."""
    p = [c * mpf(radius) ** i for i, c in enumerate(taylor)]
    chebyshev = [mpf(0)] * len(p)
    for n, c in enumerate(p):  # t^n = 2^(1-n) sum' binom(n, k) T_(n-2k)
        for k in range(n // 2 + 1):
            chebyshev[n - 2 * k] += c * mp.binomial(n, k) * mpf(2) ** (1 - n) / (2 if 2 * k == n else 1)
    size = len(p)
    while size > 1 and sum(abs(c) for c in chebyshev[size - 1:]) < tolerance:
        size -= 1
    now, after, result = [mpf(1)], [mpf(0), mpf(1)], [mpf(0)] * size
    for n in range(size):
        for i, c in enumerate(now):
            result[i] += chebyshev[n] * c
        now, after = after, [(2 * after[i - 1] if i else 0) - (now[i] if i < len(now) else 0)
                             for i in range(len(after) + 1)]
    return [c / mpf(radius) ** i for i, c in enumerate(result)]


def of(x):
    return mpf(x.numerator) / x.denominator


def show(name, rows, comment):
    width = max(len(r) for r in rows)
    print(f'/* {comment} */\nstatic const double {name}[{len(rows)}][{width}] = {{')
    for r in rows:
        print(fill('{' + ', '.join(mp.nstr(c, 17) for c in r) + '},', 108, initial_indent='    ',
                   subsequent_indent='     '))
    print('};\n')


def temme(terms, radius, least, tolerance):
    """c_k(eta) of Temme (1979): c_0 = 1/mu - 1/eta, c_k = c_(k-1)' / eta + gamma_k / mu."""
    m = [F(1)]  # mu = eta (m0 + m1 eta + ...), mu mu' = eta (1 + mu)
    for n in range(1, N):
        known = sum(m[i] * (n - i + 1) * m[n - i] for i in range(1, n))
        m.append((m[n - 1] - known) / (n + 2))
    over = inverse(m)  # eta / mu
    c, rows = over[1:], []
    for k in range(terms):
        rows.append(economized([of(x) for x in c], radius, tolerance * mpf(least) ** k))
        gamma = -c[1]
        c = [(n + 2) * c[n + 2] + gamma * over[n + 1] for n in range(len(c) - 2)]
    return rows


def draw_slope(terms, radius, least, tolerance):
    """G_1 = l / (e^l - 1), G_(k+1) = (b_k + G_k') / (e^l - 1), where log a - digamma(a) = sum b_k a^-k."""
    factorial, e = F(1), []
    for n in range(N):
        factorial /= n + 1
        e.append(factorial)
    over = inverse(e)  # l / (e^l - 1)
    g, rows = over, []
    for k in range(1, terms + 1):
        rows.append(economized([of(x) for x in g], radius, tolerance * mpf(least) ** (k - 1)))
        p, q = mp.bernfrac(k)
        b = F(1, 2) if k == 1 else F(p, q) / k if k % 2 == 0 else F(0)
        slope = [(n + 1) * g[n + 1] for n in range(len(g) - 1)]
        assert slope[0] == -b
        g = times(slope[1:], over)
    return rows


def gauss(n):
    """The positive nodes and the weights of the Gauss-Legendre rule."""
    rows = []
    for i in range(n // 2):
        x = findroot(lambda t: legendre(n, t), cos(pi * (mpf(i) + mpf(3) / 4) / (n + mpf(1) / 2)))
        slope = n * (x * legendre(n, x) - legendre(n - 1, x)) / (x * x - 1)
        rows.append([x, 2 / ((1 - x * x) * slope ** 2)])
    return rows


print('''/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by tests/ops/special/special_coefficients.py, which says how. */
#ifndef GREBE_OPS_SPECIAL_COEFFICIENTS_TABLE_H
#define GREBE_OPS_SPECIAL_COEFFICIENTS_TABLE_H

/* clang-format off */
''')
print('#ifdef GB_TABLE_GAMMA')
show('temme', temme(10, 0.45, 30, mpf(10) ** -17), "Temme's c_k(eta), |eta| <= 0.45: c_k / 30^k within 1e-17")
slopes = draw_slope(9, 1, 16, mpf(10) ** -13)
width = max(len(row) for row in slopes)
show('draw_slope', [[row[n] if n < len(row) else mpf(0) for row in slopes] for n in range(width)],
     'G_1 ... G_9 of gb_gamma_draw_slope_at, |l| <= 1, power by power: G_k / 16^(k-1) within 1e-13')
print('#endif\n\n#ifdef GB_TABLE_ATANH')
show('atanh_tail', [economized([1 / mpf(2 * k + 3) for k in range(N)], mpf(1) / 9, mpf(10) ** -17)],
     '1/3 + w/5 + w^2/7 + ..., |w| <= 1/9, within 1e-17')
print('#endif\n')
print('#ifdef GB_TABLE_GAUSS')
show('gauss', gauss(32), 'Positive nodes and weights of the Gauss-Legendre rule of 32 points')
print('#endif\n')
print('/* clang-format on */\n#endif')
