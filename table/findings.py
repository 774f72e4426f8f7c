"""Findings: what the referee is told went wrong, how sure that is, and how it changes as more becomes
known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from table.cards import Card, format_cards
from table.penalties import Penalty
from table.rulesets import Profile
from table.seats import Seat, Side, side_of
from table.texts import LANGUAGES, catalogue, text

PROVEN: Final = "proven"
"""Follows from cards clearly read and from the rule text."""
LIKELY: Final = "likely"
"""Rests on a judgement or on a list of readings that may not be complete."""
CHECK: Final = "check"
"""The reading itself is in doubt: look at the table."""
PROVISIONAL: Final = "provisional"
"""Hidden cards could still explain it."""

ClaimKey: TypeAlias = tuple[str, Seat | None, int, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a judge holds against an event, as sure as it is at this moment.

    A claim with the same `key` as an earlier one replaces it (strengthened or weakened); it is one finding.

    Attributes:
        check: name of the check: keys `rules.CHECK` and `penalties.CHECK` of the profile, entry of
            findings.toml.
        kind: the kind printed (RECORD.md); several checks may share one.
        seat: the offender; None when it is nobody's or not known.
        event: number of the event that it is about.
        certainty: `proven`, `likely`, `check`, `provisional`.
        fields: what the text names (values printable in both languages).
        cards: the cards it rests on.
        rests_on: numbers of other events it rests on.
        detail: tells apart several claims of one check on one event and seat.
        side: the offending side where no seat is known.
        penalty: overrides what the profile attaches; `given` says that it does.
        awaits: up to when the offender's box has to be heard before it is more than to be checked, s of the record.
    """

    check: str
    kind: str
    seat: Seat | None
    event: int
    certainty: str = PROVEN
    fields: Mapping[str, Any] = field(default_factory=dict)
    cards: tuple[Card, ...] = ()
    rests_on: tuple[int, ...] = ()
    detail: str = ""
    side: Side | None = None
    penalty: Penalty | None = None
    given: bool = False
    awaits: float | None = None

    @property
    def key(self) -> ClaimKey:
        """What makes two claims the same finding."""
        return self.check, self.seat, self.event, self.detail

    @property
    def offender(self) -> Side | None:
        """The side that a penalty falls on."""
        return side_of(self.seat) if self.seat is not None else self.side

    def cost(self, profile: Profile) -> Penalty | None:
        """The penalty that goes with it."""
        return self.penalty if self.given else profile.penalty(self.check)

    def costing(self, penalty: Penalty | None) -> Claim:
        """The same claim with a penalty of its own."""
        return replace(self, penalty=penalty, given=True)


@dataclass(frozen=True, slots=True)
class Drop:
    """A claim is disproven by what became known (no-op when it was never raised)."""

    key: ClaimKey


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided on a finding; `penalty` as applied."""

    upheld: bool
    penalty: Penalty | None
    event: int
    by: str = ""
    ahead: bool = False
    """Folded before its claim arises, in place of an automatic penalty."""


def _area_of(area: str, key: str, game: str) -> str | None:
    """The file of texts that has the key: a game's own (`findings_GAME.toml`), else the one of all games."""
    for name in (f"{area}_{game}", area):
        try:
            if key in catalogue(name):
                return name
        except KeyError:
            continue
    return None


def article(rule: str, lang: str, game: str = "") -> str:
    """The text of a rule in a language; empty when the catalogues of articles have none."""
    area = _area_of("articles", rule, game)
    return catalogue(area)[rule][lang] if area else ""


def claim_text(claim: Claim, rule: str, lang: str, game: str = "") -> str:
    """The sentence for people: what happened, then the rule and its article."""
    fields = {**claim.fields, "cards": " ".join(card.pretty for card in claim.cards)}
    fields = {key: value[lang] if isinstance(value, Mapping) else value for key, value in fields.items()}
    who = text("seats.seat", lang, seat=claim.seat) if claim.seat is not None else ""
    area = _area_of("findings", claim.check, game) or "findings"
    what = text(f"{area}.{claim.check}", lang, who=who, **fields).strip()
    words = article(rule, lang, game)
    cited = f"{rule}: {words}" if words and lang == "en" else f"{rule}：{words}" if words else rule
    if not cited:
        return what
    return f"{what}（{cited}）" if lang == "zh" else f"{what} ({cited})"


def finding_json(
    number: int, claim: Claim, profile: Profile, at: float | None, known_at: int
) -> dict[str, Any]:
    """The line that `paizhuo judge` prints for a finding.

    Args:
        number: of the finding.
        claim: as it stands.
        profile: in force.
        at: seconds, of the event that it is about.
        known_at: number of the event at which it became known in this form.
    """
    rule = profile.rule(claim.check)
    penalty = claim.cost(profile)
    line: dict[str, Any] = {
        "finding": number,
        "rule": rule or None,
        "kind": claim.kind,
        "seat": claim.seat,
        "event": claim.event,
        "at": at,
        "certainty": claim.certainty,
        "text": {lang: claim_text(claim, rule, lang, profile.game) for lang in LANGUAGES},
        "penalty": penalty.to_json(claim.offender) if penalty else None,
    }
    if claim.seat is None and claim.side is not None:
        line["side"] = claim.side
    if claim.cards:
        line["cards"] = format_cards(claim.cards)
    if claim.rests_on:
        line["events"] = list(claim.rests_on)
    if known_at != claim.event:
        line["known_at"] = known_at
    return line
