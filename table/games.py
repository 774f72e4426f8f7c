"""Finds a game by the name that a profile gives: the one place where the core reaches for a game's
package."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, cast

from table.match import Game


class NoSuchGame(ValueError):
    """A profile names a game that has no package."""


@cache
def game_named(name: str) -> Game[Any]:
    """The game of a profile's key `game`: the constant GAME of `table.NAME.game`.

    Raises:
        NoSuchGame: there is no such package.
    """
    module = f"table.{name}.game"
    try:
        return cast("Game[Any]", import_module(module).GAME)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise NoSuchGame(f"unknown game {name!r}: there is no {module}") from None
        raise
