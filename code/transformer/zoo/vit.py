"""ViT: an encoder that reads the patches of an image (Dosovitskiy et al., 2021)."""

from collections.abc import Sequence
from functools import partial

from transformer.config import TransformerConfig
from transformer.models import ImageEncoder
from transformer.zoo.family import Family, StoredHead, choose_head
from transformer.zoo.fields import Fields, activation_name, check_fields
from transformer.zoo.layout import Layout, Reading, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a ViT of some size.

    Source: Dosovitskiy et al. (2021), section 3.1 and Table 1; the epsilon of the
    norms: their released code has 1e-6, Hugging Face 1e-12.
    """
    common = {
        "vocab_size": 1000,
        "image_size": 224,
        "num_decoder_layers": 0,
        "position": "learned",
        "norm_placement": "pre",
        "final_norm": True,
        "activation": "gelu",
        "attention_bias": True,
        "initialization": "normal",
        "norm_eps": 1e-12,
    }
    return TransformerConfig(**common | choices)


CONFIGS = {
    "vit-base-patch16-224": preset(
        num_encoder_layers=12, d_model=768, d_ff=3072, num_heads=12
    ),
    "vit-large-patch16-224": preset(
        num_encoder_layers=24, d_model=1024, d_ff=4096, num_heads=16
    ),
}

LAYER = {
    "self_attention.query_projection": "attention.q_proj",
    "self_attention.key_projection": "attention.k_proj",
    "self_attention.value_projection": "attention.v_proj",
    "self_attention.output_projection": "attention.o_proj",
    "self_attention_residual.norm": "layernorm_before",
    "feed_forward.up_projection": "mlp.fc1",
    "feed_forward.down_projection": "mlp.fc2",
    "feed_forward_residual.norm": "layernorm_after",
}
# In the files of 2020 to 2025.
SPELLINGS = {
    r"^vit\.": "",  # before the body of a model that has a head
    r"^encoder\.layer\.": "layers.",
    r"attention\.attention\.query\.": "attention.q_proj.",
    r"attention\.attention\.key\.": "attention.k_proj.",
    r"attention\.attention\.value\.": "attention.v_proj.",
    r"attention\.output\.dense\.": "attention.o_proj.",
    r"intermediate\.dense\.": "mlp.fc1.",
    r"^(layers\.\d+)\.output\.dense\.": r"\1.mlp.fc2.",
}
HEADS = {
    "labels": StoredHead(
        "a ViTForImageClassification",
        r"classifier\..*",
        {"head.projection": "classifier"},
    ),
    "pooler": StoredHead(
        "a ViTModel", r"pooler\..*", {"head.projection": "pooler.dense"}
    ),
    None: StoredHead("a ViTModel", "", {}),
}


def layout(config: TransformerConfig, head: str | None) -> Layout:
    """Return how Hugging Face stores ViT; what belongs to other heads is ignored."""
    channels, size = config.image_channels, config.patch_size
    return Layout(
        source=HEADS[head].source,
        names={
            "embedding.patches": "embeddings.patch_embeddings.projection",
            "embedding.class_token": "embeddings.cls_token",
            "embedding.positions.embedding.weight": "embeddings.position_embeddings",
            "encoder.norm": "layernorm",
        }
        | layer_names("encoder.layers.{}", "layers.{}", LAYER)
        | HEADS[head].names,
        readings={
            # A convolution with the stride of its kernel is a linear map of patches.
            "embedding.patches.weight": Reading(
                lambda shape: (shape[0], channels, size, size),
                lambda stored: stored.flatten(start_dim=1),
            ),
            "embedding.class_token": Reading(
                lambda shape: (1, 1, *shape), lambda stored: stored[0, 0]
            ),
            "embedding.positions.embedding.weight": Reading(
                lambda shape: (1, *shape), lambda stored: stored[0]
            ),
        },
        spellings=SPELLINGS,
        ignored=tuple(other.pattern for name, other in HEADS.items() if name != head),
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `ViTConfig`."""
    check_fields(
        fields,
        qkv_bias=(True,),  # our four projections have biases, or none of them
        pooler_act=("tanh",),
        pooler_output_size=(None, fields["hidden_size"]),
    )
    return preset(
        vocab_size=len(fields.get("id2label") or (0, 1)),
        image_size=fields["image_size"],
        patch_size=square_side(fields["patch_size"]),
        image_channels=fields["num_channels"],
        num_encoder_layers=fields["num_hidden_layers"],
        d_model=fields["hidden_size"],
        d_ff=fields["intermediate_size"],
        num_heads=fields["num_attention_heads"],
        activation=activation_name(fields["hidden_act"]),
        norm_eps=fields["layer_norm_eps"],
        dropout=fields["hidden_dropout_prob"],
        attention_dropout=fields["attention_probs_dropout_prob"],
    )


def square_side(size: int | Sequence[int]) -> int:
    """Return the side of a patch, which must be a square."""
    if not isinstance(size, Sequence):
        return size
    height, width = size
    check_fields(
        {"the height of patch_size": height}, **{"the height of patch_size": (width,)}
    )
    return height


VIT = Family(
    model_types=("vit",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
    build=ImageEncoder,
    options={"head": partial(choose_head, HEADS, "vit.")},
)
config_from_hugging_face = VIT.config_from_hugging_face
from_hugging_face = VIT.from_hugging_face
