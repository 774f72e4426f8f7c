"""The JSON that the API sends and takes, as types: what the OpenAPI says."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Words(BaseModel):
    """A text in both languages."""

    zh: str
    en: str


class Profile(BaseModel):
    """The rules in force."""

    name: str
    zh: str
    en: str


class Match(BaseModel):
    """Which match, deal and level; `view` is what the game shows of the deal."""

    table: str
    profile: Profile | None
    game: str
    packs: int = Field(description="How many packs are in play.")
    players: list[str]
    levels: list[str] = Field(description="Of side 0 and side 1.")
    games: list[int]
    deals: int = Field(description="Deals that count so far.")
    winner: int | None = Field(description="The side that has won.")
    deal: int
    level: str | None
    ended: str | None
    view: dict[str, Any]
    seq: int = Field(description="Number of the latest event in the journal.")


class Seat(BaseModel):
    """A seat (座位)."""

    seat: int
    player: str
    side: int
    remaining: int | None = Field(description="Cards left.")
    remaining_sure: bool = Field(
        description="False where plays or calls of the seat leave the count in doubt."
    )
    called: int | None = Field(description="What was called since the latest play.")
    finished: int | None = Field(description="Place, 1 for who was out first.")
    turn: bool


class Play(BaseModel):
    """A play or a pass of the trick."""

    seq: int
    seat: int
    at: float | None
    cards: list[str] = Field(description="Left to right as the player sees them.")
    says: str | None
    passes: bool = Field(alias="pass")
    doubtful: bool
    alternatives: list[tuple[list[str], float]]
    split: list[tuple[list[str], list[str]]] = Field(
        description="Ways in which it may be two plays that nobody saw being laid: what lies left, what lies right."
    )


class Trick(BaseModel):
    """The trick in progress, or the one before while it still lies there (`over`)."""

    leader: int | None
    number: int
    over: bool
    plays: list[Play]


class Wait(BaseModel):
    """Somebody who has to act."""

    seat: int
    action: str
    limit: float = Field(description="Seconds; 0 for none.")
    left: float | None = Field(description="Seconds left at the time `at`; negative when over.")


class Clock(BaseModel):
    """Who is on the clock. A display counts on from `at`, s of the record."""

    stopped: bool
    waits: list[Wait]
    at: float | None


class State(BaseModel):
    """The whole state; parts that a role may not see are missing."""

    model_config = ConfigDict(extra="allow")

    n: int = Field(description="Number of the latest change.")
    seq: int = Field(description="Number of the latest event in the journal: what If-Match names.")
    at: float | None = Field(description="Time of the record now, s.")
    match: Match | None = None
    seats: list[Seat] | None = None
    trick: Trick | None = None
    clock: Clock | None = None
