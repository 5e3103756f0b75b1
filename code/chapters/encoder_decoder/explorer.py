"""Explorer: a verb that one drags between river and money, and the word it decides."""

from chapters.encoder_decoder import drawn_words as drawn
from chapters.shared.explorer.frame import Explorer, choice

SENTENCE, SAID = ("The", "bank", "blooms", "EOS"), ("BOS", "la")
PARTS = {
    "nothing": "nothing",
    "looking": "the encoder's attention",
    "cross": "the cross-attention",
    "networks": "both networks",
}


def show() -> Explorer:
    """Show how the note on a word moves with the verb, and which word is said."""
    return Explorer(
        chapter="encoder_decoder",
        name="encoder_decoder",
        title="a verb, the note on the word before it, and the French word said",
        instruction="Drag <em>blooms</em> to <em>lends</em>: beyond the diagonal the "
        "decoder says <em>banque</em>. Then take out the cross-attention: the note "
        "moves as before, and the two scores are always equal.",
        controls=[choice("without", "take out", PARTS, value="nothing")],
        data={
            "source": drawn.rows(SENTENCE, drawn.SOURCE).tolist(),
            "target": drawn.rows(SAID, drawn.TARGET).tolist(),
            "words": list(drawn.FRENCH),
            "french": drawn.rows(drawn.FRENCH, drawn.FRENCH).tolist(),
        },
        uses=("drag", "points", "beside"),
    )
