# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits and what comes of them: numbers known exactly, and those of the C program of the README."""
import gc
import os
import tempfile
import unittest

import grebe as gb
import numpy as np
from models import HOURS, PASSED, students
from numpy.testing import assert_allclose


def megabytes():
    """The memory of this process, where the system shows it."""
    if not os.path.exists('/proc/self/statm'):
        return 0
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 1e6


class Fits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.t = gb.Tape(seed=1)
        cls.e, cls.w, cls.log_p = students(cls.t)
        cls.fit = cls.e.fit()

    def test_the_students_are_those_of_the_readme(self):
        fit = self.fit
        self.assertTrue(fit.good)
        self.assertEqual(fit.verdict, gb.Verdict.GOOD)
        self.assertIn('3 other starts agree', fit.words)
        row = fit.summary()['w']
        self.assertEqual((f'{row.mean:.3f}', f'{row.sd:.2f}', row.source), ('1.542', '0.91', 'wide'))
        self.assertIn('1.542', str(fit))
        self.assertIn('<td>1.542</td>', fit._repr_html_())

    def test_the_posterior_is_that_of_quadrature(self):
        w = np.linspace(-12, 16, 20001)[:, None]
        eta = w * (HOURS - 2)
        log_p = (PASSED * eta - np.logaddexp(0, eta)).sum(axis=1) - w[:, 0] ** 2 / 8
        p = np.exp(log_p - log_p.max())
        p /= p.sum()
        mean = (p * w[:, 0]).sum()
        sd = np.sqrt((p * (w[:, 0] - mean) ** 2).sum())
        row = self.fit.summary()['w']
        self.assertLess(abs(row.mean - mean), 5 * row.error)
        self.assertLess(abs(row.sd - sd), 0.05)
        draws = self.fit.draws(4000)['w']
        self.assertLess(abs(draws.mean() - mean), 0.1)
        nuts = self.e.nuts(draws=500)
        self.assertEqual(nuts.draws()['w'].shape, (4, 500))
        self.assertLess(nuts.rhat, 1.05)
        self.assertLess(abs(nuts.draws()['w'].mean() - mean), 0.15)
        self.assertIn('R-hat', str(nuts))

    def test_a_judgement_has_weights(self):
        draws, weights = self.fit.judgement.weighted()
        self.assertAlmostEqual(weights.sum(), 1, 12)
        self.assertEqual(len(draws['w']), len(weights))
        self.assertIn('good', str(self.e.judge()))

    def test_judgements_that_nobody_has_are_freed(self):
        with gb.Tape(seed=1, threads=1) as t:
            e, _, _ = students(t)
            first = e.fit()
            judgement, summary = first.judgement, first.summary()
            words = str(judgement)
            e.fit(), e.fit()
            before = megabytes()
            for _ in range(40):
                e.fit()
            self.assertLess(megabytes() - before, 4)  # not 12: 0.3 for each
            del first
            e.fit()
            self.assertEqual(str(judgement), words)
            del judgement
            gc.collect()
            e.fit()
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'draws.npy')
                summary.save(path)  # reads the draws of the judgement
                self.assertTrue(np.isfinite(np.load(path)).all())
            del summary
            t.reset()
            e, _, _ = students(t)
            self.assertTrue(e.fit().good)

    def test_predictions_have_rows(self):
        with gb.Tape(seed=2) as t:
            hours, passed = t.rows('hours', HOURS), t.rows('passed', PASSED)
            e = gb.ELBO(t, data_size=8)
            w = e.latent('w', gb.mean_field(), gb.normal(0, 2))
            e.observe('passed', gb.bernoulli(logits=w * (hours - 2)), passed)
            fit = e.fit()
            p = fit.predict('passed', {hours: [2.0, 3.0, 4.0]})
            self.assertEqual(p.mean.shape, (3,))
            assert_allclose(p.mean[0], 0.5, atol=1e-12)
            self.assertTrue(p.mean[0] < p.mean[1] < p.mean[2])
            assert_allclose(p.probability.sum(axis=-1), 1)
            assert_allclose(p.sd ** 2, p.epistemic ** 2 + p.noise ** 2, rtol=1e-10)
            with_outcomes = fit.predict('passed')
            self.assertIn('accuracy', with_outcomes.scores)
            self.assertEqual(with_outcomes.outcome.shape, (8,))
            curve = fit.predict(w * hours, {hours: [1.0, 2.0]}, quantiles=[0.1, 0.9])
            self.assertEqual(curve.quantile.shape, (2, 2))
            self.assertEqual(len(p.records()), 3)

    def test_a_conjugate_model_is_solved_exactly(self):
        y = np.array([1.0, 2.0, 4.0])
        with gb.Tape(seed=1) as t:
            e = gb.ELBO(t, data_size=3)
            m = e.latent('m', gb.mean_field(), gb.normal(0, 3))
            log_p = e.observe('y', gb.normal(m, 0.5), y)
            fit = e.fit()
            precision = 1 / 9 + 3 / 0.25
            mean, sd = e.posterior_read('m')
            assert_allclose([mean, sd], [y.sum() / 0.25 / precision, precision ** -0.5], rtol=1e-6)
            evidence = gb.lib.gb_log_prob  # the ELBO is log p(data) where q is exact
            del evidence
            covariance = 0.25 * np.eye(3) + 9 * np.ones((3, 3))
            log_z = -0.5 * (y @ np.linalg.solve(covariance, y) + np.linalg.slogdet(2 * np.pi * covariance)[1])
            self.assertAlmostEqual(fit.elbo, log_z, 6)
            loo = e.loo(log_p, judgement=fit.judgement)
            self.assertTrue(np.isfinite(loo.elpd))

    def test_trainings_have_a_history(self):
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            steps = []
            fit = e.fit(optimiser=gb.adam(lr=0.05), steps=300, each=lambda point: steps.append(point.step))
            self.assertEqual((fit.steps, fit.end), (300, gb.FitEnd.STEPS))
            self.assertEqual(steps, [50, 100, 150, 200, 250, 300])
            self.assertEqual(list(fit.history['step']), steps)
            self.assertIsNone(fit.judgement)
            stopped = e.fit(optimiser=gb.adam(lr=0.05), steps=300, each=lambda point: False)
            self.assertEqual((stopped.steps, stopped.end), (50, gb.FitEnd.CALLBACK))
            with self.assertRaises(ZeroDivisionError):
                e.fit(optimiser=gb.adam(lr=0.05), steps=300, each=lambda point: 1 / 0)
            self.assertEqual(e.last_fit.steps, 50)

    def test_batches_are_fed_without_a_copy(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(200, 2)).astype(np.float32)
        y = x @ [1.0, -2.0] + 0.1 * rng.normal(size=200)
        with gb.Tape(seed=1) as t:
            xs, ys = t.input('x', 2, rows=True), t.input('y', rows=True)
            e = gb.ELBO(t, data_size=200)
            w = e.latent('w', gb.mean_field(2), gb.normal(0, 3))
            e.observe('y', gb.normal((xs * w).sum(), 0.1), ys)
            data = gb.batches_new(t, columns={xs: x, ys: y}, batch=50)
            self.assertEqual(data.count(), 4)
            self.assertTrue(any(each is x for each in t._borrowed))
            e.fit(optimiser=gb.adam(lr=0.05), data=data, epochs=100)
            assert_allclose(e.posterior_read('w')[0], [1, -2], atol=0.1)

    def test_blocks_have_several_latents(self):
        with gb.Tape(seed=1) as t:
            e = gb.ELBO(t, data_size=4)
            w = e.block('theta', gb.full_rank(), {'m': gb.normal(0, 10), 'slopes': (gb.normal(0, 1), 2),
                                                  's': {'prior': gb.half_normal(1)}})
            self.assertEqual({name: node.shape for name, node in w.items()},
                             {'m': (), 'slopes': (2,), 's': ()})
            e.observe('y', gb.normal(w['m'] + w['slopes'].sum(), w['s']), [1.0, 2.0, 3.0, 4.0])
            fit = e.fit()
            self.assertEqual(set(fit.draws()), {'theta.m', 'theta.slopes', 'theta.s'})
            self.assertEqual(fit.draws(10)['theta.slopes'].shape, (10, 2))
            self.assertTrue((fit.draws()['theta.s'] > 0).all())

    def test_without_a_prior_a_support_is_named(self):
        with gb.Tape(seed=1) as t:
            e = gb.ELBO(t, data_size=4)
            s = e.latent('s', gb.point(), gb.no_prior, support='positive')
            e.observe('y', gb.normal(0, s), [1.0, -1.0, 2.0, -2.0])
            e.fit()
            assert_allclose(e.posterior_read('s')[0], np.sqrt(2.5), rtol=1e-6)

    def test_terms_are_nodes(self):
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            terms = e.terms
            self.assertEqual(list(terms), ['w', 'passed', 'ELBO'])
            self.assertTrue(terms['w'].exact)
            values = t.evaluate(*(term.value for term in terms.values()))
            self.assertAlmostEqual(float(values[2]), float(values[0] + values[1]), 12)
            self.assertIn('-KL(q || prior)  w', str(e))

    def test_ready_models(self):
        rng = np.random.default_rng(1)
        x = np.linspace(-1, 1, 40)
        g = np.where(x > 0, 'up', 'down')
        y = 1 + 2 * x + 0.2 * rng.normal(size=40)
        with gb.Tape(seed=1) as t:
            a = gb.Analysis(t, gb.linear_model(), 'y ~ x + g', {'x': x, 'g': list(g), 'y': y})
            fit = a.fit()
            self.assertTrue(fit.good, fit.words)
            found = a.summary()
            self.assertLess(abs(found['x'].mean - 2), 4 * found['x'].sd)
            p = a.predict({'x': [0.5], 'g': ['up']})
            self.assertLess(abs(p.mean[0] - 2), 0.5)
