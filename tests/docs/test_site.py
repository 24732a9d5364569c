#!/usr/bin/env python3
"""The site builds without warnings, loads nothing from elsewhere, its links hold, and its search finds the pages.

Arguments: sphinx-build.
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A search word, and the page that must be among the results.
SEARCHES = {
    "induced": "docs/induced",
    "automorphisms": "docs/induced",
    "networkx": "docs/coming-from",
    "cypher": "docs/coming-from",
    "intersect": "grammar/README",
    "csv": "docs/formats",
    "timeout": "docs/run",
    "explain": "docs/plan",
    "frame": "docs/python",
}


class Page(html.parser.HTMLParser):
    """The links, ids and loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.ids.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and values.get("href"):
            self.loaded.append(values["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.html = pathlib.Path(cls.folder.name) / "html"
        cls.done = subprocess.run(
            [SPHINX, "-b", "html", "-W", "--keep-going", "-q", "-c", ROOT / "docs/site", "-d", cls.folder.name + "/trees",
             ROOT, cls.html], capture_output=True, check=False)  # fmt: skip
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.html.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_without_warnings(self):
        self.assertEqual((self.done.returncode, self.done.stderr.decode()), (0, ""))
        self.assertGreater(len(self.pages), 20)

    def test_links_hold(self):
        broken = []
        for path, page in self.pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme:
                    continue
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                known = self.pages.get(target)
                if not target.exists() or (parts.fragment and known and parts.fragment not in known.ids):
                    broken.append(f"{path.relative_to(self.html)}: {link}")
        self.assertEqual(broken, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, page in self.pages.items():
            for file in page.loaded:
                self.assertFalse(re.match(r"(https?:)?//", file), (path, file))

    def test_search_finds(self):
        text = (self.html / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.S).group(1))
        from sphinx.search.en import SearchEnglish

        language = SearchEnglish({})
        for word, wanted in SEARCHES.items():
            stem = language.stem(word)
            names = []
            for found in (index["terms"].get(stem, []), index["titleterms"].get(stem, [])):
                names += [index["docnames"][at] for at in (found if isinstance(found, list) else [found])]
            self.assertIn(wanted, names, word)


if __name__ == "__main__":
    SPHINX = sys.argv.pop(1)
    unittest.main()
