"""The log of a table: one JSON object a line, with the table's name, without tokens and without cards."""

from __future__ import annotations

import logging
import re
from collections.abc import MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

import structlog

LOG: Final = "log.jsonl"
_TOKEN: Final = re.compile(r"pz_[a-z2-7]{8}_[A-Za-z0-9_-]+|(?<=token=)[^&\s\"']+")
_CARDS: Final = ("cards", "card", "replacement", "alternatives", "hands")
_SIZE: Final = 5 * 2**20
_KEPT: Final = 3


def open_log(data: Path, table: str) -> Any:
    """A structlog logger that writes to the table's data folder; three old files are kept.

    Args:
        data: folder of the table.
        table: its name.

    Raises:
        OSError: the file cannot be written.
    """
    handler = RotatingFileHandler(data / LOG, maxBytes=_SIZE, backupCount=_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.Logger(f"paizhuo.{table}", logging.INFO)
    logger.addHandler(handler)
    return structlog.wrap_logger(
        logger,
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            without_secrets,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    ).bind(table=table)


def without_secrets(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Leave out what nobody may read in a log: tokens wherever they stand, cards."""
    kept = {key: value for key, value in event.items() if key not in _CARDS}
    return {key: _TOKEN.sub("…", value) if isinstance(value, str) else value for key, value in kept.items()}
