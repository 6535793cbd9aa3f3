# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Python and C: the description, types, values, calls and callbacks."""
