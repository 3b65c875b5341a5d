"""The documents as their readers see them: headings, links, code, and the commands that they say to type."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A piece of code. `language`: of a fenced one, "" for an indented one. `name`: of the file that it is, by a comment above it; else None.
Code = collections.namedtuple('Code', 'document line section language name text')
Link = collections.namedtuple('Link', 'document line target')
Command = collections.namedtuple('Command', 'document line section text')

# What a line of an indented piece begins with when it is a command.
PROGRAMS = ('./dev', 'recloser', 'cmake', 'curl', 'docker', 'kubectl', 'protoc', 'sudo', 'apt')


def documents():
    """All of them, as paths from the root."""
    found = [path.relative_to(ROOT) for path in ROOT.rglob('*.md')]
    return sorted(path for path in found if path.parts[0] not in ('build', '.git'))


def anchor(heading):
    """As code hosts make it: lower case, blanks become hyphens, punctuation goes."""
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).replace('`', '').strip().lower()
    return re.sub(r'[^\w\- ]', '', text).replace(' ', '-')


class Document:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.headings = []  # anchors
        self.code = []
        self.links = []
        self.prose = []  # (line, section, text) without fenced and indented code
        self._read((ROOT / path).read_text().split('\n'))

    def _read(self, lines):
        section, name, number = '', None, 0
        while number < len(lines):
            line = lines[number]
            number += 1
            fence = re.match(r'( *)```(.*)$', line)
            if fence:
                begin, indent = number, len(fence[1])
                while lines[number].strip() != '```':
                    number += 1
                text = '\n'.join(text_line[indent:] for text_line in lines[begin:number])
                self.code.append(Code(self.path, begin, section, fence[2].strip(), name, text + '\n'))
                number, name = number + 1, None
                continue
            marked = re.match(r' *<!-- file: (\S+) -->$', line)
            heading = re.match(r'#+ (.*)$', line)
            if marked:
                name = marked[1]
            elif heading:
                section = heading[1]
                self.headings.append(anchor(section))
            elif line.startswith('    ') and not lines[number - 2].strip():
                begin = number
                while number < len(lines) and (lines[number].startswith('    ') or
                                               not lines[number] and lines[number + 1:number + 2] and lines[number + 1].startswith('    ')):
                    number += 1
                text = '\n'.join(text_line[4:] for text_line in lines[begin - 1:number])
                self.code.append(Code(self.path, begin, section, '', None, text + '\n'))
                continue
            else:
                self.prose.append((number, section, line))
            for link in re.finditer(r'\]\(([^)\s]+)\)', re.sub(r'`[^`]*`', '', line)):
                self.links.append(Link(self.path, number, link[1]))

    def files(self):
        return {code.name: code.text for code in self.code if code.name}

    def commands(self):
        """What stands in code to be typed, without comments, one line each."""
        for code in self.code:
            if code.language not in ('sh', ''):
                continue
            lines = re.sub(r'\\\n\s*', '', code.text).split('\n')
            if code.language == '':
                prompted = [line[2:] for line in lines if line.startswith('$ ')]
                lines = prompted or [line for line in lines if line.split() and line.split()[0] in PROGRAMS]
            for line in lines:
                text = re.sub(r'(^|\s+)#.*$', '', line).strip()
                if text:
                    yield Command(self.path, code.line, code.section, text)

    def mentioned(self):
        """Commands in running text and tables that name one of our own programs with what it is to do."""
        for line, section, text in self.prose:
            for span in re.findall(r'`((?:\./dev|recloser) [a-z][^`]*)`', text):
                yield Command(self.path, line, section, span)
