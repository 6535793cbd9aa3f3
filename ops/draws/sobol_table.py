#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes sobol_table.h: primitive polynomials over GF(2), by degree, and initial direction numbers found by search.

    ops/draws/sobol_table.py DIMENSIONS > ops/draws/sobol_table.h

A dimension's direction numbers are m_1 ... m_s, odd, m_i < 2^i, where s is the degree of its polynomial. Of TRIES
random choices, the program takes the one with the best two-dimensional projections, on the FIRST dimensions and on
the NEAR ones before it. Each projection of the first 2^m points is a (t, m, 2)-net; the program minimises the sum
over projections and over m of 2^t (Joe and Kuo 2008 weigh t similarly). The table leaves out the first dimension,
van der Corput's.
"""
import random
import sys

FIRST, NEAR, TRIES, MOST_M = 8, 20, 24, 12


def times_x_power(polynomial, degree, power):
    """x^power modulo the polynomial."""
    result, base = 1, 2
    while power:
        if power & 1:
            result = times(result, base, polynomial, degree)
        base = times(base, base, polynomial, degree)
        power >>= 1
    return result


def times(a, b, polynomial, degree):
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
        if a >> degree & 1:
            a ^= polynomial
    return product


def prime_factors(n):
    factors, p = [], 2
    while p * p <= n:
        if n % p == 0:
            factors.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return factors + ([n] if n > 1 else [])


def primitive_polynomials():
    """All of degree 1, 2, ...: x has order 2^s - 1."""
    degree = 1
    while True:
        order = 2**degree - 1
        factors = prime_factors(order)
        for middle in range(2 ** (degree - 1)):
            polynomial = 1 << degree | middle << 1 | 1
            if degree == 1:
                yield degree, polynomial
            elif times_x_power(polynomial, degree, order) == 1 and all(
                times_x_power(polynomial, degree, order // f) != 1 for f in factors
            ):
                yield degree, polynomial
        degree += 1


def columns(degree, polynomial, m, count):
    """The direction numbers v_1 ... v_count, each of `count` bits, the first digit the highest."""
    v = [m[i] << (count - 1 - i) for i in range(min(degree, count))]
    for i in range(len(v), count):
        new = v[i - degree] ^ (v[i - degree] >> degree)
        for k in range(1, degree):
            if polynomial >> (degree - k) & 1:
                new ^= v[i - k]
        v.append(new)
    return v


def rows(v, count):
    """The generator matrix: row r has in bit j the digit r of column j."""
    return [sum((v[j] >> (count - 1 - r) & 1) << j for j in range(count)) for r in range(count)]


def penalty(a, b):
    """Of two generator matrices, the sum over m of 2^t; t = m - the largest rho such that for all i + j = rho, the
    first i rows of a and j of b are independent (in their first m columns)."""
    total = 0
    for m in range(2, MOST_M + 1):
        mask = (1 << m) - 1
        best = m
        i = 0
        basis_a = []
        while i < best:
            basis = list(basis_a)
            j = 0
            while j < best - i and add(basis, b[j] & mask):
                j += 1
            best = min(best, i + j) if j < best - i else best
            if not add(basis_a, a[i] & mask):
                best = min(best, i)
            i += 1
        total += 2 ** (m - best)
    return total


def add(basis, row):
    """Adds a row to an independent set (with pivots); False if it depends on it."""
    for pivot, r in basis:
        if row & pivot:
            row ^= r
    if not row:
        return False
    basis.append((row & -row, row))
    return True


def search(dimensions):
    random.seed(20080701)
    found = []
    matrices = [rows([1 << (MOST_M - 1 - i) for i in range(MOST_M)], MOST_M)]
    for degree, polynomial in primitive_polynomials():
        if len(found) + 1 == dimensions:
            return found
        against = matrices[:FIRST] + matrices[FIRST:][-NEAR:]
        best = None
        for _ in range(TRIES):
            m = [random.randrange(1, 2 ** (i + 1), 2) for i in range(degree)]
            matrix = rows(columns(degree, polynomial, m, MOST_M), MOST_M)
            cost = 0
            for other in against:
                cost += penalty(other, matrix)
                if best and cost >= best[0]:
                    break
            else:
                best = (cost, m, matrix)
        found.append((degree, polynomial, best[1]))
        matrices.append(best[2])
    return found


def main():
    dimensions = int(sys.argv[1])
    found = search(dimensions)
    most = max(degree for degree, _, _ in found)
    print("/* SPDX-License-Identifier: GPL-3.0-or-later */")
    print("/* Made by sobol_table.py, which says how: for each dimension after the first the degree s of a primitive")
    print(" * polynomial over GF(2), its inner coefficients (that of x^(s-1) the highest bit), and m_1 ... m_s. */")
    print("#ifndef GREBE_OPS_SOBOL_TABLE_H\n#define GREBE_OPS_SOBOL_TABLE_H\n")
    print(f"enum {{ GB_SOBOL_DIMENSIONS = {dimensions}, GB_SOBOL_DEGREE = {most} }};\n")
    print("typedef struct gb_sobol_row {\n    uint16_t degree, inner, m[GB_SOBOL_DEGREE];\n} gb_sobol_row;\n")
    print("/* clang-format off */")
    print("static const gb_sobol_row gb_sobol_table[GB_SOBOL_DIMENSIONS - 1] = {")
    for degree, polynomial, m in found:
        inner = (polynomial >> 1) & ((1 << (degree - 1)) - 1)
        print(f"    {{{degree}, {inner}, {{{', '.join(map(str, m))}}}}},")
    print("};\n/* clang-format on */\n\n#endif")


main()
