"""Read from a built page, without a browser, what is wrong with it."""

import re
from base64 import b64encode
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement
from page_files import parse, read_ids, weigh
from page_visit import PHONE, SOURCE

# What holds no words of a page, or words that may be source.
UNREAD = ("pre", "code", "script", "style", "noscript", "template")
POLICY = "//head/meta[@http-equiv = 'Content-Security-Policy']/@content"
# A page may fetch from itself, from a folder on a disk, and what it holds in itself.
OWN = re.compile(r"'(?:self|none|unsafe-inline|sha256-[\w+/=]+)'|file:|data:")
# Attributes whose words are the ids of other elements.
POINTERS = ("aria-controls", "aria-describedby", "aria-labelledby", "aria-owns", "for")
NAMED = "self::a[@href] or self::button or self::summary"
FIELDS = "//input[not(@type = 'hidden')] | //select | //textarea"
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# What a browser fetches of a page as soon as it is opened.
FETCHED = (
    "//link[@rel = 'stylesheet' or @rel = 'icon' or @rel = 'preload']/@href"
    " | //script/@src | //img[not(@loading = 'lazy')]/@src"
)
# On a phone a figure is as wide as the text, and drawn no smaller than this.
MARGIN, LEAST_SCALE = 16, 0.85
FORM = "ancestor::picture/source/@width"  # lxml puts an image into the source before it


def find_source(file: Path) -> list[str]:
    """List the TeX and MyST source that shows on a page, and the broken formulas."""
    body = deepcopy(parse(file).body)
    for part in [*body.iter(*UNREAD), *body.find_class("katex")]:
        part.drop_tree()
    shown = [match.group() for match in SOURCE.finditer(body.text_content())]
    page = parse(file)
    empty = [part for part in page.find_class("math") if not part.find_class("katex")]
    wrong = [*page.find_class("katex-error"), *page.find_class("merror"), *empty]
    return shown + [part.text_content()[:200] for part in wrong]


def find_images_without_words(file: Path) -> list[str]:
    """List the images whose alternative text is missing or is only a file's name."""
    images = [
        (image.get("src", "").split("/")[-1], image.get("alt", "").strip())
        for image in parse(file).iter("img")
    ]
    return [name for name, words in images if not words or words.endswith(name)]


def find_faults_of_headings(file: Path) -> list[str]:
    """List what is wrong with the title, the language and the headings of a page."""
    page = parse(file)
    main = page.find(".//article")
    headings = list((page.body if main is None else main).iter(*HEADINGS))
    levels = [int(heading.tag[1]) for heading in headings]
    faults = [
        f"{heading.text_content()} is {level - before} levels down"
        for heading, before, level in zip(
            headings[1:], levels, levels[1:], strict=False
        )
        if level > before + 1
    ]
    faults += [f"{levels.count(1)} titles"] * (levels.count(1) != 1)
    faults += ["an empty heading" for h in headings if not h.text_content().strip("# ")]
    faults += ["no language"] * (not page.get("lang"))
    return faults + ["no title"] * (not page.findtext(".//title", "").strip())


def find_bare_figures(file: Path) -> list[str]:
    """List the figures without a caption, or without a number in it."""
    figures = parse(file).xpath("//article//figure")
    numbers = ".//figcaption//*[contains(@class, 'caption-number')]"
    return [str(figure.get("id")) for figure in figures if not figure.xpath(numbers)]


def find_nameless(file: Path) -> list[str]:
    """List the links, buttons, fields and frames of which nobody says what they are."""
    page = parse(file)
    parts = page.xpath(f"//*[{NAMED}]")
    nameless = [part for part in parts if not _read_name(part)]
    nameless += [
        field
        for field in page.xpath(FIELDS)
        if not _read_name(field)
        and not field.xpath("ancestor::label")
        and not page.xpath("//label[@for = $id]", id=field.get("id", ""))
    ]
    nameless += page.xpath("//iframe[not(@title)]")
    return [f"{part.tag} {dict(part.attrib)}" for part in nameless]


def _read_name(part: HtmlElement) -> str:
    """Return the words by which a screen reader calls a part."""
    words = [
        *(part.get(name, "") for name in ("aria-label", "aria-labelledby", "title")),
        *part.xpath(
            ".//@aria-label | .//img/@alt | .//*[local-name() = 'title']/text()"
        ),
        part.text_content(),
    ]
    return "".join(words).strip()


def find_lost_pointers(file: Path) -> list[tuple[str, str]]:
    """List the attributes that name an id which the page does not have."""
    ids = read_ids(file)
    return [
        (name, target)
        for name in POINTERS
        for targets in parse(file).xpath(f"//@{name}")
        for target in targets.split()
        if target not in ids
    ]


def find_bare_tables(file: Path) -> list[str]:
    """List the tables of the text of which no cell is a heading."""
    tables = parse(file).xpath("//article//table[not(.//th)]")
    return [table.text_content()[:100] for table in tables]


def find_faults_of_policy(file: Path) -> list[str]:
    """List what the policy of a page lets pass, and what it would not let run."""
    page = parse(file)
    policies = page.xpath(POLICY)
    if len(policies) != 1:
        return [f"{len(policies)} policies"]
    rules = dict(rule.split(maxsplit=1) for rule in policies[0].split("; "))
    faults = [
        f"{name} {source}"
        for name, sources in rules.items()
        for source in sources.split()
        if not OWN.fullmatch(source)
    ]
    faults += ["no default"] * ("default-src" not in rules)
    scripts = rules.get("script-src", "'unsafe-inline'")
    faults += ["scripts of any kind"] * ("'unsafe" in scripts)
    for script in page.xpath("//script[not(@src)]"):
        code = b64encode(sha256((script.text or "").encode()).digest()).decode()
        runs = script.get("type") in (None, "module", "text/javascript")
        if runs and f"'sha256-{code}'" not in scripts:
            faults.append(f"refuses {script.text.strip()[:80]}")
    handlers = page.xpath("//@*[starts-with(name(), 'on')]")
    links = page.xpath("//@href[starts-with(., 'javascript:')]")
    return faults + [f"refuses {code[:80]}" for code in [*handlers, *links]]


def weigh_at_least(root: Path, path: str) -> int:
    """Count the bytes of what a page names and a browser fetches at once."""
    page = root / path
    files = {page} | {
        (page.parent / unquote(urlsplit(address).path)).resolve()
        for address in parse(page).xpath(FETCHED)
        if not address.startswith("data:")
    }
    return sum(weigh(file) for file in files)


def find_small_figures(file: Path) -> list[tuple[str, int]]:
    """List the figures that are too wide for a phone, each with its width there."""
    widths = [
        (image.get("src"), int((image.xpath(FORM) or [0])[0]))
        for image in parse(file).xpath("//article//figure//picture//img")
    ]
    widest = (PHONE["width"] - 2 * MARGIN) / LEAST_SCALE
    return [(name, width) for name, width in widths if not 0 < width <= widest]
