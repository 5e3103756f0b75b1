"""The experiments on learning take away what they say, and run."""

import learning
import torch
from learning import Experiment, changed, experiments, measure

from bookkit.checking.facts import facts
from transformer.commands.settings import Settings
from transformer.data import number_words
from transformer.models import Transformer

TINY = Settings(layers=1, d_model=8, d_ff=8, heads=2, steps=3, warmup=1)


def test_each_experiment_has_a_name_of_its_own():
    names = [experiment.name for experiment in experiments()]
    assert len(set(names)) == len(names) > 8


def test_without_the_scale_scores_are_not_divided():
    scales = []
    for config in ({}, {"scale_attention": False}):
        with changed(Experiment(name="x", settings=TINY, config=config)):
            model = Transformer(TINY.model_config(vocab_size=11))
        scales.append(model.encoder.layers[0].self_attention.scale)
    assert scales == [0.5, 1.0]


@facts("sees_future", [True, False])
def test_without_the_mask_the_first_position_sees_the_others(sees_future):
    experiment = Experiment(name="x", settings=TINY, sees_future=sees_future)
    with changed(experiment), torch.no_grad():
        model = Transformer(TINY.model_config(vocab_size=11)).eval()
        first = torch.tensor([[4, 5, 6]])
        second = torch.tensor([[4, 5, 7]])
        apart = (model(first, first) - model(first, second))[:, 0].abs().max()
    assert (apart > 1e-6) == sees_future


def test_what_was_changed_is_back_afterwards():
    experiment = Experiment(name="x", config={"d_ff": 99}, sees_future=True)
    with changed(experiment):
        assert Settings().model_config(9).d_ff == 99
    assert Settings().model_config(9).d_ff == 256
    assert learning.causal_mask(2).tolist() == [[True, False], [True, True]]


def test_a_training_is_measured():
    def splits(seed):
        return number_words(below=300, train=110, validation=1, test=3, seed=seed)

    experiment = Experiment(name="x", settings=TINY, splits=splits)
    seconds, held_out, below, parameters = measure(experiment, seed=1)
    assert seconds > 0
    assert 0 <= held_out <= 1
    assert 0 <= below <= 1
    assert parameters > 1000
