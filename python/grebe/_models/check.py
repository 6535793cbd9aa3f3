# SPDX-License-Identifier: GPL-3.0-or-later
"""The conformance kits: do plug-ins keep their promises?"""
from __future__ import annotations

import ctypes as c
from typing import Any

from .._c.call import Call
from .._c.callbacks import Closure
from .._c.errors import pending
from .._c.functions import made, options_struct
from .._c.interrupts import interrupts
from .._c.library import lib
from .._graph.own import OwnDistribution, OwnPlugin
from .._graph.plugins import Plugin
from .._c.types import struct, text


class Report:
    """The findings of a kit: `ok`, `checks`, `failures` (their texts), `lines` (all of them)."""

    def __init__(self, ok, lines, checks, unchecked):
        self.ok, self.lines, self.checks, self.unchecked = ok, lines, checks, unchecked
        self.failures = [line for passed, line in lines if not passed]

    def __bool__(self):
        return self.ok

    def __str__(self):
        return '\n'.join([f'{self.checks} checks, {len(self.failures)} failures', *self.failures])

    def __repr__(self):
        return f'<grebe.Report: {self.checks} checks, {len(self.failures)} failures>'


def check(plugin: Any, **options: Any) -> Report:
    """Checks a plug-in by the conformance kit of its kind, grebe's or your own: gb.check(gb.score()),
    gb.check(Laplace, draws=20000), gb.check("rebar:learn") is gb.check of an estimator by its text. Options
    are those of gb_check_KIND. Returns a gb.Report."""
    if isinstance(plugin, str):
        from .._graph.plugins import parsed
        plugin = Plugin('gb_estimator', parsed('gb_estimator', plugin))
    if isinstance(plugin, type) and issubclass(plugin, OwnDistribution):
        kind, subject = 'dist', plugin._type()
    elif isinstance(plugin, type) and issubclass(plugin, OwnPlugin):
        plugin = plugin()
        kind, subject = plugin.kind, plugin._struct
    elif isinstance(plugin, Plugin):
        kind, subject = plugin.kind, plugin._struct
    else:
        raise TypeError(f'{plugin!r} is no plug-in: a class of your own, or a value such as gb.score()')
    function = made(f'gb_check_{kind}_with')
    unknown = [word for word in options if word not in function.options]
    if unknown:
        raise TypeError(f'check has no option {unknown[0]} here; there are: {", ".join(function.options)}')
    lines = []
    closure = Closure('gb_report.each', lambda passed, line: lines.append((passed, line)))
    report = struct('gb_report')(each=closure.address)
    report.size = c.sizeof(report)
    call = Call()
    given = options_struct(function, options, call)
    given.report = c.addressof(report)
    with interrupts:
        ok = getattr(lib, function.c_name)(subject, c.byref(given))
        exception = pending.take()
        if exception is not None:
            raise exception
    kept = [text(row.value) for row in report.failure][:report.failures]
    lines += [(False, line) for line in kept if not any(not passed for passed, _ in lines)]
    return Report(bool(ok), lines, report.checks, report.unchecked)
