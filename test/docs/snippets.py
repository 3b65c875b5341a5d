"""Makes one C++ file of all the C++ that the documents show: snippets.py OUTPUT DOCUMENT... Each piece becomes a function; what a reader has
around it (his channel's target, his service) is in snippets_prelude.h. Whole programs are built elsewhere."""
import pathlib
import re
import sys

from documents import Document


def main(output, *paths):
    includes, functions = set(), []
    for path in paths:
        for code in Document(path).code:
            if code.language != 'cpp' or code.name:
                continue
            includes.update(re.findall(r'^#include \S+', code.text, re.MULTILINE))
            body = re.sub(r'^#include .*$', '', code.text, flags=re.MULTILINE)
            functions.append('absl::Status Snippet%d(SNIPPET_PARAMETERS) {\n  {\n#line %d "%s"\n%s  }\n  return absl::OkStatus();\n}\n'
                             % (len(functions) + 1, code.line + 1, code.document, body))
    text = '\n'.join(sorted(includes)) + '\n\n#include "snippets_prelude.h"\n\n' + '\n'.join(functions)
    pathlib.Path(output).write_text(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
