# SPDX-License-Identifier: GPL-3.0-or-later
"""One line of progress, which changes: in a notebook, or on a terminal; elsewhere lines."""
import sys


def in_notebook():
    """Whether this runs in a kernel of Jupyter."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, 'kernel')


class Progress:
    """Shows a text in the place of the one before."""

    def __init__(self, file=None):
        self.file = file or sys.stderr
        self.handle, self.length = None, 0
        self.notebook = file is None and in_notebook()

    def show(self, text):
        if self.notebook:
            from IPython.display import Pretty, display
            if self.handle is None:
                self.handle = display(Pretty(text), display_id=True)
            else:
                self.handle.update(Pretty(text))
        elif self.file.isatty():
            self.file.write('\r' + text.ljust(self.length))
            self.length = len(text)
            self.file.flush()
        else:
            self.file.write(text + '\n')

    def end(self):
        if not self.notebook and self.file.isatty() and self.length:
            self.file.write('\n')
