"""Hands pictures from the process of a camera to the table through memory that both share: no copy goes through a pipe.

The memory has no name: whichever process dies, and however, the system frees it when nobody holds it any more. There are
a few slots; the writer fills them in turn, the reader is told which one is newest and takes a copy. A picture that was
overwritten while it was copied is seen to be torn and not given.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
from typing import Final

import numpy as np

from vision.frames import Image

SLOTS: Final = 3
_HEAD: Final = 64
"""Bytes before the slots: the number of the picture in each, 0 while it is being written."""


def ring_bytes(size: tuple[int, int]) -> int:
    """Bytes of memory that a ring of pictures of `size` (width, height in px) takes."""
    return _HEAD + SLOTS * size[0] * size[1] * 3


def make_memory(size: tuple[int, int]) -> int:
    """Nameless memory for a ring of pictures of `size` (width, height in px): its file descriptor.

    Raises:
        OSError: there is not enough memory.
    """
    length = ring_bytes(size)
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("paizhuo-camera", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, length)
        # Nobody can pull the memory away from under the other process.
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        return fd
    with tempfile.TemporaryFile() as file:
        file.truncate(length)
        return os.dup(file.fileno())


class FrameRing:
    """Both ends of a ring of pictures.

    Args:
        fd: of its memory; it may be closed once the ring is there.
        size: width and height of the pictures, px.
    """

    def __init__(self, fd: int, size: tuple[int, int]) -> None:
        width, height = size
        self._map = mmap.mmap(fd, ring_bytes(size))
        self._numbers = np.frombuffer(self._map, np.uint64, SLOTS)
        self._slots = np.frombuffer(self._map, np.uint8, SLOTS * width * height * 3, _HEAD).reshape(
            SLOTS, height, width, 3
        )

    def write(self, number: int, image: Image) -> None:
        """Put picture `number` (from 1, growing by 1) of the ring's size into its slot."""
        slot = number % SLOTS
        self._numbers[slot] = 0
        np.copyto(self._slots[slot], image)
        self._numbers[slot] = number

    def read(self, number: int) -> Image | None:
        """A copy of picture `number`; None when a newer one has taken its place meanwhile."""
        slot = number % SLOTS
        if self._numbers[slot] != number:
            return None
        image = self._slots[slot].copy()
        return image if self._numbers[slot] == number else None

    def close(self) -> None:
        """Let the memory go."""
        del self._numbers, self._slots
        self._map.close()
