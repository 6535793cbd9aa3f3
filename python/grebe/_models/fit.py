# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits: e.fit() and what comes of it."""
from __future__ import annotations

import collections
import ctypes as c
import html
from typing import Any, TYPE_CHECKING

from .._c.arrays import records_at
from .._c.call import Call, raise_errors
from .._c.callbacks import Closure
from .._c.convert import Thing
from .._c.enums import enum_of
from .._c.errors import pending
from .._c.functions import made, options_struct
from .._c.interrupts import interrupts
from .._c.library import lib
from .progress import Progress, in_notebook
from .._c.types import text

if TYPE_CHECKING:
    from .._graph.node import Node
    from .draws import Draws
    from .draws import Judgement
    from .prediction import Prediction
    from .summary import Summary

Point = collections.namedtuple('Point', 'step epoch elbo error gradient_norm seconds validation '
                                        'validation_error')
Point.__doc__ = 'The state of a training at the end of a window of steps (gb_fit_point).'


class FitsJudgement(Thing):
    """The judgement of a fit. The tape owns it, and frees it at its end; or at its next call, once no fit
    and no gb.Judgement has it any more."""

    def close(self):
        address, self._address, self._struct = getattr(self, '_address', None), None, None
        if address:
            self._tape._drop('gb_judgement_free', address, self._epoch)


class Fit:
    """The result of a fit. print(fit) shows the verdict and the posterior.

    words      the verdict with its reasons, then how the search ended
    verdict    a gb.Verdict; `good` is whether q can be trusted for means and standard deviations
    elbo, error, steps, draws, gradients, seconds, method, end: as in C
    history    the points of a training, as an array of records
    """

    def __init__(self, elbo, result):
        self._elbo = elbo
        self.end, self.method = enum_of('gb_fit_end')(result.end), enum_of('gb_fit_method')(result.method)
        self.steps, self.before = result.steps, result.before
        self.last, self.best = point_of(result.last), point_of(result.best)
        self.history = records_at(result.point, 'gb_fit_point', result.points)
        self.words = text(result.words) or ''
        self.elbo, self.error = result.elbo, result.error
        self.draws_used, self.gradients, self.seconds = result.draws, result.gradients, result.seconds
        self.verdict = enum_of('gb_verdict')(result.verdict)
        self._judgement = (FitsJudgement('gb_judgement', result.judgement, elbo._tape)
                           if result.judgement else None)

    @property
    def _tape(self):
        return self._elbo._tape

    @property
    def good(self) -> bool:
        """Whether the verdict is good: q's means and standard deviations are near those of the posterior."""
        return self.verdict >= enum_of('gb_verdict').GOOD_HERE

    @property
    def judgement(self) -> Judgement | None:
        """How far q is from the posterior, a gb.Judgement; None if q was not judged."""
        from .draws import Judgement
        self._elbo._check()
        return Judgement(self._judgement, self._elbo) if self._judgement else None

    def summary(self, **options: Any) -> Summary:
        """The posterior as a table."""
        if self.judgement is not None:
            options.setdefault('judgement', self.judgement)
        return self._elbo.summary(**options)

    def draws(self, count: int | None = None, seed: int = 0) -> Draws:
        """Draws of the latents by name, of the posterior as far as the weights are right
        (gb.Judgement.draws)."""
        if self.judgement is None:
            raise ValueError('q was not judged, so there are no weighted draws; judge it: elbo.judge()')
        return self.judgement.draws(count, seed)

    def predict(self, what: str | Node, data: Any = None, **options: Any) -> Prediction:
        """Predicts an outcome by name, or a node, corrected by the weights of the judgement if there is
        one."""
        if self.judgement is not None:
            options.setdefault('judgement', self.judgement)
        return self._elbo.predict(what, data, **options)

    def plot(self, axes=None):
        """Draws the history of a training by matplotlib, and returns the axes."""
        from .plots import plot_history
        return plot_history(self, axes)

    def to_arviz(self):
        """The draws as arviz.InferenceData, where ArviZ is installed."""
        return self.draws().to_arviz()

    def __repr__(self):
        line = self.words.splitlines()[0] if self.words else self.end.name.lower()
        return f'<grebe.Fit: {line}>'

    def __str__(self):
        if self.judgement is None:
            ended = self.end.name.lower()
            return self.words or f'{ended} after {self.steps} steps, ELBO {self.last.elbo:.6g}'
        return str(self.summary())

    def _repr_html_(self):
        if self.judgement is None:
            return f'<p>{html.escape(str(self))}</p>'
        return self.summary()._repr_html_()


def point_of(view):
    return Point(*(getattr(view, field) for field in Point._fields))


def fit(elbo, options):
    """Fits, with a line of progress and a callback that Ctrl-C can end."""
    from .elbo import batches
    function = made('gb_fit_with')
    each, progress = options.pop('each', None), options.pop('progress', in_notebook())
    unknown = [word for word in options if word not in function.options]
    if unknown:
        raise TypeError(f'fit has no option {unknown[0]}; there are: each, progress, '
                        f'{", ".join(function.options)}')
    if each is not None and not callable(each):
        raise TypeError(f'fit: each is of type {type(each).__name__}, and must be a function')
    tape = elbo._tape
    for word in ('data', 'validate'):
        if word in options:
            options[word] = batches(tape, options[word])
    line = Progress() if progress is True else Progress(progress) if progress else None

    def at_point(view):
        point = point_of(view)
        if line:
            line.show(words_of(point))
        return each(point) if each else True
    closure = Closure('gb_fit_options.each', at_point)
    call = Call(tape)
    elbo._check()
    given = options_struct(function, options, call)
    given.each = closure.address
    with interrupts, call.held():
        given.stop = interrupts.stop
        result = lib.gb_fit_with(elbo._pointer(), c.byref(given))
        elbo.last_fit = Fit(elbo, result)
        exception = pending.take()
        if line:
            line.end()
        if exception is not None:
            lib.gb_forgive(tape._address)
            raise exception
        raise_errors(tape)
    return elbo.last_fit


def words_of(point):
    error = f' ± {point.error:.2g}' if point.error == point.error else ''
    step = f'step {point.step}' if point.step else 'searching'
    return f'{step}: ELBO {point.elbo:.6g}{error}, {point.seconds:.1f} s'
