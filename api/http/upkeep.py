"""Routes by which a running table is looked after: where its cameras are, and whether its machine is fit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, Literal

from fastapi import Path
from pydantic import BaseModel, Field

from api import doctor
from api.desk import Desk
from api.http.access import Routes
from api.http.acts import WAIT_S, IfMatch, conflict, decided_on
from api.http.problems import Problem
from api.places import told
from calibration.drift import UNKNOWN
from calibration.notes import CannotCalibrate
from calibration.toml_keys import BadTableFile
from table.texts import LANGUAGES

Name = Annotated[str, Path(max_length=80)]
_OPERATOR: Final = "operator"
_FRESH_S: Final = 15.0
"""An examination costs a second of one core: who asks again so soon is told the same."""
_SELF: Final = "table_runs"
"""That a table runs here is nothing to tell that table."""


class CameraPlace(BaseModel):
    """Where a camera is against its set-up."""

    name: str
    state: str = Field(description="`ok`, `warn`, `moved` or `unknown`.")
    mm: float | None = Field(description="How far off what it shows is on the table, at most, mm.")
    saved: bool = Field(description="The place is in the setup file too; else it holds until the table ends.")


class Check(BaseModel):
    """Something of the machine that was looked at."""

    area: str = Field(description="`machine`, `clock`, `disk` or `models`.")
    level: Literal["fit", "warn", "unfit", "note"]
    text: dict[str, str] = Field(
        description="What was found and, where something is amiss, what to do: zh, en."
    )
    values: dict[str, Any] = Field(description="The numbers in it.")


class Examined(BaseModel):
    """Whether the machine can run the table."""

    status: Literal["fit", "usable", "unfit"]
    findings: list[Check]


class Examiner:
    """Examines the machine beside its running table, in a thread of its own; one examination at a time.

    Args:
        desk: of the table.
        clock: seconds of a clock that only runs forward.
    """

    def __init__(self, desk: Desk, clock: Callable[[], float] = time.monotonic) -> None:
        self._desk, self._clock = desk, clock
        self._one = asyncio.Lock()
        self._last: tuple[float, Examined] | None = None

    async def examined(self) -> Examined:
        """What is found now, or was found a moment ago."""
        async with self._one:
            if self._last is None or self._clock() - self._last[0] > _FRESH_S:
                found = await asyncio.to_thread(lambda: list(self._findings()))
                self._last = self._clock(), _examined(found)
            return self._last[1]

    def _findings(self) -> Iterator[doctor.Finding]:
        yield from doctor.guarded("machine", doctor.machine)
        yield from doctor.guarded("clock", doctor.clock)
        yield from doctor.guarded("disk", lambda: doctor.disk(self._desk.data))
        yield from doctor.guarded("models", doctor.models)


def _examined(found: list[doctor.Finding]) -> Examined:
    found = [one for one in found if one.key != _SELF]
    status: Final = ("fit", "usable", "unfit")
    return Examined(
        status=status[doctor.exit_status(found)],
        findings=[Check.model_validate(_check_json(one)) for one in found],
    )


def _check_json(one: doctor.Finding) -> dict[str, Any]:
    plain = {
        key: value if isinstance(value, str | int | float | None) else str(value)
        for key, value in one.values.items()
    }
    return {"area": one.area, "level": one.level, "text": one.words, "values": plain}


def upkeep_routes(desk: Desk, clock: Callable[[], float] = time.monotonic) -> Routes:
    """The routes by which a running table is looked after.

    Args:
        desk: of the table.
        clock: seconds of a clock that only runs forward.
    """
    routes = Routes(tags=["setup"])
    accepted_at: dict[str, int] = {}
    examiner = Examiner(desk, clock)

    @routes.add("GET", "/api/v1/doctor", _OPERATOR)
    async def examine() -> Examined:
        """Whether the machine can run the table: machine, clock, disk, models. Takes a second; no camera is opened."""
        return await examiner.examined()

    @routes.add(
        "POST", "/api/v1/cameras/{name}/accept-place", _OPERATOR, 400, 404, 409, 412, 422, 428, 503
    )  # fmt: skip
    async def accept_place(name: Name, if_match: IfMatch = None) -> CameraPlace:
        """A camera counts as set up where it is now; done with the next pictures. If-Match: the number of the state."""
        seq = decided_on(if_match)
        if all(camera.name != name for camera in desk.service.setup.cameras):
            raise Problem(404, "no_such_camera", name=name)
        if seq > desk.seq or seq < accepted_at.get(name, 0):
            raise conflict(desk)
        state = desk.service.places.states.get(name)
        if state is None or state.state == UNKNOWN:
            raise Problem(409, "place_unknown", name=name)
        await _accepted(desk, name)
        accepted_at[name] = desk.seq
        now = desk.service.places.states[name]
        return CameraPlace(name=name, state=now.state, mm=now.mm, saved=desk.table_file is not None)

    return routes


async def _accepted(desk: Desk, name: str) -> None:
    """Wait until the place of a camera is accepted; what waits no longer is not done later either."""
    try:
        await asyncio.wait_for(asyncio.wrap_future(desk.service.places.accept([name])), WAIT_S)
    except CannotCalibrate as error:
        why = {lang: told(error, lang) for lang in LANGUAGES}
        raise Problem(409, "place_unknown", errors=[("name", why)], name=name) from None
    except BadTableFile as error:
        raise Problem(409, "place_not_saved", name=name, why=str(error)) from None
    except TimeoutError:
        raise Problem(503, "no_pictures", name=name) from None
