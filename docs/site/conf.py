"""Sphinx: the documents as a site. The source folder is the checkout, so that links between its pages hold everywhere."""

import pathlib
import re
import sys

from docutils import nodes
from docutils.statemachine import StringList
from pygments.lexer import inherit
from pygments.lexers import PythonLexer
from pygments.token import Keyword, Name
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import python_reference  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "Matcha"
author = "the Matcha contributors"
copyright = author  # pylint: disable=redefined-builtin
release = re.search(r"^project\(matcha VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
version = release

extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "grammar/README.md", "stdlib/*.md", "examples/README.md", "examples/graphs/README.md", "editors/README.md", "CHANGELOG.md"]
exclude_patterns = ["docs/README.md", "build*", ".*"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
nitpicky = True

html_theme = "furo"
html_title = f"Matcha {release}"
# Debian's furo comes without its dark colours.
html_theme_options = {
    "dark_css_variables": {
        "color-foreground-primary": "#ffffffcc",
        "color-foreground-secondary": "#9ca0a5",
        "color-foreground-muted": "#81868d",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124ff",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444444",
        "color-brand-primary": "#5ea3f5",
        "color-brand-content": "#6cacf7",
        "color-highlighted-background": "#083563",
    }
}
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "redirect.html"}
templates_path = ["templates"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_here_doc_delimiter = "EOF"


class MatchaLexer(PythonLexer):
    """Matcha's words are Python's, with a few more types and operators."""

    name = "Matcha"
    aliases = ["mt"]
    filenames = ["*.mt"]
    tokens = {
        "builtins": [
            (r"\b(Graph|List|Tuple|Var|int|float|bool)\b", Keyword.Type),
            (
                r"\b(all|any|apply|arcs|diff|edge_info|edges|flatten|get|has_edge|intersect|max|min|mk_graph|mk_list|mk_tuple|"
                r"neighbor|size|sum|vertex_label|vertices)\b(?=\()",
                Name.Builtin,
            ),
            inherit,
        ]
    }


class Diagnostics(SphinxDirective):
    """The errors of the compiler, as a table made from their list."""

    def run(self):
        path = ROOT / "ir/support/diagnostics.def"
        self.env.note_dependency(str(path))
        rows = ["| id | meaning |", "|---|---|"]
        for ident, meaning in re.findall(r'MATCHA_DIAGNOSTIC\(\w+,\s*"([^"]+)",\s*"([^"]+)"\)', path.read_text()):
            rows.append(f"| `{ident}` | {meaning} |")
        box = nodes.container()
        self.state.nested_parse(StringList(rows, source=str(path)), self.content_offset, box)
        return box.children


def outside(app, docname, source):
    """Takes the links to files of the checkout that are no pages of the site out of a page; their text stays."""
    folder = (ROOT / docname).parent

    def kept(found):
        target = found.group(2)
        if re.match(r"[a-z]+:|#", target):  # elsewhere, or within the page
            return found.group(0)
        path = (folder / target.partition("#")[0]).resolve()
        inside = path.suffix == ".md" and str(path.relative_to(ROOT))[: -len(".md")] in app.env.found_docs
        picture = path.suffix in (".svg", ".png")
        return found.group(0) if inside or picture else found.group(1)

    if docname == "docs/python-reference":
        source[0] += "\n" + python_reference.markdown()
    source[0] = re.sub(r"\[([^\]\n]*)\]\(([^)\s]+)\)", kept, source[0])


def setup(app):
    app.add_lexer("mt", MatchaLexer)
    app.add_directive("matcha-diagnostics", Diagnostics)
    app.connect("source-read", outside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
