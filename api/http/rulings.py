"""Routes of what a referee decides: rulings on findings, the course of the match, what holds for graphics."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import Path as InPath
from pydantic import Field

from api.corrections import BY, ruling_of, touched, undo_of
from api.desk import Desk
from api.http.access import Routes, Who
from api.http.acts import Body, IfMatch, Recorded, conflict, decided_on, name_of, recorded, unless_changed
from api.http.problems import Problem
from api.match_control import BadMatch, course_changed, match_started, next_deal
from table.events import DealVoided, Event, MatchEnded, RefereeCalled, Ruling
from table.penalties import penalty_from_json
from table.texts import both

_GRAPHICS: Final = ("bug", "trump", "seats", "trick", "clock", "finding", "result", "names", "hands")
Number = InPath(ge=1, le=10**9, description="Number of the finding.")


class Decision(Body):
    """A ruling on a finding."""

    decision: Literal["upheld", "dismissed"]
    penalty: dict[str, Any] | str | int | None = Field(
        default=None,
        description='Where it is other than the profile\'s; null or left out: the profile\'s; {"kind": "none"}: none.',
        examples=[{"kind": "levels", "amount": 1}],
    )
    reason: str = Field(default="", max_length=500)


class Why(Body):
    """A reason, in words."""

    why: str = Field(default="", max_length=500)


class NewMatch(Body):
    """A match that begins."""

    profile: str = Field(max_length=200)
    players: list[str] = Field(default=["", "", "", ""], min_length=4, max_length=4)
    levels: list[str] = Field(default=["2", "2"], min_length=2, max_length=2)
    options: dict[str, Any] = Field(default={}, description="Keys of the profile that this match overrides.")


class NextDeal(Body):
    """A deal that begins; what is left out follows from the deal before."""

    deal: int | None = Field(default=None, ge=1, le=10**6)
    level: str | None = Field(default=None, max_length=4)
    finish: list[int] | None = Field(
        default=None, description="Guandan: seats of the deal before, first out first."
    )
    banker: int | None = None
    trump: str | None = Field(default=None, max_length=4)
    force: bool = Field(default=False, description="Also where the deal on the table has no result yet.")


class Control(Body):
    """What holds for graphics; what is left out stays."""

    correcting: bool | None = None
    graphics: Literal["live", "hold", "clear"] | None = None
    taken: dict[str, bool] | None = Field(
        default=None, description="Graphics that are shown (true) or kept off (false) by hand."
    )


class ControlNow(Body):
    """What holds for graphics."""

    correcting: bool
    graphics: Literal["live", "hold", "clear"]
    taken: dict[str, bool]
    noted: list[int] = Field(description="Numbers of the calls for the referee that somebody has noted.")


def ruling_routes(desk: Desk) -> Routes:
    """The routes of rulings."""
    routes = Routes(tags=["rulings"])
    service = desk.service

    def standing(finding: int) -> None:
        with service.lock:
            line = service.referee.finding_line(finding)
        if line is None:
            raise Problem(404, "no_such_finding", errors=[("finding", both("api.no_such_finding"))])

    @routes.add(
        "POST", "/api/v1/findings/{finding}/ruling", "referee", 400, 404, 412, 422, 428, 503, status_code=201
    )
    async def rule(decision: Decision, who: Who, finding: int = Number, if_match: IfMatch = None) -> Recorded:
        """Uphold or dismiss a finding. If-Match names the state in which it was looked at."""
        allow = unless_changed(desk, if_match, lambda: touched(service.told, finding=finding))
        _not_gone(desk, finding, if_match)
        standing(finding)
        extra: dict[str, Any] = {"reason": decision.reason} if decision.reason else {}
        if decision.penalty is not None:
            try:
                if penalty_from_json(decision.penalty) is None:
                    extra["penalty"] = None
            except ValueError as error:
                faults = [("penalty", both("api.wrong_value", what=str(error)))]
                raise Problem(422, "not_valid", errors=faults) from None
        ruling = Ruling(
            finding=finding, decision=decision.decision, source="referee", by=name_of(who), extra=extra,
            penalty=None if "penalty" in extra else decision.penalty,
        )  # fmt: skip
        return await recorded(desk, ruling, allow)

    @routes.add("DELETE", "/api/v1/findings/{finding}/ruling", "referee", 400, 404, 412, 422, 428, 503)
    async def take_back(who: Who, finding: int = Number, if_match: IfMatch = None) -> Recorded:
        """Take the ruling on a finding back; the one before counts again, if there was one."""
        allow = unless_changed(desk, if_match, lambda: touched(service.told, finding=finding))
        standing(finding)
        ruling = ruling_of(service.told, finding)
        if ruling is None:
            raise Problem(404, "no_ruling")
        return await recorded(desk, undo_of(service.told, ruling, name_of(who)).event, allow)

    return routes


def _not_gone(desk: Desk, finding: int, if_match: str | None) -> None:
    """A finding that was withdrawn since it was looked at is a conflict, not one that never was."""
    with desk.service.lock:
        gone = desk.service.referee.finding_line(finding) is None
    if gone and touched(desk.service.told, finding=finding) > decided_on(if_match):
        raise conflict(desk)


def match_routes(desk: Desk) -> Routes:
    """The routes of the course of a match and of graphics."""
    routes = Routes(tags=["match"])
    service = desk.service

    async def move(event: Event, if_match: str | None) -> Recorded:
        allow = unless_changed(desk, if_match, lambda: course_changed(service.told))
        return await recorded(desk, event, allow)

    @routes.add("POST", "/api/v1/match", "referee", 400, 409, 412, 422, 428, 503, status_code=201)
    async def begin(match: NewMatch, who: Who, if_match: IfMatch = None) -> Recorded:
        """Begin a match; one in which a deal was played has to be ended before."""
        decided_on(if_match)
        try:
            event = match_started(
                service, match.profile, match.players, match.levels, match.options, name_of(who)
            )
        except BadMatch as error:
            raise _bad_match(error) from None
        return await move(event, if_match)

    @routes.add("POST", "/api/v1/match/end", "referee", 400, 409, 412, 422, 428, 503, status_code=201)
    async def end(why: Why, who: Who, if_match: IfMatch = None) -> Recorded:
        """The match is over: time, agreement, forfeit."""
        decided_on(if_match)
        if service.state is None or service.state.ended is not None:
            raise Problem(409, "no_match")
        return await move(
            MatchEnded(why=why.why or None, source="referee", extra={BY: name_of(who)}), if_match
        )

    @routes.add("POST", "/api/v1/deals/void", "referee", 400, 409, 412, 422, 428, 503, status_code=201)
    async def void(why: Why, who: Who, if_match: IfMatch = None) -> Recorded:
        """The deal on the table does not count."""
        decided_on(if_match)
        if service.state is None or service.state.deal is None:
            raise Problem(409, "no_deal")
        return await move(
            DealVoided(why=why.why or None, source="referee", extra={BY: name_of(who)}), if_match
        )

    @routes.add("POST", "/api/v1/deals/next", "referee", 400, 409, 412, 422, 428, 503, status_code=201)
    async def next_(deal: NextDeal, who: Who, if_match: IfMatch = None) -> Recorded:
        """The next deal begins."""
        decided_on(if_match)
        try:
            event = next_deal(service, deal.model_dump(exclude={"force"}), deal.force, name_of(who))
        except BadMatch as error:
            raise _bad_match(error) from None
        return await move(event, if_match)

    @routes.add("PUT", "/api/v1/control", "referee|operator", 400, 422)
    def control(asked: Control) -> ControlNow:
        """Hold, clear or show graphics; say that somebody corrects; show or keep off one graphic by hand."""
        given = asked.model_dump(exclude_none=True)
        strange = next((name for name in given.get("taken", {}) if name not in _GRAPHICS), None)
        if strange is not None:
            why = both("api.no_graphic", name=strange[:40], names=", ".join(_GRAPHICS))
            raise Problem(422, "not_valid", errors=[("taken", why)])
        return ControlNow(**desk.control(**given))

    @routes.add("POST", "/api/v1/calls/{seq}/noted", "referee|operator", 404, 422)
    def noted(seq: Annotated[int, InPath(ge=1, le=10**9, description="Number of the event.")]) -> ControlNow:
        """A player's call for the referee (叫裁判) was noted: it waits in nobody's queue any more."""
        with service.lock:
            called = any(
                one.event.seq == seq and isinstance(one.event, RefereeCalled) for one in service.told
            )
        if not called:
            raise Problem(404, "no_call", number=seq)
        desk.note_call(seq)
        return ControlNow(**desk.control())

    return routes


def _bad_match(error: BadMatch) -> Problem:
    if not error.field:
        return Problem(409, error.key, **error.fields)
    return Problem(422, "not_valid", errors=[(error.field, both(f"api.{error.key}", **error.fields))])
