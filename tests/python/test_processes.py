# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, threads and Ctrl-C."""
import multiprocessing
import os
import signal
import threading
import time
import unittest

import grebe as gb
import numpy as np
from models import students, trained


class Processes(unittest.TestCase):
    def test_pools_of_processes(self):
        expected = [trained(seed) for seed in (1, 2)]
        for method in ('fork', 'spawn'):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(trained, [1, 2]), expected, method)

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
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

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
