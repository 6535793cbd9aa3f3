# SPDX-License-Identifier: GPL-3.0-or-later
"""The comments of the public headers, as texts without stars: what a declaration is said to be."""
import re


def plain(comment):
    """Returns the text of a comment; indented lines stay lines of their own."""
    text = re.sub(r'^/\*+ ?|\s*\*/$', '', comment.strip())
    text = re.sub(r'\s*\\\n\s*\*?\s*| {2,}\* ', ' ', text)  # of a macro
    lines = [re.sub(r'^\s*\* ?', '', line).rstrip() for line in text.split('\n')]
    return re.sub(r'^OPTIONAL[:.] |^OPTIONAL, ', '', '\n'.join(lines).strip())


class Header:
    """Comments of one header by line."""

    def __init__(self, text):
        self.lines = text.split('\n')
        self.comments = []  # (first line, last line, at the line's beginning, text), lines from 1
        inside = set()
        for found in re.finditer(r'/\*.*?\*/', text, re.S):
            first = text.count('\n', 0, found.start()) + 1
            last = first + found[0].count('\n')
            alone = not text[text.rfind('\n', 0, found.start()) + 1:found.start()].strip()
            self.comments.append((first, last, alone, plain(found[0])))
            inside.update(range(first, last + 1))
        self.blank = {n for n, line in enumerate(self.lines, 1) if not line.strip() and n not in inside}
        self.listed = {item: plain(comment) for item, comment in
                       re.findall(r'do_\((\w+),[^\n]*?\)\s*(/\*.*?\*/)', text)}

    def first(self):
        """Returns what the header says of itself."""
        return next((c[3] for c in self.comments if not c[3].startswith('SPDX')), '')

    def of(self, line):
        """Returns what stands beside the declaration of a line, or above it in the same paragraph."""
        last = line
        while last < len(self.lines) and not re.search(r';\s*(/\*|$)', self.lines[last - 1]):
            last += 1
        beside = [c for c in self.comments if line <= c[0] <= last and not c[2]]
        if beside:
            return beside[0][3]
        begin = line
        while begin > 1 and begin - 1 not in self.blank:
            begin -= 1
        above = [c for c in self.comments if begin <= c[0] and c[1] < line and c[2]]
        return above[-1][3] if above and not above[-1][3].startswith('----') else ''


def document(root, declared):
    """Sets `doc` of all that was declared."""
    headers = {}

    def header(name):
        if name not in headers:
            with open(f'{root}/{name}', encoding='utf-8') as file:
                headers[name] = Header(file.read())
        return headers[name]

    for group in (declared.functions, declared.structs, declared.enums, declared.callbacks, declared.objects):
        for name, entry in group.items():
            entry['doc'] = header(entry['header']).of(entry['line']) if entry.get('line') else ''
            if group is declared.functions and not entry['doc']:
                item = re.sub('^gb_|_transform$', '', name)
                entry['doc'] = header(entry['header']).listed.get(item, '')
    for entry in declared.structs.values():
        for field in entry['fields']:
            field['doc'] = ' '.join(plain(comment) for comment in field.pop('comments', []))
    for entry in declared.enums.values():
        for value in entry['values']:
            value['doc'] = ' '.join(plain(comment) for comment in value.pop('comments'))
    return {name: header(name).first() for name in
            sorted({f['header'] for f in declared.functions.values()})}
