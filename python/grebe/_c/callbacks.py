# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of Python that C calls. An exception in one is kept, C gets an inert result and an error on its
tape, and the exception is raised when the call of C returns."""
import ctypes as c
import functools
import threading

from .call import Call
from .convert import Thing, from_c, to_c
from .errors import Error, Status, pending
from .interface import CALLBACKS, plain, pointed
from .interrupts import interrupts
from .library import lib
from .types import ctype, function_type, struct

_forever = []  # closures of types, which live as long as the process


class Lent(threading.local):
    """Tapes that C made and has lent for a callback, until the outermost callback returns."""

    def __init__(self):
        self.depth, self.tapes = 0, []

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1
        if not self.depth:
            tapes, self.tapes = self.tapes, []
            for tape in tapes:
                tape.close()


lent = Lent()


class Stock:
    """Functions of C that return a struct (python/interface/closures.py): which of them are free."""

    stocks = {}

    def __init__(self, name):
        library = lib.closures()
        count = c.c_size_t.in_dll(library, f'{name}_count').value
        self.name = name
        self.functions = (c.c_void_p * count).in_dll(library, f'{name}_function')
        self.targets = (c.c_void_p * count).in_dll(library, f'{name}_target')
        self.free = list(range(count))

    @classmethod
    def of(cls, name):
        if name not in cls.stocks:
            cls.stocks[name] = cls(name)
        return cls.stocks[name]

    def take(self, target):
        if not self.free:
            raise Error(f'all {len(self.functions)} functions of the form {self.name} are in use: close '
                        'tapes that are no longer needed, and define each plug-in once', Status.ELIMIT)
        place = self.free.pop()
        self.targets[place] = c.cast(target, c.c_void_p).value
        return place


class Closure:
    """A function of Python as an address for C. It lives as long as one of these keeps it: the call that it
    is for, a plug-in that has it among its options, and the tapes of calls that got either."""

    def __init__(self, name, function):
        entry = CALLBACKS[name]
        types = tuple(p['type'] for p in entry['parameters'])
        self.function, self.entry, self.name = function, entry, name
        self.place = None
        interrupts.callbacks += 1
        if 'closure' in entry:
            self.c_function = function_type(name, 'void', ('void *', *types))(self.for_struct)
            self.stock = Stock.of(entry['closure'])
            self.place = self.stock.take(self.c_function)
            self.address = self.stock.functions[self.place]
        else:
            self.c_function = function_type(name, entry['result'], types)(self.for_scalar)
            self.address = c.cast(self.c_function, c.c_void_p).value

    def __del__(self):
        if self.place is not None:
            self.stock.free.append(self.place)
        interrupts.callbacks -= 1

    def for_scalar(self, *arguments):
        result = self.entry['result']
        found = self.call(arguments)
        if result == 'bool':
            return found is None or bool(found)
        if plain(result) == 'char *':
            return lasting(found) if isinstance(found, str) else None
        return 0 if found is None and result != 'void' else found

    def for_struct(self, address, *arguments):
        found = self.call(arguments)
        if found is not None:
            c.memmove(address, c.addressof(found), c.sizeof(found))

    def call(self, arguments):
        """Calls the function with Python's objects, and returns what C takes; None after an exception, and
        where an argument is inert: an earlier call of C has failed."""
        lending, tape = [], None
        if interrupts.came and self.entry['result'] == 'bool':
            return False
        with lent:
            try:
                given, tape = self.arguments(arguments, lending)
                if given is not None:
                    return self.converted(self.function(*given), arguments, tape)
            except BaseException as exception:  # C cannot pass it on
                self.fail(exception, tape)
            finally:
                for thing in lending:
                    thing._lend_end()
        return False if self.entry['result'] == 'bool' else None

    def converted(self, found, arguments, tape):
        """Returns what C takes of a result, and writes what C wants to be written."""
        result, call, what = self.entry['result'], Call(tape), f'what {self.words} returns'
        places = [(address, pointed(p['type'])) for p, address in zip(self.entry['parameters'], arguments)
                  if is_output(p)]
        if places:
            if found is None:
                return False
            values = found if isinstance(found, tuple) and len(places) > 1 else (found,)
            for (address, name), value in zip(places, values, strict=True):
                made = to_c(name, value, call, what)
                c.memmove(address, c.addressof(made), c.sizeof(made))
            return True
        if result in ('void', 'bool') or plain(result) == 'char *' or found is None:
            return found
        return to_c(result, found, call, what)

    def fail(self, exception, tape):
        """Keeps an exception. An error of the library's goes back to the tape, whose owner raises it."""
        on_tape = tape is not None and tape._address
        words = str(exception) if isinstance(exception, Error) else \
            f'{self.words}: {type(exception).__name__}: {exception}'
        if on_tape:
            status = exception.status if isinstance(exception, Error) else Status.EARGUMENT
            lib.gb_fail(tape._address, int(status), words.replace('%', '%%').encode())
        if not on_tape or not isinstance(exception, Error):
            pending.add(exception)

    @property
    def words(self):
        return getattr(self.function, '__qualname__', repr(self.function))

    def arguments(self, values, lending):
        """Returns (Python's arguments, the tape that they are on)."""
        from .._graph.tape import tape_at
        tape = None
        parameters = self.entry['parameters']
        for parameter, value in zip(parameters, values):
            address = tape_address(parameter['type'], value)
            if address:
                tape = tape_at(address)
                break
        given = []
        for parameter, value in zip(parameters, values):
            if parameter['name'] == 'user' and plain(parameter['type']) == 'void *' or is_output(parameter):
                continue
            if parameter['type'] == 'gb_node' and not value.tape:
                return None, tape
            made = from_c(parameter['type'], value, tape)
            if isinstance(made, Thing) and pointed(parameter['type']):
                lending.append(made)
            given.append(made)
        return given, tape


@functools.lru_cache(None)
def lasting(words):
    """Returns the address of a text that lives as long as the process: C borrows it."""
    _forever.append(c.create_string_buffer(words.encode()))
    return c.addressof(_forever[-1])


OUTPUTS = {'gb_node', 'gb_measure', 'gb_shape', 'gb_family_start'}


def is_output(parameter):
    """Whether the function writes there: a function of Python returns it."""
    return pointed(parameter['type']) in OUTPUTS and not parameter['type'].startswith('const ')


def tape_address(type_, value):
    """Returns the address of the tape that an argument of C is on; None if it has none."""
    name, to = plain(type_), pointed(type_)
    if name == 'gb_node':
        return value.tape
    if to == 'gb_tape':
        return value
    if to in TAPES and value:
        view = struct(to).from_address(value)
        for word in TAPES[to].split('.'):
            view = getattr(view, word)
        return view
    return None


# Where a struct has its tape.
TAPES = {'gb_dist': 'tape', 'gb_source': 'noise.tape', 'gb_site': 'q.tape', 'gb_slot': 'tape',
         'gb_node': 'tape', 'gb_trial': 'tape', 'gb_scan_step': 'tape', 'gb_update_step': 'variable.tape',
         'gb_transform': 'tape',
         'gb_model_site': 'tape', 'gb_vjp': 'tape', 'gb_infer': 'tape', 'gb_example': 'tape'}


def function_for(type_, value, call):
    """Returns the address of a function of Python for a parameter or a field; 0 for None."""
    if value is None:
        return None
    name = type_ if type_ in CALLBACKS else pointed(type_)
    if not callable(value):
        raise TypeError(f'{value!r} is of type {type(value).__name__}, and must be a function')
    closure = Closure(name, value)
    call.closures.append(closure)
    return closure.address


def forever(name, function):
    """Returns the address of a slot of a type, which is never released."""
    closure = Closure(name, function)
    _forever.append(closure)
    return closure.address


def keep_forever(thing):
    _forever.append(thing)
    return thing


assert ctype('gb_visitor *') is c.c_void_p
