# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, pictures, files, densities. Of pandas, ArviZ, matplotlib and IPython, small stand-ins see what they
would be given, since they need not be installed."""
import json
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import grebe as gb
import numpy as np
from models import HOURS, students
from numpy.testing import assert_allclose, assert_array_equal


class Frame:
    """A stand-in for pandas.DataFrame."""

    def __init__(self, data, columns=None):
        self.data, self.columns = data, columns or list(data)

    def __getitem__(self, name):
        return self.data[name]


class Axes:
    """A stand-in for matplotlib's axes: it counts calls by name."""

    def __init__(self):
        self.calls = {}

    def __getattr__(self, name):
        def call(*arguments, **options):
            self.calls[name] = (arguments, options)
        return call


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.t = gb.Tape(seed=1)
        cls.e, cls.w, _ = students(cls.t)
        cls.fit = cls.e.fit()

    def test_loo_is_the_exact_one_of_a_normal_model(self):
        rng = np.random.default_rng(1)
        y, n = 1 + rng.normal(size=20), 20
        w = rng.normal(y.sum() / (n + 0.01), (n + 0.01) ** -0.5, (4, 1000, 1))
        log_p = -0.5 * np.log(2 * np.pi) - 0.5 * (y - w) ** 2
        variance = 1 / (n - 1 + 0.01)
        exact = [-0.5 * np.log(2 * np.pi * (1 + variance)) - 0.5 * (y[i] - m) ** 2 / (1 + variance)
                 for i in range(n) for m in [(y.sum() - y[i]) * variance]]
        loo = gb.loo(log_p)
        self.assertEqual((loo.words, loo.unreliable, loo.pointwise.shape), ('', 0, (n,)))
        self.assertLess(np.abs(loo.pointwise['elpd'] - exact).max(), 5 * loo.pointwise['error'].max())
        self.assertAlmostEqual(loo.pointwise['elpd'].sum(), loo.elpd, 10)
        wide = rng.normal(y.mean(), 0.5, (4000, 1))  # draws of another normal, with their log ratios
        ratio = (-0.5 * (n + 0.01) * (wide - y.sum() / (n + 0.01)) ** 2 + 2 * (wide - y.mean()) ** 2)[:, 0]
        corrected = gb.loo(-0.5 * np.log(2 * np.pi) - 0.5 * (y - wide) ** 2, log_ratios=ratio)
        self.assertLess(abs(corrected.elpd - sum(exact)), 0.05)
        twice = gb.loo(log_p, weights=np.full(n, 2.0))
        self.assertAlmostEqual(twice.elpd, 2 * loo.elpd, 10)

    def test_scores_of_classes(self):
        probability = np.array([[0.2, 0.8], [0.9, 0.1]], np.float32).astype(float)
        accuracy = gb.score_accuracy(probability, [1, 1])
        self.assertEqual((accuracy.value, accuracy.error, accuracy.count), (0.5, 0.5, 2))
        assert_allclose(gb.score_brier(probability, [1, 1]).value, (2 * 0.2 ** 2 + 2 * 0.9 ** 2) / 2, 1e-6)
        self.assertEqual(gb.reliability_of_classes(probability, [1, 0], 5).bins, 5)
        for wrong, words in ((lambda: gb.score_brier([[0.5, 0.6]], [3]), 'a number that cannot be'),
                             (lambda: gb.score_brier(np.zeros((0, 2)), []), 'no rows'),
                             (lambda: gb.score_brier([[np.nan, 1]], [1]), 'NaN'),
                             (lambda: gb.score_accuracy([0.1], [0]), 'must have 2 axes'),
                             (lambda: gb.score_accuracy([[0.1, 0.9]], [0, 1]), '1 rows, and outcome 2'),
                             (lambda: gb.loo([1.0]), 'must have 2 axes'),
                             (lambda: gb.loo(np.zeros((9, 2)), weights=[1]), 'weights has 1 numbers'),
                             (lambda: gb.loo([[np.nan]]), 'not finite')):
            with self.assertRaisesRegex((ValueError, gb.Error), words):
                wrong()

    def test_tables_become_frames(self):
        with mock.patch.dict(sys.modules, pandas=types.SimpleNamespace(DataFrame=Frame)):
            frame = self.fit.summary().to_pandas()
            self.assertEqual(frame.columns[:2], ['name', 'mean'])
            self.assertEqual(frame.data[0]['name'], 'w')
            compared = gb.compare('gauss-square', ['pathwise', 'score'], draws=500).to_pandas()
            self.assertEqual([row['estimator'] for row in compared.data], ['pathwise'] * 2 + ['score'] * 2)
            self.assertEqual(self.fit.draws(50).to_pandas().columns, ['w'])
            self.assertEqual(len(self.fit.predict('passed').to_pandas().data), 8)
            table = gb.table(self.t, Frame({'a': [1.0, 2.0], 'b': ['u', None]}))
            self.assertEqual((table.rows(), table.columns()), (2, 2))

    def test_draws_become_inference_data(self):
        arviz = types.SimpleNamespace(from_dict=lambda posterior, attrs: (posterior, attrs))
        with mock.patch.dict(sys.modules, arviz=arviz):
            posterior, attributes = self.fit.to_arviz()
            self.assertEqual(posterior['w'].shape, (1, 1000))
            self.assertEqual(attributes['verdict'], 'good')
            self.assertEqual(self.e.nuts(chains=2, draws=100).to_arviz()[0]['w'].shape, (2, 100))

    def test_without_them_the_error_names_the_package(self):
        missing = {name: None for name in ('pandas', 'arviz', 'matplotlib', 'matplotlib.pyplot')}
        with mock.patch.dict(sys.modules, missing):
            for name, call in (('pandas', self.fit.summary().to_pandas), ('arviz', self.fit.to_arviz),
                               ('matplotlib', gb.compare('gauss-square', ['score'], draws=50).plot)):
                self.assertRaisesRegex(ImportError, name, call)

    def test_pictures(self):
        axes = Axes()
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            trained = e.fit(optimiser=gb.adam(), steps=200)
            self.assertIs(trained.plot(axes), axes)
            assert_array_equal(axes.calls['plot'][0][0], [50, 100, 150, 200])
            hours = t.rows('hours', HOURS)
            curve = e.predict(gb.exp(hours), {hours: [3.0, 1.0]})
            curve.plot(x=[3.0, 1.0], axes=axes)
            assert_allclose(axes.calls['plot'][0][1], np.exp([1.0, 3.0]))
        self.assertRaisesRegex(ValueError, 'no history', self.fit.plot)
        gb.compare('gauss-square', ['pathwise', 'score'], draws=500).plot(axes)
        self.assertEqual(axes.calls['set_yticklabels'][0][0], ['pathwise', 'score'])

    def test_progress_in_a_notebook(self):
        shown = []

        class Handle:
            def update(self, text):
                shown.append(text)

        def display(text, display_id):
            shown.append(text)
            return Handle()
        kernel = types.SimpleNamespace(kernel=1)
        ipython = types.SimpleNamespace(get_ipython=lambda: kernel)
        showing = types.SimpleNamespace(display=display, Pretty=str)
        with mock.patch.dict(sys.modules, {'IPython': ipython, 'IPython.display': showing}):
            with gb.Tape(seed=1) as t:
                students(t)[0].fit(optimiser=gb.adam(), steps=100)
        self.assertEqual(len(shown), 2)
        self.assertIn('step 100: ELBO -', shown[1])

    def test_progress_elsewhere(self):
        lines = []
        file = types.SimpleNamespace(write=lines.append, isatty=lambda: False, flush=lambda: None)
        with gb.Tape(seed=1) as t:
            students(t)[0].fit(optimiser=gb.adam(), steps=100, progress=file)
            self.assertEqual(len(lines), 2)
            file.isatty = lambda: True
            students(gb.Tape(seed=1))[0].fit(optimiser=gb.adam(), steps=100, progress=file)
            self.assertTrue(lines[2].startswith('\rstep 50') and lines[-1] == '\n')

    def test_html_is_escaped(self):
        row = self.fit.summary()
        row.rows[0].name = '<b>'
        self.assertIn('&lt;b&gt;', row._repr_html_())

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'draws.npy')
            self.fit.summary().save(path, resample=100)
            self.assertEqual(np.load(path).shape, (100, 1))
            prediction = self.fit.predict('passed', keep_draws=True, draws=50)
            prediction.save(os.path.join(folder, 'p.npy'))
            assert_array_equal(np.load(os.path.join(folder, 'p.npy')).reshape(prediction.draw.shape),
                               prediction.draw)
            with gb.Tape() as t:
                x = t.variable('x', [1.0, 2.0])
                gb.save(t, os.path.join(folder, 'x.grebe'))
                x.value = 0
                gb.load(t, os.path.join(folder, 'x.grebe'))
                assert_array_equal(x.value, [1, 2])
                missing = os.path.join(folder, 'no-such.so')
                self.assertRaisesRegex(gb.Error, 'no-such', lambda: gb.load(t, missing))
                self.assertRaisesRegex(gb.Error, 'no-such', lambda: gb.load_bundle(missing))
            with open(os.path.join(folder, 'd.csv'), 'w', encoding='utf-8') as file:
                file.write('y,x\n1,2\n3,4\n')
            self.assertEqual(gb.table(self.t, os.path.join(folder, 'd.csv')).rows(), 2)

    def test_functions_of_results_are_methods(self):
        for each, schema in ((self.fit.summary(), 'summary'), (self.e.predict('passed'), 'prediction'),
                             (gb.compare('gauss-square', ['score'], draws=50), 'comparison')):
            self.assertEqual(json.loads(each.json())['schema'], f'grebe-{schema}-1')
            self.assertIn(',', each.csv().splitlines()[0])
            self.assertTrue({'csv', 'json', 'print'} <= set(dir(each)))
            self.assertRaisesRegex(AttributeError, 'has no nope', lambda each=each: each.nope)
        race = gb.race(problem='gauss-square', estimators=['pathwise', 'score'], steps=20, seeds=2)
        self.assertEqual(json.loads(race.json())['schema'], 'grebe-race-1')
        self.assertRaisesRegex(ValueError, 'no problem nope',
                               lambda: gb.race(problem='nope', estimators=['score']))

    def test_chains_are_arrays(self):
        x = np.random.default_rng(1).normal(size=(4, 500))
        self.assertLess(gb.chains_convergence(x).rhat, 1.01)
        self.assertGreater(gb.chains_convergence(x + np.arange(4.0)[:, None]).rhat, 1.2)
        self.assertEqual(gb.chains_convergence(x[::2]).ess_bulk, gb.chains_convergence(x[[0, 2]]).ess_bulk)
        self.assertRaisesRegex(gb.Error, '12 draws', lambda: gb.chains_convergence([1.0, 2.0]))
        self.assertRaisesRegex(ValueError, 'chains, draws', lambda: gb.chains_convergence(x[None]))

    def test_pandas_and_matplotlib_themselves(self):
        try:
            import matplotlib
            import pandas as pd
        except ImportError as missing:
            self.skipTest(f'{missing} (python3-pandas, python3-matplotlib)')
        matplotlib.use('Agg')
        self.assertEqual(list(self.fit.summary().to_pandas()['name']), ['w'])
        self.assertEqual(self.e.nuts(draws=20).draws().to_pandas().shape, (80, 1))
        gb.compare('gauss-square', ['score'], draws=50).plot()
        with gb.Tape(seed=1) as t:
            students(t)[0].fit(optimiser=gb.adam(), steps=100).plot()
        frame = pd.DataFrame({'x': np.linspace(0, 1, 20), 'g': ['a', 'b'] * 10})
        frame['y'] = frame.x * 2 + np.where(frame.g == 'a', 0.1, -0.1) + 0.05 * np.sin(np.arange(20) * 5)
        with gb.Tape(seed=1) as t:
            a = gb.Analysis(t, gb.linear_model(), 'y ~ x + g', frame)
            a.fit()
            assert_allclose(a.summary()['x'].mean, 2, atol=0.1)
            self.assertEqual(a.predict(frame[['x', 'g']]).mean.shape, (20,))

    def test_densities(self):
        d = gb.Density(self.e)
        self.assertEqual((d.count, d.parts), (1, {'w': ()}))
        eta = 1.5 * (HOURS - 2)
        passed = np.array([0, 0, 1, 0, 0, 1, 1, 1])
        expected = (passed * eta - np.logaddexp(0, eta)).sum() - (1.5 / 2) ** 2 / 2 - np.log(2) - \
            np.log(2 * np.pi) / 2
        log_p, gradient = d([1.5])
        self.assertAlmostEqual(log_p, expected, 12)
        slope = ((passed - 1 / (1 + np.exp(-eta))) * (HOURS - 2)).sum() - 1.5 / 4
        assert_allclose(gradient, [slope], rtol=1e-12)
        many, _ = d([[1.5], [0.0]])
        self.assertAlmostEqual(many[0], expected, 12)
        p = 1 / (1 + np.exp(-eta))
        assert_allclose(d.hessian([1.5]), [[-(p * (1 - p) * (HOURS - 2) ** 2).sum() - 0.25]], rtol=1e-10)
        z, log_q = d.draw(10)
        assert_array_equal(d.free_numbers(d.values(z)), z)
        self.assertEqual(log_q.shape, (10,))
        self.assertRaisesRegex(ValueError, 'must be', lambda: d([1.0, 2.0]))
