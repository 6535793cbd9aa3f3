# SPDX-License-Identifier: GPL-3.0-or-later
"""Models, fits and what comes of them; comparisons; kits."""
