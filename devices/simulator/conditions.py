"""What the simulated table is like to look at: light, lens and chip, how people lay cards, what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

FAULTS: Final = ("stall", "freeze", "unplug", "end", "dark", "knocked")
PASSES: Final = ("seatbox", "plaque")
CLEARINGS: Final = ("mixed", "turn", "sweep")


@dataclass(frozen=True, slots=True)
class CameraFault:
    """Something that goes wrong with one camera.

    Attributes:
        kind: `stall` (no frames), `freeze` (the same picture again and again), `unplug` (reading fails), `end`
            (the source ends), `dark`, `knocked` (the picture shifts and stays so).
        at: from when on, s of the record.
        until: until when, s; None for good. A knocked camera stays as it is.
        camera: its number.
        mm: how far a knocked camera's picture moves over the table.
    """

    kind: str
    at: float
    until: float | None = None
    camera: int = 0
    mm: float = 10.0

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"no camera fault {self.kind!r} (expected one of {', '.join(FAULTS)})")

    def holds(self, at: float) -> bool:
        """Whether it is there at this time."""
        return self.at <= at and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the table looks and how people lay their cards; the defaults are an ordinary, well set up table.

    Attributes:
        fps: pictures a second.
        noise: grey levels of 255.
        blur: of the lens, px (sigma).
        glare: how strongly spots of light shine on the cards, 0 none to 1 burnt out.
        drift: by how much the exposure swings to and fro, as a share (0.15: between 0.85 and 1.15).
        cast: gains of blue, green, red.
        vignetting: how much darker the corners are, 0..1.
        slope: how much brighter one side of the table is than the other, 0..1.
        turn: of the camera about its axis, degrees counter-clockwise.
        tilt: of the camera off the vertical, degrees.
        height: from the lens to the table, mm.
        distortion: the lens's k1 (barrel is negative); known to the setup.
        surface: kind of table top, a name of `models.synth.surfaces.SURFACES`.
        jpeg: quality of a compression that each frame goes through; 0 for none.
        setup_error: by how much the setup's planes are wrong, mm.
        step: distance between neighbouring cards of a play, mm (shortest, longest).
        ragged: how uneven rows are, 1 usual.
        resting_hand: a seat whose hand rests in its zone all the time; None for none.
        two_goes: share of plays of several cards that are laid in two goes.
        slide_over: share of later plays in a trick that are laid right over the seat's earlier one.
        clearing: how finished tricks leave the zones: turned over and pushed aside (`turn`), swept off the
            table (`sweep`), or now so, now so (`mixed`).
        passes: by `seatbox` (an input) or by `plaque` (seen by the camera); counts likewise.
        faults: of the cameras.
    """

    fps: float = 15.0
    noise: float = 1.6
    blur: float = 0.0
    glare: float = 0.0
    drift: float = 0.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vignetting: float = 0.08
    slope: float = 0.08
    turn: float = 0.0
    tilt: float = 4.0
    height: float = 1300.0
    distortion: float = 0.0
    surface: str = "cloth"
    jpeg: int = 0
    setup_error: float = 0.0
    step: tuple[float, float] = (15.0, 24.0)
    ragged: float = 1.0
    resting_hand: int | None = None
    two_goes: float = 0.0
    slide_over: float = 0.0
    clearing: str = "mixed"
    passes: str = "seatbox"
    faults: tuple[CameraFault, ...] = ()

    def __post_init__(self) -> None:
        if self.passes not in PASSES:
            raise ValueError(f"passes = {self.passes!r} (expected one of {', '.join(PASSES)})")
        if self.clearing not in CLEARINGS:
            raise ValueError(f"clearing = {self.clearing!r} (expected one of {', '.join(CLEARINGS)})")
        if self.resting_hand not in (None, 0, 1, 2, 3):
            raise ValueError(f"resting_hand = {self.resting_hand} (expected a seat 0..3)")
        if not self.fps > 0:
            raise ValueError(f"fps = {self.fps} (expected more than 0)")
        if self.noise < 0 or self.blur < 0 or not 0 <= self.glare <= 1:
            raise ValueError("noise and blur are 0 or more, glare is between 0 and 1")

    def as_options(self) -> dict[str, Any]:
        """What differs from the ordinary table, as plain values for a table file."""
        usual = Conditions()
        options: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value != getattr(usual, item.name):
                options[item.name] = list(value) if isinstance(value, tuple) else value
        if self.faults:
            options["faults"] = [
                {key: value for key, value in asdict(fault).items() if value is not None}
                for fault in self.faults
            ]
        return options

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Conditions:
        """The conditions that `as_options` wrote.

        Raises:
            ValueError: an unknown key or a value that cannot be, in one line.
        """
        known = {item.name for item in fields(cls)}
        if unknown := sorted(set(options) - known):
            raise ValueError(f"the simulated table has no option {unknown[0]!r}")
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
        }
        usual = cls()
        for key, value in values.items():
            _check(key, value, getattr(usual, key))
        if "faults" in values:
            values["faults"] = tuple(
                fault if isinstance(fault, CameraFault) else CameraFault(**fault)
                for fault in values["faults"]
            )
        return cls(**values)


def _check(key: str, value: Any, usual: Any) -> None:
    """Whether a value is of the kind that the usual one is of.

    Raises:
        ValueError: it is not; the message names the option.
    """
    number = int | float
    if value == usual:
        return
    if key == "faults":
        good, expected = isinstance(value, tuple), "a list of tables"
    elif isinstance(usual, tuple):
        good = (
            isinstance(value, tuple)
            and len(value) == len(usual)
            and all(isinstance(v, number) for v in value)
        )
        expected = f"{len(usual)} numbers"
    elif isinstance(usual, str):
        good, expected = isinstance(value, str), "a word"
    else:
        good, expected = isinstance(value, number) and not isinstance(value, bool), "a number"
    if not good:
        raise ValueError(f"{key} = {value!r} (expected {expected})")
