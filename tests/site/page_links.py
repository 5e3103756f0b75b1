"""Read what pages and style sheets name: hosts of others, and files of their own."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement
from page_files import parse, read_ids

# What a reader follows by a click; anything else a browser fetches by itself.
FOLLOWED = {"a", "area"}
FETCHED = ("src", "data", "poster", "action", "formaction", "background", "xlink:href")
SETS = ("srcset", "imagesrcset")
# One picture of a set: its address, then a comma or its width.
PICTURE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:,|\s[^,]*(?:,|$)|$)")
# Comments and other strings are matched too, so that nothing is found within them.
STYLE_LINK = re.compile(
    r"""/\*.*?\*/
    | (?:url\(|@import)\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')
    | url\(\s*(?P<bare>[^"'()\s]+)\s*\)
    | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)


def find_strangers(root: Path, path: str) -> list[str]:
    """List what an element of a page would fetch from another host."""
    return [link for link in _list_parts(root / path) if _is_elsewhere(link)]


def find_broken_links(root: Path, path: str) -> list[str]:
    """List the links and parts of a page that lead to no file or no place in it."""
    page = root / path
    followed = [
        link for tag in parse(page).iter(*FOLLOWED) for link in tag.xpath("@href")
    ]
    links = followed + _list_parts(page)
    return [link for link in links if not _leads_somewhere(root, page, link)]


def find_strangers_of_styles(root: Path) -> list[tuple[str, str]]:
    """List what the style sheets of a site would fetch from another host."""
    return [
        (sheet.name, link)
        for sheet, link in _list_style_links(root)
        if _is_elsewhere(link)
    ]


def find_broken_links_of_styles(root: Path) -> list[tuple[str, str]]:
    """List what the style sheets of a site name and the site does not hold."""
    return [
        (sheet.name, link)
        for sheet, link in _list_style_links(root)
        if not _leads_somewhere(root, sheet, link)
    ]


def _list_parts(page: Path) -> list[str]:
    return [link for tag in parse(page).iter("*") for link in _list_fetched(tag)]


def _list_fetched(tag: HtmlElement) -> list[str]:
    links = [tag.get(name) for name in FETCHED if name in tag.attrib]
    # Names of a page, and of the same in another language; no browser fetches them.
    kinds = tag.get("rel", "").split()
    is_name = tag.tag in FOLLOWED or {"canonical", "alternate"} & {*kinds}
    if "href" in tag.attrib and not is_name:
        links.append(tag.get("href"))
    for name in SETS:
        links += PICTURE.findall(tag.get(name, ""))
    links += _read_style(tag.get("style", ""))
    if tag.tag == "style":
        links += _read_style(tag.text or "")
    return links


def _list_style_links(root: Path) -> list[tuple[Path, str]]:
    return [
        (sheet, link)
        for sheet in sorted(root.rglob("*.css"))
        for link in _read_style(sheet.read_text("utf-8"))
    ]


def _read_style(css: str) -> list[str]:
    return [
        match[match.lastgroup] for match in STYLE_LINK.finditer(css) if match.lastgroup
    ]


def _is_elsewhere(link: str) -> bool:
    parts = urlsplit(link.strip())
    return parts.scheme != "data" and bool(parts.scheme or parts.netloc)


def _leads_somewhere(root: Path, page: Path, link: str) -> bool:
    parts = urlsplit(link.strip())
    if parts.scheme or parts.netloc:
        return True
    target = page if not parts.path else page.parent / unquote(parts.path)
    target = target.resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(root.resolve()):
        return False
    anchor = unquote(parts.fragment)
    return not anchor or target.suffix != ".html" or anchor in read_ids(target)
