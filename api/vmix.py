"""Rows for vMix data sources: flat objects of strings whose columns never change, so that titles stay mapped.

Columns are named as vMix names the text fields of a title (`Name.Text`): a field of that name is filled by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from api.outputs import CLEAR
from table.cards import Card
from table.texts import text

State = Mapping[str, Any]
Row = dict[str, str]
Rows = list[Row]


def vmix_rows(name: str, state: State, lang: str) -> Rows:
    """The rows of one feed.

    While graphics are cleared every field is empty; rows and columns stay.

    Args:
        name: one of `FEEDS`.
        state: of an output, as it may be shown.
        lang: `zh` or `en`.
    """
    rows = FEEDS[name](state, lang)
    if (state.get("control") or {}).get("graphics") == CLEAR:
        return [dict.fromkeys(row, "") for row in rows]
    return rows


def _table(state: State, lang: str) -> Rows:
    match, clock = state.get("match") or {}, state.get("clock") or {}
    view, players, levels = match.get("view") or {}, _list(match, "players", 4), _list(match, "levels", 2)
    wait: State = next(iter(clock.get("waits") or ()), {})
    trump = view.get("trump")
    return [
        {
            "Table.Text": _text(match.get("table")),
            "Match.Text": _text((match.get("profile") or {}).get(lang)),
            "Deal.Text": _text(match.get("deal")),
            "Level.Text": _text(match.get("level")),
            "SideA.Text": " · ".join(players[::2]).strip(" ·"),
            "SideB.Text": " · ".join(players[1::2]).strip(" ·"),
            "LevelA.Text": levels[0],
            "LevelB.Text": levels[1],
            "Trump.Text": _trump(trump, lang),
            "Points.Text": _text(view.get("points")),
            "Banker.Text": _name(players, view.get("banker")),
            "ClockSeat.Text": _name(players, wait.get("seat")),
            "ClockLeft.Text": "" if wait.get("left") is None else str(max(0, round(wait["left"]))),
            "OnAir": "1" if match else "0",
        }
    ]


def _seats(state: State, lang: str) -> Rows:
    by_seat = {seat.get("seat"): seat for seat in state.get("seats") or ()}
    rows = []
    for number in range(4):
        seat = by_seat.get(number, {})
        finished = seat.get("finished")
        rows.append(
            {
                "Seat.Text": str(number),
                "Name.Text": _text(seat.get("player")),
                "Side.Text": "AB"[number % 2],
                "Remaining.Text": _text(seat.get("remaining")),
                "Called.Text": _text(seat.get("called")),
                "Place.Text": text(f"overlay.place_{finished}", lang) if finished in (1, 2, 3, 4) else "",
                "Turn": "1" if seat.get("turn") else "0",
            }
        )
    return rows


def _trick(state: State, lang: str) -> Rows:
    trick = state.get("trick") or {}
    last = {play.get("seat"): play for play in trick.get("plays") or ()}
    players = _list(state.get("match") or {}, "players", 4)
    rows = []
    for number in range(4):
        play = last.get(number, {})
        passed = bool(play.get("pass"))
        rows.append(
            {
                "Seat.Text": str(number),
                "Name.Text": players[number],
                "Cards.Text": text("overlay.pass", lang) if passed else pretty(play.get("cards") or ()),
                "Count.Text": "" if passed or not play else str(len(play.get("cards") or ())),
                "Leader": "1" if trick.get("leader") == number else "0",
            }
        )
    return rows


def _finding(state: State, lang: str) -> Rows:
    found: State = next(iter(state.get("upheld") or ()), {})
    players = _list(state.get("match") or {}, "players", 4)
    return [
        {
            "Rule.Text": _text(found.get("rule")),
            "Article.Text": _text((found.get("article") or {}).get(lang)),
            "Name.Text": _name(players, found.get("seat")),
            "OnAir": "1" if found else "0",
        }
    ]


def _result(state: State, lang: str) -> Rows:
    found = (list(state.get("results") or ()) or [{}])[-1]
    result = found.get("result") or {}
    players = _list(state.get("match") or {}, "players", 4)
    finish = [_name(players, seat) for seat in result.get("finish") or ()] + [""] * 4
    levels = _list(result, "levels", 2)
    return [
        {
            "Deal.Text": _text(found.get("deal")),
            "Result.Text": _text((found.get("text") or {}).get(lang)),
            "First.Text": finish[0],
            "Second.Text": finish[1],
            "Third.Text": finish[2],
            "Fourth.Text": finish[3],
            "Side.Text": {0: "A", 1: "B"}.get(result.get("side", -1), ""),
            "Rise.Text": _text(result.get("rise")),
            "LevelA.Text": levels[0],
            "LevelB.Text": levels[1],
            "Points.Text": _text(result.get("points")),
            "OnAir": "1" if found else "0",
        }
    ]


def pretty(cards: Any) -> str:
    """Cards as people write them: `♠7 ♥10`."""
    return " ".join(Card.parse(card).pretty if isinstance(card, str) else "?" for card in cards)


def _trump(trump: Any, lang: str) -> str:
    if not isinstance(trump, str) or not trump:
        return ""
    return {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}.get(trump, text("overlay.no_trump", lang))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _list(value: Mapping[str, Any], key: str, count: int) -> list[str]:
    return ([_text(one) for one in value.get(key) or ()] + [""] * count)[:count]


def _name(players: list[str], seat: Any) -> str:
    return players[seat] if isinstance(seat, int) and 0 <= seat < len(players) else ""


FEEDS: Final[Mapping[str, Callable[[State, str], Rows]]] = {
    "table": _table,
    "seats": _seats,
    "trick": _trick,
    "finding": _finding,
    "result": _result,
}
"""Name of a feed to what makes its rows."""
