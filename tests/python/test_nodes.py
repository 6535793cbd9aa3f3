# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes: operators, broadcasting, indices and functions, against NumPy."""
import unittest
import weakref

import grebe as gb
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


class Nodes(unittest.TestCase):
    def setUp(self):
        self.t = gb.Tape(seed=1, threads=1)
        self.a = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])
        self.b = np.array([2.0, 0.5, 4.0])
        self.x, self.y = self.t.variable('x', self.a), self.t.variable('y', self.b)

    def tearDown(self):
        self.t.close()

    def test_operators_are_numpys(self):
        a, b, x, y = self.a, self.b, self.x, self.y
        for name, f in {
                'add': lambda p, q: p + q, 'sub': lambda p, q: p - q, 'mul': lambda p, q: p * q,
                'div': lambda p, q: p / q, 'neg': lambda p, q: -p, 'abs': lambda p, q: abs(p) + q,
                'pow': lambda p, q: abs(p) ** q, 'square': lambda p, q: p ** 2, 'pos': lambda p, q: +p,
                'less': lambda p, q: p < q, 'le': lambda p, q: p <= q, 'gt': lambda p, q: p > q,
                'ge': lambda p, q: p >= q, 'eq': lambda p, q: p == q, 'ne': lambda p, q: p != q,
                'and': lambda p, q: (p > 0) & (q > 1), 'or': lambda p, q: (p > 0) | (q > 1),
                'not': lambda p, q: ~(p > q), 'matmul': lambda p, q: p @ q}.items():
            with self.subTest(name):
                assert_allclose(self.t.evaluate(f(x, y)), f(a, b), rtol=1e-15)
                assert_allclose(self.t.evaluate(f(x, b)), f(a, b), rtol=1e-15)  # an array on the right
                assert_allclose(self.t.evaluate(f(a, y)), f(a, b), rtol=1e-15)  # and on the left

    def test_numbers_of_all_types_become_constants(self):
        for value in (2, 2.5, True, np.float32(0.1), np.int64(3), np.array(4.0), [1, 2, 3], (1.0, 2, 3),
                      np.array([1, 2, 3], np.uint8), np.array([1, 0, 1], bool), np.arange(6.0)[::2],
                      np.asfortranarray(self.a), np.array([1, 2, 3], '>f8'),
                      np.array([0.1, 0.2, 0.3], np.float32)):
            with self.subTest(repr(value)):
                expected = np.asarray(value, np.float64) + self.a
                assert_array_equal(self.t.evaluate(self.x + value), expected)
                assert_array_equal(self.t.evaluate(value + self.x), expected)

    def test_indices_are_numpys(self):
        a, x = self.a, self.x
        for index in (0, -1, -2, (1, -3), (0, 1), (slice(None), 1), slice(1, None),
                      (slice(None), slice(None, None, -1)),
                      (slice(None), slice(2, 0, -1)), (Ellipsis, 0), (None, 0), (slice(None), None, 1),
                      (1, None), ([1, 0, 1],), (slice(None), [0, -1]),
                      (slice(None), np.array([True, False, True])), (slice(0, 0),),
                      (slice(None), slice(0, 3, 2)), (Ellipsis,), (slice(5, 9),)):
            with self.subTest(index):
                assert_array_equal(self.t.evaluate(x[index]), a[index])
        self.assertEqual([float(self.t.evaluate(row.sum())) for row in x], list(a.sum(axis=1)))
        self.assertEqual(len(x), 2)

    def test_reductions_have_an_axis(self):
        a, x = self.a, self.x
        for f, g in ((gb.sum, np.sum), (gb.mean, np.mean), (gb.maximum, np.max), (gb.prod, np.prod)):
            for axis in (None, 0, 1, -1, (0, 1)):
                with self.subTest(f'{f.__name__} {axis}'):
                    assert_allclose(self.t.evaluate(f(x, axis)), g(a, axis=axis), rtol=1e-14)
        assert_allclose(self.t.evaluate(x.sum(axis=1, keepdims=True)), a.sum(axis=1, keepdims=True))
        assert_allclose(self.t.evaluate(x.logsumexp()), np.log(np.exp(a).sum()), rtol=1e-14)
        assert_allclose(self.t.evaluate(x.T), a.T)
        assert_allclose(self.t.evaluate(x.reshape(3, -1)), a.reshape(3, -1))

    def test_gradients_are_nodes(self):
        x = self.t.variable('v', [1.0, 2.0])
        y = (x * gb.exp(x)).sum()
        v = np.array([1.0, 2.0])
        assert_allclose(self.t.evaluate(gb.grad(y, x)), np.exp(v) * (1 + v), rtol=1e-14)
        second = gb.grad(gb.grad(y, x).sum(), x)
        assert_allclose(self.t.evaluate(second), np.exp(v) * (2 + v), rtol=1e-14)
        z = self.t.variable('z', [3.0, 4.0])
        found = gb.grads((x * z).sum(), [x, z])
        assert_array_equal(self.t.evaluate(*found)[0], [3, 4])
        self.assertEqual(self.t.evaluate(gb.replaced((x * z).sum(), {x: z})), 25)

    def test_integers_and_booleans_stay_what_they_are(self):
        self.assertEqual(self.t.evaluate(self.x.argmax(1)).dtype, np.int64)
        self.assertEqual(self.t.evaluate(self.x > 0).dtype, bool)
        assert_array_equal(self.t.evaluate(gb.where([True, False, True], self.y, 0)), [2, 0, 4])
        assert_array_equal(self.t.evaluate(gb.one_hot(self.t.ints([2, 0]), 3)), [[0, 0, 1], [1, 0, 0]])

    def test_variables_are_read_and_set(self):
        assert_array_equal(self.x.value, self.a)
        self.x.value = self.a + 1
        assert_array_equal(np.asarray(self.x), self.a + 1)
        self.y.set(3)
        assert_array_equal(self.t['y'].value, [3, 3, 3])
        self.assertEqual(sorted(self.t.variables), ['x', 'y'])
        self.x.value[0, 0] = 99  # a copy
        self.assertEqual(self.x.value[0, 0], self.a[0, 0] + 1)

    def test_programs_update_variables(self):
        v = self.t.variable('v', [1.0, 2.0])
        loss = ((v - [3, 4]) ** 2).sum()
        train = self.t.program(loss, updates=gb.minimise(loss, gb.sgd(lr=0.25)))
        train.run(60)
        assert_allclose(v.value, [3, 4], atol=1e-12)
        self.assertEqual(train.step, 60)
        self.assertLess(train.read(loss), 1e-20)
        swap = self.t.program(updates=gb.assign(v, v[::-1]))
        swap.run()
        assert_allclose(v.value, [4, 3], atol=1e-12)

    def test_inputs_have_rows(self):
        x = self.t.input('in', 2, rows=True)
        total = (x ** 2).sum(over=gb.ROWS)
        program = self.t.program(total, x)
        for dtype in (np.float64, np.float32, np.int32, bool):
            rows = np.array([[1, 2], [3, 4], [5, 6]]).astype(dtype)
            x.feed(rows)
            assert_array_equal(program()[0], (rows.astype(float) ** 2).sum(axis=0))
        assert_array_equal(program.read(x), rows)
        borrowed = np.array([[1.0, 2.0]])
        x.feed(borrowed, borrow=True)
        borrowed[:] = 3  # it was not copied
        assert_array_equal(program()[0], [9, 9])
        kept = weakref.ref(borrowed)
        for step in range(3):
            borrowed = np.full((1, 2), float(step))
            x.feed(borrowed, borrow=True)
        assert_array_equal(program()[0], [4, 4])
        self.assertIsNone(kept())
        kept, aside = weakref.ref(borrowed), self.t.set_feeds_aside()
        borrowed = np.ones((1, 2))
        x.feed(borrowed, borrow=True)
        assert_array_equal(program()[0], [1, 1])
        gb.feeds_put_back(aside)
        assert_array_equal(program()[0], [4, 4])
        self.assertIsNotNone(kept())
        index = self.t.input('index', rows=True, ints=True)
        index.feed([2, 0])
        assert_array_equal(self.t.evaluate(gb.gather(self.y, 0, index)), [4, 2])

    def test_samples_are_the_first_axis(self):
        z = gb.normal_noise(self.t.stream('z'), (3,), gb.SAMPLES)
        rows = self.t.rows('r', np.zeros((4, 3)))
        found = self.t.evaluate(z, z + rows, rows, samples=5)
        self.assertEqual([each.shape for each in found], [(5, 3), (5, 4, 3), (4, 3)])
        assert_array_equal(found[1][:, 0], found[0])

    def test_a_value_has_the_samples_of_its_run(self):
        with gb.Tape(seed=1, samples=2) as t:
            x = t.rows('x', [1.0, 2.0, 3.0])
            y = gb.normal_noise(t.stream('s'), (), gb.SAMPLES) * 0 + x
            program = t.program(y)
            program.run()
            for samples in (2, 4, 3.0):
                program.samples = samples
                assert_array_equal(program.read(y)[0], [1, 2, 3])  # of the run before
                assert_array_equal(y.value, program.read(0))
                program.run()
                for found in (program.read(0), y.value):
                    assert_array_equal(found, [[1, 2, 3]] * int(samples))
            self.assertEqual(t.evaluate(y, samples=5).shape, (5, 3))
            self.assertEqual(y.value.shape, (3, 3))

    def test_frames_and_series_are_arrays(self):
        try:
            import pandas as pd
        except ImportError:
            self.skipTest('pandas is not installed (python3-pandas)')
        s = pd.Series([1.0, 2.0, 3.0])
        assert_allclose(self.t.evaluate(self.t.constant([1.0, 1.0, 1.0]) + s), [2, 3, 4])
        frame = pd.DataFrame({'a': [1, 2], 'b': [3, 4]})
        assert_array_equal(self.t.evaluate(self.t.rows('frame', frame)), frame)
        self.assertFalse(self.x is None or self.x == None)  # noqa: E711
        self.assertTrue(self.x != None)  # noqa: E711

    def test_float_tapes(self):
        with gb.Tape(real='float') as t:
            x = t.variable('x', np.array([0.1, 0.2]))
            assert_array_equal(x.value, np.array([0.1, 0.2], np.float32))

    def test_distributions_are_those_of_formulas(self):
        x = self.t.constant([0.3, -1.2])
        v = np.array([0.3, -1.2])
        for law, expected in ((gb.normal(0.5, 2),
                               -((v - 0.5) / 2) ** 2 / 2 - np.log(2) - np.log(2 * np.pi) / 2),
                              (gb.normal(), -v ** 2 / 2 - np.log(2 * np.pi) / 2),
                              ('laplace:scale=2', -abs(v) / 2 - np.log(4)),
                              (gb.student_t(3), np.log(2 / np.pi / np.sqrt(3)) - 2 * np.log(1 + v ** 2 / 3))):
            assert_allclose(self.t.evaluate(gb.log_prob(law, x)), expected, rtol=1e-13)
        for law in (gb.bernoulli(logits=0.4), gb.bernoulli(1 / (1 + np.exp(-0.4))),
                    gb.bernoulli(prob=1 / (1 + np.exp(-0.4)))):
            assert_allclose(self.t.evaluate(gb.log_prob(law, self.t.constant(1))), -np.log1p(np.exp(-0.4)),
                            rtol=1e-14)
        self.assertAlmostEqual(float(self.t.evaluate(gb.kl(gb.normal(1, 2).on(self.t), gb.normal(0, 1)))),
                               (4 + 1 - 1) / 2 - np.log(2), 14)
        law = gb.normal(self.x, 2)
        assert_array_equal(self.t.evaluate(law.mean()), self.a)
        self.assertEqual((law.type, sorted(law.parameters)), ('normal', ['loc', 'scale']))

    def test_recursions(self):
        h = gb.scan(self.t, lambda state, y: (0.5 * state + y, state), self.t.constant(1.0), inputs=self.y)
        states = [1.0, 2.5, 1.75]
        assert_allclose(self.t.evaluate(h.output), states, rtol=1e-15)
        assert_allclose(self.t.evaluate(h.last), 4.875, rtol=1e-15)
