# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions of new rows."""
import numpy as np

from .._c.arrays import numbers_at
from .._c.enums import enum_of
from .._c.functions import function, made
from .._c.library import lib
from .._graph.node import Node
from .tables import Table
from .._c.types import text


class Prediction(Table):
    """A prediction: arrays over rows, `mean`, `sd`, `epistemic`, `noise`, `quantile` (with `level`), `draw`
    if draws were kept; with outcomes `outcome`, `log_density`, `crps` and `scores`; of classes
    `probability`. What does not exist is None. `words` say what is wrong or remarkable."""

    columns = ('row', 'mean', 'sd', 'epistemic', 'noise')

    def __init__(self, thing, options):
        self._view = thing
        view = thing._struct
        self.name, self.words, self.k = text(view.name), text(view.words), view.k
        self.source = enum_of('gb_summary_source')(view.source).name.lower()
        self.draws, self.is_discrete = view.draws, view.is_discrete
        rows, elements, data = view.rows, view.elements, view.data

        def array(word, *shape):
            found = numbers_at(getattr(view, word), shape)
            return found if found is None or elements > 1 or shape[-1] != 1 else found[..., 0]
        self.row = numbers_at(view.row, (rows,), 'size_t')
        for word in ('mean', 'sd', 'epistemic', 'noise', 'outcome', 'below', 'up_to', 'crps'):
            setattr(self, word, array(word, rows, elements))
        for word in ('log_density', 'log_density_error', 'entropy', 'expected_entropy', 'information',
                     'weight'):
            setattr(self, word, array(word, rows, data))
        self.level = numbers_at(view.level, (view.quantiles,))
        quantile = numbers_at(view.quantile, (rows, elements, view.quantiles))
        self.quantile = quantile if quantile is None or elements > 1 else quantile[:, 0]
        self.draw = array('draw', view.draws, rows, elements)
        self.classes = view.classes
        probability = numbers_at(view.probability, (rows, data, view.classes))
        self.probability = probability if probability is None or data > 1 else probability[:, 0]

    @property
    def scores(self):
        """Scores by name, as (value, standard error); none without outcomes."""
        found = lib.gb_prediction_scores(self._view._pointer())
        return {text(found.score[i].name): (found.score[i].value, found.score[i].error)
                for i in range(found.count)}

    def records(self):
        flat = {word: np.reshape(getattr(self, word), (len(self.row), -1)) for word in self.columns[1:]
                if getattr(self, word) is not None}
        return [{'row': int(row), **{word: float(each[i, j]) for word, each in flat.items()}}
                for i, row in enumerate(self.row) for j in range(max(e.shape[1] for e in flat.values()))]

    def title(self):
        return f'{self.name}\n{self.words}'

    def save(self, path):
        """Saves to NAME.csv, or the draws to NAME.npy."""
        made('gb_prediction_save')(self._view, str(path))

    def plot(self, x=None, axes=None):
        """Draws mean and quantiles by matplotlib, over x or the number of the row."""
        from .plots import plot_prediction
        return plot_prediction(self, x, axes)

    def __str__(self):
        return made('gb_prediction_print')(self._view)

    def __repr__(self):
        return f'<grebe.Prediction of {self.name} in {len(self.row)} rows>'


def predict(elbo, what, data, options):
    """Predicts an outcome by its name, or a node."""
    if isinstance(data, dict):
        data = function('batches_new')(elbo._tape, columns=data, in_order=True)
    if data is not None:
        options['data'] = data
    name = 'gb_predictive_node_with' if isinstance(what, Node) else 'gb_predictive_with'
    return Prediction(made(name)(elbo, what, **options), options)
