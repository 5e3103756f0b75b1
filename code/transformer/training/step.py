"""The trainer: one step of learning, whatever the device and the number of them."""

from collections.abc import Callable
from math import isfinite

import torch
from torch import Tensor, nn, optim

from transformer.checks.values import check_choice, check_positive, check_size
from transformer.data.batches import Batch
from transformer.models.wrapped import unwrapped
from transformer.training.log import StepRecord, TrainingLog
from transformer.training.loss import LabelSmoothingLoss
from transformer.training.optimizer_state import check_resumable
from transformer.training.world import World, hold_gradients

# In which type the products of a forward pass are computed; None: as the parameters.
PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}


class TrainingError(Exception):
    """A training cannot go on; the message says why, and what to do."""


class Trainer:
    r"""Take steps: forward, backward, clip, update.

    $$g = \nabla_\theta\, \frac{1}{n} \sum_{i=1}^{n} \mathcal{L}_i, \qquad
    g' = g \cdot \min\left(1, \frac{c}{\lVert g \rVert}\right)$$

    over all $n$ labels of the batch that count, wherever they are computed: parts of
    a batch (gradient accumulation) and processes give the gradient of the whole.

    Source: Pascanu et al. (2013), section 3.2, for the clipping by norm; Micikevicius
    et al. (2018), sections 3.1 and 3.2, for half precision and the scaled loss that
    float16 needs.

    Args:
        model: What learns: a model of this package, or what `distribute` returned.
        loss: Compares logits and labels.
        optimizer: Holds the parameters of the model; any that takes a step from
            gradients alone and keeps tensors, so that a checkpoint can hold it.
        schedule: The learning rate of each step, counted from 1; that of the
            optimizer when not given.
        max_norm: The longest gradient $c$; longer ones are scaled down.
        accumulate: In how many parts a batch is computed, to save memory.
        precision: One of `PRECISIONS`.
        world: The processes; one when not given.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        loss: LabelSmoothingLoss,
        optimizer: optim.Optimizer,
        schedule: Callable[[int], float] | None = None,
        max_norm: float = 1.0,
        accumulate: int = 1,
        precision: str = "float32",
        world: World | None = None,
    ) -> None:
        check_resumable(optimizer)
        check_positive("max_norm", max_norm)
        check_size("accumulate", accumulate)
        check_choice("precision", precision, PRECISIONS)
        device = next(model.parameters()).device
        self.wrapped = model
        self.model = unwrapped(model)
        self.loss = loss
        self.optimizer = optimizer
        self.schedule = schedule
        self.max_norm = max_norm
        self.accumulate = accumulate
        self.dtype = PRECISIONS[precision]
        self.world = World(device=device) if world is None else world
        self.scaler = torch.amp.GradScaler(
            device.type, enabled=self.dtype == torch.float16
        )
        self.log = TrainingLog()
        self.steps = 0  # taken so far

    def step(self, batch: Batch) -> StepRecord:
        """Learn from one batch; return what was recorded.

        Raises:
            TrainingError: If the loss or the gradient is not finite. The parameters
                are those before the step.
        """
        self.wrapped.train()
        rate = self._set_learning_rate()
        loss = self._backward(batch)
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
        loss, norm = torch.stack([loss, norm.to(loss)]).tolist()
        self._check_finite(loss, norm)
        self.scaler.step(self.optimizer)  # leaves out a step that overflowed float16
        self.scaler.update()
        self.steps += 1
        record = StepRecord(self.steps, loss, rate, norm)
        self.log.steps.append(record)
        return record

    def _backward(self, batch: Batch) -> Tensor:
        """Add up the gradients of all parts of a batch; return its mean loss."""
        mine = batch.shard(self.world.rank, self.world.size).to(self.world.device)
        counted = self.world.sum(self.loss.count(mine.labels))
        total = 0.0
        self.optimizer.zero_grad()
        parts = mine.split(self.accumulate)
        for number, part in enumerate(parts, start=1):
            hold_gradients(self.wrapped, hold=number < len(parts))
            with torch.autocast(
                self.world.device.type, self.dtype, enabled=self.dtype is not None
            ):
                logits = self.wrapped(*part.inputs)
            logits = logits if self.dtype is None else logits.float()
            loss = self.loss.total(logits, part.labels)
            # Processes average their gradients, and each label is to weigh the same.
            self.scaler.scale(loss * self.world.size / counted).backward()
            total = total + loss.detach()
        return self.world.sum(total) / counted

    def _set_learning_rate(self) -> float:
        """Set the learning rate of the next step, and return it."""
        if self.schedule is not None:
            rate = float(self.schedule(self.steps + 1))
            for group in self.optimizer.param_groups:
                group["lr"] = rate
        return float(self.optimizer.param_groups[0]["lr"])

    def _check_finite(self, loss: float, norm: float) -> None:
        """Raise if the loss or gradient is not finite, before the parameters change."""
        overflowed = self.scaler.is_enabled() and self.scaler.get_scale() > 1
        if isfinite(loss) and (isfinite(norm) or overflowed):
            return
        self.optimizer.zero_grad()
        if self.scaler.is_enabled():
            self.scaler.update()  # or it would refuse the next step
        raise TrainingError(
            f"step {self.steps + 1} must have a finite loss and gradient, got loss "
            f"{loss:.6g} and gradient norm {norm:.6g}; the parameters are those of "
            f"step {self.steps}. Lower the learning rate or warm up longer."
        )
