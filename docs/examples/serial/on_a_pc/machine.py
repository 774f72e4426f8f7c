# Stands in for a board's `machine` module on a PC with Linux, so that examples run without the board:
#   PORT=/dev/pts/3 PYTHONPATH=docs/examples/serial/on_a_pc python docs/examples/serial/seat_box.py
# PORT is the port's other end. Buttons are "pressed" on the standard input: the number of a pin, a line each.
import os
import select
import sys
import time

time.ticks_ms = lambda: int(time.monotonic() * 1000) % 2**30
time.ticks_diff = lambda new, old: (new - old + 2**29) % 2**30 - 2**29
time.sleep_ms = lambda ms: time.sleep(ms / 1000)
_typed = b""
_down = {}


class UART:
    def __init__(self, number, baud):
        self._port = os.open(os.environ["PORT"], os.O_RDWR | os.O_NOCTTY)

    def read(self):
        there = select.select([self._port], [], [], 0)[0]
        return os.read(self._port, 4096) if there else None

    def write(self, data):
        return os.write(self._port, data)


class Pin:
    IN, PULL_UP = 0, 1

    def __init__(self, number, *how):
        self._number = number

    def value(self):
        _look()
        return 0 if _down.get(self._number, 0) > time.monotonic() else 1


def _look():
    """A number typed on the standard input holds its button down for 50 ms."""
    global _typed
    if not select.select([sys.stdin], [], [], 0)[0]:
        return
    data = os.read(sys.stdin.fileno(), 256)
    if not data:
        raise SystemExit
    *lines, _typed = (_typed + data).split(b"\n")
    for line in lines:
        _down[int(line)] = time.monotonic() + 0.05
