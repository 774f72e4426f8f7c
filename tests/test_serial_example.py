"""The example in the documentation, written as a maker of boxes would: it works with the program as it stands there."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import threading
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from devices.protocol import encode
from tests.serial_tools import box_at, listening, until

EXAMPLES = Path(__file__).resolve().parent.parent / "docs" / "examples" / "serial"
MANUAL = EXAMPLES.parent.parent / "serial-protocol.md"


class Cable:
    """Two ports that are joined: what is written into one comes out of the other, but for lines that are lost."""

    def __init__(self) -> None:
        self.lose = False
        self.ends = [pty.openpty() for _ in range(2)]
        for _, port in self.ends:
            tty.setraw(port)
        self.host, self.device = (os.ttyname(port) for _, port in self.ends)
        for source, target in ((0, 1), (1, 0)):
            threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: int, target: int) -> None:
        while True:
            try:
                data = os.read(self.ends[source][0], 4096)
                if not self.lose:
                    os.write(self.ends[target][0], data)
            except OSError:
                return

    def close(self) -> None:
        for end in self.ends:
            for side in end:
                os.close(side)


def python_box(folder: Path) -> list[str]:
    return [sys.executable, str(EXAMPLES / "seat_box.py")]


def arduino_box(folder: Path) -> list[str]:
    """The sketch, compiled for this machine."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no compiler of C++ here")
    library, sketch = EXAMPLES / "on_a_pc" / "Arduino.h", EXAMPLES / "seat_box" / "seat_box.ino"
    strict = ["-std=gnu++11", "-Wall", "-Wextra", "-Werror"]
    command = [compiler, *strict, "-x", "c++", "-include", library, sketch, "-o", folder / "box"]
    subprocess.run(command, check=True)
    return [str(folder / "box")]


@pytest.mark.parametrize(
    ("made", "pins", "count", "number"),
    [(python_box, (2, 4, 6), 2, "0007"), (arduino_box, (2, 3, 4), 1, "0008")],
)
def test_the_boxes_of_the_documentation_work(
    made: Callable[[Path], list[str]], pins: tuple[int, int, int], count: int, number: str, tmp_path: Path
) -> None:
    cable = Cable()
    surroundings = {"PATH": os.environ["PATH"], "PORT": cable.device, "PYTHONPATH": str(EXAMPLES / "on_a_pc")}
    box = subprocess.Popen(made(tmp_path), stdin=subprocess.PIPE, env=surroundings, text=True)
    assert box.stdin is not None

    def press(pin: int) -> None:
        assert box.stdin is not None
        box.stdin.write(f"{pin}\n")
        box.stdin.flush()

    try:
        with listening(tmp_path, [box_at(cable.host, seat=3)]) as boxes:
            press(pins[0])
            until(lambda: boxes.words() == ["pass 3"], "a pass")
            cable.lose = True
            press(pins[1])
            press(pins[2])
            until(lambda: boxes.why(), "silence is noticed")
            cable.lose = False
            until(lambda: len(boxes.heard) == 3, "what was pressed meanwhile")
            health = boxes.boxes[0].health({}, 0)
        assert boxes.words() == ["pass 3", f"count_called 3 {count}", "referee_called 3"]
        assert (health.model, health.serial, health.firmware) == ("MyBox", number, "1.0")
        assert box.poll() is None
    finally:
        box.stdin.close()
        box.wait(10)
        cable.close()


def test_the_example_is_as_short_as_it_says_and_needs_nothing_of_the_program() -> None:
    text = (EXAMPLES / "seat_box.py").read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 40
    assert set(re.findall(r"^(?:import|from) (.+?)(?: import.*)?$", text, re.M)) == {
        "binascii, os, time",
        "machine",
    }


LINE = re.compile(r"^(?:(?:host|device) +)?([^\s*][^*\n]*)\*([0-9A-F]{8})$", re.M)


@pytest.mark.parametrize("line", sorted(set(LINE.findall(MANUAL.read_text("utf-8")))))
def test_every_line_in_the_documentation_has_its_right_checksum(line: tuple[str, str]) -> None:
    body, crc = line
    assert encode(body) == f"{body}*{crc}\n".encode()
