# SPDX-License-Identifier: GPL-3.0-or-later
"""References for continuous distributions of numbers, in 60 digits: writes NAME.txt beside this file.

A line is: quantity ; parameter value ; ... ; argument value ; result. Arguments are exactly the doubles
printed."""
import itertools
import os

from mpmath import (atan, betainc, digamma, e, erf, erfc, erfinv, euler, exp, findroot, gamma, inf, log, mp,
                    mpf, nan, nstr, pi, quad, sqrt, tan, expm1, log1p, loggamma)

mp.dps = 60
HERE = os.path.dirname(os.path.abspath(__file__))


def number(x):
    return repr(float(x))


def result(x):
    x = mpf(x)
    return 'nan' if x != x else ('inf' if x > 0 else '-inf') if x in (inf, -inf) else nstr(x, 25)


class Law:
    """A distribution: methods take the parameters as keywords, in high precision."""
    moments = ('mean', 'variance', 'mode', 'entropy')

    def __init__(self, name, cases, points, quantiles=(1e-300, 1e-12, 0.01, 0.3, 0.5, 0.75, 0.999)):
        self.name, self.cases, self.points, self.quantiles = name, cases, points, quantiles
        self.lines = []

    def add(self, quantity, params, value, **arguments):
        pairs = list(params.items()) + list(arguments.items())
        text = ' ; '.join([quantity] + [f'{k} {number(v)}' for k, v in pairs] + [result(value)])
        self.lines.append(text)

    def kl(self, q, p_law, p, value):
        left = ' ; '.join(f'{k} {number(v)}' for k, v in q.items())
        right = ' ; '.join(f'{k} {number(v)}' for k, v in p.items())
        self.lines.append(f'kl ; {left} ; {p_law} ; {right} ; {result(value)}')

    def write(self):
        for params in self.cases:
            exact = {k: mpf(v) for k, v in params.items()}
            for x in self.points(params):
                x = float(x)
                self.add('log_prob', params, self.log_prob(mpf(x), **exact), x=x)
                if hasattr(self, 'cdf'):
                    self.add('cdf', params, self.cdf(mpf(x), **exact), x=x)
            for u in self.quantiles if hasattr(self, 'icdf') else ():
                self.add('icdf', params, self.icdf(mpf(u), **exact), u=u)
            for name in self.moments:
                if hasattr(self, name):
                    self.add(name, params, getattr(self, name)(**exact))
        with open(os.path.join(HERE, self.name + '.txt'), 'w') as file:
            file.write('\n'.join(self.lines) + '\n')


def cases(**lists):
    return [dict(zip(lists, values)) for values in zip(*lists.values())]


def around(*offsets):
    return lambda p: [p['loc'] + p['scale'] * z for z in offsets]


def times(*factors):
    return lambda p: [p['scale'] * z for z in factors]


def Phi(z):
    return erfc(-z / sqrt(mpf(2))) / 2


def Phi_inverse(u):
    z = sqrt(mpf(2)) * erfinv(2 * u - 1) if u > mpf(10)**-20 else -sqrt(-2 * log(u))
    return findroot(lambda z: log(Phi(z)) - log(u), z)


def log_normal_density(x, loc, scale):
    return -((x - loc) / scale)**2 / 2 - log(scale) - log(2 * pi) / 2


LOCS, SCALES = (0.0, 0.5, -3.0, 1e6), (1.0, 2.0, 1e-3, 1e4)


class Normal(Law):
    def log_prob(self, x, loc, scale): return log_normal_density(x, loc, scale)
    def cdf(self, x, loc, scale): return Phi((x - loc) / scale)
    def icdf(self, u, loc, scale): return loc + scale * Phi_inverse(u)
    def mean(self, loc, scale): return loc
    def variance(self, loc, scale): return scale**2
    def mode(self, loc, scale): return loc
    def entropy(self, loc, scale): return log(2 * pi * e * scale**2) / 2


def log_Phi(z):
    """Beyond z = -1e5 by its series, of which three terms have 25 digits there."""
    if z > 1e5:
        return mpf(0)
    return log(Phi(z)) if z > -1e5 else -z**2 / 2 - log(-z * sqrt(2 * pi)) + log1p(-1 / z**2 + 3 / z**4)


class SkewNormal(Law):
    def delta(self, shape): return shape / sqrt(1 + shape**2)

    def log_prob(self, x, loc, scale, shape):
        z = (x - loc) / scale
        return log_normal_density(x, loc, scale) + log(mpf(2)) + log_Phi(shape * z)

    def mean(self, loc, scale, shape): return loc + scale * self.delta(shape) * sqrt(2 / pi)
    def variance(self, loc, scale, shape): return scale**2 * (1 - 2 * self.delta(shape)**2 / pi)


class LogNormal(Normal):
    def log_prob(self, x, loc, scale): return log_normal_density(log(x), loc, scale) - log(x)
    def cdf(self, x, loc, scale): return Phi((log(x) - loc) / scale)
    def icdf(self, u, loc, scale): return exp(loc + scale * Phi_inverse(u))
    def mean(self, loc, scale): return exp(loc + scale**2 / 2)
    def variance(self, loc, scale): return expm1(scale**2) * exp(2 * loc + scale**2)
    def mode(self, loc, scale): return exp(loc - scale**2)
    def entropy(self, loc, scale): return log(2 * pi * e * scale**2) / 2 + loc


class HalfNormal(Law):
    def log_prob(self, x, scale): return log_normal_density(x, 0, scale) + log(mpf(2))
    def cdf(self, x, scale): return erf(x / scale / sqrt(mpf(2)))
    def icdf(self, u, scale):
        return -scale * Phi_inverse((1 - u) / 2) if u > 1e-50 else scale * u * sqrt(pi / 2)
    def mean(self, scale): return scale * sqrt(2 / pi)
    def variance(self, scale): return scale**2 * (1 - 2 / pi)
    def mode(self, scale): return mpf(0)
    def entropy(self, scale): return log(pi * e * scale**2 / 2) / 2


class TruncatedNormal(Law):
    @staticmethod
    def between(a, b):
        return (erfc(a / sqrt(mpf(2))) - erfc(b / sqrt(mpf(2)))) / 2 if a > 0 else Phi(b) - Phi(a)

    def ends(self, loc, scale, low, high): return (low - loc) / scale, (high - loc) / scale

    def mass(self, **p): return self.between(*self.ends(**p))

    def log_prob(self, x, **p): return log_normal_density(x, p['loc'], p['scale']) - log(self.mass(**p))

    def cdf(self, x, **p):
        return self.between(self.ends(**p)[0], (x - p['loc']) / p['scale']) / self.mass(**p)

    def raw(self, **p):
        a, b = self.ends(**p)
        density = lambda z: exp(-z**2 / 2) / sqrt(2 * pi)
        z = self.mass(**p)
        edge = lambda z: 0 if abs(z) == inf else z * density(z)
        first = (density(a) - density(b)) / z
        return first, 1 + (edge(a) - edge(b)) / z

    def mean(self, **p): return p['loc'] + p['scale'] * self.raw(**p)[0]

    def variance(self, **p):
        first, second = self.raw(**p)
        return p['scale']**2 * (second - first**2)

    def mode(self, loc, scale, low, high): return min(max(loc, low), high)

    def entropy(self, **p):
        return log(sqrt(2 * pi) * p['scale'] * self.mass(**p)) + self.raw(**p)[1] / 2

    def icdf(self, u, **p):
        a, b = self.ends(**p)
        if a > 0:
            return p['loc'] - p['scale'] * Phi_inverse(Phi(-a) - u * self.mass(**p))
        return p['loc'] + p['scale'] * Phi_inverse(Phi(a) + u * self.mass(**p))


def inside(p):
    low = max(p['low'], min(p['loc'], p['high']) - 9 * p['scale'])
    high = min(p['high'], max(p['loc'], p['low']) + 9 * p['scale'])
    return [x for x in (low, low + (high - low) * 1e-3, low + (high - low) * 0.4, high)
            if p['low'] <= x <= p['high']]


class StudentT(Law):
    def log_prob(self, x, df, loc, scale):
        z = (x - loc) / scale
        return (loggamma((df + 1) / 2) - loggamma(df / 2) - log(df * pi) / 2 - log(scale)
                - (df + 1) / 2 * log1p(z**2 / df))

    def cdf(self, x, df, loc, scale):
        z = (x - loc) / scale
        mp.dps = 30
        if z**2 > df:
            tail = betainc(df / 2, mpf(1) / 2, 0, df / (df + z**2), regularized=True) / 2
            value = tail if z < 0 else 1 - tail
        else:
            half = betainc(mpf(1) / 2, df / 2, 0, z**2 / (df + z**2), regularized=True) / 2
            value = mpf(1) / 2 + (half if z > 0 else -half)
        mp.dps = 60
        return value

    def mean(self, df, loc, scale): return loc if df > 1 else nan
    def variance(self, df, loc, scale): return scale**2 * df / (df - 2) if df > 2 else inf if df > 1 else nan
    def mode(self, df, loc, scale): return loc

    def entropy(self, df, loc, scale):
        lbeta = loggamma(df / 2) + log(pi) / 2 - loggamma((df + 1) / 2)
        return (df + 1) / 2 * (digamma((df + 1) / 2) - digamma(df / 2)) + log(df) / 2 + lbeta + log(scale)


class Cauchy(Law):
    def log_prob(self, x, loc, scale): return -log1p(((x - loc) / scale)**2) - log(pi * scale)
    def cdf(self, x, loc, scale): return mp.atan2(1, -(x - loc) / scale) / pi
    def icdf(self, u, loc, scale):
        return loc + scale * tan(pi * (u - mpf(1) / 2)) if u > 1e-50 else loc - scale / (pi * u)
    def mean(self, loc, scale): return nan
    def variance(self, loc, scale): return nan
    def mode(self, loc, scale): return loc
    def entropy(self, loc, scale): return log(4 * pi * scale)


class HalfCauchy(Law):
    def log_prob(self, x, scale): return -log1p((x / scale)**2) - log(pi * scale / 2)
    def cdf(self, x, scale): return 2 * atan(x / scale) / pi
    def icdf(self, u, scale): return scale * tan(pi * u / 2)
    def mean(self, scale): return inf
    def variance(self, scale): return inf
    def mode(self, scale): return mpf(0)
    def entropy(self, scale): return log(2 * pi * scale)


class Laplace(Law):
    def log_prob(self, x, loc, scale): return -abs(x - loc) / scale - log(2 * scale)
    def cdf(self, x, loc, scale):
        z = (x - loc) / scale
        return exp(z) / 2 if z < 0 else 1 - exp(-z) / 2
    def icdf(self, u, loc, scale): return loc + scale * (log(2 * u) if u < 0.5 else -log(2 * (1 - u)))
    def mean(self, loc, scale): return loc
    def variance(self, loc, scale): return 2 * scale**2
    def mode(self, loc, scale): return loc
    def entropy(self, loc, scale): return 1 + log(2 * scale)


class Logistic(Law):
    def log_prob(self, x, loc, scale):
        z = abs((x - loc) / scale)
        return -z - 2 * log1p(exp(-z)) - log(scale)
    def cdf(self, x, loc, scale): return 1 / (1 + exp(-(x - loc) / scale))
    def icdf(self, u, loc, scale): return loc + scale * (log(u) - log1p(-u))
    def mean(self, loc, scale): return loc
    def variance(self, loc, scale): return scale**2 * pi**2 / 3
    def mode(self, loc, scale): return loc
    def entropy(self, loc, scale): return log(scale) + 2


class Gumbel(Law):
    def log_prob(self, x, loc, scale):
        z = (x - loc) / scale
        return -z - exp(-z) - log(scale)
    def cdf(self, x, loc, scale): return exp(-exp(-(x - loc) / scale))
    def icdf(self, u, loc, scale): return loc - scale * log(-log(u))
    def mean(self, loc, scale): return loc + scale * euler
    def variance(self, loc, scale): return scale**2 * pi**2 / 6
    def mode(self, loc, scale): return loc
    def entropy(self, loc, scale): return log(scale) + euler + 1


class Uniform(Law):
    def log_prob(self, x, low, high): return -log(high - low) if low <= x <= high else -inf
    def cdf(self, x, low, high): return min(max((x - low) / (high - low), 0), 1)
    def icdf(self, u, low, high): return low + (high - low) * u
    def mean(self, low, high): return (low + high) / 2
    def variance(self, low, high): return (high - low)**2 / 12
    def entropy(self, low, high): return log(high - low)


class Exponential(Law):
    def log_prob(self, x, rate): return log(rate) - rate * x
    def cdf(self, x, rate): return -expm1(-rate * x)
    def icdf(self, u, rate): return -log1p(-u) / rate
    def mean(self, rate): return 1 / rate
    def variance(self, rate): return 1 / rate**2
    def mode(self, rate): return mpf(0)
    def entropy(self, rate): return 1 - log(rate)


class ScaleMixture(Law):
    def log_prob(self, x, prob, scale_1, scale_2):
        return log(prob * exp(log_normal_density(x, 0, scale_1)) +
                   (1 - prob) * exp(log_normal_density(x, 0, scale_2)))
    def cdf(self, x, prob, scale_1, scale_2): return prob * Phi(x / scale_1) + (1 - prob) * Phi(x / scale_2)
    def mean(self, **p): return mpf(0)
    def mode(self, **p): return mpf(0)
    def variance(self, prob, scale_1, scale_2): return prob * scale_1**2 + (1 - prob) * scale_2**2


class SpikeAndSlab(Law):
    def log_prob(self, x, prob, loc, scale):
        if x == 0:
            return log1p(-prob) if prob < 1 else -inf
        return log(prob) + log_normal_density(x, loc, scale) if prob > 0 else -inf
    def cdf(self, x, prob, loc, scale): return prob * Phi((x - loc) / scale) + (1 - prob if x >= 0 else 0)
    def mean(self, prob, loc, scale): return prob * loc
    def variance(self, prob, loc, scale): return prob * (scale**2 + loc**2) - (prob * loc)**2
    def entropy(self, prob, loc, scale):
        chosen = sum(-p * log(p) for p in (prob, 1 - prob) if p > 0)
        return chosen + prob * log(2 * pi * e * scale**2) / 2


class PointMass(Law):
    def log_prob(self, x, value): return mpf(0) if x == value else -inf
    def cdf(self, x, value): return mpf(1) if x >= value else mpf(0)
    def mean(self, value): return value
    def variance(self, value): return mpf(0)
    def mode(self, value): return value
    def entropy(self, value): return mpf(0)


class Dropout(Law):
    def log_prob(self, x, weight, keep):
        mass = (keep if x == weight else 0) + (1 - keep if x == 0 else 0)
        return log(mass) if mass > 0 else -inf
    def cdf(self, x, weight, keep): return (keep if x >= weight else 0) + (1 - keep if x >= 0 else 0)
    def mean(self, weight, keep): return keep * weight
    def variance(self, weight, keep): return keep * (1 - keep) * weight**2
    def mode(self, weight, keep): return weight if keep >= 0.5 else mpf(0)
    def entropy(self, weight, keep):
        return sum((-p * log(p) for p in (keep, 1 - keep) if p > 0), mpf(0)) if weight != 0 else mpf(0)


def kl_normal(q, p):
    r, m = mpf(q['scale']) / mpf(p['scale']), (mpf(q['loc']) - mpf(p['loc'])) / mpf(p['scale'])
    return (r**2 - 1 - 2 * log(r) + m**2) / 2


def expectation(log_q, log_p, ends):
    """E_q[log q − log p] by quadrature in pieces."""
    mp.dps = 30
    value = quad(lambda x: exp(log_q(x)) * (log_q(x) - log_p(x)), ends)
    mp.dps = 60
    return value


PAIRS = [(dict(loc=0.5, scale=2.0), dict(loc=-1.0, scale=0.7)),
         (dict(loc=3.0, scale=0.1), dict(loc=2.0, scale=5.0)),
         (dict(loc=1.0, scale=1.0), dict(loc=1.0 + 2.0**-20, scale=1.0 + 2.0**-20)),
         (dict(loc=1.0, scale=1.0), dict(loc=1.0, scale=1.0)),
         (dict(loc=-40.0, scale=3.0), dict(loc=0.0, scale=1.0))]


def spread(q, p):
    """Ends for quadrature: where q and p bend."""
    points = {mpf(q['loc']) + mpf(q['scale']) * k for k in (-60, -20, -8, -3, 0, 3, 8, 20, 60, 120)}
    return sorted(points | {mpf(p['loc'])})


def main():
    zs = (-1e5, -38.0, -9.0, -1.5, -1e-9, 0.0, 0.3, 6.0, 40.0)
    two = cases(loc=LOCS[:3], scale=SCALES[:3])
    normal = Normal('normal', two, around(*zs))
    lognormal = LogNormal('lognormal', cases(loc=(0.0, -3.0, 5.0), scale=(1.0, 1e-3, 2.5)),
                          lambda p: [float(exp(p['loc'] + p['scale'] * z))
                                     for z in (-38, -5, -0.5, 0, 1, 9, 38)])
    half = HalfNormal('half_normal', cases(scale=(1.0, 1e-3, 1e6)),
                      times(0.0, 1e-300, 1e-9, 0.3, 2.0, 8.0, 100.0))
    truncated = TruncatedNormal(
        'truncated_normal',
        cases(loc=(0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, -1.0),
              scale=(1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1e-3, 1.0),
              low=(-1.0, -inf, 40.0, -41.0, -inf, -2.0, -inf, -1e-8, 30.0, -50.0, 2.0, -1e3),
              high=(2.0, 1.0, 41.0, -40.0, inf, inf, -60.0, 1e-8, 30.0 + 2.0**-30, 3.0, 2.5, -1.0 + 1e-12)),
        inside, (1e-12, 0.01, 0.5, 0.9))
    student = StudentT('student_t', cases(df=(1.0, 3.0, 0.1, 30.0, 1e6), loc=(0.0, 1.0, 0.0, -2.0, 0.0),
                                          scale=(1.0, 2.0, 1.0, 1e-3, 1.0)),
                       around(-1e200, -1e5, -30.0, -1.5, 1e-9, 0.5, 6.0))
    cauchy = Cauchy('cauchy', two, around(-1e200, -1e9, -30.0, -0.7, 0.0, 1e-9, 2.0, 1e5))
    half_cauchy = HalfCauchy('half_cauchy', cases(scale=(1.0, 1e-3, 1e6)),
                             times(0.0, 1e-200, 1e-9, 0.7, 2.0, 1e9, 1e200))
    laplace = Laplace('laplace', two, around(-700.0, -30.0, -1.0, 0.0, 0.3, 36.0, 1e5))
    logistic = Logistic('logistic', two, around(-700.0, -30.0, -1.0, 0.0, 0.3, 36.0, 1e5))
    skewed = SkewNormal('skew_normal', cases(loc=(0.0, 0.5, -3.0, 1e6, 0.0), scale=(1.0, 2.0, 1e-3, 1e4, 1.0),
                                             shape=(0.0, 2.5, -7.0, 1e5, -1e100)),
                        around(-30.0, -3.0, -1e-3, 0.5, 4.0, 25.0))
    gumbel = Gumbel('gumbel', two, around(-6.0, -3.0, -1.0, 0.0, 0.3, 36.0, 1e5))
    uniform = Uniform('uniform', cases(low=(0.0, -3.0, 1e6), high=(1.0, 5.0, 1e6 + 2.0**-10)),
                      lambda p: [p['low'], p['low'] + 0.25 * (p['high'] - p['low']),
                                 p['high'], p['high'] + 1],
                      (0.0, 1e-12, 0.3, 1.0))
    exponential = Exponential('exponential', cases(rate=(1.0, 1e-3, 1e6)),
                              lambda p: [z / p['rate'] for z in (0.0, 1e-12, 0.3, 2.0, 30.0, 1e4)])
    mixture = ScaleMixture('scale_mixture', cases(prob=(0.5, 0.25, 1e-6, 0.0, 1.0),
                                                  scale_1=(1.0, 1.0, 100.0, 1.0, 2.0),
                                                  scale_2=(0.1, 1e-3, 1.0, 0.5, 1.0)),
                           lambda p: (-100.0, -3.0, -0.01, 0.0, 0.5, 39.0))
    slab = SpikeAndSlab('spike_and_slab', cases(prob=(0.5, 0.1, 1.0 - 1e-12, 0.0, 1.0),
                                                loc=(0.0, 2.0, -1.0, 0.0, 1.0),
                                                scale=(1.0, 0.5, 1e3, 1.0, 1.0)),
                        lambda p: (-7.0, -1e-300, 0.0, 0.5, 3.0))
    point = PointMass('point_mass', cases(value=(0.0, 0.5, -1e6)),
                      lambda p: (p['value'] - 0.25, p['value'], p['value'] + 0.25))
    dropout = Dropout('bernoulli_dropout', cases(weight=(0.5, -2.0, 0.0, 1.0, 3.0),
                                                 keep=(0.8, 0.1, 0.3, 0.0, 1.0)),
                      lambda p: (-3.0, p['weight'], -0.25, 0.0, 0.25))

    for q, p in PAIRS:
        normal.kl(q, 'normal', p, kl_normal(q, p))
        lognormal.kl(q, 'lognormal', p, kl_normal(q, p))
        r, d = mpf(q['scale']) / mpf(p['scale']), abs(mpf(q['loc']) - mpf(p['loc']))
        half.kl(dict(scale=q['scale']), 'half_normal', dict(scale=p['scale']), (r**2 - 1 - 2 * log(r)) / 2)
        exponential.kl(dict(rate=q['scale']), 'exponential', dict(rate=p['scale']), 1 / r - 1 + log(r))
        a = d / mpf(q['scale'])
        laplace.kl(q, 'laplace', p, r * (exp(-a) + a) - 1 - log(r))
        cauchy.kl(q, 'cauchy', p, log(((mpf(q['scale']) + mpf(p['scale']))**2 + d**2)
                                      / (4 * mpf(q['scale']) * mpf(p['scale']))))
        m = (mpf(q['loc']) - mpf(p['loc'])) / mpf(p['scale'])
        gumbel.kl(q, 'gumbel', p, -log(r) + euler * (r - 1) + exp(-m) * gamma(1 + r) - 1 + m)
    for q, p in PAIRS[:2]:
        exact_q, exact_p = ({k: mpf(v) for k, v in d.items()} for d in (q, p))
        normal.kl(q, 'laplace', p, expectation(lambda x: normal.log_prob(x, **exact_q),
                                               lambda x: laplace.log_prob(x, **exact_p), spread(q, p)))
        laplace.kl(q, 'normal', p, expectation(lambda x: laplace.log_prob(x, **exact_q),
                                               lambda x: normal.log_prob(x, **exact_p), spread(q, p)))
    third = mpf(1.5) - mpf(0.25)
    uniform.kl(dict(low=0.25, high=1.5), 'uniform', dict(low=0.0, high=2.0), log(2 / third))
    uniform.kl(dict(low=0.25, high=1.5), 'uniform', dict(low=0.5, high=2.0), inf)
    uniform.kl(dict(low=0.25, high=1.5), 'exponential', dict(rate=2.0),
               -log(third) - log(mpf(2)) + 2 * mpf(1.75) / 2)
    uniform.kl(dict(low=-0.25, high=1.5), 'exponential', dict(rate=2.0), inf)
    uniform.kl(dict(low=0.25, high=1.5), 'normal', dict(loc=-1.0, scale=0.5),
               quad(lambda x: -log(third) - log_normal_density(x, -1, mpf(1) / 2),
                    [mpf(0.25), mpf(1.5)]) / third)
    slab.kl(dict(prob=0.25, loc=1.0, scale=2.0), 'spike_and_slab', dict(prob=0.5, loc=0.0, scale=1.0),
            log(mpf(1) / 2) / 4 + log(mpf(3) / 2) * 3 / 4 +
            kl_normal(dict(loc=1.0, scale=2.0), dict(loc=0.0, scale=1.0)) / 4)
    point.kl(dict(value=0.5), 'normal', dict(loc=0.0, scale=1.0), -log_normal_density(mpf(0.5), 0, 1))
    for law in (normal, skewed, lognormal, half, truncated, student, cauchy, half_cauchy, laplace, logistic,
                gumbel, uniform, exponential, mixture, slab, point, dropout):
        law.write()


main()
