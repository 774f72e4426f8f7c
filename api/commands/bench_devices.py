"""`paizhuo bench devices`: passes and counts by key, by boxes on real ports and by plaques must give one record."""

from __future__ import annotations

import difflib
import json
from typing import Annotated

import typer

from api.commands.read import complain, open_reader
from table.rulesets import BadProfile, load_profile


def bench_devices(
    profile: Annotated[
        str, typer.Option("--profile", help="Rules to play by. 规则方案。")
    ] = "guandan-official",
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals in all. 总副数。")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Of matches, light and hands. 随机种子。")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Play matches on the simulated table three ways and compare the records with the one put in by keys.

    同一场比赛以三种方式报过牌与报牌（按键、座位盒、标牌），比对所得记录。
    """
    from api.device_bench import WAYS, play
    from api.table_bench import matches, one_thread
    from devices.simulator.decks import demo_deck

    try:
        rules = load_profile(profile)
    except BadProfile as error:
        complain(error)
        raise typer.Exit(2) from None
    one_thread()
    reader, deck = open_reader(1), demo_deck()
    rows = {
        way: {"events": 0, "differ": 0, "findings_differ": 0, "cards_wrong": 0, "plays_exact": 0}
        for way in WAYS
    }
    for match in matches(rules, deals, seed):
        found = {way: play(match, deck, reader, way) for way in WAYS}
        for way, one in found.items():
            other = [line for line in difflib.ndiff(found["keys"].record, one.record) if line[0] in "+-"]
            for line in other:
                complain(f"{match.label} {way}: {line}")
            row = rows[way]
            row["events"] += len(one.record)
            row["differ"] += len(other)
            row["findings_differ"] += len(set(found["keys"].findings) ^ set(one.findings))
            row["cards_wrong"] += one.tally.cards_wrong
            row["plays_exact"] += one.tally.plays_exact
    if as_json:
        print(json.dumps(rows))
        return
    for way, row in rows.items():
        print(f"{way:10}" + "".join(f"  {key} {value}" for key, value in row.items()))
