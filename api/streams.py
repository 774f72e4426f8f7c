"""Who is told what: one stream for those who work at a table, one for those who look on, and what goes on air."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from api.live import Json
from api.stream import Stream, dumps

STAFF: Final = ("referee", "operator")
_FOR_ALL: Final = ("match", "seats", "trick", "clock", "log", "results", "control")


class Streams:
    """What each role may see, as one stream for those who work at the table and one for those who look on.

    Args:
        first: number before that of the first change.
        more: told every part that is put, as those who work at the table see it (the outputs for the air).
    """

    def __init__(self, first: int = 0, more: Callable[[str, Any], None] | None = None) -> None:
        self.staff = Stream(first)
        self.public = Stream(first)
        self._more = more

    def put(self, part: str, value: Any, t: float | None = None) -> None:
        """A part for everybody who may see it (DISPLAY: findings only once they are upheld, no pictures' outlines)."""
        text = dumps(value)
        self.staff.put_text(part, text, t)
        if self._more is not None:
            self._more(part, value)
        if part in _FOR_ALL:
            self.public.put_text(part, text, t)
        elif part == "findings":
            self.public.put(part, [one for one in value if one["ruling"] == "upheld"], t)
        elif part == "table":
            self.public.put(part, _without_pictures(value), t)

    def on_air(self, part: str, value: Any) -> None:
        """A part for outputs alone, which keep it back until their policy lets it go."""
        if self._more is not None:
            self._more(part, value)

    def add(self, part: str, entries: Mapping[int, Json], keep: int, t: float | None = None) -> None:
        """New entries of a part that everybody may see; the newest `keep` of them stay."""
        texts = {number: dumps(entry) for number, entry in entries.items()}
        self.staff.add(part, texts, keep, t)
        self.public.add(part, texts, keep, t)


def _without_pictures(table: Json) -> Json:
    quiet = {"dropped": 0, "repeats": 0, "broken": 0, "notes": []}
    cameras = [{**one, "fps": round(one["fps"]), **quiet} for one in table["cameras"]]
    return {**table, "cards": {}, "latency": {"p50": None, "p95": None, "count": 0}, "cameras": cameras}
