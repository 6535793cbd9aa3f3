# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints, and plug-ins in shared objects."""
from __future__ import annotations

import ctypes as c
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._c.call import Call
from .._c.convert import to_c
from .._c.errors import Error
from .._c.library import lib
from .._c.types import struct

if TYPE_CHECKING:
    from .._graph.program import Program
    from .._graph.tape import Tape


def _checkpoint(function, tape, path, programs, subset):
    call = Call(tape)
    made = struct('gb_checkpoint')()
    made.size, made.tape = c.sizeof(made), tape._pointer()
    made.path = to_c('char *', os.fspath(path), call, 'path')
    addresses = (c.c_void_p * max(1, len(programs)))(*(program._pointer() for program in programs))
    made.programs, made.program, made.subset = len(programs), c.addressof(addresses), bool(subset)
    call.run(function, c.byref(made))


def save(tape: Tape, path: str | os.PathLike, programs: Sequence[Program] = ()) -> None:
    """Saves all variables of a tape, and the steps of programs, to a file that is written whole or not at
    all."""
    _checkpoint(lib.gb_checkpoint_save, tape, path, list(programs), False)


def load(tape: Tape, path: str | os.PathLike, programs: Sequence[Program] = (), *,
         subset: bool = False) -> None:
    """Loads what gb.save has written, after the same recording. With `subset`, variables of the file that the
    tape does not have are ignored: for a process that only predicts."""
    _checkpoint(lib.gb_checkpoint_load, tape, path, list(programs), subset)


def load_bundle(path: str | os.PathLike) -> None:
    """Loads a shared object with plug-ins (plugins/bundle.h): their names are then known. Code of the file
    runs, so load only what you trust."""
    error = c.create_string_buffer(1024)
    status = lib.gb_bundle_load(os.fspath(path).encode(), None, error, len(error))
    if status:
        raise Error(error.value.decode('utf-8', 'replace'), status)
