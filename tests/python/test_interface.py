# SPDX-License-Identifier: GPL-3.0-or-later
"""interface.json against the headers and the library, by other ways than those by which it was made."""
import ast
import inspect
import keyword
import os
import re
import subprocess
import sys
import unittest

import grebe as gb
from grebe._c import interface as _interface, types as _types

ROOT, BUILD, CC = os.environ['GB_ROOT'], os.environ['GB_BUILD'], os.environ['GB_CC']


def declared(name, entry):
    """Returns a declaration in C as the description has it."""
    parameters = []
    for p in entry['parameters']:
        type_ = p['type']
        if type_ in _interface.CALLBACKS and '.' in type_:
            inner = _interface.CALLBACKS[type_]
            parameters.append(declared(f'(*{p["name"]})', inner).rstrip(';'))
        elif type_ == '...':
            parameters.append('...')
        else:
            parameters.append(f'{type_} {p["name"]}' if '(*)' not in type_ else type_)
    return f'{entry["result"]} {name}({", ".join(parameters) or "void"});'


class Description(unittest.TestCase):
    def test_functions_have_the_types_of_the_headers(self):
        """A compiler rejects a second declaration with other types."""
        headers = ''.join(f'#include <grebe/{name}>\n' for name in ('grebe.h', 'kit/kit.h', 'ops/blas.h'))
        source = headers + '\n'.join(
            declared(name, entry) for name, entry in _interface.FUNCTIONS.items())
        done = subprocess.run([CC, '-std=c17', '-fsyntax-only', f'-I{BUILD}/include', '-x', 'c', '-'],
                              input=source, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[:2000])

    def test_a_wrong_type_is_seen(self):
        source = '#include <grebe/grebe.h>\n' + declared('gb_num', {
            'result': 'gb_node', 'parameters': [{'name': 'tape', 'type': 'gb_tape *'},
                                                {'name': 'value', 'type': 'float'}]})
        done = subprocess.run([CC, '-std=c17', '-fsyntax-only', f'-I{BUILD}/include', '-x', 'c', '-'],
                              input=source, text=True, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_all_that_the_libraries_export_is_described(self):
        for library in ('grebe', 'grebe-kit'):
            path = _interface.folder() / f'lib{library}.so.{gb.__version__.rsplit(".", 1)[0]}'
            lines = subprocess.run(['nm', '-D', '--defined-only', path], text=True, capture_output=True,
                                   check=True).stdout
            exported = set(re.findall(r'^\w+ [A-Z] (gb_\w+)$', lines, re.M))
            known = {name for name, entry in {**_interface.FUNCTIONS, **_interface.OBJECTS}.items()
                     if entry.get('library', 'grebe') == library}
            self.assertEqual(exported - known, set())
            self.assertEqual(known - exported, set())

    def test_ctypes_lays_out_every_struct_as_the_compiler_does(self):
        for name in _interface.STRUCTS:
            if '.' not in name:
                with self.subTest(name):
                    _types.struct(name)  # compares each offset, and the size

    def test_lengths_are_those_that_house_sizes_holds(self):
        with open(f'{ROOT}/tests/house/sizes.txt', encoding='utf-8') as file:
            held = dict(re.findall(r'^(gb_\w+) (\d+)$', file.read(), re.M))
        common = [name for name in held if name in _interface.STRUCTS]
        self.assertGreater(len(common), 30)
        for name in common:
            self.assertEqual(_interface.STRUCTS[name]['size'], int(held[name]), name)

    def test_lists_are_those_of_the_library(self):
        for kind, entry in _interface.KINDS.items():
            for i, member in enumerate(entry['members']):
                head = _types.struct('gb_plugin').from_address(gb.lib.gb_kind_at(gb.lib.address(kind), i))
                name = head.name if member.get('cite', 0) != 0 else _types.struct('gb_op').from_address(
                    gb.lib.gb_kind_at(gb.lib.address(kind), i)).name
                self.assertEqual(name.decode(), member['name'])

    def test_every_member_of_a_kind_has_a_constructor(self):
        made = {(entry['result'], entry['member']) for entry in _interface.FUNCTIONS.values()
                if 'member' in entry}
        for kind, entry in _interface.KINDS.items():
            type_ = kind.removesuffix('_kind')
            if type_ in ('gb_op', 'gb_dist', 'gb_transform', 'gb_problem'):
                continue
            for member in entry['members']:
                if (type_, member['name']) != ('gb_family', 'given'):  # gb_posterior_of takes a distribution
                    self.assertIn((type_, member['name']), made)
        for member in _interface.KINDS['gb_dist_kind']['members']:
            self.assertTrue(callable(getattr(gb, member['name'])), member['name'])

    def test_documentation_comes_from_the_headers(self):
        without = [name for name, entry in _interface.FUNCTIONS.items() if not entry['doc']]
        self.assertLess(len(without), 110)
        self.assertIn('accurate in both tails', gb.sigmoid.__doc__)
        self.assertIn('learning rate, 0.001 by default', gb.adam.__doc__)
        self.assertIn('one of independent, antithetic, sobol', gb.score.__doc__)
        self.assertIn('gb.leave_one_out()', gb.score.__doc__ + _interface.STRUCTS['gb_score_options']['doc']
                      .replace('gb_', 'gb.'))

    def test_comments_of_macros_are_beside_their_fields(self):
        words = {field['name']: field['doc'] for field in _interface.STRUCTS['gb_mlp_options']['fields']}
        self.assertTrue(words['posterior'].startswith('Of the weights'))
        self.assertTrue(words['mask'].endswith('(.temperature = 0.1)'))
        self.assertTrue(words['activation'].endswith('NULL: "identity"'))

    def test_the_generator_stops_at_what_it_does_not_know(self):
        sys.path.insert(0, f'{ROOT}/python')
        from interface import declarations, tokens
        for text in ('gb_thing + 3;', 'static int f(void) { return 1; };',
                     '__attribute__((visibility("default"))) int f(int (*(*deep)(void))(void));'):
            self.assertRaises((SyntaxError, AttributeError, IndexError), declarations.Declarations,
                              tokens.tokens_of(text, 'x.h', 1))

    def test_what_has_no_form_in_python_is_few(self):
        """Functions that write to room of the caller's, or take it, are left to gb.lib."""
        none = set()
        for name in _interface.FUNCTIONS:
            word = name.removeprefix('gb_').removesuffix('_with')
            try:
                getattr(gb, word)
            except AttributeError:
                none.add(word)
        self.assertLess(len(none), 200, sorted(none))
        for word in ('matmul', 'latent', 'observe', 'fit', 'log_prob', 'draw', 'expected', 'elbo_loss',
                     'mlp', 'analysis_new', 'batches_new', 'minimise', 'watch', 'race', 'dense'):
            self.assertNotIn(word, none)


class Stubs(unittest.TestCase):
    """The type hints name what there is, with its arguments."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(os.path.dirname(gb.__file__), '__init__.pyi'), encoding='utf-8') as file:
            cls.tree = ast.parse(file.read())
        cls.functions = {node.name: node for node in cls.tree.body if isinstance(node, ast.FunctionDef)}

    def test_functions_have_the_arguments_that_they_have(self):
        by_hand = {name for name, value in vars(gb).items() if callable(value)}
        for name, node in self.functions.items():
            if name in by_hand:
                continue
            with self.subTest(name):
                words = [a.arg for a in node.args.args + node.args.kwonlyargs]
                self.assertEqual(words, list(inspect.signature(getattr(gb, name)).parameters))

    def test_every_function_is_there(self):
        there = {*self.functions, *(alias.asname for node in self.tree.body
                                    if isinstance(node, ast.ImportFrom)
                                    for alias in node.names)}
        for name in _interface.FUNCTIONS:
            word = name.removeprefix('gb_').removesuffix('_with')
            word += '_' * keyword.iskeyword(word)
            try:
                getattr(gb, word)
            except AttributeError:
                continue
            self.assertTrue(word in there or callable(vars(gb).get(word)), word)

    def test_constants_and_classes_are_there(self):
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                self.assertTrue(issubclass(getattr(gb, node.name), int), node.name)
            elif isinstance(node, ast.AnnAssign) and node.target.id not in ('interface', '__version__'):
                getattr(gb, node.target.id)
