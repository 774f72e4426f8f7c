"""The referee as a pure fold: `apply` records an event (and never refuses), `judge` finds what it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from table.awards import applied
from table.events import (
    GAPS,
    ClockSet,
    Correction,
    DealStarted,
    Dealt,
    DealVoided,
    DrawEnded,
    Event,
    Exposed,
    HandSealed,
    KittyLaid,
    MatchEnded,
    MatchStarted,
    Play,
    RefereeCalled,
    Ruling,
    SealOpened,
    Tribute,
    TributeReturn,
    UnknownEvent,
)
from table.evolve import evolve
from table.findings import CHECK, LIKELY, PROVEN, Claim, ClaimKey, Decision, Drop
from table.formats import forfeiting_side, format_over, is_forfeit, judge_format, must_decide, time_ran_out
from table.games import game_named
from table.hearing import held_back, is_about_box, settled, with_box
from table.knowledge import NOTHING_KNOWN, new_cards
from table.lateness import answered, is_alarm, overruns
from table.match import MatchState, Standing, doubtful, from_cameras, may_be_nothing
from table.penalties import Penalty
from table.rulesets import Profile, load_profile
from table.warnings import count_warnings

_CORE_ONLY: Final = (
    MatchStarted,
    DealStarted,
    ClockSet,
    Correction,
    Ruling,
    DealVoided,
    MatchEnded,
    HandSealed,
    SealOpened,
    RefereeCalled,
    UnknownEvent,
)
_NO_ACT: Final = (
    MatchStarted,
    DealStarted,
    Correction,
    Ruling,
    DealVoided,
    MatchEnded,
    HandSealed,
    SealOpened,
    RefereeCalled,
    UnknownEvent,
    DrawEnded,
    Dealt,
)
"""Events that say nothing about whether a seat has acted in time."""
_BY_GAPS: Final = (
    "out_of_turn",
    "wrong_leader",
    "pass_on_lead",
    "does_not_beat",
    "wrong_length",
    "revoke",
    "shape_not_followed",
    "timeout",
    "count_wrong",
    "count_not_called",
)
"""Kinds of findings that an act which nobody noticed may explain."""
_BY_READING: Final = (
    "not_a_combination",
    "does_not_beat",
    "wild_misplaced",
    "wrong_length",
    "revoke",
    "shape_not_followed",
    "throw_failed",
    "tribute_not_highest",
    "return_too_high",
)
"""Kinds of findings that cards read otherwise may explain."""
_UNSEEN: Final = "unseen"
"""Field of a play that nobody saw being laid (`table.views.unseen`)."""
_COUNTED_CARDS: Final = (Play, Exposed, Tribute, TributeReturn, KittyLaid)


@dataclass(frozen=True, kw_only=True)
class Ruled(Event):
    """A ruling whose finding is known: what `Ruling` becomes before it is folded. `penalty`: as it is to
    be."""

    name: ClassVar[str] = "ruled"
    key: ClaimKey = ("", None, 0, "")
    upheld: bool = True
    penalty: Penalty | None = None
    by: str = ""
    ahead: bool = False


def open_match(event: MatchStarted, profile: Profile | None = None) -> MatchState:
    """The state of a match that begins; `profile` in place of the one that the event names.

    Raises:
        BadProfile: no such profile, or an option that it does not have.
    """
    in_force = (profile or load_profile(event.profile)).with_options(event.options)
    game = game_named(in_force.game)
    standing = Standing(levels=event.levels, memory=game.open(in_force, event.levels))
    state = MatchState(
        profile=in_force,
        game=game,
        players=event.players,
        started_at=event.at,
        base=standing,
        standing=standing,
    )
    return evolve(state, clock=state.clock.seen(event.at))


def apply(state: MatchState, event: Event) -> MatchState:
    """The state after an event, which is recorded even when it is illegal. Claims are not filed here."""
    if is_about_box(event):
        return with_box(state, event)
    at = event.at
    if not isinstance(event, _NO_ACT) and not is_alarm(event):
        state = _noted(state, at)
    match event:
        case DealStarted():
            return _start_deal(state, event)
        case ClockSet(state="stopped"):
            return evolve(state, clock=state.clock.seen(at).stop(at))
        case ClockSet() if is_alarm(event):
            return evolve(state, clock=state.clock.noted(at, event.seq, event.extra.get("seat")))
        case ClockSet():
            return evolve(state, clock=state.clock.seen(at).go_on(at))
        case DealVoided():
            number = state.begun
            results = {**state.results, number: {"voided": True}} if state.deal is not None else state.results
            clock = state.clock.seen(at).waiting((), at)
            return evolve(state, deal=None, standing=state.base, results=results, clock=clock)
        case MatchEnded():
            clock = state.clock.seen(at).waiting((), at)
            forfeit = forfeiting_side(event) if is_forfeit(event) else None
            return evolve(state, ended=event.why or "", clock=clock, forfeit=forfeit)
        case Ruled():
            return _rule(state, event)
    if (isinstance(event, _CORE_ONLY) and not _is_gap(event)) or state.deal is None:
        return (
            evolve(state, clock=state.clock.seen(at)) if not isinstance(event, Correction | Ruling) else state
        )
    known = state.known.after(event, not doubtful(state.profile, event))
    deal, beside = state.deal, _beside(event)
    if beside is not None:
        deal = state.game.apply(deal, beside, known)
    deal = state.game.apply(deal, event, known)
    sure = not may_be_nothing(state.profile, event)
    clock = state.clock.seen(at).waiting(state.game.waits(deal), at, sure)
    gap = state.gap or beside is not None or _is_gap(event)
    return _decided(_drawn(evolve(state, deal=deal, known=known, clock=clock, gap=gap), event))


def _noted(state: MatchState, at: float | None) -> MatchState:
    clock = state.clock.noted(at)
    return state if clock is state.clock else evolve(state, clock=clock)


def _is_gap(event: Event) -> bool:
    return isinstance(event, UnknownEvent) and event.kind in GAPS


def _beside(event: Event) -> UnknownEvent | None:
    """The gap beside a play that nobody saw being laid: it may be more than one play, and laid at any time.

    It stays when the play fills a gap that was named: which one it fills is not certain either.
    """
    if not isinstance(event, Play) or not event.extra.get(_UNSEEN):
        return None
    return UnknownEvent(kind=GAPS[-1], seq=event.seq, extra={"seat": event.seat})


def _start_deal(state: MatchState, event: DealStarted) -> MatchState:
    if state.deal is not None and state.counts:
        state = _decided(evolve(state, deal=state.game.conclude(state.deal, event)))
    base = state.standing
    extra = must_decide(state, event.at)
    state = evolve(
        state,
        base=base,
        standing=base,
        known=NOTHING_KNOWN,
        begun=state.begun + 1,
        number=event.deal if event.deal is not None else state.number + 1,
        drawn=False,
        began_at=event.at,
        gap=False,
        extra=extra,
        counts=extra or not format_over(state, event.at),
        clock=state.clock.seen(event.at),
    )
    deal = state.game.start(state, event)
    return evolve(state, deal=deal, clock=state.clock.waiting(state.game.waits(deal), event.at))


def _drawn(state: MatchState, event: Event) -> MatchState:
    """Note when the hands were complete: matches by time finish such a deal."""
    if state.drawn or not (isinstance(event, DrawEnded) or state.game.drawn(state.deal)):
        return state
    return evolve(state, drawn=True, counts=state.counts and not time_ran_out(state, event.at))


def _decided(state: MatchState) -> MatchState:
    """The state with the standing that follows from the current deal."""
    outcome = state.game.outcome(state.deal) if state.deal is not None else None
    if outcome is None:
        return state if state.standing is state.base else evolve(state, standing=state.base)
    standing = state.base
    if state.counts:
        standing = state.game.settle(state, state.deal, outcome)
        if not state.extra:
            standing = replace(standing, deals=state.base.deals + 1)
    result: dict[str, Any] = {**outcome.data, "levels": list(standing.levels)}
    if not state.counts:
        result["counts"] = False
    if state.results.get(state.begun) == result and state.standing == standing:
        return state
    return evolve(state, standing=standing, results={**state.results, state.begun: result})


def _rule(state: MatchState, event: Ruled) -> MatchState:
    claim = state.claims.get(event.key)
    if claim is None and not event.ahead:
        return state
    penalty = event.penalty if event.upheld else None
    decision = Decision(event.upheld, penalty, event.seq, event.by, ahead=claim is None)
    state = evolve(state, decisions={**state.decisions, event.key: decision})
    return state if claim is None else _penalised(state, claim, penalty)


def _penalised(state: MatchState, claim: Claim, penalty: Penalty | None) -> MatchState:
    if penalty is None:
        return state
    return _decided(applied(state, claim, penalty))


def judge(before: MatchState, event: Event, after: MatchState) -> list[Claim | Drop]:
    """Everything that an event shows: all claims, not the first; claims disproven as `Drop`."""
    if is_about_box(event):
        return list(settled(before, event))
    found: list[Claim | Drop] = []
    if not isinstance(event, _NO_ACT):
        found += overruns(before, event)
        found += answered(before, event, after)
    found += judge_format(before, event, after)
    if after.deal is None or isinstance(event, Ruled):
        return found
    if _is_gap(event):
        return [*found, *_explained(before, event)]
    if isinstance(event, DealStarted):
        return [*found, *after.game.judge(None, event, after.deal, after)]
    if isinstance(event, _CORE_ONLY) or before.deal is None:
        return found
    if isinstance(event, _COUNTED_CARDS):
        found += _impossible_cards(before, event, after)
    if isinstance(event, Play) and _beside(event) is not None:
        steps = before.known.hand(event.seat).steps
        found += _explained(before, replace(event, extra={"since": max((s.seq for s in steps), default=0)}))
    misread = from_cameras(event) and any(isinstance(item, Claim) and item.cards for item in found)
    shown = after.game.judge(before.deal, event, after.deal, after)
    shown = [held_back(item, event, after) for item in shown]
    found += [_looked_at(item, event) if misread else item for item in shown]
    return found


def _looked_at(item: Claim | Drop, event: Event) -> Claim | Drop:
    """What is held against cards among which cameras read one that cannot be: look before accusing."""
    about = isinstance(item, Claim) and item.event == event.seq and item.kind in _BY_READING
    return replace(item, certainty=CHECK) if about and isinstance(item, Claim) else item


def _explained(before: MatchState, event: Event) -> Iterable[Claim]:
    """What a gap named now may explain: claims about turns and counts from event `since` on, not proven any more."""
    since = event.extra.get("since")
    if not isinstance(since, int):
        return
    for claim in before.claims.values():
        if claim.event >= since and claim.kind in _BY_GAPS and claim.certainty in (PROVEN, LIKELY):
            yield replace(claim, certainty=CHECK)


def _impossible_cards(before: MatchState, event: Event, after: MatchState) -> Iterable[Claim]:
    cards = new_cards(event)
    packs = after.profile.whole("packs")
    seat = getattr(event, "seat", None)
    extra = after.known.impossible(cards, packs)
    for card in extra:
        sure = sum(hand.held(sure=True)[card] for hand in after.known.hands)
        # Cameras may have read one card twice: that is likelier than a card too many.
        proven = sure > packs + after.known.floating.count(card) and not from_cameras(event)
        certainty = PROVEN if proven else CHECK
        yield Claim(
            "card_impossible", "card_impossible", seat, event.seq, certainty,
            fields={"copies": after.known.copies(card), "packs": packs}, cards=(card,), detail=str(card),
        )  # fmt: skip
    if seat is None or isinstance(event, Exposed):
        return
    held = before.known.hand(seat).now()
    if held is None:
        return
    # He may have got it unseen; and that cameras have read another card is likelier than a card from nowhere.
    open_ = doubtful(after.profile, event) or from_cameras(event) or before.gap
    for card in dict.fromkeys(cards):
        if cards.count(card) > held[card] and card not in extra:
            yield Claim(
                "card_not_in_hand", "card_impossible", seat, event.seq,
                CHECK if open_ else PROVEN, cards=(card,), detail=str(card),
            )  # fmt: skip


def step(state: MatchState, event: Event) -> MatchState:
    """One event folded: recorded, judged, its claims filed, warnings counted, automatic penalties applied."""
    after = apply(state, event)
    return file_claims(after, event, judge(state, event, after))


def file_claims(state: MatchState, event: Event, found: Iterable[Claim | Drop]) -> MatchState:
    """The state with claims raised, changed and dropped."""
    news = list(found)
    if not isinstance(event, Ruled) and not any(
        isinstance(item, Claim) or item.key in state.claims for item in news
    ):
        return state
    claims = dict(state.claims)
    for item in news:
        if isinstance(item, Drop):
            claims.pop(item.key, None)
        elif claims.get(item.key) != item:
            claims[item.key] = item
    # A profile that applies penalties by itself decides after the count: then all that stands is looked at again.
    automatic = state.profile.flag("penalties.automatic")
    changed = list(claims) if automatic else [item.key for item in news]
    changed += [event.key] if isinstance(event, Ruled) else []
    state = count_warnings(evolve(state, claims=claims), dict.fromkeys(changed))
    return _automatic(state, event)


def _automatic(state: MatchState, event: Event) -> MatchState:
    """Apply the penalties of proven claims where the profile says so (DESIGN 1.2)."""
    if not state.profile.flag("penalties.automatic"):
        return state
    for key, claim in state.claims.items():
        known = state.decisions.get(key)
        if known is not None and known.ahead:
            decision = replace(known, ahead=False)
            state = _penalised(
                evolve(state, decisions={**state.decisions, key: decision}), claim, decision.penalty
            )
        elif claim.certainty == PROVEN and known is None:
            penalty = claim.cost(state.profile)
            decision = Decision(True, penalty, event.seq, "profile")
            state = _penalised(evolve(state, decisions={**state.decisions, key: decision}), claim, penalty)
    return state


def is_table_event(event: Event) -> bool:
    """Whether an event needs a deal to stand in."""
    return not isinstance(event, _CORE_ONLY)
