"""The faults that can be planted in a match of Guandan, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from devices.simulator import guandan_cheats as cheats
from devices.simulator import guandan_edits as edits
from devices.simulator.faults import Fault

FAULTS: Final[Mapping[str, Fault]] = {
    fault.__name__: fault
    for fault in (
        edits.not_a_combination,
        edits.does_not_beat,
        edits.out_of_turn,
        edits.wrong_leader,
        edits.late_play,
        edits.late_lead,
        edits.late_tribute,
        edits.late_return,
        edits.count_not_called,
        edits.count_wrong,
        edits.count_asked_wrongly,
        edits.wild_misplaced,
        edits.exposed_card,
        edits.taken_back,
        edits.card_impossible,
        edits.card_count,
        cheats.tribute_not_highest,
        cheats.return_too_high,
        cheats.tribute_missing,
        cheats.refusal_not_entitled,
        cheats.ambiguous_wild,
        cheats.warning_limit,
        cheats.forfeit,
        edits.out_of_turn_pass,
        edits.wrong_later_leader,
        edits.count_repeated,
        edits.gestures,
        edits.doubtful_reading,
        cheats.tribute_not_highest_sealed,
        cheats.return_too_high_sealed,
        cheats.wrong_drawn_leader,
    )
}
"""Name to fault; under a profile that has no such rule a fault finds no occasion."""
