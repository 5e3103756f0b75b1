"""Words and the marks beside them: a text as pieces, and back without a loss."""

import re

from transformer.data.tokenizer import normalized

CONTINUATION = "##"  # marks a piece that follows another one without a space
PIECE = re.compile(r"[^\w\s]?\w+|[^\w\s]")


def split_words(text: str) -> list[str]:
    """Return the pieces of a text.

    A run of word characters is a piece, with the one mark directly before it; any
    other mark is a piece of its own. A piece that follows another one without a space
    carries `##`, so nothing but the kind and number of spaces is lost:
    "vingt-deux chats." becomes `vingt`, `##-deux`, `chats`, `##.`

    Source: the marker is WordPiece's, Devlin et al. (2019), section 3; where to split
    is ours. A piece can begin with one mark at most, so no text looks like a marker.

    Args:
        text: Any text; normalized to form C first.
    """
    pieces = []
    for word in normalized(text).split():
        first, *others = PIECE.findall(word)
        pieces += [first, *(CONTINUATION + other for other in others)]
    return pieces


def join_words(pieces: list[str]) -> str:
    """Return the text of pieces: a space before each that is no continuation."""
    joined = "".join(
        piece.removeprefix(CONTINUATION)
        if piece.startswith(CONTINUATION)
        else f" {piece}"
        for piece in pieces
    )
    return joined.removeprefix(" ")


def is_piece(piece: str) -> bool:
    """Return whether `split_words` can return a piece."""
    bare = piece.removeprefix(CONTINUATION)
    return PIECE.fullmatch(bare) is not None and normalized(bare) == bare
