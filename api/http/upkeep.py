"""Routes by which a running table is looked after: a camera that was moved counts as set up where it is now."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from fastapi import Path
from pydantic import BaseModel, Field

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


class CameraPlace(BaseModel):
    """Where a camera is against its set-up."""

    name: str
    state: str = Field(description="`ok`, `warn`, `moved` or `unknown`.")
    mm: float | None = Field(description="How far off what it shows is on the table, at most, mm.")
    saved: bool = Field(description="The place is in the setup file too; else it holds until the table ends.")


def upkeep_routes(desk: Desk) -> Routes:
    """The routes by which a running table is looked after."""
    routes = Routes(tags=["setup"])
    accepted_at: dict[str, int] = {}

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
