"""Explorer: the parameters of a decoder by part, whose width and depth one chooses."""

from chapters.shared.explorer.frame import Explorer, slider, switch
from transformer.zoo import CONFIGS

MODELS = {
    "gpt2": "GPT-2",
    "gpt2-medium": "GPT-2 medium",
    "gpt2-large": "GPT-2 large",
    "gpt2-xl": "GPT-2 XL",
}
GPT2 = CONFIGS["gpt2"]


def show() -> Explorer:
    """Show how many parameters a GPT-2 of any width and depth has, and where."""
    return Explorer(
        chapter="is_it_the_model",
        name="is_it_the_model",
        title="the parameters of a decoder by part",
        instruction="Untie the head: there are the 163 million. Tie it again, and drag "
        "the width down to 64: now most parameters stand in the embedding.",
        controls=[
            slider("layers", "layers", low=1, high=48, value=GPT2.num_decoder_layers),
            switch("tied", "head tied to the embedding", on=True),
            switch("biases", "biases of matrices", on=True),
        ],
        data={
            "width": GPT2.d_model,
            "vocab": GPT2.vocab_size,
            "positions": GPT2.max_len,
            "models": {
                name: [CONFIGS[row].d_model, CONFIGS[row].num_decoder_layers]
                for row, name in MODELS.items()
            },
        },
        uses=("drag", "beside"),
    )
