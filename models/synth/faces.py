"""Procedural deck designs, one for each seed: stock, ink, index, pips, courts, jokers and backs that nobody printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.art import Colour, Picture, blend, blend_centred, draw_back, draw_court, draw_pips
from models.synth.deck import FACE_PX_PER_MM, Deck, IndexRegion
from models.synth.glyphs import Mask, drawn_suit, fit, font_families, font_suit, rank_mask, suit_fonts
from models.synth.jokers import draw_joker, random_style
from table.cards import ALL_CARDS, RANKS, SUITS

_GOLD: Final[Colour] = (80, 170, 215)
_SILVER: Final[Colour] = (190, 190, 190)
Ink = dict[str, Colour]


@dataclass(frozen=True, slots=True)
class IndexStyle:
    """Sizes of a deck's index in mm: capital height, suit height, gap, and the centre and top of the index."""

    rank_height: float
    suit_height: float
    gap: float
    centre_x: float
    top: float
    four_corners: bool
    print_style: str


def _pick(rng: np.random.Generator, options: dict[str, float]) -> str:
    names = list(options)
    weights = np.array([options[n] for n in names])
    return str(rng.choice(names, p=weights / weights.sum()))


def _jitter(rng: np.random.Generator, colour: Colour, spread: float) -> Colour:
    b, g, r = (int(np.clip(c + rng.normal(0, spread), 0, 255)) for c in colour)
    return b, g, r


def _inks(rng: np.random.Generator, dark: bool) -> Ink:
    if dark:
        scheme = _pick(
            rng, {"gold-silver": 4, "gold": 4, "red-white": 1.5, "silver": 1, "red-silver": 1, "red-gold": 1}
        )
        red = {"gold-silver": _GOLD, "gold": _GOLD, "silver": _SILVER}.get(scheme, (50, 40, 215))
        black = {"gold": _GOLD, "red-white": (235, 235, 235), "red-gold": _GOLD}.get(scheme, _SILVER)
        red, black = _jitter(rng, red, 18), _jitter(rng, black, 18)
        return {"S": black, "C": black, "H": red, "D": red}
    red = _jitter(rng, (35, 25, 205), 22)
    black = _jitter(rng, (22, 20, 20), 14)
    if rng.random() < 0.86:
        return {"S": black, "C": black, "H": red, "D": red}
    green, blue = _jitter(rng, (45, 130, 20), 22), _jitter(rng, (190, 80, 20), 25)
    return {
        "S": black,
        "C": green,
        "H": red,
        "D": blue if rng.random() < 0.75 else _jitter(rng, (20, 120, 230), 15),
    }


def _index_style(rng: np.random.Generator, width: float) -> IndexStyle:
    kind = _pick(rng, {"standard": 5, "small": 2.6, "large": 3, "jumbo": 1.4, "peek": 0.6})
    low, high = {
        "standard": (5.2, 8.0), "small": (3.8, 5.4), "large": (7.5, 11.0), "jumbo": (10.5, 15.5), "peek": (3.2, 4.2),
    }[kind]  # fmt: skip
    rank = float(rng.uniform(low, high))
    ratio = rng.uniform(0.55, 0.95) if kind in ("jumbo", "large") else rng.uniform(0.62, 1.1)
    suit = float(np.clip(rank * ratio, 2.9, 10.5))
    if rank + suit > 23.5:
        suit = max(4.0, 23.5 - rank)
    half = max(rank * 0.42, suit * 0.5)
    return IndexStyle(
        rank_height=rank,
        suit_height=suit,
        gap=float(rng.choice([rng.uniform(0.25, 0.9), rng.uniform(0.5, 2.2)])),
        centre_x=float(half + rng.uniform(1.0, 3.4)),
        top=float(rng.uniform(1.8, 6.5)),
        four_corners=bool(rng.random() < 0.25),
        print_style=_pick(rng, {"solid": 10, "outlined": 0.7, "shadow": 0.5, "gradient": 1.0}),
    )


def _metal(shape: tuple[int, int], colour: Colour, rng: np.random.Generator) -> Picture:
    """A foil of one colour: bright and dim bands across the card."""
    h, w = shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    angle, period = rng.uniform(0, np.pi), rng.uniform(60, 300)
    wave = np.sin((x * np.cos(angle) + y * np.sin(angle)) / period * 2 * np.pi + rng.uniform(0, 6))
    shade = (0.85 + 0.3 * wave)[..., None]
    return np.asarray(np.clip(np.array(colour, np.float32) * shade, 0, 255), np.uint8)


class _Printer:
    """Draws the faces of one deck: everything that the 52 cards have in common, chosen once."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        px = FACE_PX_PER_MM
        self.width = float(rng.choice([rng.uniform(57, 59), rng.uniform(57, 63), rng.uniform(62, 63)]))
        self.height = float(rng.uniform(87, 89))
        self.size = (round(self.height * px), round(self.width * px))
        self.dark = bool(rng.random() < 0.2)
        self.stock = self._stock()
        self.inks = _inks(rng, self.dark)
        self.style = _index_style(rng, self.width)
        families = font_families()
        family = families[rng.integers(len(families))]
        self.font = family[rng.integers(len(family))]
        self.ranks = self._rank_masks()
        suit_source = suit_fonts()[rng.integers(len(suit_fonts()))] if rng.random() < 0.5 else None
        self.suits = {s: font_suit(s, suit_source) if suit_source else drawn_suit(s, rng) for s in SUITS}
        self.suit_stretch = float(rng.uniform(0.86, 1.14))
        self.middle = _pick(rng, {"pips": 7, "large": 1.4, "rank": 0.7, "none": 0.5, "corner": 0.5})
        self.pip_size = float(rng.uniform(8, 15)) * px
        self.pip_squeeze = float(rng.uniform(0.75, 1.05))
        self.foil = self.dark and rng.random() < 0.6

    def _stock(self) -> Colour:
        rng = self.rng
        if self.dark:
            return _jitter(rng, (22, 20, 20) if rng.random() < 0.8 else (60, 30, 20), 10)
        kind = _pick(rng, {"white": 6, "warm": 2, "cold": 1, "tint": 0.7})
        base = {
            "white": (248, 248, 248), "warm": (228, 242, 248), "cold": (252, 246, 238),
            "tint": (float(rng.uniform(190, 255)), float(rng.uniform(205, 255)), float(rng.uniform(205, 255))),
        }[kind]  # fmt: skip
        return _jitter(rng, (int(base[0]), int(base[1]), int(base[2])), 4)

    def _rank_masks(self) -> dict[str, Mask]:
        rng, px = self.rng, FACE_PX_PER_MM
        condense = float(rng.choice([rng.uniform(0.58, 0.85), rng.uniform(0.8, 1.08)]))
        embolden = int(rng.choice([0, 0, 0, 2, 4, 7]))
        slant = float(rng.uniform(0.05, 0.25)) if rng.random() < 0.06 else 0.0
        ten = float(rng.uniform(0.55, 0.95))
        height = self.style.rank_height * px
        masks = {
            r: rank_mask(r, self.font, height, condense=condense, ten=ten, embolden=embolden, slant=slant)
            for r in RANKS
        }
        limit = 1.15 * height
        for r, mask in masks.items():
            if mask.shape[1] > limit:
                masks[r] = fit((mask * 255).astype(np.uint8), limit, mask.shape[0])
        return masks

    def colour(self, suit: str) -> Colour | Picture:
        """Flat ink, or a foil of it."""
        return _metal(self.size, self.inks[suit], self.rng) if self.foil else self.inks[suit]

    def print_ink(self, canvas: Picture, mask: Mask, colour: Colour | Picture, x: float, y: float) -> None:
        """Print part of an index in the deck's print style."""
        style = self.style.print_style
        if style == "outlined":
            wide = cv2.dilate(cv2.copyMakeBorder(mask, 3, 3, 3, 3, cv2.BORDER_CONSTANT), np.ones((5, 5)))
            edge: Colour = (40, 40, 40) if not self.dark else (230, 230, 230)
            blend(canvas, wide.astype(np.float32), edge, x - 3, y - 3)
        elif style == "shadow":
            blend(canvas, mask * 0.5, (120, 120, 120), x + 3, y + 3)
        blend(canvas, mask, colour, x, y)
        if style == "gradient":
            ramp = np.linspace(0, 0.35, mask.shape[0], dtype=np.float32)[:, None]
            blend(canvas, mask * ramp, (255, 255, 255) if not self.dark else (20, 20, 20), x, y)

    def index(self, canvas: Picture, rank: str, suit: str) -> IndexRegion:
        """Print the upper left index; returns its region."""
        px, style = FACE_PX_PER_MM, self.style
        colour = self.colour(suit)
        rank_ink, shape = self.ranks[rank], self.suits[suit]
        suit_h = style.suit_height * px
        suit_ink = fit(shape, suit_h * shape.shape[1] / shape.shape[0] * self.suit_stretch, suit_h)
        cx, top = style.centre_x * px, style.top * px
        x = max(2.0, cx - rank_ink.shape[1] / 2)
        cx = x + rank_ink.shape[1] / 2
        self.print_ink(canvas, rank_ink, colour, x, top)
        suit_top = top + rank_ink.shape[0] + style.gap * px
        suit_x = max(1.0, style.centre_x * px - suit_ink.shape[1] / 2)
        self.print_ink(canvas, suit_ink, colour, suit_x, suit_top)
        left, right = min(x, suit_x), max(x + rank_ink.shape[1], suit_x + suit_ink.shape[1])
        return IndexRegion(
            box=(left / px, top / px, right / px, (suit_top + suit_ink.shape[0]) / px),
            rank=(cx / px, (top + rank_ink.shape[0] / 2) / px),
            suit=((suit_x + suit_ink.shape[1] / 2) / px, (suit_top + suit_ink.shape[0] / 2) / px),
        )

    def middle_of(self, canvas: Picture, rank: str, suit: str) -> None:
        """Pips, a large suit, or a court picture."""
        h, w = self.size
        colour, shape = self.colour(suit), self.suits[suit]
        aspect = shape.shape[1] / shape.shape[0]
        if rank in ("J", "Q", "K") and self.courts != "none":
            self._court(canvas, suit)
            return
        big = w * self.rng.uniform(0.4, 0.6)
        if rank == "A" and self.middle == "pips":
            blend_centred(canvas, fit(shape, big * aspect, big), colour, w / 2, h / 2)
            if self.rng.random() < 0.3:
                cv2.circle(canvas, (w // 2, h // 2), int(big * 0.75), self.inks[suit], 2, cv2.LINE_AA)
        elif self.middle == "pips":
            if rank.isdigit():
                draw_pips(canvas, rank, shape, colour, self.pip_size, self.pip_squeeze)
            else:
                blend_centred(canvas, fit(shape, big * aspect, big), colour, w / 2, h / 2)
        elif self.middle == "large":
            blend_centred(canvas, fit(shape, big * aspect, big), colour, w / 2, h / 2)
        elif self.middle == "rank":
            ink = self.ranks[rank]
            scale = h * 0.4 / ink.shape[0]
            mask = fit((ink * 255).astype(np.uint8), min(w * 0.7, ink.shape[1] * scale), h * 0.4)
            blend_centred(canvas, mask, colour, w / 2, h / 2)
        elif self.middle == "corner":
            blend_centred(canvas, fit(shape, big * aspect, big), colour, w * 0.64, h * 0.72)

    def _court(self, canvas: Picture, suit: str) -> None:
        px, rng = FACE_PX_PER_MM, self.rng
        edge = self.style.centre_x * px + max(m.shape[1] for m in self.ranks.values()) / 2
        inset = (edge + self.court_gap * px, self.court_top * px)
        if self.courts == "wide":
            inset = (self.court_top * px, self.court_top * px)
        shape = self.suits[suit]
        size = self.court_suit * px
        mark = fit(shape, size * shape.shape[1] / shape.shape[0], size)
        draw_court(
            canvas, rng, self.palette, mark, self.inks[suit], inset, frame=self.court_frame, ground=self.stock
        )  # fmt: skip

    def choose_courts(self) -> None:
        """The look that the twelve court cards share."""
        rng = self.rng
        self.courts = _pick(rng, {"framed": 7, "wide": 1.2, "none": 1.3})
        self.court_gap = float(rng.uniform(0.4, 3.0))
        self.court_top = float(rng.uniform(5, 10))
        self.court_suit = float(rng.uniform(5, 11))
        self.court_frame = bool(rng.random() < 0.75)
        if self.dark:
            self.palette = [self.inks["H"], self.inks["S"], (40, 40, 40), (90, 90, 90), _GOLD]
        else:
            bright = [
                (30, 30, 200),
                (20, 190, 240),
                (180, 70, 20),
                (30, 30, 30),
                (60, 140, 40),
                (210, 210, 210),
            ]
            keep = rng.permutation(len(bright))[: rng.integers(3, 6)]
            self.palette = [(25, 25, 25), *(_jitter(rng, bright[k], 20) for k in keep)]

    def ground(self) -> Picture:
        """An empty face: stock, with the deck's border or texture if it has one."""
        h, w = self.size
        canvas = np.empty((h, w, 3), np.uint8)
        canvas[:] = self.stock
        if self.border is not None:
            inset, thick, colour = self.border
            cv2.rectangle(canvas, (inset, inset), (w - inset, h - inset), colour, thick, cv2.LINE_AA)
        if self.texture is not None:
            canvas = np.clip(canvas.astype(np.int16) + self.texture, 0, 255).astype(np.uint8)
        return canvas

    def choose_ground(self) -> None:
        """A border line close to the indices, or an embossed texture; most decks have neither."""
        rng, (h, w) = self.rng, self.size
        self.border: tuple[int, int, Colour] | None = None
        self.texture: NDArray[np.int16] | None = None
        if rng.random() < 0.22:
            colour = self.inks["S"] if rng.random() < 0.6 else _jitter(rng, (120, 140, 160), 40)
            self.border = (int(rng.uniform(1.0, 3.4) * FACE_PX_PER_MM), int(rng.integers(1, 5)), colour)
        if rng.random() < (0.4 if self.dark else 0.1):
            noise = rng.normal(0, 1, (h // 8, w // 8)).astype(np.float32)
            wave = cv2.resize(noise, (w, h), interpolation=cv2.INTER_CUBIC) * rng.uniform(3, 16)
            self.texture = np.repeat(wave[..., None], 3, axis=2).astype(np.int16)

    def face(self, rank: str, suit: str) -> tuple[Picture, tuple[IndexRegion, ...]]:
        """One of the 52 faces and its index regions."""
        canvas = self.ground()
        self.middle_of(canvas, rank, suit)
        before = canvas.copy()
        region = self.index(canvas, rank, suit)
        regions = [region]
        px = FACE_PX_PER_MM
        pad = 4
        x0, y0 = max(0, int(region.box[0] * px) - pad), max(0, int(region.box[1] * px) - pad)
        x1, y1 = int(region.box[2] * px) + pad, int(region.box[3] * px) + pad
        patch, clean = canvas[y0:y1, x0:x1].copy(), before[y0:y1, x0:x1]
        changed = (np.abs(patch.astype(np.int16) - clean).max(axis=2) > 4)[..., None]
        if self.style.four_corners:
            shift = self.size[1] - x1 - x0
            target = canvas[y0:y1, x0 + shift : x1 + shift]
            target[:] = np.where(changed, patch, target)
            regions.append(_shifted(region, shift / px))
        for r in list(regions):
            regions.append(_turned(r, self.width, self.height))
        # The lower indices are the upper ones turned about the middle of the card.
        h, w = self.size
        for k in range(2 if self.style.four_corners else 1):
            left = x0 if k == 0 else x0 + self.size[1] - x1 - x0
            target = canvas[h - y1 : h - y0, w - left - (x1 - x0) : w - left]
            target[:] = np.where(changed[::-1, ::-1], patch[::-1, ::-1], target)
        return canvas, tuple(regions)


def _shifted(r: IndexRegion, dx: float) -> IndexRegion:
    x0, y0, x1, y1 = r.box
    return IndexRegion((x0 + dx, y0, x1 + dx, y1), (r.rank[0] + dx, r.rank[1]), (r.suit[0] + dx, r.suit[1]))


def _turned(r: IndexRegion, width: float, height: float) -> IndexRegion:
    x0, y0, x1, y1 = r.box
    return IndexRegion(
        (width - x1, height - y1, width - x0, height - y0),
        (width - r.rank[0], height - r.rank[1]),
        (width - r.suit[0], height - r.suit[1]),
    )


def make_deck(seed: int) -> Deck:
    """The deck design of a seed: the same on every machine that has the same fonts.

    Raises:
        glyphs.NoFonts: the system has no fonts to print with.
    """
    rng = np.random.default_rng([seed, 0xDEC])
    printer = _Printer(rng)
    printer.choose_courts()
    printer.choose_ground()
    faces: dict[str, Picture] = {}
    indices: dict[str, tuple[IndexRegion, ...]] = {}
    for card in ALL_CARDS:
        if not card.is_joker:
            faces[str(card)], indices[str(card)] = printer.face(card.rank, card.suit)
    style = random_style(rng, dark=printer.dark)
    for name in ("LJ", "BJ"):
        faces[name], indices[name] = draw_joker(
            rng, name == "BJ", style, printer.width, printer.height, FACE_PX_PER_MM, printer.stock
        )
    h, w = printer.size
    return Deck(
        name=f"deck-{seed}",
        width=printer.width,
        height=printer.height,
        corner=float(rng.uniform(2.5, 4.5)),
        faces=faces,
        indices=indices,
        backs=tuple(draw_back(w, h, rng, dark=printer.dark) for _ in range(2)),
        dark=printer.dark,
        traits={
            "font": printer.font.rsplit("/", 1)[-1],
            "index_mm": printer.style.rank_height + printer.style.gap + printer.style.suit_height,
        },
    )
