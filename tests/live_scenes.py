"""Small tables for tests of what is seen over time: faces pasted where cards lie, as cameras would see them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

import devices.simulator
from calibration.plaques import DICTIONARY, PLAQUE_MM
from calibration.setup import CameraSetup, Plane, TableSetup, ZoneSetup, play_zones
from models.synth.deck_file import load_deck
from vision.frames import Frame

DECK = load_deck(Path(devices.simulator.__file__).with_name("demo_deck.npz"))
CARD_MM = (DECK.width, DECK.height)


def overhead(
    name: str = "top",
    size: tuple[int, int] = (1920, 1920),
    px_per_mm: float = 2.1,
    centre: tuple[float, float] = (0, 0),
) -> CameraSetup:
    """A camera straight above `centre`, mm."""
    x, y = centre
    to_px = np.array(
        [
            [px_per_mm, 0, size[0] / 2 - px_per_mm * x],
            [0, -px_per_mm, size[1] / 2 + px_per_mm * y],
            [0, 0, 1.0],
        ]
    )
    return CameraSetup(name, "simulated", size, Plane(to_px))


def one_zone(camera: CameraSetup | None = None) -> TableSetup:
    """Only seat 0's zone, seen by a small camera: quick to read."""
    zone = play_zones()[0]
    camera = camera or overhead(size=(1080, 760), centre=zone.centre)
    return TableSetup("test", "guandan-official", (camera,), (zone,))


@dataclass
class Lying:
    """A card, a back, a plaque or a hand on the table; its place in mm, turned counter-clockwise.

    `blotted S7` is a card that nobody can name: its corners are blank.
    """

    what: str
    x: float
    y: float
    turn: float = 0.0


@dataclass
class Scene:
    """What lies on a table, and its pictures."""

    setup: TableSetup
    seed: int = 0
    noise: float = 3.0
    light: float = 1.0
    lying: list[Lying] = field(default_factory=list)
    at: float = 0.0

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.shift_px = (0.0, 0.0)
        self._grain: tuple[float, np.ndarray] | None = None
        self._cloth = {camera.name: self._paint_cloth(camera) for camera in self.setup.cameras}

    def lay(self, cards: str, x: float, y: float, step: float = 18.0, turn: float = 0.0) -> list[Lying]:
        """Lay cards overlapped, the first with its middle at (x, y), each `step` mm further to the right."""
        a = math.radians(turn)
        new = [
            Lying(card, x + i * step * math.cos(a), y + i * step * math.sin(a), turn)
            for i, card in enumerate(cards.split())
        ]
        self.lying += new
        return new

    def lift(self, *things: Lying) -> None:
        self.lying = [thing for thing in self.lying if not any(thing is other for other in things)]

    def pictures(self) -> dict[str, np.ndarray]:
        """What each camera sees, without noise."""
        return {camera.name: self._render(camera) for camera in self.setup.cameras}

    def frames(
        self, count: int, fps: float = 15.0, only: Sequence[str] | None = None
    ) -> Iterator[list[Frame]]:
        """The next frames of all cameras, nothing moving."""
        pictures = self.pictures()
        for _ in range(count):
            self.at += 1 / fps
            yield [
                Frame(self._noisy(picture), round(self.at, 6), name)
                for name, picture in pictures.items()
                if only is None or name in only
            ]

    def _noisy(self, picture: np.ndarray) -> np.ndarray:
        if self._grain is None or self._grain[0] != self.noise:
            height, width = (
                max(c.size[1] for c in self.setup.cameras),
                max(c.size[0] for c in self.setup.cameras),
            )
            cv2.setRNGSeed(self.seed)
            grain = cv2.randn(np.empty((height + 64, width + 64, 3), np.int16), 0, self.noise)
            self._grain = (self.noise, grain)
        # One field of noise, looked at from another place each time.
        y, x = self.rng.integers(0, 64, 2)
        noise = self._grain[1][y : y + picture.shape[0], x : x + picture.shape[1]]
        return cv2.add(picture, noise, dtype=cv2.CV_8U)

    def _paint_cloth(self, camera: CameraSetup) -> np.ndarray:
        width, height = camera.size
        grain = self.rng.normal(0, 1, (height // 8 + 1, width // 8 + 1)).astype(np.float32)
        grain = cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC)[..., None] * 8
        return np.clip(np.array([70, 105, 60], np.float32) + grain, 0, 255)

    def _render(self, camera: CameraSetup) -> np.ndarray:
        shift = np.array([[1, 0, self.shift_px[0]], [0, 1, self.shift_px[1]]], np.float32)
        cloth = self._cloth[camera.name]
        out = cv2.warpAffine(cloth, shift, camera.size, borderMode=cv2.BORDER_REFLECT)
        for thing in self.lying:
            picture, alpha, width, height = _sheet(thing.what)
            h, w = picture.shape[:2]
            to_card = np.array([[width / w, 0, -width / 2], [0, -height / h, height / 2], [0, 0, 1.0]])
            a = math.radians(thing.turn)
            to_table = np.array(
                [[math.cos(a), -math.sin(a), thing.x], [math.sin(a), math.cos(a), thing.y], [0, 0, 1.0]]
            )
            matrix = np.vstack([shift, [0, 0, 1]]) @ camera.plane.to_px @ to_table @ to_card
            corners = cv2.perspectiveTransform(
                np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float64), matrix
            )[0]
            x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int) - 2, 0)
            x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 3, camera.size)
            if x1 <= x0 or y1 <= y0:
                continue
            here = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
            size = (int(x1 - x0), int(y1 - y0))
            layer = cv2.warpPerspective(picture, here, size, flags=cv2.INTER_AREA)
            cover = cv2.warpPerspective(alpha, here, size, flags=cv2.INTER_LINEAR)[..., None]
            out[y0:y1, x0:x1] = out[y0:y1, x0:x1] * (1 - cover) + layer * cover
        return np.clip(out * self.light, 0, 255).astype(np.uint8)


def _sheet(what: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Picture, cover 0..1, width and height in mm."""
    if what == "hand":
        picture = np.zeros((400, 180, 3), np.float32) + np.array([120, 150, 205], np.float32)
        cover = cv2.GaussianBlur(
            cv2.ellipse(np.zeros((400, 180), np.float32), ((90, 200), (170, 396), 0), 1, -1), (0, 0), 3
        )
        return picture, cover, 90.0, 200.0
    if what.startswith("plaque"):
        number = int(what.split()[1])
        marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), number, 120)
        board = np.full((180, 180), 240, np.uint8)
        board[30:150, 30:150] = marker
        mm = PLAQUE_MM * 1.5
        return np.repeat(board[..., None], 3, 2).astype(np.float32), np.ones(board.shape, np.float32), mm, mm
    face = DECK.backs[0] if what == "back" else DECK.faces[what.split()[-1]]
    if what.startswith("blotted"):
        face = _without_indices(face)
    small = cv2.resize(face, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    return small.astype(np.float32), np.ones(small.shape[:2], np.float32), *CARD_MM


def _without_indices(face: np.ndarray) -> np.ndarray:
    """A face whose corners are as white as its paper: nobody can name it by them."""
    out, (high, wide) = face.copy(), (0.36 * face.shape[0], 0.25 * face.shape[1])
    paper = np.percentile(face.reshape(-1, 3), 90, axis=0).astype(np.uint8)
    y, x = round(0.02 * face.shape[0]), round(0.02 * face.shape[1])
    out[y : int(high), x : int(wide)] = paper
    out[-int(high) : -y, -int(wide) : -x] = paper
    return out


def zone_named(setup: TableSetup, name: str) -> ZoneSetup:
    return next(zone for zone in setup.zones if zone.name == name)
