# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins written in Python pass their kits, and faulty ones fail them."""
import gc
import unittest

import grebe as gb
import numpy as np
from grebe._c.callbacks import Stock
from numpy.testing import assert_allclose


class Laplace(gb.OwnDistribution):
    name, formula = 'own_laplace', '-|x - loc| / scale - log 2 scale'
    parameters = {'loc': gb.REAL, 'scale': gb.POSITIVE}
    support = gb.REAL

    def log_prob(self, x):
        return -abs(x - self.loc) / self.scale - gb.log(2 * self.scale)

    def rsample(self, source):
        return self.loc + self.scale * (source.exponential() - source.exponential())

    def mean(self):
        return self.loc

    mode = mean

    def variance(self):
        return 2 * self.scale ** 2


class Narrow(Laplace):
    name = 'narrow_laplace'

    def variance(self):
        return self.scale ** 2


class Mirrored(gb.OwnEstimator):
    name, formula = 'py_mirrored', '(1 - share) f d log q at z + share f d log q at 2 loc - z'
    options = {'share': (0.5, gb.OPEN_UNIT)}
    needs = gb.NEEDS_SEPARATE_SAMPLES
    expansion = gb.PROBES
    first_order = drops_own_path = True

    def lacks(self, q, options=None):
        return None if q.type == 'normal' else 'draw that can be mirrored (normal)'

    def evaluations(self, site):
        return 2

    def draw(self, site):
        z = gb.sample(site.q, site.noise, site.axes)
        return gb.stop(gb.stack([z, 2 * site.q.mean() - z], 0))

    def combine(self, site, costs):
        weighted = costs * [1 - self.options.share, self.options.share]
        return gb.inject(weighted.sum(), site.log_probs(), weighted)


class Doubled(Mirrored):
    name = 'py_doubled'

    def combine(self, site, costs):
        weighted = costs * [1 - self.options.share, self.options.share]
        return gb.inject(weighted.sum(), site.log_probs(), 2 * weighted)


class Halving(gb.OwnSchedule):
    name, formula = 'halving', '1 / (1 + t / every)'
    options = {'every': (100.0, gb.POSITIVE)}

    def factor(self, t):
        return 1 / (1 + t / self.options.every)


class Half(gb.OwnBaseline):
    name, formula = 'half', '0.5'

    def value(self, site, cost):
        return gb.num(cost.tape, 0.5)


class Own(unittest.TestCase):
    def test_a_distribution_passes_its_kit(self):
        report = gb.check(Laplace, draws=6400, cases=2)
        self.assertTrue(report, report)
        self.assertGreater(report.checks, 20)

    def test_a_faulty_distribution_fails(self):
        report = gb.check(Narrow, draws=6400, cases=1)
        self.assertFalse(report)
        self.assertIn('variance', str(report))

    def test_an_estimator_passes_its_kit(self):
        report = gb.check(Mirrored)
        self.assertTrue(report, report)
        self.assertEqual(str(Mirrored(share=0.25)), 'py_mirrored:share=0.25')

    def test_a_faulty_estimator_fails(self):
        report = gb.check(Doubled, only='its gradient has the mean')
        self.assertFalse(report)
        self.assertIn('should be', str(report))

    def test_a_schedule_passes_its_kit(self):
        self.assertTrue(gb.check(Halving), gb.check(Halving))
        self.assertTrue(gb.check(gb.cosine(100)))

    def test_they_are_used_as_others_are(self):
        with gb.Tape(seed=1) as t:
            e = gb.ELBO(t, data_size=3)
            m = e.latent('m', gb.mean_field(), Laplace(0, 10), Mirrored(share=0.5))
            e.observe('y', Laplace(m, 0.5), [1.0, 2.0, 3.0])
            fit = e.fit(optimiser=gb.adam(lr=0.05, schedule=Halving(every=500)), steps=3000)
            self.assertEqual(fit.end, gb.FitEnd.STEPS)
            self.assertLess(abs(e.posterior_read('m')[0] - 2), 0.3)
            score = gb.score(baseline=Half())
            self.assertEqual(str(score), 'score:baseline=half')
            assert_allclose(t.evaluate(gb.log_prob(Laplace(0, 1), t.constant([0.5]))), -0.5 - np.log(2))

    def test_they_have_names_when_they_are_registered(self):
        gb.register(Mirrored)
        c = gb.compare('gauss-square', ['py_mirrored:share=0.25', 'score'], draws=200)
        self.assertEqual(c.estimators[0].text, 'py_mirrored:share=0.25')

    def test_callbacks_of_the_interface(self):
        with gb.Tape(seed=1) as t:
            seen = []

            def network(slot):
                seen.append((slot.name, slot.shape))
                return t.variable('net', np.zeros(2))
            x = t.rows('x', np.arange(4.0))
            e = gb.ELBO(t, data_size=4)
            z = e.latent('z', gb.amortised(network=lambda slot: network(slot) + x), gb.normal(0, 1))
            e.observe('y', gb.normal(z, 1), x)
            self.assertEqual(seen, [('z', ())])
            e.fit(optimiser=gb.adam(), steps=50)


class Closures(unittest.TestCase):
    def taken(self):
        gc.collect()
        return {name: len(stock.functions) - len(stock.free) for name, stock in Stock.stocks.items()}

    def test_functions_live_as_long_as_what_uses_them(self):
        """More of them than a stock has, one after the other, and none is called when it is gone."""
        before = self.taken()
        for number in range(140):
            estimator = gb.relax(surrogate=lambda site, z: 0 * z.sum())
            nested = gb.dropout_draws(mask=estimator)
            self.assertEqual(len(nested._closures), 1)
            del nested
            with gb.Tape(seed=1, threads=1) as t:
                e = gb.ELBO(t, data_size=2)
                logits = t.variable('logits', np.zeros(2))
                q = gb.posterior_of(gb.bernoulli(logits=logits))
                b = e.latent('b', q, gb.bernoulli([0.5, 0.5]), estimator)
                del estimator
                e.observe('y', gb.normal(b, 1), [0.0, 1.0])
                if number % 20 == 0:
                    gc.collect()
                    e.fit(optimiser=gb.adam(), steps=5)
            del t, e, b, q, logits
        after = self.taken()
        self.assertEqual({name: count for name, count in after.items() if count > before.get(name, 0)}, {})


class Calibrations(unittest.TestCase):
    def test_a_conjugate_model_is_calibrated(self):
        rng = np.random.default_rng(1)

        def make(tape, number):
            m = rng.normal()
            e = gb.ELBO(tape, data_size=2)
            e.observe('y', gb.normal(e.latent('m', gb.mean_field(), gb.normal(0, 1)), 1),
                      m + rng.normal(size=2))
            e.fit(unjudged=True)
            return e, [m]
        found = gb.calibrate(make, 1, simulations=60, draws=19, bins=20)
        self.assertIn('m', found.print())
        self.assertRaisesRegex(ValueError, '2 values', gb.calibrate, lambda tape, number: (None, [1, 2]), 1)


class Problems(unittest.TestCase):
    def test_a_cost_of_ones_own(self):
        class Ring(gb.OwnProblem):
            name, formula = 'ring', 'E (z - k)^2, z ~ N(mu, 1)'
            settings = {'k': (1.0, -10.0, 10.0)}

            def cost(self, trial):
                z = trial.draw('z', gb.normal(trial.parameter('mu', (), 0.5), 1))
                return gb.square(z - self.k)

            def expected(self, trial):
                return gb.square(trial.parameter('mu', (), 0.5) - self.k) + 1
        c = gb.compare(Ring, ['pathwise', 'score'], draws=20000, settings={'k': 3})
        mu = c['pathwise'].parameters['mu']
        self.assertAlmostEqual(mu['exact'], -5, 12)
        self.assertLess(abs(mu['z']), 5)
        self.assertLess(abs(mu['variance'] - 4), 6 * mu['variance_stderr'])
        self.assertGreater(c['score'].total_variance, 10 * c['pathwise'].total_variance)
        self.assertIn('ring', str(c))
        self.assertIn('"ring"', c.json())
        self.assertEqual(len(c.records()), 2)
        sweep = gb.compare_sweep(Ring, 'k', [1, 2], ['pathwise', 'score'], draws=500)
        self.assertEqual([each['pathwise'].parameters['mu']['exact'] for each in sweep.points], [-1, -3])
        self.assertEqual(len(sweep.records()), 4)
        self.assertIn('variance', str(sweep))
        path = gb.compare_path(Ring, ['pathwise'], draws=100, steps=20)
        self.assertEqual((path.setting, len(path.points)), ('step', 10))
        self.assertIn('<th>variance</th>', c._repr_html_())
