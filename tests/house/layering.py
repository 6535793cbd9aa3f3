#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the structure of the house: layering.py ROOT [BUILD]

Terms. A *room* is a folder at the root. A *box* is a part of a room: one of its sub-folders, or a file at its
top. A *file* here is a source together with the headers of the same name. An *arrow* goes from one file to
another that it includes, or from which it uses a function or an object; nm reads the second kind from the
objects of BUILD. layering.txt declares rooms, boxes and exceptions.

Rules:
  1. A room knows only the rooms below it, and a box only the boxes below it, in the order of layering.txt.
  2. Public headers stand at the top of a room, include each other relative to themselves, and nothing
     private.
  3. A private header (any below the top; x_impl.h and x_table.h) is included only in its folder and below.
     One in a folder shared/ may be included in the folder around that; a line `shared` names further users.
  4. Files form no circle, except through a declared list. Its arrows to the members that it names do not
     count; members, and files that its declaration names, may include it from below.
  5. At most 24 files in a folder, 9 boxes in a room, 22 arrows between the boxes of a room, 7,440 lines in
     the engine (tape, plan, run).
  6. An operation (a gb_op) is defined in core/ or ops/. Exceptions: marks of the estimators, whose value is
     their argument, may stand beside the estimators, and the kit runs copies of operations that it checks.
  7. Examples include only <grebe/...> and the standard library; only the kit (and the tests) use GSL.
  8. Every source is compiled, every private header is included, no private name is exported, every room is
     declared, and every declaration is used."""
import collections
import os
import re
import subprocess
import sys

MOST_FILES, MOST_BOXES, MOST_ARROWS = 24, 9, 22
ENGINE, MOST_ENGINE_LINES = ('core/tape/', 'core/plan/', 'core/run/'), 7440
STANDARD = set("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
               "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
               "threads time uchar wchar wctype".split())
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
DEFINES_OP = re.compile(r'(?:^|\W)gb_op[ \t]+\w+[ \t]*(?:=|\[|;|$)', re.M)


class House:
    def __init__(self, root, build):
        self.root, self.build = root, build
        self.wrong, self.compiled = [], set()
        self.rooms, self.order, self.says, self.shared, self.lists = [], {}, {}, {}, {}
        self.embedded = set()
        self.read_declarations(os.path.join(root, 'tests/house/layering.txt'))
        self.paths = sorted(self.find(self.rooms, ('.c', '.h')))
        self.texts = {path: open(os.path.join(root, path), encoding='utf-8').read() for path in self.paths}
        self.includes = {path: list(self.resolved(path)) for path in self.paths}
        self.file_of = {path: self.name_file(path) for path in self.paths}
        self.arrows = collections.defaultdict(lambda: collections.defaultdict(set))  # file -> file -> why
        self.read_arrows()

    def complain(self, text):
        self.wrong.append(text)

    def read_declarations(self, path):
        for line in open(path, encoding='utf-8'):
            words, _, why = line.split('#')[0].partition(' - ')
            words = words.split()
            if not words:
                continue
            if line[0].isspace():
                room = self.rooms[-1]
                self.order[room].append(words[0])
                self.says[f'{room}/{words[0]}'] = why.strip()
            elif words[0] == 'room':
                self.rooms.append(words[1])
                self.order[words[1]] = []
                self.says[words[1]] = why.strip()
            elif words[0] == 'shared':
                self.shared[words[1]] = {folder: False for folder in words[2].split(',')}
            elif words[0] == 'list':
                self.lists[words[1]] = set(words[2:])
            elif words[0] == 'embedded':
                self.embedded.add(words[1])
            else:
                self.complain(f'layering.txt: {line.strip()}: unknown word {words[0]}')

    def find(self, folders, endings):
        for folder in folders:
            for at, _, names in os.walk(os.path.join(self.root, folder)):
                for name in names:
                    if name.endswith(endings):
                        yield os.path.relpath(os.path.join(at, name), self.root)

    def resolved(self, path):
        """The files of the tree that a file includes: (target, as it is written)."""
        for line in re.findall(r'^[ \t]*#[ \t]*include\b.*', self.texts[path], re.M):
            if not INCLUDE.match(line):
                self.complain(f'{path}: {line.strip()}: an include names its file')
        for kind, written in INCLUDE.findall(self.texts[path]):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), written))
            target = beside if os.path.exists(os.path.join(self.root, beside)) else os.path.normpath(written)
            if not os.path.exists(os.path.join(self.root, target)):
                if kind == '"':
                    self.complain(f'{path}: includes "{written}", which is not there')
            elif kind == '<' or not target.endswith(('.c', '.h')):
                self.complain(f'{path}: inside the library write "room/name.h", not {kind}{written}')
            else:
                yield target, target == beside

    @staticmethod
    def room(path):
        return path.split('/')[0]

    @staticmethod
    def at_top(path):
        return path.count('/') == 1

    def is_public(self, path):
        return path.endswith('.h') and self.at_top(path) and self.room(path) != 'cli' \
            and not re.search(r'_(impl|table)\.h$', path)

    @staticmethod
    def stem(path):
        """x_vector.c, which is compiled for each instruction set, is a part of x."""
        return re.sub(r'(_impl|_table|_vector)?\.[ch]$', '', os.path.basename(path))

    def name_file(self, path):
        """A header belongs to the source of the same name in its folder. One at the top belongs to that
        source of its room, and if there are several to the one that includes it."""
        own = os.path.join(os.path.dirname(path), self.stem(path))
        if not path.endswith('.h') or own + '.c' in self.texts or not self.at_top(path):
            return own
        named = [source for source in self.paths if source.endswith('.c')
                 and self.room(source) == self.room(path)
                 and self.stem(source) == self.stem(path)]
        if len(named) > 1:
            named = [source for source in named if any(target == path for target, _ in self.includes[source])]
        return named[0][:-2] if named else own

    def box(self, file):
        parts = file.split('/')
        return '/'.join(parts[:2]) if len(parts) > 2 else file

    def read_arrows(self):
        for path in self.paths:
            for target, _ in self.includes[path]:
                if target in self.file_of:
                    self.add_arrow(self.file_of[path], self.file_of[target], '#include')
        defined, used = {}, collections.defaultdict(set)
        for file, kind, symbol in self.symbols():
            if kind == 'U':
                used[file].add(symbol)
            elif kind in 'TDRBC':
                defined[symbol] = file
        for file, symbols in used.items():
            for symbol in symbols & defined.keys():
                self.add_arrow(file, defined[symbol], symbol)

    def symbols(self):
        if not self.build:
            return
        objects = {}
        for at, _, names in os.walk(os.path.join(self.build, 'CMakeFiles')):
            for name in names:
                inside = re.sub(r'.*CMakeFiles/[^/]+\.dir/', '', os.path.join(at, name))
                if inside.endswith('.c.o') and inside[:-2] in self.texts:
                    self.compiled.add(inside[:-2])
                    objects[os.path.join(at, name)] = self.file_of[inside[:-2]]
        if not objects:
            self.complain(f'{self.build}: there are no objects')
            return
        printed = subprocess.run(['nm', '-A', *objects], capture_output=True, text=True, check=True).stdout
        for line in printed.splitlines():
            words = line.rsplit(None, 2)
            yield objects[words[0].split(':')[0]], words[1][-1], words[2]

    def add_arrow(self, source, target, why):
        if source != target:
            self.arrows[source][target].add(why)

    def members(self, file):
        """Returns the members of a list: files of its room whose symbols it uses."""
        return {target for target, why in self.arrows[file].items()
                if self.room(target) == self.room(file) and why - {'#include'}}

    def counted(self):
        """All arrows that count: not those of a list to its members."""
        for source, targets in list(self.arrows.items()):
            left_out = self.members(source) if source in self.lists else ()
            for target, why in targets.items():
                if target not in left_out:
                    yield source, target, why

    # ---- the rules ----

    def check_order(self):
        floor = {room: i for i, room in enumerate(self.rooms)}
        for source, target, why in self.counted():
            names = ', '.join(sorted(why)[:3])
            a, b = self.room(source), self.room(target)
            if floor[a] < floor[b]:
                self.complain(f'{source}: uses the higher room {b}: {target} ({names})')
            boxes = [self.box(file)[len(a) + 1:] for file in (source, target)]
            if a == b and not self.may_climb(source, target) and all(box in self.order[a] for box in boxes) \
                    and self.order[a].index(boxes[0]) < self.order[a].index(boxes[1]):
                self.complain(f'{source}: uses the higher box {target} ({names})')

    def may_climb(self, source, target):
        """Returns whether a file may include a list: its members, and those that its declaration names."""
        return target in self.lists and (not self.build or source in self.members(target)
                                         or source in self.lists[target])

    def check_headers(self):
        for path in self.paths:
            for target, beside in self.includes[path]:
                private = not self.is_public(target)
                if self.is_public(path) and private:
                    self.complain(f'{path}: a public header includes a private one, {target}')
                if self.is_public(path) and not beside:
                    self.complain(f'{path}: a public header includes {target} not relative to itself')
                if private and target in self.texts and not self.may_include(path, target):
                    folder = os.path.dirname(target)
                    self.complain(f'{path}: includes {target}, which is private to {folder}/')

    def may_include(self, path, header):
        home = os.path.dirname(header)
        if os.path.basename(home) == 'shared':
            home = os.path.dirname(home)
        if (os.path.dirname(path) + '/').startswith(home + '/'):
            return True
        for folder in self.shared.get(header, ()):
            if path.startswith(folder + '/'):
                self.shared[header][folder] = True
                return True
        return self.room(header) == 'cli' == self.room(path) and not header.endswith('_impl.h')

    def check_circles(self):
        graph = collections.defaultdict(set)
        for source, target, _ in self.counted():
            graph[source].add(target)
        for circle in circles(graph):
            ways = [f'    {a} -> {b}: {", ".join(sorted(self.arrows[a][b])[:4])}'
                    for a in circle for b in circle if b in graph[a]]
            self.complain('a circle of ' + str(len(circle)) + ' files:\n' + '\n'.join(ways))

    def check_sizes(self):
        for folder, names in folders(self.paths).items():
            if len(names) > MOST_FILES:
                self.complain(f'{folder}/: {len(names)} files; {MOST_FILES} fit into a glance')
        print(f'{"room":14} {"files":>6} {"lines":>7} {"boxes":>6} {"arrows":>7}')
        for room in self.rooms:
            inside = [path for path in self.paths if self.room(path) == room]
            boxes = {self.box(self.file_of[path]) for path in inside}
            between = {(self.box(a), self.box(b)) for a in self.arrows for b in self.arrows[a]
                       if self.room(a) == self.room(b) == room and self.box(a) != self.box(b)}
            lines = sum(self.texts[path].count('\n') for path in inside)
            print(f'{room:14} {len(inside):6} {lines:7} {len(boxes):6} {len(between):7}')
            declared = {f'{room}/{box}' for box in self.order[room]}
            for box in sorted(boxes ^ declared):
                self.complain(f'{box}: ' + ('is no box' if box in declared
                                            else 'layering.txt does not declare this box'))
            if len(boxes) > MOST_BOXES:
                names = ', '.join(sorted(boxes))
                self.complain(f'{room}/: {len(boxes)} boxes; at most {MOST_BOXES}: {names}')
            if len(between) > MOST_ARROWS:
                self.complain(f'{room}/: {len(between)} arrows between its boxes; at most {MOST_ARROWS}')

        engine = sum(text.count('\n') for path, text in self.texts.items() if path.startswith(ENGINE))
        print(f'the engine (tape, plan, run): {engine} lines')
        if engine > MOST_ENGINE_LINES:
            self.complain(f'{", ".join(ENGINE)}: {engine} lines; at most {MOST_ENGINE_LINES}')

    def check_uses(self):
        """Every source is compiled, every header included, and what is exported can be seen."""
        included = {target for path in self.paths for target, _ in self.includes[path]} | self.embedded
        for path, text in self.texts.items():
            if path.endswith('.c') and self.build and path not in self.compiled:
                self.complain(f'{path}: the build does not compile it')
            if path.endswith('.h') and path not in included and not self.is_public(path):
                self.complain(f'{path}: nobody includes it')
            if path.endswith('.h') and not self.is_public(path) and 'GB_API' in text:
                self.complain(f'{path}: a private header exports')
        known = set(self.rooms) | {'bench', 'build', 'cmake', 'docs', 'examples', 'tests', 'grebe.h'}
        for entry in os.listdir(self.root):
            inside = os.path.join(self.root, entry)
            if entry not in known and not entry.startswith('.') and os.path.isdir(inside) \
                    and any(name.endswith(('.c', '.h')) for _, _, names in os.walk(inside) for name in names):
                self.complain(f'{entry}/: layering.txt does not declare this room')

    def check_texts(self):
        for path, text in self.texts.items():
            if re.search(r'include[ \t]*[<"]grebe/', text):
                self.complain(f'{path}: inside the library write "room/name.h", not <grebe/...>')
            if self.room(path) not in ('core', 'ops', 'estimators', 'kit') and DEFINES_OP.search(text):
                self.complain(f'{path}: an operation is defined outside ops/')
            if self.room(path) != 'kit' and re.search(r'include[ \t]*<gsl/', text):
                self.complain(f'{path}: GSL is for the kit and the tests')
        for path in self.find(['examples'], ('.c', '.h')):
            for _, name in INCLUDE.findall(open(os.path.join(self.root, path), encoding='utf-8').read()):
                if not name.startswith('grebe/') and name[:-2] not in STANDARD:
                    self.complain(f'{path}: an example includes <grebe/...> and the standard library alone, '
                                  f'not {name}')

    def check_declarations(self):
        for header, readers in self.shared.items():
            for folder, read in readers.items():
                if not read:
                    self.complain(f'layering.txt: {header} is shared with {folder}/, '
                                  'where nothing includes it')
        for header in self.embedded - self.texts.keys():
            self.complain(f'layering.txt: {header}, which is embedded, is not there')
        for file, readers in self.lists.items():
            if self.build and not self.members(file):
                self.complain(f'layering.txt: {file} is declared a list, and names no member')
            for reader in readers:
                if file not in self.arrows[reader]:
                    self.complain(f'layering.txt: {reader} is said to read {file}, and does not')

    def check(self):
        self.check_order()
        self.check_headers()
        self.check_circles()
        self.check_sizes()
        self.check_uses()
        self.check_texts()
        self.check_declarations()
        for text in sorted(set(self.wrong)):
            print(text, file=sys.stderr)
        return not self.wrong


def folders(paths):
    found = collections.defaultdict(list)
    for path in paths:
        found[os.path.dirname(path)].append(path)
    return found


def circles(graph):
    """The strongly connected components of more than one node (Tarjan 1972), without recursion."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph.get(target, ())))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on_stack.discard(circle[-1])
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return found


if __name__ == '__main__':
    house = House(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
    sys.exit(0 if house.check() else 1)
