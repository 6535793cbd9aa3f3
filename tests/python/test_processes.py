# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, threads and Ctrl-C."""
import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time
import unittest

import grebe as gb
import numpy as np
from models import students, trained


def fails(_):
    with gb.Tape() as t:
        return t.constant([1, 2]) + t.constant([1, 2, 3])


def log_density(given):
    law, domain = given
    with gb.Tape() as t:
        assert domain == gb.POSITIVE and repr(domain) == repr(gb.POSITIVE)
        return float(t.evaluate(gb.log_prob(law, t.constant(0.0))))


class Processes(unittest.TestCase):
    def test_pools_of_processes(self):
        expected = [trained(seed) for seed in (1, 2)]
        for method in ('fork', 'spawn'):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(trained, [1, 2]), expected, method)

    def test_errors_come_from_workers(self):
        with multiprocessing.get_context('fork').Pool(1) as pool:
            with self.assertRaises(gb.Error) as caught:
                pool.map(fails, [1])
        self.assertEqual(caught.exception.status, gb.Status.ESHAPE)

    def test_what_belongs_to_a_process_is_not_copied(self):
        with gb.Tape() as t:
            e, w, _ = students(t)
            for each in (t, e, gb.score(), t.program(w), e.fit().summary()):
                for call in (copy.copy, copy.deepcopy, pickle.dumps):
                    with self.subTest(f'{each!r} {call.__name__}'):
                        if call is not copy.copy or not isinstance(each, gb.Summary):
                            self.assertRaises(TypeError, call, each)
            self.assertRaises((TypeError, ValueError), pickle.dumps, w)
            self.assertEqual(t.evaluate(copy.copy(w) * 0)[0], 0)
            self.assertEqual(len(pickle.loads(pickle.dumps(e.fit().draws()))['w']), 1000)

    def test_a_child_may_use_the_tape_of_its_parent(self):
        with gb.Tape(threads=2) as t:
            x = t.variable('x', np.arange(200000.0))
            program = t.program((x * x).sum())
            program.run()
            child = os.fork()
            if not child:
                program.run()
                os._exit(0 if program.read(0) > 1 else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_threads_wait_for_each_other(self):
        with gb.Tape(threads=1) as t:
            x = t.variable('x', np.ones(50))
            program = t.program(x.sum())

            def work():
                for _ in range(100):
                    program.run()
                    (x * 2 + 1).sum()
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(program.read(0), 50)

    def test_a_call_that_waited_finds_the_tape_closed(self):
        t = gb.Tape(seed=1, threads=1)
        e, w, _ = students(t)
        begun, found = threading.Event(), []

        def each(point):
            begun.set()
            return time.sleep(0.05)

        def late():
            begun.wait()
            for call in (lambda: w + 1, lambda: w.shape, t.close, lambda: w * 2, e.loss):
                try:
                    found.append(call() is None)
                except gb.Error as error:
                    found.append('closed' in str(error))
        threads = [threading.Thread(target=late) for _ in range(3)]
        for thread in threads:
            thread.start()
        e.fit(optimiser=gb.adam(), steps=200, each=each)
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 15)
        self.assertGreaterEqual(sum(found), 5)

    def test_a_law_of_numbers_goes_to_other_processes(self):
        law = gb.normal(0, 2)
        with gb.Tape(seed=1) as t:
            self.assertEqual(t.evaluate(gb.log_prob(law, t.constant(0.0))), log_density((law, gb.POSITIVE)))
        for method in ('fork', 'spawn'):
            with multiprocessing.get_context(method).Pool(1) as pool:
                self.assertEqual(pool.map(log_density, [(law, gb.POSITIVE)]),
                                 [log_density((law, gb.POSITIVE))], method)
        self.assertIs(pickle.loads(pickle.dumps(gb.exp)), gb.exp)
        self.assertIs(pickle.loads(pickle.dumps(gb.normal)), gb.normal)


class CtrlC(unittest.TestCase):
    def interrupted(self, call):
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        start = time.time()
        self.assertRaises(KeyboardInterrupt, call)
        timer.join()
        self.assertLess(time.time() - start, 5)

    def test_it_ends_what_takes_long_and_leaves_all_consistent(self):
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            self.interrupted(lambda: e.fit(optimiser=gb.adam(lr=0.01), steps=10 ** 9))
            steps = e.last_fit.steps
            self.assertEqual(e.last_fit.end, gb.FitEnd.CALLBACK)
            fit = e.fit(optimiser=gb.adam(lr=0.01), steps=100)
            self.assertEqual((fit.steps, fit.last.step), (100, steps + 100))
            self.interrupted(lambda: e.nuts(draws=10 ** 7))
            self.interrupted(lambda: gb.compare('gauss-square', ['score'], draws=10 ** 10))
            self.interrupted(lambda: gb.race(problem='gauss-square', estimators=['score'], steps=10 ** 7))
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_it_ends_a_training_after_a_step(self):
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            windows = []
            self.interrupted(lambda: e.fit(optimiser=gb.adam(lr=0.01), steps=10 ** 9, window=10 ** 9,
                                           each=lambda point: windows.append(point.step)))
            fit = e.last_fit
            self.assertEqual((fit.end, len(fit.history)), (gb.FitEnd.CALLBACK, 1))
            self.assertTrue(0 < fit.steps < 10 ** 9)
            self.assertTrue(e.fit().good)  # the note is gone

    def test_only_the_main_threads_fit_ends(self):
        steps = []

        def other():
            with gb.Tape(seed=2) as t2:
                steps.append(students(t2)[0].fit(optimiser=gb.adam(), steps=200000).steps)
        with gb.Tape(seed=1) as t:
            e, _, _ = students(t)
            thread = threading.Thread(target=other)
            thread.start()
            self.interrupted(lambda: e.fit(optimiser=gb.adam(lr=0.01), steps=10 ** 9))
            thread.join()
        self.assertEqual(steps, [200000])

    def test_a_handler_of_ones_own_is_called(self):
        came = []
        before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
        try:
            with gb.Tape(seed=1) as t:
                e, _, _ = students(t)
                timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
                timer.start()
                e.fit(optimiser=gb.adam(lr=0.01), steps=10 ** 9)
                timer.join()
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(came, [signal.SIGINT])
