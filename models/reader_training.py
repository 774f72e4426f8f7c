"""Train the reader: a small convolutional network that names the card of an upright index, or says none."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from models.clock import StageClock, cosine
from models.reader_data import Patches, open_patches
from table.cards import ALL_CARDS, RANKS, SUITS
from vision.patches import PATCH_SIZE

NONE: Final = len(ALL_CARDS)
CLASSES: Final = NONE + 1
THREADS: Final = 2
# What a person would mix up least: the rank alone and the suit alone, each with jokers and none apart.
_RANK_OF: Final = torch.tensor([*(RANKS.index(c.rank) if c.suit else 13 for c in ALL_CARDS), 14])
_SUIT_OF: Final = torch.tensor(
    [*(SUITS.index(c.suit) if c.suit else 4 + (c.rank == "BJ") for c in ALL_CARDS), 6]
)


class _Block(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels, 1)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape as `x`."""
        return F.relu(x + self.second(self.first(x)))


def _conv(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class ReaderNet(nn.Module):
    """Patches (N, 3, 56, 40), RGB 0..1, to logits (N, 55).

    The last grid is not pooled: that the rank stands over the suit is what tells an index from its upside-
    down.
    """

    def __init__(self, widths: tuple[int, int, int] = (24, 48, 96), features: int = 160) -> None:
        super().__init__()
        a, b, c = widths
        self.body = nn.Sequential(
            _conv(3, a, 2), _conv(a, a, 1), _conv(a, b, 2), _Block(b), _conv(b, c, 2), _Block(c),
            nn.Conv2d(c, 32, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.Flatten(),
        )  # fmt: skip
        self.features = nn.Sequential(
            nn.Linear(32 * (PATCH_SIZE[0] // 8) * (PATCH_SIZE[1] // 8), features), nn.ReLU(inplace=True)
        )
        self.drop = nn.Dropout(0.15)
        self.card = nn.Linear(features, CLASSES)
        self.rank = nn.Linear(features, 15)
        self.suit = nn.Linear(features, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of the 54 cards and none."""
        return self.card(self.features(self.body(x * 2 - 1)))

    def all_heads(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits of card, rank and suit, for training."""
        z = self.drop(self.features(self.body(x * 2 - 1)))
        return self.card(z), self.rank(z), self.suit(z)


def to_input(patches: NDArray[np.uint8]) -> torch.Tensor:
    """Patches (N, 56, 40, 3) uint8 BGR as the network takes them, channels last."""
    rgb = torch.from_numpy(np.ascontiguousarray(patches[..., ::-1]))
    return rgb.permute(0, 3, 1, 2).float().div_(255)


def vary(x: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Other light, other lens and a shifted cut for every patch of a batch; never grey, never mirrored."""
    n = len(x)

    def draw(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.rand((n, *shape), generator=rng) * (high - low) + low

    x = _moved(x, draw)
    gain = draw(-0.35, 0.3, 1, 1, 1).exp() * draw(-0.16, 0.16, 3, 1, 1).exp()
    x = (x * gain).clamp_(0, 1) ** draw(-0.3, 0.3, 1, 1, 1).exp()
    mean = x.mean((2, 3), keepdim=True)
    x = (x - mean) * draw(0.6, 1.25, 1, 1, 1) + mean
    soft = F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
    amount = torch.where(draw(0, 1, 1, 1, 1) < 0.4, draw(-0.6, 1.0, 1, 1, 1), torch.zeros(1))
    x = x + amount * (soft - x)
    x = x + torch.randn(x.shape, generator=rng) * (draw(0, 1, 1, 1, 1) ** 3 * 0.06)
    return x.clamp_(0, 1).contiguous(memory_format=torch.channels_last)


def _moved(x: torch.Tensor, draw: Any) -> torch.Tensor:
    """A little turned, stretched and shifted, as another finder would have cut it."""
    turn, scale, aspect = draw(-0.07, 0.07), draw(-0.06, 0.06).exp(), draw(-0.08, 0.08).exp()
    ratio = PATCH_SIZE[0] / PATCH_SIZE[1]
    cos, sin = turn.cos() * scale, turn.sin() * scale
    shift = draw(-1, 1, 2) * torch.tensor([0.06, 0.04])
    rows = torch.stack(
        [cos * aspect, -sin * ratio, shift[:, 0], sin / ratio * aspect, cos, shift[:, 1]], 1
    ).view(-1, 2, 3)
    grid = F.affine_grid(rows, list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, padding_mode="border", align_corners=False)


def loss_of(net: ReaderNet, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy of the card, with that of rank and of suit beside it."""
    card, rank, suit = net.all_heads(x)
    return (
        F.cross_entropy(card, labels, label_smoothing=0.02)
        + 0.3 * F.cross_entropy(rank, _RANK_OF[labels])
        + 0.3 * F.cross_entropy(suit, _SUIT_OF[labels])
    )


@dataclass(frozen=True, slots=True)
class Scores:
    """How the reader does on held-out patches: `right` of all, `cards` of those that are cards, mean loss."""

    right: float
    cards: float
    loss: float


@torch.inference_mode()  # type: ignore[untyped-decorator]
def logits_of(net: nn.Module, patches: Patches, rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """Logits (N, 55) of patches as they were cut."""
    net.eval()
    rows = np.arange(len(patches)) if rows is None else rows
    parts = [
        net(to_input(patches.take(part))).numpy() for part in np.array_split(rows, max(1, len(rows) // 512))
    ]
    return np.concatenate(parts)


def judge(net: nn.Module, patches: Patches) -> Scores:
    """Scores on held-out patches."""
    logits = logits_of(net, patches)
    named = logits.argmax(1)
    right = named == patches.labels
    card = patches.labels != NONE
    loss = F.cross_entropy(torch.from_numpy(logits), torch.from_numpy(patches.labels))
    return Scores(float(right.mean()), float(right[card].mean()) if card.any() else 0.0, float(loss))


class _Average:
    """A moving average of the weights: steadier than the last step's."""

    def __init__(self, net: ReaderNet) -> None:
        self.net = ReaderNet()
        self.net.load_state_dict(net.state_dict())
        self.net.eval().to(memory_format=torch.channels_last)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def update(self, net: ReaderNet, step: int) -> None:
        keep = min(0.999, (1 + step) / (10 + step))
        for mine, theirs in zip(self.net.state_dict().values(), net.state_dict().values(), strict=True):
            if mine.dtype.is_floating_point:
                mine.mul_(keep).add_(theirs, alpha=1 - keep)
            else:
                mine.copy_(theirs)


def train_reader(
    data: Path,
    run: Path,
    minutes: float,
    *,
    seed: int = 0,
    batch: int = 256,
    lr: float = 2e-3,
    start: Path | None = None,
) -> Path:
    """Train the reader, or go on with a training that was stopped.

    Args:
        data: folder of patches with splits `train` and `val`.
        run: folder of this training: `last.pt` after every tenth of an epoch, `reader.pt` in the end,
        `curve.csv`.
        minutes: wall-clock limit over all starts.
        seed: of weights, order and variation.
        batch: patches a step.
        lr: the highest learning rate.
        start: weights to begin from (a second stage); random ones otherwise.

    Returns:
        The averaged weights (`reader.pt`).
    """
    done = run / "reader.pt"
    if done.is_file():
        return done
    run.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(THREADS)
    train, val = open_patches(data, "train"), open_patches(data, "val")
    torch.manual_seed(seed)
    net = ReaderNet().to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(torch.load(start, weights_only=True))
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.02)
    average, step = _Average(net), 0
    last = run / "last.pt"
    if last.is_file():
        state = torch.load(last, weights_only=True)
        net.load_state_dict(state["net"])
        average.net.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        step = int(state["step"])
    clock = StageClock(run / "clock.json", minutes * 60)
    steps = max(1, len(train) // batch)
    often = max(20, min(steps, 400))
    bar = tqdm(desc="reader", unit="step", initial=step)
    while not clock.over:
        # The order and the variation of an epoch follow from its number: a killed training sees what it would
        # have.
        epoch = step // steps
        order = np.random.default_rng([seed, epoch]).permutation(len(train))
        rng = torch.Generator().manual_seed(seed * 1_000_003 + step)
        for place in range(step % steps, steps):
            rows = order[place * batch : (place + 1) * batch]
            warm = min(1.0, (step + 1) / 100)
            for group in optimizer.param_groups:
                group["lr"] = lr * warm * cosine(clock.share)
            net.train()
            x = vary(to_input(train.take(rows)), rng)
            loss = loss_of(net, x, torch.from_numpy(train.labels[rows]))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            average.update(net, step)
            step += 1
            bar.update()
            if step % often == 0 or clock.over:
                scores = judge(average.net, val)
                bar.set_postfix(
                    epoch=f"{step / steps:.1f}", loss=f"{float(loss):.3f}", val=f"{scores.right:.4f}"
                )
                _note(run / "curve.csv", step, clock.seconds, float(loss), scores)
                _save(last, net, average, optimizer, step)
                clock.save()
            if clock.over:
                break
    bar.close()
    torch.save(average.net.state_dict(), done)
    scores = judge(average.net, val)
    summary = {"steps": step, "epochs": round(step / steps, 2), "minutes": round(clock.seconds / 60, 1)}
    (run / "done.json").write_text(json.dumps({**summary, "right": scores.right, "cards": scores.cards}))
    return done


def _note(path: Path, step: int, seconds: float, loss: float, scores: Scores) -> None:
    new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["step", "minutes", "train_loss", "val_loss", "val_right", "val_cards"])
        numbers = [loss, scores.loss, scores.right, scores.cards]
        writer.writerow([step, f"{seconds / 60:.2f}", *(f"{n:.5f}" for n in numbers)])


def _save(path: Path, net: ReaderNet, average: _Average, optimizer: torch.optim.Optimizer, step: int) -> None:
    part = path.with_suffix(".part")
    state = {"net": net.state_dict(), "average": average.net.state_dict(), "step": step}
    torch.save({**state, "optimizer": optimizer.state_dict()}, part)
    part.replace(path)
