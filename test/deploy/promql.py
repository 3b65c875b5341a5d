"""What a PromQL expression uses, found without a parser: names of metrics, matchers, labels in groupings. `promtool check rules` judges the
syntax; this tells what to compare with the table of metrics.
"""
import collections
import re

SELECTOR = re.compile(r'(?<![\w:])([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}')
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPING = re.compile(r'\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)')
NAME = re.compile(r'(?<![\w:.$])[a-zA-Z_:][\w:]*')
COUNTED = re.compile(r'\b(?:rate|irate|increase)\(\s*([a-zA-Z_:][\w:]*)')
WORDS = {'and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan'}

Grouping = collections.namedtuple('Grouping', 'kind labels')


def selectors(expr):
    """Pairs of a metric and its matchers (label, operator, value), of the metrics that have braces."""
    return [(name, MATCHER.findall(matchers)) for name, matchers in SELECTOR.findall(expr)]


def groupings(expr):
    return [Grouping(kind, [label.strip() for label in labels.split(',') if label.strip()]) for kind, labels in GROUPING.findall(expr)]


def metrics(expr):
    """All names that are neither functions nor words of the language."""
    bare = re.sub(r'"[^"]*"', '', expr)
    bare = re.sub(r'\{[^}]*\}|\[[^\]]*\]', '', bare)
    bare = re.sub(r'\boffset\s+\w+', '', GROUPING.sub('', bare))
    return {match.group() for match in NAME.finditer(bare)
            if match.group() not in WORDS and not bare[match.end():].lstrip().startswith('(')}


def counted(expr):
    """Metrics inside rate() and its like."""
    return set(COUNTED.findall(expr))
