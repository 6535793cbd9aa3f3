# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong calls raise errors with words. None ends the process, and the tape works on."""
import unittest

import grebe as gb
import numpy as np
from models import students


class Misuse(unittest.TestCase):
    def setUp(self):
        self.t = gb.Tape(seed=1, threads=1)
        self.x = self.t.variable('x', [1.0, 2.0, 3.0])
        self.m = self.t.variable('m', np.ones((3, 2)))

    def tearDown(self):
        self.t.close()

    def rejects(self, kind, words, call):
        with self.subTest(words):
            self.assertRaisesRegex(kind, words, call)
            if self.t._address:
                self.assertEqual(gb.lib.gb_error(self.t._address), 0)  # forgiven
                self.t.evaluate(self.x + 1)

    def test_shapes_and_types(self):
        t, x, m = self.t, self.x, self.m
        for kind, words, call in (
                (gb.Error, r'inner sizes 2 and 3', lambda: m @ x),
                (gb.Error, r'\(3\) and \(4\) do not broadcast', lambda: x + np.ones(4)),
                (TypeError, 'unsupported operand', lambda: x + 'a'),
                (TypeError, 'unsupported operand', lambda: x + None),
                (TypeError, 'must be numbers', lambda: x + np.array(['a', 'b', 'c'])),
                (TypeError, 'must be numbers', lambda: x + np.array([1j, 2j, 3j])),
                (TypeError, 'must be numbers', lambda: x + np.array([object()] * 3)),
                (ValueError, 'inhomogeneous', lambda: x + [1, [2]]),
                (ValueError, r'beyond 2\^53', lambda: x + np.array([2 ** 60 + 1, 0, 0])),
                (TypeError, 'no truth value', lambda: bool(x > 1)),
                (TypeError, 'no truth value', lambda: x if x > 1 else 0),
                (TypeError, 'does not support ufuncs', lambda: np.exp(x)),
                (IndexError, 'out of range', lambda: x[5]),
                (IndexError, 'is no index', lambda: x[1.5]),
                (IndexError, 'is no index', lambda: x['a']),
                (IndexError, '3 indices', lambda: m[0, 0, 0]),
                (IndexError, 'boolean index', lambda: m[np.ones(2, bool)]),
                (IndexError, 'one array at most', lambda: m[[0, 1], [1, 0]]),
                (IndexError, 'side by side', lambda: m[0, None, [1, 0]]),
                (IndexError, 'index -4 is out of range', lambda: x[[-4]]),
                (IndexError, 'index 200 is out of range', lambda: x[np.array([200], 'u1')]),
                (TypeError, 'must be a whole number', lambda: x.reshape(2.5, 1)),
                (ValueError, 'masked elements', lambda: x + np.ma.array([1., 2., 3.], mask=[0, 1, 0])),
                (ValueError, 'beyond 64 bits', lambda: t.rows('a', np.array([2 ** 63], 'u8'), ints=True)),
                (ValueError, 'beyond 64 bits', lambda: t.rows('b', [np.inf], ints=True)),
                (ValueError, 'beyond 64 bits', lambda: t.ints(np.array([2 ** 63], 'u8'))),
                (TypeError, 'whole numbers', lambda: t.rows('c', [np.nan], ints=True)),
                (TypeError, 'np.concatenate takes numbers', lambda: np.concatenate([x, x])),
                (TypeError, 'np.sum takes numbers', lambda: np.sum(x)),
                (TypeError, 'on a tape', lambda: gb.stack([], 0)),
                (TypeError, 'is None', lambda: t.constant(None)),
                (TypeError, 'must be a node or numbers', lambda: t.program('x')),
                (TypeError, 'must be whole numbers', lambda: gb.gather(x, 0, [0.5])),
                (gb.Error, 'not below', lambda: gb.gather(x, 0, [7])),
                (TypeError, 'is on no tape', lambda: gb.exp(3)),
                (gb.Error, 'elements', lambda: gb.reshape(x, (2, 2))),
                (ValueError, 'at most 6', lambda: x.reshape(3, 1, 1, 1, 1, 1, 1)),
                (TypeError, 'without axes', lambda: len(x[0])),
                (gb.Error, 'on another tape', lambda: x + gb.Tape().constant(1)),
                (AttributeError, 'no nonsense', lambda: gb.nonsense),
                (AttributeError, 'no nonsense', lambda: x.nonsense),
                (AttributeError, 'call gb.lib', lambda: gb.reach_of),
                (TypeError, 'needs an argument axis', lambda: gb.softmax(x)),
                (TypeError, 'takes 2 arguments', lambda: gb.softmax(x, 0, 1)),
                (TypeError, 'no option transposed', lambda: gb.matmul(x, m, transposed=True)),
                (TypeError, 'must be True or False', lambda: gb.matmul(x, m, transpose_a='yes')),
                (TypeError, 'is None', lambda: gb.add(x, None))):
            self.rejects(kind, words, call)
        self.assertIsInstance(t, gb.Tape)

    def test_c_reads_no_more_numbers_than_there_are(self):
        self.assertAlmostEqual(gb.score_rmse([1.0, 2.0], [1.0, 4.0]).value, 2 ** 0.5)
        for kind, words, call in (
                (ValueError, 'has 1 numbers, and must have 3', lambda: gb.score_rmse([1, 2, 3], [1])),
                (AttributeError, 'no form', lambda: gb.psis_smooth),
                (AttributeError, 'no form', lambda: gb.numbers_at),
                (AttributeError, 'close', lambda: gb.tape_free),
                (ValueError, r'beyond 2\^53', lambda: gb.batches_new(self.t, columns={
                    self.t.input('l', rows=True): np.array([2 ** 60 + 1, 0])})),
                (ValueError, 'has no numbers', lambda: gb.batches_new(self.t, columns={
                    self.t.input('r', rows=True): []})),
                (TypeError, 'must be a gb.ELBO', lambda: gb.fit(self.t)),
                (TypeError, 'is None', lambda: gb.elbo_loss(None))):
            self.rejects(kind, words, call)

    def test_tapes_and_leaves(self):
        t = self.t
        for kind, words, call in (
                (gb.Error, 'a variable of that name already', lambda: t.variable('x', 1)),
                (TypeError, 'must be a text', lambda: t.variable(3)),
                (ValueError, 'character 0', lambda: t.variable('a\0b')),
                (gb.Error, 'no variable of that name', lambda: t['nope']),
                (ValueError, r'start has the shape \(2,\)', lambda: t.variable('s', [1, 2], (2, 1))),
                (gb.Error, r'\(3,\), and the values \(2,\)', lambda: self.x.set([1, 2])),
                (gb.Error, 'is not a variable', lambda: (self.x + 1).set(3)),
                (gb.Error, 'the array has the shape', lambda: t.input('n').feed([1, 2])),
                (gb.Error, 'not an input', lambda: self.x.feed([1, 2, 3])),
                (TypeError, 'C-contiguous', lambda: t.input('b', 2).feed([1, 2], borrow=True)),
                (ValueError, 'must be from 0', lambda: gb.Tape(seed=-1)),
                (ValueError, 'must be one of: double, float', lambda: gb.Tape(real='half')),
                (gb.Error, 'threads is', lambda: gb.Tape(threads=10 ** 9)),
                (ValueError, 'times is -1', lambda: t.program(self.x).run(-1)),
                (ValueError, 'root is -1', lambda: t.program(self.x).read(-1)),
                (gb.Error, 'there is no root 5', lambda: t.program(self.x).read(5)),
                (TypeError, 'a table is of type int', lambda: gb.table(t, 3)),
                (TypeError, '', lambda: gb.Tape(seed='a'))):
            self.rejects(kind, words, call)

    def test_models(self):
        t = self.t
        e = gb.ELBO(t, data_size=3)
        e.latent('w', gb.mean_field(), gb.normal(0, 1))
        for kind, words, call in (
                (gb.Error, 'data_size is 0', lambda: gb.ELBO(t)),
                (TypeError, 'must be a gb.Tape', lambda: gb.ELBO(3, data_size=3)),
                (TypeError, 'no option nope', lambda: gb.ELBO(t, data_size=3, nope=1)),
                (gb.Error, 'name of a term', lambda: e.latent('w', gb.mean_field(), gb.normal(0, 1))),
                (gb.Error, 'scale is -1', lambda: e.latent('a', gb.mean_field(), gb.normal(0, -1))),
                (TypeError, 'must be a distribution', lambda: e.latent('b', gb.mean_field(), 3)),
                (gb.Error, 'no estimator nope', lambda: e.latent('c', gb.mean_field(), gb.normal(), 'nope')),
                (TypeError, 'kind estimator', lambda: e.latent('d', gb.mean_field(), gb.normal(), gb.adam())),
                (TypeError, 'takes loc, scale', lambda: gb.normal(0, 1, 2, 3) and None),
                (TypeError, 'prob or logits', lambda: gb.bernoulli(0.1, logits=2)),
                (TypeError, 'must be numbers', lambda: gb.normal('a', 1)),
                (ValueError, 'stands for the default', lambda: gb.adam(lr=0)),
                (TypeError, 'no option lt', lambda: gb.adam(lt=1)),
                (gb.Error, 'steps is .* needs optimiser', lambda: e.fit(steps=3)),
                (TypeError, 'no option nope', lambda: e.fit(nope=3)),
                (gb.Error, 'no outcome was observed', lambda: e.predict('nope')),
                (gb.Error, 'no latent nope', lambda: e.posterior_read('nope')),
                (ValueError, 'count is 0', lambda: e.fit().draws(0)),
                (TypeError, 'each is of type int', lambda: e.fit(each=3)),
                (TypeError, 'what gb.batches_new returns', lambda: e.predict('y', [1, 2])),
                (TypeError, 'must be an input', lambda: e.predict('y', {'x': [1]})),
                (AttributeError, 'a gb.ELBO has no nope', lambda: e.nope)):
            self.rejects(kind, words, call)

    def test_what_outlives_its_tape_raises(self):
        e, w, log_p = students(self.t)
        fit = e.fit()
        summary, judgement, program = fit.summary(), fit.judgement, self.t.program(self.x)
        prediction = fit.predict('passed')
        self.t.close()
        for call in (lambda: w + 1, lambda: w.shape, lambda: e.loss(), lambda: e.fit(), fit.draws,
                     lambda: fit.judgement, program.run, lambda: str(judgement), lambda: self.t.variable('a'),
                     lambda: log_p.value, lambda: gb.log_prob(gb.normal(w, 1), 0), judgement.weighted):
            self.assertRaisesRegex(gb.Error, 'closed', call)
        self.assertIn('good', str(summary))  # these are the caller's
        self.assertIn('accuracy', prediction.scores)
        self.assertRaisesRegex(gb.Error, 'closed', lambda: prediction.save('/tmp/none.csv'))
        self.assertRaisesRegex(gb.Error, 'closed', lambda: self.t.constant(1))
        self.assertEqual(repr(w), '<grebe.Node, gone with its tape>')
        self.assertEqual(repr(self.t), '<grebe.Tape, closed>')
        self.t.close()

    def test_a_tape_in_use_is_neither_closed_nor_reset(self):
        e, w, _ = students(self.t)
        for words, call in (('closed', self.t.close), ('reset', self.t.reset)):
            self.rejects(gb.Error, f'cannot be {words} by a function',
                         lambda: e.fit(optimiser=gb.adam(), steps=100, each=lambda point, call=call: call()))
            self.rejects(gb.Error, f'cannot be {words} by a function', lambda: gb.scan(
                self.t, lambda state, x, call=call: call(), self.x[0], inputs=self.x))
        self.rejects(TypeError, 'must return', lambda: gb.scan(self.t, lambda s, x: s, self.x[0],
                                                              inputs=self.x))
        self.assertEqual(e.fit(optimiser=gb.adam(), steps=50).steps, 50)

    def test_messages_are_those_of_python(self):
        from grebe._c.call import in_python
        for words, expected in (
                ('give gb_fit(e, .steps = 3, .plateau = true)', 'give gb.fit(e, steps=3, plateau=True)'),
                ('.draws is -1, .chains 0', 'draws is -1, chains 0'),
                ('a.csv, or NAME.npy; .npy has the draws', 'a.csv, or NAME.npy; .npy has the draws'),
                ('GB_COLUMNS({x, gb_doubles(xs)})', '{x: xs}'), ('0.5 to .5', '0.5 to .5'),
                ('gb_watch(e, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()))',
                 'gb.watch(e, estimators=[gb.pathwise(), gb.score()])'), ('NULL', 'None')):
            self.assertEqual(in_python(words), expected)

    def test_what_is_of_an_earlier_recording_raises(self):
        e, w, _ = students(self.t)
        law = gb.normal(w, 1)
        self.t.reset()
        self.assertRaisesRegex(gb.Error, 'earlier recording', lambda: w + 1)
        self.assertRaisesRegex(gb.Error, 'gb.ELBO .* reset', e.loss)
        self.assertRaisesRegex(gb.Error, 'reset', lambda: gb.log_prob(law, 0))
        self.x = self.t.variable('x', [0.0, 0.0, 0.0])
        self.assertEqual(list(self.x.value), [1, 2, 3])

    def test_errors_of_a_run(self):
        y = self.t.variable('y', [1.0, -1.0])
        program = self.t.program(updates=gb.assign(y, gb.log(y)))
        with self.assertRaises(gb.Error) as caught:
            program.run()
        self.assertEqual(caught.exception.status, gb.Status.ENONFINITE)
        self.assertEqual(list(y.value), [1, -1])
        y.value = [1, 1]
        program.run()

    def test_plugins_of_python(self):
        t = self.t

        def law(**slots):
            words = {'name': 'bad', 'formula': 'x', 'parameters': {'a': gb.REAL}, 'support': gb.REAL,
                     'log_prob': lambda self, x: x, 'sample': lambda self, source: source.normal()}
            return type('Bad', (gb.OwnDistribution,), {**words, **slots})
        one = t.constant(1.0)
        for kind, words, call in (
                (ZeroDivisionError, '', lambda: gb.log_prob(law(log_prob=lambda s, x: 1 / 0)(one), 2)),
                (TypeError, 'a node or numbers', lambda: gb.log_prob(law(log_prob=lambda s, x: 'a')(one), 2)),
                (gb.Error, 'do not broadcast',
                 lambda: gb.log_prob(law(log_prob=lambda s, x: self.x + np.ones(4))(one), 2)),
                (gb.Error, 'returned no node',
                 lambda: gb.sample(law(sample=lambda s, source: None)(one), t.stream('s'), gb.SAMPLES)),
                (gb.Error, 'no support', lambda: law(support=None)(one)),
                (TypeError, '1 to 4', lambda: law(parameters={})()),
                (TypeError, 'a domain|must be one such as', lambda: law(parameters={'a': 3})(one)),
                (TypeError, 'name and a formula', lambda: law(name=None)(one)),
                (TypeError, 'takes a', lambda: law()(1, 2)),
                (TypeError, 'no class of a plug-in', lambda: gb.register(int)),
                (gb.Error, '', lambda: gb.register(law(name='Not A Name')))):
            self.rejects(kind, words, call)

    def test_what_c_has_lent_ends_with_the_callback(self):
        kept = {}

        class Kept(gb.OwnProblem):
            name, formula = 'kept', 'E z^2, z ~ N(mu, 1)'

            def cost(self, trial):
                kept['trial'] = trial
                kept['z'] = trial.draw('z', gb.normal(trial.parameter('mu', (), 0.5), 1))
                return gb.square(kept['z'])
        gb.compare(Kept, ['pathwise'], draws=100)
        self.rejects(gb.Error, 'closed', lambda: kept['z'] + 1)
        self.rejects(gb.Error, 'closed', lambda: kept['z'].shape)
        self.rejects(ValueError, 'closed', lambda: kept['trial'].tape)

    def test_comparisons(self):
        for kind, words, call in (
                (ValueError, 'no problem nope', lambda: gb.compare('nope', ['score'])),
                (TypeError, 'must be a list', lambda: gb.compare('gauss-square', 'score')),
                (gb.Error, 'did you mean score', lambda: gb.compare('gauss-square', ['scroe'])),
                (gb.Error, 'are required', lambda: gb.compare('gauss-square', [])),
                (gb.Error, 'no setting z', lambda: gb.compare('gauss-square', ['score'], settings={'z': 1})),
                (TypeError, 'no option nope', lambda: gb.compare('gauss-square', ['score'], nope=1)),
                (ZeroDivisionError, '', lambda: gb.compare('gauss-square', ['score'], draws=10 ** 9,
                                                           progress=lambda part: 1 / 0))):
            self.rejects(kind, words, call)
        with self.assertWarnsRegex(UserWarning, 'bernoulli has none'):
            c = gb.compare('bernoulli-3', ['pathwise', 'arm'], draws=100)
        self.assertIn('pathwise', c.error)
        self.assertEqual(c['pathwise'].parameters, {})
