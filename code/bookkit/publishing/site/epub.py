"""Bind the whole book into an EPUB, by Sphinx's own builder."""

import posixpath
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder, NavPoint, validate_config_values

from bookkit.book.chinese import FONT
from bookkit.publishing.edition.chapters import list_landmarks, write_chapter
from bookkit.publishing.edition.contents import file_of, read_book
from bookkit.publishing.edition.epub import EPUB, STYLES, mend_drawing, write_zip
from bookkit.publishing.edition.front import DESCRIPTION, LICENSE, write_title
from bookkit.publishing.edition.pages import ROOT
from bookkit.publishing.edition.solutions import name_solutions
from bookkit.publishing.edition.stills import open_camera
from bookkit.publishing.site.mathml import RENDERER
from bookkit.publishing.site.search.sections import flatten

TEMPLATE, MOMENT = "epub.html", "%Y-%m-%dT%H:%M:%SZ"
OWN_FILES = Path(__file__).parents[1] / "edition/epub3"
COVER, TITLE = "_static/cover.png", "title"
CARRIED = ("cover.png", "epub.css", "formulas.woff")
_COVER = '<p class="cover"><img src="{}" alt="{}, by {}"/></p>'


class BookEpub(Epub3Builder):
    """Sphinx's builder, with the book's own pages, parts and files."""

    math_renderer_name = RENDERER

    def init(self) -> None:
        """Let no theme act on pages it does not frame, and Sphinx not ask for settings.

        They come after the pages are read: what is kept of those, and how they were
        read, is kept for the next build of the site, too.
        """
        super().init()
        self.book = read_book(Path(self.srcdir))
        self.tags.remove("released")  # a page that offers the editions is none in one
        for event in ("html-page-context", "builder-inited"):
            for listener in [*self.events.listeners[event]]:
                is_own = listener.handler.__module__.startswith("bookkit.")
                asks = listener.handler is validate_config_values
                if asks or (event == "html-page-context" and not is_own):
                    self.events.disconnect(listener.id)

    def prepare_writing(self, docnames: set[str]) -> None:
        """Say what the book is."""
        settings = {
            "basename": EPUB.stem,
            "uid": "id",
            "identifier": f"urn:uuid:{uuid5(NAMESPACE_URL, self.book.repository)}",
            "description": DESCRIPTION,
            "copyright": LICENSE,
            "cover": (COVER, TEMPLATE),
            "pre_files": [(f"{TITLE}.xhtml", "Title page")],
            "show_urls": "no",
            "tocscope": "includehidden",
        }
        for name, value in settings.items():
            setattr(self.config, f"epub_{name}", value)
        super().prepare_writing(docnames)

    def write(self, *pages: Any, **options: Any) -> None:
        """Write all pages, with a camera for what brings its own styles."""
        with open_camera(Path(self.outdir, self.imagedir)) as self.camera:
            super().write(*pages, **options)

    def handle_page(
        self, pagename: str, addctx: dict, *others: Any, **more: Any
    ) -> None:
        """Write a page into the frame of all pages, the cover too."""
        if pagename not in (*self.env.found_docs, TITLE):
            words = (COVER, escape(self.book.title), escape(self.book.author))
            addctx = {"title": "Cover", "body": _COVER.format(*words)}
        super().handle_page(pagename, addctx, TEMPLATE)

    def gen_additional_pages(self) -> None:
        """Write the title page; those of the site are for a host."""
        title = {"title": self.book.title, "body": write_title(self.book)}
        self.handle_page(TITLE, title)

    def copy_static_files(self) -> None:
        """Take along the style, the cover and the fonts."""
        folder = Path(self.outdir, "_static")
        folder.mkdir()
        for name in CARRIED:
            shutil.copyfile(Path(self.srcdir, STYLES, name), folder / name)
        shutil.copyfile(Path(self.srcdir, FONT), folder / "chinese.woff")

    def copy_image_files(self) -> None:
        """Take along the figures, without what the standard of EPUB refuses."""
        super().copy_image_files()
        for file in Path(self.outdir, self.imagedir).glob("*.svg"):
            file.write_bytes(mend_drawing(file.read_bytes()))

    def get_toc(self) -> None:
        """Name the pages beside the folder of the first one by their own place."""
        super().get_toc()
        for node in self.refnodes:
            node["refuri"] = posixpath.normpath(node["refuri"])

    def get_refnodes(self, doctree: nodes.Node, result: list) -> list:
        """Name a page with its number, and formulas in plain signs."""
        if isinstance(doctree, nodes.reference):
            number = doctree.get("secnumber", ())
            words = f"{number[0]}. " if len(number) == 1 else ""
            doctree[:] = [nodes.Text(words + _read_title(doctree))]
        return super().get_refnodes(doctree, result)

    def content_metadata(self) -> dict[str, Any]:
        """Add what the file of the package says beyond Sphinx's own."""
        day = self.book.changed
        return super().content_metadata() | {
            "book": self.book,
            "date": f"{day:{MOMENT}}" if day else "1980-01-01T00:00:00Z",
            "holds_formulas": self._holds_formulas,
        }

    def _holds_formulas(self, name: str) -> bool:
        file = Path(self.outdir, name)
        return file.suffix == self.out_suffix and b"<math" in file.read_bytes()

    def build_content(self) -> None:
        """Write the file of the package from the book's own template."""
        with self._own_templates():
            super().build_content()

    def build_navigation_doc(self) -> None:
        """Write the contents from the book's own template."""
        with self._own_templates():
            super().build_navigation_doc()

    @contextmanager
    def _own_templates(self) -> Iterator[None]:
        self.template_dir = str(OWN_FILES)
        yield
        del self.template_dir

    def navigation_doc_metadata(self, navlist: list[NavPoint]) -> dict[str, Any]:
        """Put the chapters below their parts, and name where a device offers to go."""
        titles = {node["refuri"]: node["text"] for node in self.refnodes}
        entries = [self._enter(self.book.first_page, titles)]
        for part in self.book.parts:
            chapters = [self._enter(page, titles) for page in part.pages]
            # A part has no page of its own: it opens at its first chapter.
            entries.append(NavPoint(escape(part.title), chapters[0].refuri, chapters))
        marks = list_landmarks(self.book, self.coverpage_name)
        return super().navigation_doc_metadata(entries) | {"landmarks": marks}

    def toc_metadata(self, level: int, navpoints: list) -> dict[str, Any]:
        """Name the book as the package does, for devices that know older contents."""
        uid = {"uid": self.config.epub_identifier}
        return super().toc_metadata(level, navpoints) | uid

    def _enter(self, page: str, titles: dict[str, str]) -> NavPoint:
        """Enter a page into the contents, with its sections."""
        file = file_of(page)
        sections = [
            NavPoint(escape(_read_title(link)), file + link["anchorname"], [])
            for item in self.env.tocs[page.removesuffix(".html")][0][1:]
            for section in item.children
            for link in [*section.findall(nodes.reference)][:1]
        ]
        if b'id="solutions"' in Path(self.outdir, file).read_bytes():
            _, words = name_solutions(page)
            sections.append(NavPoint(words, f"{file}#solutions", []))
        # A translated chapter has its number from the English one, not from its part.
        number = self.env.toc_secnumbers.get(page.removesuffix(".html"), {}).get("")
        words = f"{number[0]}. " if number else ""
        title = words + titles[file].removeprefix(words)
        return NavPoint(title, file, sections)

    def build_epub(self) -> None:
        """Write the file: the same bytes for the same book."""
        names = ["META-INF/container.xml", "content.opf", "toc.ncx", *self.files]
        write_zip(Path(self.outdir), ["mimetype", *names])


def _read_title(node: nodes.Node) -> str:
    """Read a title in plain signs."""
    return ROOT.sub(r"√\1", flatten(node))


def finish_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Turn the text of a page into what reading devices know."""
    if isinstance(app.builder, BookEpub) and pagename in app.env.found_docs:
        context["body"] = write_chapter(context["body"], pagename, app.builder.camera)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_builder(BookEpub, override=True)
    # After all that prepares the text of a page for the site.
    app.connect("html-page-context", finish_page, priority=950)
