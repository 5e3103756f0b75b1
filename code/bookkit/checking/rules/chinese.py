"""Rules about Chinese: terms are named, paper has the signs, pages are of today."""

from collections import Counter
from pathlib import Path

from fontTools.ttLib import TTFont

from bookkit.book.chinese import (
    FONT,
    LABEL_FONT,
    SIGNS,
    catalog_path,
    faults,
    is_done,
    numbers,
    read_catalog,
    read_label_signs,
    read_signs,
    twins,
)
from bookkit.book.files import read_page
from bookkit.book.glossary import GLOSSARY, plain_form, read_glossary
from bookkit.book.notebooks import CHINESE
from bookkit.writing.translations import hand_written, stale_translations, undrawn

# Terms without a Chinese name, by the reason.
NO_CHINESE = {
    "a name, which stays as it is": {
        "Adam",
        "AdamW",
        "ALiBi",
        "BLEU",
        "DeBERTa",
        "GEGLU",
        "GELU",
        "peri-LN",
        "ReGLU",
        "ReLU",
        "Shaw's relative keys",
        "SiLU",
        "SwiGLU",
        "Swish",
        "T5 (bias)",
        "Transformer",
        "Transformer-XL",
        "TUPE",
        "YaRN",
    },
    "Chinese texts write the English word": {
        "base (of rotary embeddings)",
        "bfloat16",
        "delta rule",
        "GGUF",
        "id (of a token)",
        "logit",
        "meta device",
        "NTK-aware (scaling)",
        "softmax",
        "z-loss",
    },
    "Chinese texts do not agree on a word": {
        "activation patching",
        "attention sink",
        "logit lens",
        "massive activation",
        "OV circuit",
        "paged cache",
        "previous-token head",
        "QK circuit",
        "span corruption",
        "tuned lens",
        "warm-up\N{EN DASH}stable\N{EN DASH}decay",
    },
    "a word of this book, or one that goes without saying": {
        "final norm",
        "foretelling",
        "layout (of rotary embeddings)",
        "model error",
        "plane",
        "search error",
        "silent (unit)",
        "skip",
    },
}


def terms_have_chinese_names(root: Path) -> list[str]:
    """Each term has its Chinese name, of its own, or a reason to have none.

    For readers of Chinese texts, who look for the word that they know.
    """
    terms = read_glossary(root)
    without = set().union(*NO_CHINESE.values())
    faults = []
    for term in terms:
        if term.chinese and term.name in without:
            faults.append(f"{term.name!r} has a Chinese name and stands in NO_CHINESE.")
        if not term.chinese and not term.synonym_of and term.name not in without:
            faults.append(
                f"{term.name!r} must have its Chinese name, as in 'vector : 向量', or "
                "stand in NO_CHINESE of bookkit.checking.rules.chinese."
            )
        faults += [
            f"{name!r}, the Chinese name of {term.name!r}, has no Chinese sign."
            for name in term.chinese
            if not SIGNS.search(name)
        ]
    # Bias is one word in Chinese too, of a norm as of attention.
    words = {(plain_form(term.name), name) for term in terms for name in term.chinese}
    count = Counter(name for _, name in words)
    faults += [f"{name!r} names two terms." for name in count if count[name] > 1]
    return [f"{GLOSSARY}: {fault}" for fault in faults]


def chinese_can_be_printed(root: Path) -> list[str]:
    """The font of the book has each Chinese sign of its pages.

    For readers of the PDF and the EPUB: no sign shows as an empty box.
    """
    fonts = {
        FONT: (read_signs(root), "NotoSerifCJK-Regular.ttc"),
        LABEL_FONT: (read_label_signs(root), "--labels NotoSansCJK-Regular.ttc"),
    }
    return [
        f"{font} must have all Chinese signs of the pages, and lacks {missing}. Write "
        f"it anew with `python -m bookkit chinese-font {source}`; the file is in "
        "Debian's package fonts-noto-cjk."
        for font, (signs, source) in fonts.items()
        if (missing := _missing(root / font, signs))
    ]


def _missing(path: Path, signs: set[str]) -> str:
    """List the signs that a font lacks."""
    known = set(TTFont(path).getBestCmap()) if signs and path.exists() else set()
    return "".join(sorted(sign for sign in signs if ord(sign) not in known))


def chinese_pages_are_fresh(root: Path) -> list[str]:
    """The Chinese pages are what the English pages and their catalogs give.

    For readers of Chinese: a paragraph that has changed stands there in English.
    """
    stale = " and ".join(stale_translations(root))
    return [f"{stale} must be written anew; run `make chinese`."] if stale else []


def chinese_figures_are_drawn(root: Path) -> list[str]:
    """A figure on a Chinese page has the labels of the catalog.

    For readers of Chinese, who see a figure before they read what is said of it.
    """
    return undrawn(root)


def translations_are_exact(root: Path) -> list[str]:
    """A translation has the formulas, code, links and numbers of its English text.

    For readers of Chinese, who rely on a number as others do.
    """
    breaches = [
        f"{catalog_path(root, file).relative_to(root)} differs from the English text "
        f"in {', '.join(found)}: {message.string[:30]!r}."
        for file in twins(root)
        for message in read_catalog(catalog_path(root, file))
        if is_done(message) and (found := faults(message.id, message.string))
    ]
    for page in hand_written(root):
        english = root / "book" / page.relative_to(root / CHINESE)
        said = read_page(root / "book/index.md") + read_page(english)
        more = numbers(read_page(page)) - numbers(said)
        breaches += [
            f"{page.relative_to(root)} says {number:g}, and the English page does not."
            for number in sorted(more)
        ]
    return breaches
