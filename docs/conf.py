"""How Sphinx makes a site of these pages: ``make docs``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

project = "ceps"
copyright = "the ceps developers"  # noqa: A001 - Sphinx knows it by this name
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "ceps"
html_copy_source = False


class LinksOutOfTheSite(SphinxTransform):
    """Pages link to the repository around them, so that they can be read there; the site has only the pages.

    MyST offers files that are no pages for download, but takes Markdown for a page wherever it is, and knows no
    folders. So Markdown from elsewhere becomes a download too, and a folder is just named. What is nowhere is left
    to MyST, whose warning fails the build.
    """

    default_priority = 100

    def apply(self, **kwargs: Any) -> None:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") != "myst":
                continue
            # The name of a page outside is an absolute path, so the folder of the pages has no say in it.
            page = Path(self.env.srcdir, f"{link['reftarget']}.md")
            if link["refdomain"] == "doc" and link["reftarget"] not in self.env.found_docs and page.is_file():
                download = addnodes.download_reference(reftarget=os.path.relpath(page, folder))
                download.extend(link.children)
                link.replace_self(download)
            elif link["refdomain"] is None and (folder / link["reftarget"]).is_dir():
                link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    app.add_transform(LinksOutOfTheSite)
