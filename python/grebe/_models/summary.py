# SPDX-License-Identifier: GPL-3.0-or-later
"""The posterior as a table."""
from __future__ import annotations

import os
from typing import Any

from .._c.arrays import structs_at
from .._c.enums import enum_of
from .._c.functions import made
from .tables import Table
from .._c.types import text


class Summary(Table):
    """Rows of the posterior: summary["w"].mean, print(summary), summary.to_pandas(). It does not change when
    its tape does."""

    columns = ('name', 'mean', 'error', 'sd', 'q05', 'q50', 'q95', 'ess', 'k', 'rhat', 'source', 'words')

    def __init__(self, elbo, options):
        from .elbo import batches
        if 'data' in options:
            options['data'] = batches(elbo._tape, options['data'])
        self._read_by_save = options.get('judgement'), options.get('nuts')
        self._view = made('gb_summary_with')(elbo, **options)
        view = self._view._struct
        self.verdict, self.words = enum_of('gb_verdict')(view.verdict), text(view.words) or ''
        self.parameters, self.draws = view.parameters, view.draws
        source = enum_of('gb_summary_source')
        self.rows = [Row(row, source) for row in structs_at(view.row, 'gb_summary_row', view.rows)]

    def __getitem__(self, name: str) -> Row:
        """Returns the row of that name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f'{name}; there are: {", ".join(row.name for row in self.rows)}')

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def records(self):
        return [vars(row) for row in self.rows]

    def title(self):
        return self.words

    def save(self, path: str | os.PathLike, **options: Any) -> None:
        """Saves the draws of all rows to NAME.csv or NAME.npy. Options: resample, seed."""
        made('gb_draws_save_with')(self._view, str(path), **options)

    def __str__(self):
        return made('gb_summary_print')(self._view)

    def __repr__(self):
        return f'<grebe.Summary of {len(self.rows)} rows>'


class Row:
    """A row of a summary; numbers that do not exist are NaN."""

    def __init__(self, view, source):
        for name in Summary.columns:
            value = getattr(view, name)
            setattr(self, name, text(value) if isinstance(value, bytes) else value)
        self.source = source(view.source).name.lower()

    def __repr__(self):
        return f'{self.name}: {self.mean:.4g} ± {self.sd:.3g} ({self.source})'
