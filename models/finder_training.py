"""Train the finder: ultralytics' pose trainer, bent to a small network, two CPU threads and a fixed time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn
from ultralytics.models.yolo.pose import PoseTrainer
from ultralytics.utils.loss import v8PoseLoss

from models.clock import StageClock, cosine

NETWORK: Final = Path(__file__).with_name("finder.yaml")
THREADS: Final = 2
_TIGHT: Final = 0.07
"""The tight sigma of the keypoint loss, in square roots of the box's area."""
_HUBER: Final = 0.05

RECIPE: Final[dict[str, Any]] = {
    "imgsz": 320,
    "batch": 16,
    "nbs": 16,
    "epochs": 10_000,  # the clock ends the training, not the count
    "patience": 0,
    "optimizer": "AdamW",
    "lr0": 0.0018,
    "momentum": 0.9,
    "weight_decay": 0.0005,
    "warmup_epochs": 0.5,
    "warmup_bias_lr": 0.0018,
    "box": 5.0,
    "cls": 0.7,
    "dfl": 1.5,
    "pose": 8.0,
    "kobj": 0.5,
    # Scenes bring their own variety; mirrored cards do not exist; grey light hides red from black.
    "mosaic": 0.0,
    "close_mosaic": 0,
    "mixup": 0.0,
    "cutmix": 0.0,
    "copy_paste": 0.0,
    "erasing": 0.0,
    "fliplr": 0.0,
    "flipud": 0.0,
    "degrees": 0.0,
    "shear": 0.0,
    "perspective": 0.0,
    "translate": 0.1,
    "scale": 0.2,
    "hsv_h": 0.015,
    "hsv_s": 0.4,
    "hsv_v": 0.35,
    "amp": False,
    "workers": 0,
    "device": "cpu",
    "plots": True,
    "deterministic": True,
}


class KeypointDistance(nn.Module):
    """Distance of keypoints in box sizes: Huber, which pulls from afar, and a tight OKS for the last pixel.

    The library's own loss vanishes for points far off when its sigma is small, and for points a pixel off
    when its
    sigma is large.
    """

    def __init__(self, sigmas: torch.Tensor) -> None:
        super().__init__()
        self.sigmas = sigmas

    def forward(
        self, predicted: torch.Tensor, true: torch.Tensor, seen: torch.Tensor, area: torch.Tensor
    ) -> torch.Tensor:
        """Mean loss over the points that are `seen`; (n, 2, 2+) points in cells, `area` in cells^2."""
        # A root has no slope at nought: the small term gives it one.
        distance = ((predicted[..., :2] - true[..., :2]).pow(2).sum(-1) / (area + 1e-9) + 1e-8).sqrt()
        tight = 1 - torch.exp(-distance.pow(2) / (8 * _TIGHT**2))
        far = torch.where(distance < _HUBER, distance.pow(2) / (2 * _HUBER), distance - _HUBER / 2)
        return ((0.5 * tight + far) * seen).sum() / seen.sum().clamp(min=1)


class FinderLoss(v8PoseLoss):
    """The library's pose loss with our keypoint distance."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        sigmas: torch.Tensor = self.keypoint_loss.sigmas  # type: ignore[has-type]  # set by the library
        self.keypoint_loss = KeypointDistance(sigmas)


class FinderTrainer(PoseTrainer):
    """The pose trainer with two threads, channels-last memory, and a schedule by the clock."""

    clock: StageClock

    def get_dataset(self) -> dict[str, Any]:
        """The data with tight sigmas, so that the validation too cares where the keypoints are."""
        return {**super().get_dataset(), "kpt_oks_sigmas": [_TIGHT, _TIGHT]}

    def set_class_weights(self) -> None:
        """Take our loss; the library calls this after the model has its settings and before it is copied."""
        super().set_class_weights()
        self.model.criterion = FinderLoss(self.model)

    def _setup_train(self) -> None:
        super()._setup_train()
        self.model.to(memory_format=torch.channels_last)
        self.ema.ema.to(memory_format=torch.channels_last)
        # The library leaves one core of two idle.
        torch.set_num_threads(THREADS)

    def _setup_scheduler(self) -> None:
        super()._setup_scheduler()
        self.lf = lambda _epoch: cosine(self.clock.share)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lr_lambda=self.lf)

    def preprocess_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Pictures as floats, channels last."""
        batch = super().preprocess_batch(batch)
        batch["img"] = batch["img"].contiguous(memory_format=torch.channels_last)
        return batch


def _step_rate(trainer: Any) -> None:
    for group in trainer.optimizer.param_groups:
        group["lr"] = group["initial_lr"] * trainer.lf(0)


def _watch_clock(trainer: FinderTrainer) -> None:
    if trainer.clock.over:
        trainer.stop = True


def _save_clock(trainer: FinderTrainer) -> None:
    trainer.clock.save()
    # A kill while the checkpoint is written would leave nothing to go on from.
    shutil.copyfile(trainer.last, trainer.last.with_name("previous.pt"))


def train_finder(
    data: Path,
    run: Path,
    minutes: float,
    *,
    start: Path | None = None,
    seed: int = 0,
    batch: int | None = None,
    lr0: float | None = None,
    overrides: dict[str, Any] | None = None,
) -> Path:
    """Train the finder, or go on with a training that was stopped.

    Args:
        data: the folder that `models.synth.dataset.write_finder_dataset` wrote, with its `data.yaml`.
        run: folder of this training; what is there already is gone on from.
        minutes: wall-clock limit over all starts, validation included.
        start: weights to begin from (a second stage on new data); random ones otherwise.
        seed: of weights and order.
        batch: pictures a step.
        lr0: the highest learning rate.
        overrides: other settings of the recipe.

    Returns:
        The best checkpoint by the validation scenes.

    Raises:
        FileNotFoundError: there is no `data.yaml` in the folder.
    """
    description = data / "data.yaml"
    if not description.is_file():
        raise FileNotFoundError(
            f"{description}: no scenes here; make them first (`python -m models.train scenes`)"
        )
    weights = run / "weights"
    done = run / "done.json"
    if done.is_file():
        return weights / "best.pt"
    settings = {
        **RECIPE,
        "data": str(description.resolve()),
        "model": str(start or NETWORK),
        "pretrained": bool(start),
        "seed": seed,
        "project": str(run.resolve().parent),
        "name": run.name,
        "exist_ok": True,
        "cache": "ram",
        **({"batch": batch, "nbs": batch} if batch else {}),
        **({"lr0": lr0, "warmup_bias_lr": lr0} if lr0 else {}),
        **(overrides or {}),
    }
    checkpoint = _checkpoint(weights)
    if checkpoint:
        settings |= {"resume": str(checkpoint), "model": str(checkpoint)}
    trainer = FinderTrainer(overrides=settings)
    trainer.clock = StageClock(run / "clock.json", minutes * 60)
    trainer.add_callback("on_train_batch_start", _step_rate)
    trainer.add_callback("on_train_batch_end", _watch_clock)
    trainer.add_callback("on_model_save", _save_clock)
    trainer.train()
    done.write_text(
        json.dumps({"minutes": round(trainer.clock.seconds / 60, 1), "epochs": trainer.epoch + 1})
    )
    return weights / "best.pt"


def _checkpoint(weights: Path) -> Path | None:
    for name in ("last.pt", "previous.pt"):
        path = weights / name
        if not path.is_file():
            continue
        try:
            torch.load(path, map_location="cpu", weights_only=False)
        except (RuntimeError, EOFError, OSError, ValueError):
            continue
        return path
    return None
