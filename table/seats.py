"""Seats (座位) and sides (方): 0..3 in order of play, counter-clockwise seen from above; partners sit opposite."""

from __future__ import annotations

from typing import Final, TypeAlias

Seat: TypeAlias = int
Side: TypeAlias = int

SEATS: Final[tuple[Seat, ...]] = (0, 1, 2, 3)


def check_seat(value: object) -> Seat:
    """Return `value` as a seat.

    Raises:
        ValueError: not an integer from 0 to 3; the message carries the input.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value not in SEATS:
        raise ValueError(f"not a seat: {value!r} (expected 0, 1, 2 or 3)")
    return value


def next_seat(seat: Seat) -> Seat:
    """The seat that plays after this one (下家)."""
    return (seat + 1) % 4


def partner(seat: Seat) -> Seat:
    """The seat opposite (对家)."""
    return (seat + 2) % 4


def side_of(seat: Seat) -> Side:
    """Side 0 holds seats 0 and 2, side 1 holds seats 1 and 3."""
    return seat % 2
