# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the public headers, and describes them for other languages."""
