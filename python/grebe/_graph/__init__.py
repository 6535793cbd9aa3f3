# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded: tapes, nodes, functions, distributions, plug-ins, programs."""
