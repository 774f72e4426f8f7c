"""Where frames come from: the one shape that every camera, film and folder of stills has for those who watch."""

from __future__ import annotations

from typing import Protocol

from vision.frames import Frame


class SourceFailed(RuntimeError):
    """A source cannot give frames any more; the message is one line: what, where, what to do."""


class Source(Protocol):
    """Frames of one camera in capture order."""

    @property
    def name(self) -> str:
        """Name of the camera in the table's setup."""
        ...

    def read(self) -> Frame | None:
        """The next frame: `at` in seconds of the record's clock, `source` the camera's name; None at the end.

        Raises:
            SourceFailed: the camera is gone or cannot be read; a later read may work again.
        """
        ...

    def close(self) -> None:
        """Let the device or file go; reading afterwards gives None."""
        ...
