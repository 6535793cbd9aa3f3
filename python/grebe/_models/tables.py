# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as tables: as text, as HTML in a notebook, and as a frame of pandas where that is installed."""
import html
import math

from .._c.convert import Viewed


class Table(Viewed):
    """What has `columns` and `records()`: a list of dictionaries by column."""

    columns = ()

    def records(self):
        raise NotImplementedError

    def to_pandas(self):
        """Returns a pandas.DataFrame. Fails with an ImportError where pandas is not installed."""
        import pandas
        return pandas.DataFrame(self.records(), columns=list(self.columns))

    def title(self):
        """What stands above the table in a notebook."""
        return ''

    def _repr_html_(self):
        head = ''.join(f'<th>{html.escape(name)}</th>' for name in self.columns)
        rows = ''.join('<tr>' + ''.join(f'<td>{html.escape(shown(row.get(name)))}</td>'
                                        for name in self.columns)
                       + '</tr>' for row in self.records())
        title = ''.join(f'<p>{html.escape(line)}</p>' for line in self.title().splitlines() if line)
        return f'{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def shown(value):
    """Returns a number with four digits; nothing for one that does not exist."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return ''
    return f'{value:.4g}' if isinstance(value, float) else str(value)
