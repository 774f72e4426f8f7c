"""Writes a judged record in the formats that people ask for: text, match sheet (xlsx), JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from table.event_json import event_to_json
from table.events import DealStarted, Event, MatchStarted
from table.record import Record
from table.session import Line
from table.texts import text
from table.transcript import line_text, result_text, transcript

FORMATS: Final = ("text", "xlsx", "json")

Told: TypeAlias = Mapping[int, Sequence[Line]]
"""What the referee was told at each event, by its number, in order."""


def export_record(
    to: str, record: Record, told: Told, end: Sequence[Line], path: Path, out: Path | None, lang: str
) -> None:
    """Write a record in a format, to `out` or to the standard output (a sheet: beside the record).

    Raises:
        OSError: the file cannot be written.
    """
    lines = [line for seq in told for line in told[seq]] + list(end)
    if to == "xlsx":
        target = out or path.with_suffix(".xlsx")
        write_sheet(target, record.events, lines)
        print(target)
        return
    if to == "json":
        body = json.dumps(as_document(record.events, lines), ensure_ascii=False, indent=1) + "\n"
    else:
        body = transcript(record.events, told, end, lang)
    if out is None:
        sys.stdout.write(body)
    else:
        out.write_text(body, "utf-8")


def as_document(events: Sequence[Event], lines: Sequence[Line]) -> dict[str, Any]:
    """Record and judgement as one JSON object."""
    findings: dict[int, Line] = {}
    for line in lines:
        number = line.get("finding")
        if number is None:
            continue
        if "withdrawn" in line:
            findings.setdefault(number, {})["withdrawn"] = True
        elif "ruling" in line:
            findings.setdefault(number, {})["ruling"] = line["ruling"]
        else:
            kept = {key: value for key, value in findings.get(number, {}).items() if key == "ruling"}
            findings[number] = {**line, **kept}
    return {
        "events": [event_to_json(event) for event in events],
        "findings": list(findings.values()),
        "deals": [line for line in lines if "result" in line],
        "match": next((line["match"] for line in reversed(lines) if "match" in line), None),
    }


def write_sheet(target: Path, events: Sequence[Event], lines: Sequence[Line]) -> None:
    """The match record sheet (比赛记录表): a row for each deal, then findings and rulings in full."""
    # Imported where it is needed: no other command has to wait for it.
    import xlsxwriter

    book = xlsxwriter.Workbook(str(target), {"in_memory": True})
    try:
        bold = book.add_format({"bold": True, "text_wrap": True, "border": 1})
        cell = book.add_format({"text_wrap": True, "valign": "top", "border": 1})
        _deal_sheet(book, events, lines, bold, cell)
        _findings_sheet(book, lines, bold, cell)
    finally:
        try:
            book.close()
        except xlsxwriter.exceptions.FileCreateError as error:
            raise OSError(getattr(error.args[0], "errno", 0), "the file cannot be created") from None


def _title(key: str) -> str:
    return f"{text(f'record.{key}', 'zh')} {text(f'record.{key}', 'en')}"


def _deal_sheet(book: Any, events: Sequence[Event], lines: Sequence[Line], bold: Any, cell: Any) -> None:
    sheet = book.add_worksheet(text("record.sheet", "zh"))
    start = next((event for event in events if isinstance(event, MatchStarted)), None)
    sheet.write(0, 0, _title("sheet"), bold)
    if start is not None:
        sheet.write(0, 1, start.profile, cell)
        for seat, name in enumerate(start.players):
            sheet.write(1, seat, f"{seat}: {name}", cell)
    heads = ("deal", "level", "finish", "result", "levels", "findings", "rulings")
    for column, key in enumerate(heads):
        sheet.write(2, column, _title(f"sheet_{key}"), bold)
    widths = (8, 8, 14, 40, 18, 60, 40)
    for column, width in enumerate(widths):
        sheet.set_column(column, column, width)
    rows = _deal_rows(events, lines)
    for number, row in enumerate(rows, 3):
        for column, value in enumerate(row):
            sheet.write(number, column, value, cell)
    last = 4 + len(rows)
    for line in lines:
        if "match" in line:
            sheet.write(last, 0, line_text(line, "zh"), cell)
            sheet.write(last + 1, 0, line_text(line, "en"), cell)
    sheet.write(last + 3, 0, _title("sheet_signed"), bold)


def _deal_rows(events: Sequence[Event], lines: Sequence[Line]) -> list[list[str]]:
    """One row a deal: number, level, finish, result, levels, findings, rulings."""
    starts = [event for event in events if isinstance(event, DealStarted)]
    results = _last_results(lines)
    rows = []
    for place, event in enumerate(starts):
        end = starts[place + 1].seq if place + 1 < len(starts) else None
        deal = event.deal if event.deal is not None else place + 1
        result = results.get(deal, {})
        told = _within(lines, event.seq, end)
        rows.append(
            [
                str(deal), event.level or str(result.get("level", "")),
                " ".join(map(str, result.get("finish", []))), result_text(result, "zh"),
                " / ".join(result.get("levels", [])),
                "\n".join(line_text(line, "zh") for line in told if "certainty" in line),
                "\n".join(line_text(line, "zh") for line in told if "ruling" in line),
            ]
        )  # fmt: skip
    return rows


def _last_results(lines: Sequence[Line]) -> dict[int, dict[str, Any]]:
    return {line["deal"]: line["result"] for line in lines if "result" in line}


def _within(lines: Sequence[Line], start: int, end: int | None) -> list[Line]:
    found = []
    for line in lines:
        seq = line.get("event")
        if "finding" in line and seq is not None and seq >= start and (end is None or seq < end):
            found.append(line)
    return found


def _findings_sheet(book: Any, lines: Sequence[Line], bold: Any, cell: Any) -> None:
    sheet = book.add_worksheet(f"{text('record.sheet_findings', 'zh')} {text('record.sheet_findings', 'en')}")
    heads = ("finding", "rule", "kind", "seat", "event", "at", "certainty", "zh", "en", "penalty")
    for column, head in enumerate(heads):
        sheet.write(0, column, head, bold)
    sheet.set_column(7, 8, 60)
    row = 1
    for line in lines:
        if "finding" not in line:
            continue
        values = {**line, **line.get("text", {})}
        if "withdrawn" in line:
            values["certainty"] = "withdrawn"
        if "ruling" in line:
            values["certainty"] = line["ruling"]
        for column, head in enumerate(heads):
            value = values.get(head)
            sheet.write(row, column, json.dumps(value) if isinstance(value, dict) else value, cell)
        row += 1
