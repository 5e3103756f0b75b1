"""The data: texts, where they come from, and what a model sees of them."""

from transformer.data.batches import Batch
from transformer.data.batching import SortedBatches, TrainingBatches, sorted_batches
from transformer.data.corpora import CORPORA, LoadedCorpus, load_corpus
from transformer.data.download import DownloadError, fetch
from transformer.data.errors import DataError
from transformer.data.examples import Example, encode_pairs, encode_texts, pad
from transformer.data.numerals import english, french
from transformer.data.pairs import Pair, Splits
from transformer.data.parallel_text import ReadResult, read_parallel
from transformer.data.read_report import ReadReport, Reports
from transformer.data.subwords import SubwordTokenizer
from transformer.data.tasks import TASKS, number_words, reversal
from transformer.data.tokenizer import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    SPECIALS,
    UNK_ID,
    Tokenizer,
)
from transformer.data.tokenizers import TOKENIZERS, tokenizer_from_dict
from transformer.data.vocabularies import CharacterTokenizer, WordTokenizer

__all__ = [
    "BOS_ID",
    "CORPORA",
    "EOS_ID",
    "PAD_ID",
    "SPECIALS",
    "TASKS",
    "TOKENIZERS",
    "UNK_ID",
    "Batch",
    "CharacterTokenizer",
    "DataError",
    "DownloadError",
    "Example",
    "LoadedCorpus",
    "Pair",
    "ReadReport",
    "ReadResult",
    "Reports",
    "SortedBatches",
    "Splits",
    "SubwordTokenizer",
    "Tokenizer",
    "TrainingBatches",
    "WordTokenizer",
    "encode_pairs",
    "encode_texts",
    "english",
    "fetch",
    "french",
    "load_corpus",
    "number_words",
    "pad",
    "read_parallel",
    "reversal",
    "sorted_batches",
    "tokenizer_from_dict",
]
