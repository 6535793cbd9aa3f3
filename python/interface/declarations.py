# SPDX-License-Identifier: GPL-3.0-or-later
"""Declarations of the public headers. They are regular C: this reads what occurs there, and stops with an
error at anything else, so that nothing is left out in silence."""
import re

QUALIFIERS = {'const', 'volatile', 'extern', 'struct', 'enum', 'union', 'static', 'inline'}
SIZES = {'char', 'short', 'int', 'long'}  # what may follow `unsigned`


class Declarations:
    """What the headers declare, by name. A type is a text, as in C, without `struct`. The type of a pointer
    to a function is the name of an entry of `callbacks`: that of its typedef and " *", or STRUCT.FIELD."""

    def __init__(self, tokens):
        self.enums, self.structs, self.functions, self.callbacks = {}, {}, {}, {}
        self.objects, self.aliases, self.opaque = {}, {}, {}
        statement, depth = [], 0
        for token in tokens:
            if not statement and token.is_comment:
                continue
            statement.append(token)
            depth += {'{': 1, '(': 1, '}': -1, ')': -1}.get(token.text, 0)
            if token.text == ';' and not depth:
                self.statement(Reader(statement[:-1]))
                statement = []

    def statement(self, read):
        exported = False
        while read.at('__attribute__'):
            exported = 'visibility' in read.attribute() or exported
        if read.at('typedef'):
            read.next()
            self.typedef(read)
        elif exported:
            self.exported(read)
        elif read.at('enum') and read.peek(1) == '{':
            place = read.next()
            self.enum(read, f'anonymous {place.file}:{place.line}', place)
        elif read.at('struct', 'union') and read.peek(2) == '{':
            kind, name = read.next(), read.next()
            self.struct(read, name.text, kind)
        elif read.at('struct', 'union') and not read.peek(2):
            read.next()
            self.opaque.setdefault(read.next().text, None)
        elif read.words:
            read.fail('an unknown declaration')

    def typedef(self, read):
        if read.at('struct', 'union', 'enum'):
            body = 1 if read.peek(1) == '{' else 2
            if read.peek(body) == '{':
                kind = read.next()
                tag = read.next().text if body == 2 else None
                names = read.after_body()
                (self.enum if kind.text == 'enum' else self.struct)(read, names[0], kind)
                for other in names[1:] + ([tag] if tag not in (None, names[0]) else []):
                    self.aliases[other] = names[0]
                return
            if read.peek(3) is None:  # typedef struct gb_x gb_x;
                tag, name = read.peek(1), read.peek(2)
                (self.opaque if tag == name else self.aliases).setdefault(name, tag)
                return
        base = read.base()
        for name, type_, place in read.declarators(base, self, None):
            if isinstance(type_, dict):
                self.callbacks[name] = {**type_, 'header': place.file, 'line': place.line}
            else:
                self.aliases[name] = type_

    def enum(self, read, name, place):
        read.expect('{')
        values, pending = [], []
        while not read.at('}'):
            token = read.next()
            if token.is_comment:
                trailing = values and token.line == values[-1]['line'] and not pending
                (values[-1]['comments'] if trailing else pending).append(token.text)
            elif re.match(r'[A-Z]', token.text):
                values.append({'name': token.text, 'comments': pending, 'line': token.line})
                pending = []
                while not read.at('}', ',') and not read.words[read.index].is_comment:
                    read.next()
        read.next()
        self.enums[name] = {'values': values, 'header': place.file, 'line': place.line}

    def struct(self, read, name, kind):
        read.expect('{')
        self.structs[name] = {'kind': kind.text, 'header': kind.file, 'line': kind.line,
                              'fields': self.fields(read, name)}
        read.expect('}')

    def fields(self, read, owner):
        fields, pending, last, has_one = [], [], 0, False
        while not read.at('}'):
            token = read.words[read.index]
            if token.is_comment:
                read.next()
                trailing = fields and token.line == last
                if trailing and has_one and read.follows(token.line):
                    trailing = False  # in a macro, of one line: it is the next field's
                has_one = has_one or bool(trailing)
                (fields[-1]['comments'] if trailing else pending).append(token.text)
                continue
            first = len(fields)
            if read.at('struct') and read.peek(1) == '{':
                read.next(), read.next()
                inner = self.fields(read, owner)
                read.expect('}')
                found = [(n, t, p) for n, t, p in read.declarators('', self, owner)]
                for field, type_, _ in found:
                    self.structs[f'{owner}.{field}'] = {'kind': 'inner', 'fields': inner, 'header': None,
                                                        'line': 0}
                    fields.append({'name': field, 'type': f'{owner}.{field}' + type_, 'comments': pending})
            else:
                base = read.base()
                for field, type_, place in read.declarators(base, self, owner):
                    if isinstance(type_, dict):
                        self.callbacks[f'{owner}.{field}'] = {**type_, 'header': place.file, 'line': 0}
                        type_ = f'{owner}.{field}'
                    fields.append({'name': field, 'type': type_, 'comments': pending})
            before = read.take_comments()
            last = read.expect(';').line
            for field in fields[first:]:
                field['comments'] = field['comments'] + before
            pending, has_one = [], bool(before)
        return fields

    def exported(self, read):
        is_object = read.at('extern')
        base = read.base()
        for name, type_, place in read.declarators(base, self, None):
            entry = {'header': place.file, 'line': place.line}
            if is_object or not isinstance(type_, dict):
                self.objects[name] = {'type': type_, **entry}
            else:
                self.functions[name] = {**type_, **entry}


class Reader:
    """Reads the tokens of one declaration."""

    def __init__(self, words):
        self.words, self.index = words, 0

    def fail(self, what):
        word = self.words[min(self.index, len(self.words) - 1)]
        raise SyntaxError(f'{word.file}:{word.line}: {what} at "{word.text}"')

    def peek(self, ahead):
        """Returns the text of a later token that is no comment."""
        rest = [word.text for word in self.words[self.index:] if not word.is_comment]
        return rest[ahead] if ahead < len(rest) else None

    def at(self, *texts):
        return self.index < len(self.words) and self.words[self.index].text in texts

    def follows(self, line):
        """Whether a token that is no comment follows on the same line."""
        later = next((word for word in self.words[self.index:] if not word.is_comment), None)
        return later is not None and later.line == line and later.text != '}'

    def next(self):
        self.index += 1
        return self.words[self.index - 1]

    def take_comments(self):
        found = []
        while self.index < len(self.words) and self.words[self.index].is_comment:
            found.append(self.next().text)
        return found

    def expect(self, text):
        if not self.at(text):
            self.fail(f'"{text}" was expected')
        return self.next()

    def balanced(self):
        """Reads from an opening bracket to its end, and returns what is between."""
        depth, found = 0, []
        while True:
            word = self.next()
            depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}.get(word.text, 0)
            if not depth:
                return found[1:]
            found.append(word)

    def attribute(self):
        self.expect('__attribute__')
        return ' '.join(word.text for word in self.balanced())

    def after_body(self):
        """Returns the names that follow the body of a typedef."""
        here = self.index
        self.balanced()
        names = [word.text for word in self.words[self.index:] if re.match(r'\w', word.text)]
        self.index = here
        return names

    def base(self):
        """Reads a type without pointers: `const struct gb_x`."""
        constant, words = '', []
        while self.index < len(self.words):
            word = self.words[self.index].text
            if word == 'const':
                constant = 'const '
            elif word in QUALIFIERS:
                pass
            elif re.match(r'[A-Za-z_]', word) and (not words or words == ['unsigned'] and word in SIZES):
                words.append(word)
            else:
                break
            self.next()
        return constant + ' '.join('bool' if word == '_Bool' else word for word in words)

    def declarators(self, base, into, owner):
        """Returns (name, type, token) for each name: `*a, b[3], (*f)(int)`."""
        found = [self.declarator(base, into, owner)]
        while self.at(','):
            self.next()
            found.append(self.declarator(base, into, owner))
        while self.at('__attribute__'):
            self.attribute()
        return found

    def pointers(self, type_):
        while self.at('*', 'const'):
            if self.next().text == '*':
                type_ += '*' if type_.endswith('*') else ' *'
            elif type_.endswith('*'):
                type_ += 'const '
        return type_.rstrip()

    def declarator(self, base, into, owner):
        type_ = self.pointers(base)
        self.take_comments()
        if self.at('(') and self.peek(1) == '*':
            return self.function_pointer(type_, into, owner)
        name = self.next() if self.index < len(self.words) and \
            re.match(r'[A-Za-z_]', self.words[self.index].text) else None
        if self.at('('):
            parameters = self.parameters(into, f'{name.text}')
            return name.text, {'result': type_, 'parameters': parameters}, name
        while self.at('['):
            type_ += f'[{"".join(word.text for word in self.balanced())}]'
        return (name.text if name else ''), type_, name

    def function_pointer(self, result, into, owner):
        self.next()
        self.next()
        if self.at('const'):
            self.next()
        name = self.next()
        self.expect(')')
        if self.at('['):  # a pointer to an array: its elements
            inner = ''.join(word.text for word in self.balanced())
            return name.text, f'{result} (*)[{inner}]', name
        parameters = self.parameters(into, f'{owner}.{name.text}')
        return name.text, {'result': result, 'parameters': parameters}, name

    def parameters(self, into, owner):
        inner = Reader(self.balanced())
        inner.words = [word for word in inner.words if not word.is_comment]
        if [word.text for word in inner.words] in ([], ['void']):
            return []
        parameters = []
        while inner.index < len(inner.words):
            if inner.at('...'):
                inner.next()
                parameters.append({'name': '...', 'type': '...'})
                continue
            name, type_, _ = inner.declarator(inner.base(), into, owner)
            if isinstance(type_, dict):
                into.callbacks[f'{owner}.{name}'] = {**type_, 'header': None, 'line': 0}
                type_ = f'{owner}.{name}'
            parameters.append({'name': name, 'type': decayed(type_)})
            if inner.at(','):
                inner.next()
        return parameters


def decayed(type_):
    """An array as a parameter is a pointer."""
    return re.sub(r'\[[^]]*\]$', ' *', type_).replace('* *', '**') if type_.endswith(']') else type_
