"""A match as readable text, in Chinese and English: every event with its time, and what the referee was
told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table.cards import BadCard, parse_cards, pretty_cards
from table.event_json import BadEvent, event_from_json
from table.events import (
    ClockSet,
    Correction,
    DealStarted,
    Event,
    MatchStarted,
    Play,
    Ruling,
    SealOpened,
    TakenBack,
    UnknownEvent,
)
from table.session import Line
from table.texts import text


def _seat(seat: int | None, lang: str) -> str:
    return text("seats.seat", lang, seat="?" if seat is None else seat)


def _why(why: str | None, lang: str) -> str:
    if not why:
        return ""
    return f"（{why}）" if lang == "zh" else f" ({why})"


def _fields(event: Event, lang: str) -> dict[str, Any]:
    """What the text of an event may name."""
    found: dict[str, Any] = {}
    for name, value in vars(event).items():
        if name in ("seat", "to", "of") and not isinstance(event, Correction):
            found["who" if name == "seat" else name] = _seat(value, lang)
        elif name == "cards":
            found["cards"] = pretty_cards(value or ())
        elif name == "card":
            found["card"] = value.pretty if value is not None else "?"
        elif name == "seats":
            found["seats"] = ", ".join(_seat(seat, lang) for seat in value)
        elif name == "why":
            found["why"] = _why(value, lang)
        else:
            found[name] = value
    return found


def event_text(event: Event, lang: str) -> str:
    """One event as a sentence, without its time.

    >>> from table.events import Pass
    >>> event_text(Pass(seat=2), "en")
    'seat 2 passes'
    """
    fields = _fields(event, lang)
    key = event.name
    match event:
        case MatchStarted(players=players, levels=levels):
            fields |= {f"p{seat}": name or "?" for seat, name in enumerate(players)}
            fields["levels"] = " / ".join(levels)
        case DealStarted(finish=finish, banker=banker):
            more = ""
            if finish:
                more += ("；上副名次 " if lang == "zh" else "; finish before ") + ", ".join(map(str, finish))
            if banker is not None:
                more += ("；庄家 " if lang == "zh" else "; banker ") + _seat(banker, lang)
            fields |= {"more": more, "deal": event.deal or "?", "level": event.level or "?"}
        case Play(says=says):
            fields["says"] = (f"（“{says}”）" if lang == "zh" else f" ('{says}')") if says else ""
            fields["says"] += _in_two(event, lang)
        case TakenBack(consent=consent):
            fields["consent"] = text("record.with_consent" if consent else "record.without_consent", lang)
        case ClockSet(why="time_up"):
            return text("recorder.time_up", lang, who=_seat(event.extra.get("seat"), lang))
        case ClockSet(state=state):
            key = f"clock_{state}"
        case Correction(of=of):
            fields |= {"of": of, "what": _replacement(event, lang)}
        case Ruling(decision=decision):
            fields |= {"decision": text(f"record.{decision}", lang), "by": _why(event.by, lang)}
        case SealOpened(by=by):
            fields["by"] = _why(by, lang)
        case UnknownEvent(kind="missing"):
            return text("recorder.missing", lang, what=_gap(event, lang))
        case UnknownEvent(kind="box_unheard" | "box_heard" as kind):
            return text(f"recorder.{kind}", lang, who=_seat(event.extra.get("box"), lang))
        case UnknownEvent():
            key = "unknown"
    return text(f"record.{key}", lang, **fields)


def _in_two(event: Event, lang: str) -> str:
    """The two plays that a play may be which nobody saw being laid."""
    split = event.extra.get("split")
    if not isinstance(split, list) or not split:
        return ""
    ways = [" + ".join(map(_pretty, parts)) for parts in split if isinstance(parts, list)]
    return text("recorder.split", lang, ways=text("record.semicolon", lang).join(ways))


def _pretty(cards: object) -> str:
    """Cards of a field that this program does not know by its type, as people write them."""
    try:
        return pretty_cards(parse_cards(str(cards)))
    except BadCard:
        return str(cards)


def _gap(event: UnknownEvent, lang: str) -> str:
    """Why something is missing, and of whom."""
    why, seat = event.extra.get("why"), event.extra.get("seat")
    key = why if why in ("blind", "unseen", "unnoticed", "restart") else "unknown"
    return text(f"recorder.{key}", lang, who=_seat(seat, lang) if isinstance(seat, int) else "?")


def _replacement(event: Correction, lang: str) -> str:
    if event.void or event.replacement is None:
        return text("record.void", lang)
    try:
        return event_text(event_from_json(dict(event.replacement)), lang)
    except BadEvent as error:
        return str(error)


def clock_text(at: float | None) -> str:
    """A time of the record as h:mm:ss.t."""
    if at is None:
        return "--:--:--"
    tenths = round(at * 10)
    hours, rest = divmod(tenths, 36000)
    minutes, seconds = divmod(rest, 600)
    return f"{hours}:{minutes:02}:{seconds // 10:02}.{seconds % 10}"


def line_text(line: Line, lang: str) -> str:
    """One line of the referee as a sentence."""
    if "match" in line:
        match = line["match"]
        winner = "-" if match["winner"] is None else text("seats.side", lang, side=match["winner"])
        return text(
            "record.match_result", lang, levels=" / ".join(match["levels"]), winner=winner,
            how=match["decided_by"] or "-",
        )  # fmt: skip
    if "result" in line:
        return text("record.result", lang, deal=line["deal"], result=result_text(line["result"], lang))
    if "withdrawn" in line:
        return text("record.withdrawn", lang, finding=line["finding"])
    if "ruling" in line:
        word = text(f"record.{line['ruling']}", lang)
        return text(
            "record.ruled", lang, finding=line["finding"], ruling=word, penalty=penalty_text(line["penalty"])
        )
    certainty = text(f"record.{line['certainty']}", lang)
    return text("record.finding", lang, finding=line["finding"], certainty=certainty, text=line["text"][lang])


def result_text(result: Mapping[str, Any], lang: str) -> str:
    """The result of a deal in short: whatever it holds of finishing order, points, rise and levels.

    >>> result_text({"finish": [0, 2, 1, 3], "side": 0, "rise": 3, "levels": ["5", "2"]}, "en")
    'finish: seat 0, seat 2, seat 1, seat 3; side 0 rises 3; levels 5 / 2'
    """
    fields: dict[str, Any] = {
        **result,
        "finish": (text("record.comma", lang)).join(_seat(seat, lang) for seat in result.get("finish", ())),
        "banker": _seat(result.get("banker"), lang),
        "next_banker": _seat(result.get("next_banker"), lang),
        "side": text("seats.side", lang, side=result.get("side", "?")),
        "levels": " / ".join(result.get("levels", ())),
    }
    # A rise of nothing is still said where the bank changes hands.
    told = [name for name in ("replay", "finish", "points", "kitty_points", "fines") if result.get(name)]
    told += ["no_points"] if result.get("points") == 0 else []
    told += [name for name in ("rise", "next_banker", "levels") if result.get(name) is not None]
    return text("record.semicolon", lang).join(text(f"record.result_{name}", lang, **fields) for name in told)


def penalty_text(penalty: Mapping[str, Any] | None) -> str:
    """A penalty in short."""
    if penalty is None:
        return "-"
    amount = f" {penalty['amount']}" if "amount" in penalty else ""
    to_side = f" > {penalty['to_side']}" if "to_side" in penalty else ""
    return f"{penalty['kind']}{amount}{to_side}"


def transcript(
    events: Sequence[Event], lines: Mapping[int, Sequence[Line]], end: Sequence[Line], lang: str
) -> str:
    """The text record of a match.

    Args:
        events: in the order of the record.
        lines: what the referee was told at each event, by its number.
        end: the lines after the last event.
        lang: `zh`, `en`, or `both`.
    """
    languages = ("zh", "en") if lang == "both" else (lang,)
    rows = []
    for event in events:
        head = f"{event.seq:>5}  {clock_text(event.at)}  "
        rows.append(head + " | ".join(event_text(event, one) for one in languages))
        for line in lines.get(event.seq, ()):
            rows.append(" " * 8 + "> " + " | ".join(line_text(line, one) for one in languages))
    rows += [" | ".join(line_text(line, one) for one in languages) for line in end]
    return "\n".join(rows) + "\n"
