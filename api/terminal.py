"""The running table in a terminal: log, clock, findings and cameras side by side, or plain lines where nobody looks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from api.feeds import Health
from api.lacks import device_lines
from api.live import clock, findings, latency, log_entry, troubles
from api.service import TableService, Told
from devices.health import DeviceHealth
from table.texts import text
from table.transcript import clock_text, line_text

_COLOURS: Final = {
    "proven": "bright_red", "likely": "bright_yellow", "check": "bright_cyan", "provisional": "bright_magenta"
}  # fmt: skip
_REFRESH_S: Final = 0.25


class Lines:
    """Plain lines: one for each event and each thing that the referee is told.

    Args:
        lang: `zh` or `en`.
        out: takes each line.
    """

    def __init__(self, lang: str, out: Callable[[str], None] = print) -> None:
        self._lang = lang
        self._out = out

    def __call__(self, told: Sequence[Told]) -> None:
        """Print what was recorded in a step."""
        for one in told:
            for line in as_lines(one, self._lang):
                self._out(line)


def as_lines(told: Told, lang: str) -> list[str]:
    """An event of the log and the findings that came with it."""
    entry = log_entry(told, None)
    lines = []
    if entry is not None:
        mark = "  ?" if told.event.alternatives else ""
        lines.append(f"{entry['seq']:>5}  {clock_text(entry['at'])}  {entry['text'][lang]}{mark}")
    lines += [f"       > {line_text(line, lang)}" for line in told.lines]
    return lines


class Screen:
    """The whole terminal, renewed a few times a second. Use it as a context manager.

    Args:
        service: the table.
        cameras: gives how the cameras do now.
        at: gives the time of the record now, s; None before the first frame.
        lang: `zh` or `en`.
        address: of the page, if there is one.
        console: where it is drawn.
        devices: gives how the devices do now.
    """

    def __init__(
        self,
        service: TableService,
        cameras: Callable[[], Iterable[Health]],
        at: Callable[[], float | None],
        lang: str,
        address: str = "",
        console: Console | None = None,
        devices: Callable[[], Iterable[DeviceHealth]] = list,
    ) -> None:
        self._service, self._cameras, self._at = service, cameras, at
        self._devices = devices
        self._lang, self._address = lang, address
        self._console = console or Console()
        self._live = Live(console=self._console, screen=True, auto_refresh=False)
        self._drawn_at = 0.0

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def __call__(self, told: Sequence[Told]) -> None:
        """Draw what is there now, if the last drawing is old enough."""
        now = time.monotonic()
        if now - self._drawn_at < _REFRESH_S:
            return
        self._drawn_at = now
        self._live.update(self.drawing(self._console.height), refresh=True)

    def drawing(self, height: int) -> RenderableType:
        """The screen as it stands.

        Args:
            height: of the terminal, lines.
        """
        layout = Layout()
        layout.split_column(
            Layout(self._head(), size=3, name="head"),
            Layout(name="middle"),
            Layout(self._foot(), size=4, name="foot"),
        )
        layout["middle"].split_row(Layout(name="log", ratio=3), Layout(name="side", ratio=2))
        layout["side"].split_column(Layout(self._clock(), size=6), Layout(self._findings()))
        layout["log"].update(self._log(max(1, height - 9)))
        return layout

    def _word(self, key: str, **fields: Any) -> str:
        return text(f"live.{key}", self._lang, **fields)

    def _player(self, seat: int | None) -> str:
        state = self._service.state
        name = (
            state.players[seat]
            if state is not None and seat is not None and seat < len(state.players)
            else ""
        )
        return name or text("seats.seat", self._lang, seat="?" if seat is None else seat)

    def _head(self) -> Panel:
        state = self._service.state
        parts = [self._service.setup.name]
        if state is not None:
            parts.append(state.profile.zh if self._lang == "zh" else state.profile.en)
            if state.deal is not None:
                level = state.game.view(state.deal).get("level", "?")
                parts.append(self._word("deal_level", deal=state.number, level=level))
            parts.append(self._word("levels", levels=" / ".join(state.standing.levels)))
        right = Text(self._word("page_at", address=self._address) if self._address else "", style="cyan")
        line = Table.grid(expand=True)
        line.add_column()
        line.add_column(justify="right")
        line.add_row(Text(" · ".join(parts), style="bold"), right)
        return Panel(line, title=self._word("title"), title_align="left")

    def _log(self, lines: int) -> Panel:
        rows: list[Text] = []
        for told in self._service.told[-lines:]:
            entry = log_entry(told, self._service.state)
            if entry is None:
                continue
            row = Text(f"{clock_text(entry['at'])}  ", style="dim", no_wrap=True, overflow="ellipsis")
            row.append(entry["text"][self._lang], style="not dim")
            if entry["doubtful"]:
                row.append(f"  [{self._word('doubtful')}]", style="not dim cyan")
            rows.append(row)
            for line in told.lines:
                style = "not dim " + _COLOURS.get(line.get("certainty", ""), "green")
                rows.append(
                    Text(f"  > {line_text(line, self._lang)}", style=style, no_wrap=True, overflow="ellipsis")
                )
        return Panel(Group(*rows[-lines:]), title=self._word("log"), title_align="left")

    def _clock(self) -> Panel:
        now = clock(self._service.state, self._at())
        rows = []
        for wait in now["waits"]:
            left = wait["left"]
            row = Text(self._player(wait["seat"]), style="bold")
            if left is not None:
                style = "red bold" if left < 0 else "yellow bold" if left <= 5 else "green bold"
                row.append("  ")
                key = "seconds_over" if left < 0 else "seconds_left"
                told = self._word(key, left=f"{left:.0f}", over=f"{-left:.1f}", limit=f"{wait['limit']:g}")
                row.append(told, style=style)
            rows.append(row)
        if now["stopped"]:
            rows.insert(0, Text(self._word("clock_stopped"), style="yellow"))
        return Panel(
            Group(*rows) if rows else Text(self._word("clock_none"), style="dim"), title=self._word("clock"),
            title_align="left",
        )  # fmt: skip

    def _findings(self) -> Panel:
        rows = []
        for finding in findings(self._service):
            certainty = finding["certainty"]
            row = Text(f"#{finding['finding']} ", style="dim")
            row.append(self._word(certainty), style=f"not dim bold {_COLOURS.get(certainty, '')}")
            row.append(f" {finding['text'][self._lang]}", style="not dim")
            rows.append(row)
        body: RenderableType = Group(*rows) if rows else Text(self._word("no_findings"), style="dim")
        return Panel(body, title=self._word("findings"), title_align="left")

    def _foot(self) -> Panel:
        cameras = []
        for one in self._cameras():
            fine = not one.why
            going = f"{one.fps:.0f} fps" if one.fps else self._word("fine")
            state = self._word("ended") if one.ended and fine else one.why or going
            cameras.append(Text(f"● {one.name}: {state}", style="green" if fine else "yellow"))
        lacks = device_lines(self._devices(), self._lang)
        lacks += [*troubles(self._service), *(f"{zone}: {why}" for zone, why in self._service.blind.items())]
        found = latency(self._service.latencies)
        told = self._word("latency_line", **found) if found["count"] else self._word("latency_none")
        last = Text(" · ".join(lacks), style="yellow") if lacks else Text(told, style="dim")
        return Panel(Group(Columns(cameras), last), title=self._word("cameras"), title_align="left")


def summary(service: TableService, wall: float, lang: str) -> str:
    """One line about what was seen and how long it took.

    Args:
        service: at its end.
        wall: seconds that it ran.
        lang: `zh` or `en`.
    """
    seconds = (service.now or 0) - (service.resumed_at or 0)
    line = text(
        "live.summary", lang, events=len(service.told), findings=len(service.referee.findings()),
        seconds=f"{seconds:.0f}", wall=f"{wall:.0f}", times=f"{seconds / max(wall, 1e-3):.1f}",
    )  # fmt: skip
    found = latency(service.latencies)
    return f"{line}\n{text('live.latency_line', lang, **found)}" if found["count"] else line
