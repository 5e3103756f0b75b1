"""BERT: an encoder that fills in masked words (Devlin et al., 2019)."""

from functools import partial

from transformer.config import TransformerConfig
from transformer.models import EncoderOnlyTransformer
from transformer.zoo.family import Family, StoredHead, choose_head
from transformer.zoo.fields import Fields, check_fields, size_fields
from transformer.zoo.layout import Layout, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a BERT of some size.

    Source: Devlin et al. (2019), section 3 for the sizes, section A.2 for GELU and
    dropout 0.1; the norm of the embeddings and its epsilon: their released code.
    """
    common = {
        "vocab_size": 30_522,
        "max_len": 512,
        "num_segments": 2,
        "num_decoder_layers": 0,
        "position": "learned",
        "norm_embeddings": True,
        "activation": "gelu",
        "attention_bias": True,
        "scale_embeddings": False,
        "logits_bias": True,
        "initialization": "normal",
        "norm_eps": 1e-12,
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "pad_id": 0,
    }
    return TransformerConfig(**common | choices)


CONFIGS = {
    "bert-base-uncased": preset(
        num_encoder_layers=12, d_model=768, d_ff=3072, num_heads=12
    ),
    "bert-large-uncased": preset(
        num_encoder_layers=24, d_model=1024, d_ff=4096, num_heads=16
    ),
    # Wang et al. (2020), six layers of it, trained on for sentence embeddings.
    "all-MiniLM-L6-v2": preset(
        num_encoder_layers=6, d_model=384, d_ff=1536, num_heads=12
    ),
}

LAYER = {
    "self_attention.query_projection": "attention.self.query",
    "self_attention.key_projection": "attention.self.key",
    "self_attention.value_projection": "attention.self.value",
    "self_attention.output_projection": "attention.output.dense",
    "self_attention_residual.norm": "attention.output.LayerNorm",
    "feed_forward.up_projection": "intermediate.dense",
    "feed_forward.down_projection": "output.dense",
    "feed_forward_residual.norm": "output.LayerNorm",
}
EMBEDDING = {
    "embedding.tokens.embedding": "embeddings.word_embeddings",
    "embedding.positions.embedding": "embeddings.position_embeddings",
    "embedding.segments.embedding": "embeddings.token_type_embeddings",
    "embedding.norm": "embeddings.LayerNorm",
}


HEADS = {
    "masked_language_model": StoredHead(
        "a BertForMaskedLM",
        r"cls\.predictions\..*",
        {
            "head.transform": "cls.predictions.transform.dense",
            "head.norm": "cls.predictions.transform.LayerNorm",
            "head.output.projection": "cls.predictions",
        },
    ),
    "pooler": StoredHead(
        "a BertModel", r"pooler\..*", {"head.projection": "pooler.dense"}
    ),
    None: StoredHead("a BertModel", "", {}),
}


def layout(config: TransformerConfig, head: str | None) -> Layout:
    """Return how Hugging Face stores BERT; what belongs to other heads is ignored."""
    tied = {
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    }
    others = [stored.pattern for name, stored in HEADS.items() if name != head]
    return Layout(
        source=HEADS[head].source,
        names=EMBEDDING
        | layer_names("encoder.layers.{}", "encoder.layer.{}", LAYER)
        | HEADS[head].names,
        spellings={
            r"^bert\.": "",  # before the body of a model that has a head
            r"LayerNorm\.gamma$": "LayerNorm.weight",  # in the files of 2018
            r"LayerNorm\.beta$": "LayerNorm.bias",
        },
        tied=tied if head == "masked_language_model" else {},
        ignored=(
            r"embeddings\.(position|token_type)_ids",
            r"cls\.seq_relationship\..*",  # a head that this package does not have
            *others,
        ),
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `BertConfig`."""
    check_fields(
        fields,
        position_embedding_type=("absolute", None),
        is_decoder=(False,),
        add_cross_attention=(False,),
        tie_word_embeddings=(True,),
    )
    return preset(
        num_segments=fields["type_vocab_size"],
        norm_eps=fields["layer_norm_eps"],
        dropout=fields["hidden_dropout_prob"],
        attention_dropout=fields["attention_probs_dropout_prob"],
        pad_id=fields.get("pad_token_id", 0),
        **size_fields(fields, layers="num_encoder_layers"),
    )


BERT = Family(
    model_types=("bert",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
    build=EncoderOnlyTransformer,
    options={"head": partial(choose_head, HEADS, "bert.")},
)
config_from_hugging_face = BERT.config_from_hugging_face
from_hugging_face = BERT.from_hugging_face
