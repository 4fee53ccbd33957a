"""The elements of a page, for tests of pages that gpuminer writes."""

import html.parser


class Elements(html.parser.HTMLParser):
    """What a parser of HTML finds: elements with their attributes, and the texts of scripts by their id."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.texts = [], {}, {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[self.elements[-1][1].get("id")] = data
        self.texts.setdefault(self.elements[-1][1].get("id") if self.elements else None, data)

    def ids(self, tag):
        return [attributes.get("id") for name, attributes in self.elements if name == tag]

    def count(self, tag, name=None):
        """Elements of that tag, and of that class if one is named."""
        return sum(1 for found, attributes in self.elements
                   if found == tag and (name is None or name in (attributes.get("class") or "").split()))

    def charts(self):
        """Those that are drawn."""
        return sum(self.count("svg", name) for name in ("bar-plot", "dot-plot", "point-plot"))
