"""The two networks and their settings as files: checked by hash before anything is read with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import onnxruntime as ort

MODELS: Final = Path(__file__).resolve().parents[1] / "models"
FINDER: Final = "finder.onnx"
READER: Final = "reader.onnx"
LIST: Final = "weights.json"


class BadWeights(RuntimeError):
    """A network is missing or is not the one that was published; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The bytes of both networks, and the settings that were frozen with them."""

    finder: bytes
    reader: bytes
    settings: Mapping[str, Any] = field(default_factory=dict)


def load_weights(folder: Path = MODELS) -> Weights:
    """Read both networks and check them against `weights.json`.

    Raises:
        BadWeights: a file is missing, is not what its hash says, or the list itself cannot be read.
    """
    try:
        listed = json.loads(_bytes(folder / LIST))
        hashes = {name: str(listed[name]).lower() for name in (FINDER, READER)}
        settings = dict(listed.get("settings", {}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadWeights(
            f"{folder / LIST}: not a list of weights ({error}); restore it from the repository"
        ) from None
    return Weights(
        _checked(folder / FINDER, hashes[FINDER]), _checked(folder / READER, hashes[READER]), settings
    )


def open_session(model: bytes, name: str, threads: int) -> ort.InferenceSession:
    """A session on the CPU with bounded threads that do not spin while they wait.

    Raises:
        BadWeights: onnxruntime cannot read the network.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Shapes differ from call to call: planned memory would be kept for each of them.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own unrelated classes
        first = str(error).splitlines()[0]
        raise BadWeights(f"{name}: onnxruntime cannot read this network ({first})") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadWeights(
            f"{path}: missing weights ({error.strerror}); "
            "restore it from the repository or make it with `make train`"
        ) from None


def _checked(path: Path, expected: str) -> bytes:
    data = _bytes(path)
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise BadWeights(
            f"{path}: not the published weights (sha256 {found[:12]}…, expected {expected[:12]}…); "
            "restore it from the repository"
        )
    return data
