# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready models of tables: regressions by formula, series, groups and others."""
from __future__ import annotations

import ctypes as c
import os
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.call import Call
from .._c.convert import Thing, sequence, to_c
from .._c.functions import function, made
from .._c.library import lib
from .._c.types import text

if TYPE_CHECKING:
    from .._graph.plugins import Plugin
    from .._graph.tape import Tape
    from .fit import Fit
    from .prediction import Prediction
    from .summary import Summary


def table(tape: Tape, data: Any, name: str = 'data') -> Thing:
    """Returns a table: of {column: numbers or texts}, of a frame of pandas, or of a file, by its path. In a
    column of numbers a NaN is a missing cell, in one of texts None or "" is."""
    if isinstance(data, Thing):
        return data
    if isinstance(data, (str, os.PathLike)):
        return function('table_read')(tape, os.fspath(data))
    if not hasattr(data, 'keys') and not hasattr(data, 'columns'):
        raise TypeError(f'a table is of type {type(data).__name__}, and must be columns by name, a frame of '
                        'pandas, or the path of a file')
    columns = {str(key): data[key] for key in (data.columns if hasattr(data, 'columns') else data)}
    if not columns:
        raise ValueError('a table needs a column')
    rows = {len(column) for column in columns.values()}
    if len(rows) > 1:
        raise ValueError(f'columns have different numbers of rows: {sorted(rows)}')
    call = Call(tape)
    address = call.run(lib.gb_table_new, tape._pointer(), to_c('char *', name, call, 'name'), rows.pop())
    made_ = Thing('gb_table', address, tape, 'gb_table_free')
    for key, column in columns.items():
        add_column(made_, key, column, call)
    return made_


def add_column(table_, key, column, call):
    array = np.asarray(column)
    word = to_c('char *', key, call, 'a column')
    if array.dtype.kind in 'biuf':
        call.run(lib.gb_table_add, table_._address, word, to_c('gb_numbers', array, call, key))
        return
    texts = [None if cell is None or cell != cell else str(cell) for cell in sequence(column, key)]
    cells = (c.c_char_p * max(1, len(texts)))(*(cell if cell is None else cell.encode() for cell in texts))
    call.run(lib.gb_table_add_texts, table_._address, word, c.addressof(cells))


class Analysis(Thing):
    """A ready model with its data:

        a = gb.Analysis(t, gb.linear_model(), "score ~ hs * iq", data)
        fit = a.fit()
        print(a.summary())
        p = a.predict(others)

    `data` is {column: array}, a frame of pandas, or the path of a CSV file. Options are those of
    gb.analysis_new: posterior, estimator, group, error, contrasts, drop_missing, batch …"""

    def __init__(self, tape: Tape, model: Plugin | str, formula: str | None = None, data: Any = None,
                 **options: Any) -> None:
        if data is not None:
            options['table'] = table(tape, data)
            tape._borrowed.append(options['table'])
        found = function('analysis_new')(tape, model, formula=formula, **options)
        super().__init__('gb_analysis', found._address, tape)
        self.elbo = made('gb_analysis_elbo')(self)
        self.last_fit = None

    @property
    def warnings(self) -> str:
        """What is remarkable of the data, one line for each; "" if nothing is."""
        return text(lib.gb_analysis_warnings(self._pointer()))

    def fit(self, **options: Any) -> Fit:
        """Fits the model; see gb.Fit."""
        options.setdefault('data', made('gb_analysis_data')(self))
        self.last_fit = self.elbo.fit(**options)
        return self.last_fit

    def summary(self, fit: Fit | None = None) -> Summary:
        """The coefficients and what else the model has to show, as a table."""
        fit = fit or self.last_fit
        given = {} if fit is None or fit.judgement is None else {'judgement': fit.judgement}
        if not given:
            given['data'] = made('gb_analysis_data')(self)
        nodes = made('gb_analysis_nodes')(self)
        return self.elbo.summary(nodes=nodes, only_nodes=True, **given)

    def predict(self, data: Any = None, fit: Fit | None = None, **options: Any) -> Prediction:
        """Predicts the outcome in the rows of another table; without one, in those of the training."""
        rows = made('gb_analysis_data')(self) if data is None else \
            made('gb_analysis_rows')(self, table(self._tape, data, 'new rows'))
        fit = fit or self.last_fit
        if fit is not None and fit.judgement is not None:
            options.setdefault('judgement', fit.judgement)
        return self.elbo.predict(text(lib.gb_analysis_outcome(self._pointer())), rows, **options)

    def __repr__(self):
        return '<grebe.Analysis>'
