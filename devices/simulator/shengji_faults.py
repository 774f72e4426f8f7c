"""The faults that can be planted in a match of Shengji, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from devices.simulator import shengji_cheats as cheats
from devices.simulator import shengji_edits as edits
from devices.simulator.faults import Fault

FAULTS: Final[Mapping[str, Fault]] = {
    fault.__name__: fault
    for fault in (
        cheats.revoke,
        cheats.shape_not_followed,
        cheats.throw_accepted,
        cheats.throw_stopped,
        cheats.throw_forced_wrong,
        cheats.throw_stop_wrong,
        edits.not_a_combination,
        edits.out_of_turn,
        edits.wrong_leader,
        edits.wrong_length,
        edits.taken_back,
        edits.declaration_weaker,
        edits.declaration_late,
        edits.kitty_turned_needlessly,
        edits.early_kitty,
        edits.kitty_count,
        edits.kitty_changed,
        edits.exposed_card,
        edits.information,
        edits.card_count,
        edits.card_impossible,
        edits.wrong_banker,
        edits.wrong_level,
    )
}
"""Name to fault; under a profile that has no such rule a fault finds no occasion."""
