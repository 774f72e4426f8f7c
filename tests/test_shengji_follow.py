"""Following: vectors, disputes, the four published orders, and a brute force that tries the lists itself."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations, pairwise

import pytest

from table.cards import Card
from table.shengji.follow import example_play, follow
from table.shengji.formats import best_reading
from table.shengji.keys import Follow
from table.shengji.order import Order, order_for
from tests.shengji_tools import EVENT, OFFICIAL, cards, lead, order, rules


def legal(led, hand, play, profile=OFFICIAL[3], level="Q", trump="S", **options) -> bool:
    by = order(level, trump, profile)
    return follow(lead(led, by), cards(hand), cards(play), by, rules(profile, **options).follow).legal


@pytest.mark.rule("SJO-34", "SJO-35", "SJO-42")
def test_level_cards_do_not_follow_their_printed_suit():
    assert legal("HA", "H10 D5", "D5", level="10")
    assert not legal("HA", "H3 D5", "D5", level="10")
    assert not legal("HAx2", "H3 S4 S4 D5", "S4x2")
    assert legal("HAx2", "H3 S4 S4 D5", "H3 D5")


@pytest.mark.rule("SJO-33")
@pytest.mark.parametrize("play", ["H3", "H3 H4 H5"])
def test_a_play_has_as_many_cards_as_the_lead(play):
    by = order("Q", "S")
    verdict = follow(lead("HAx2", by), cards("H3 H4 H5"), cards(play), by, rules().follow)
    assert verdict.problem == "wrong_length"


def test_a_card_that_is_not_in_the_hand_is_named_so():
    by = order("Q", "S")
    assert follow(lead("HA", by), cards("H3"), cards("H4"), by, rules().follow).problem == "not_held"


@pytest.mark.rule("SJO-36", "SJE-26")
def test_a_pair_follows_a_pair_even_out_of_a_tractor():
    assert not legal("HAx2", "H7x2 H8x2 HK", "HK H7")
    assert legal("HAx2", "H7x2 H8x2 HK", "H7x2")
    assert legal("HAx2", "H7x2 H8x2 HK", "HK H7", follow__break_tractors=False)
    assert not legal("HAx2", "H7x2 H8x2 HJx2", "HJ H7", follow__break_tractors=False)


@pytest.mark.rule("SJO-36", "SJE-26")
def test_a_triple_is_split_for_a_pair_by_the_official_rules_only():
    """Dispute A15."""
    hand = "H3x3 H7"
    assert not legal("HAx2", hand, "H3 H7")
    assert legal("HAx2", hand, "H3x2")
    assert legal("HAx2", hand, "H3 H7", EVENT, "K")
    assert legal("HAx2", hand, "H3x2", EVENT, "K")


@pytest.mark.rule("SJO-37", "SJE-28")
def test_a_triple_is_followed_with_a_triple_then_a_pair_and_one():
    assert not legal("HAx3", "H3x3 H7x2 H8", "H7x2 H8")
    assert not legal("HAx3", "H3 H4 H7x2 H8", "H3 H4 H8")
    assert legal("HAx3", "H3 H4 H7x2 H8", "H3 H7x2")
    assert not legal("HAx3", "H3 H4 H7x2 H8", "H3 H4 H8", EVENT, "K")


@pytest.mark.rule("SJO-38", "SJE-27")
def test_a_tractor_is_followed_with_a_tractor_then_pairs():
    assert not legal("H5x2 H6x2", "H7x2 H8x2 HJx2 HK", "H7x2 HJx2")
    assert legal("H5x2 H6x2", "H7x2 H8x2 HJx2 HK", "H7x2 H8x2")
    assert legal("H5x2 H6x2", "H7x2 H9x2 HJ HK", "H7x2 H9x2")
    assert not legal("H5x2 H6x2", "H7x2 H9x2 HJ HK", "H7x2 HJ HK")
    assert not legal("H5x2 H6x2", "H7x2 H9 HJ HK", "H7 H9 HJ HK")


@pytest.mark.rule("SJO-38", "SJE-26", "SJE-27")
def test_pairs_on_a_tractor_where_the_hand_has_a_triple_and_a_pair():
    """Dispute A14."""
    hand = "H3x3 H10x2 H7"
    lead_ = "HAx2 HKx2"
    assert not legal(lead_, hand, "H3x3 H7")
    assert legal(lead_, hand, "H10x2 H3x2")
    assert not legal(lead_, hand, "H10x2 H7 H3")
    assert not legal(lead_, hand, "H3x3 H7", EVENT)
    assert legal(lead_, hand, "H10x2 H7 H3", EVENT)
    assert legal(lead_, hand, "H10x2 H3x2", EVENT)


A17 = "HAx3 HJx2 HQx2 H3 H4"


@pytest.mark.rule("SJO-39", "SJO-40", "SJE-29")
@pytest.mark.parametrize(
    ("published", "good", "bad"),
    [
        ("official", ["HAx3 HJx2 H3", "HAx3 HQx2 H3"], ["HJx2 HQx2 H3 H4", "HAx3 HJ HQ H3"]),
        ("tractor_before_triple", ["HJx2 HQx2 H3 H4"], ["HAx3 HJx2 H3"]),
        ("tractor_first", ["HJx2 HQx2 H3 H4"], ["HAx3 HJx2 H3"]),
        ("event", ["HJx2 HQx2 H3 H4"], ["HAx3 HJx2 H3"]),
    ],
)
def test_a_tractor_of_triples_in_the_four_published_orders(published, good, bad):
    """Dispute A17."""
    for play in good:
        assert legal("H5x3 H6x3", A17, play, level="2", follow__order=published), play
    for play in bad:
        assert not legal("H5x3 H6x3", A17, play, level="2", follow__order=published), play


@pytest.mark.rule("SJO-40")
def test_two_loose_triples_come_before_the_tractor_of_pairs_but_in_the_order_of_8():
    hand = "HAx3 H9x3 HJx2 HQx2"
    for published, triples in (("official", True), ("tractor_before_triple", True), ("tractor_first", False)):
        assert legal("H5x3 H6x3", hand, "HAx3 H9x3", level="2", follow__order=published) is triples
        both = legal("H5x3 H6x3", hand, "HJx2 HQx2 HA H9", level="2", follow__order=published)
        assert both is not triples


@pytest.mark.rule("SJE-29")
def test_the_event_asks_one_triple_and_anything_where_there_is_no_tractor():
    assert legal("H5x3 H6x3", "HAx3 H7x2 H9x2 H3 H4", "HAx3 H3 H4 H7", EVENT, "K")
    assert not legal("H5x3 H6x3", "HAx3 H7x2 H9x2 H3 H4", "H7x2 H9x2 H3 H4", EVENT, "K")


@pytest.mark.rule("SJO-38")
def test_a_shorter_tractor_on_a_longer_one_by_key():
    hand = "H7x2 H8x2 HJx2 HKx2"
    led = "H3x2 H4x2 H5x2"
    assert legal(led, hand, "H7x2 HJx2 HKx2", level="2")
    assert not legal(led, hand, "H7x2 HJx2 HKx2", level="2", follow__shorter_tractors=True)
    assert legal(led, hand, "H7x2 H8x2 HKx2", level="2", follow__shorter_tractors=True)


@pytest.mark.rule("SJO-41", "SJE-30")
def test_a_throw_is_followed_part_by_part():
    led = "HAx2 HK"
    assert not legal(led, "H3x2 H5 H7 H8", "H5 H7 H8")
    assert legal(led, "H3x2 H5 H7 H8", "H3x2 H8")
    assert legal(led, "H3 H5 H7 H8", "H5 H7 H8")
    two = "HAx2 HJx2"
    assert not legal(two, "H3x2 H5x2 H7 H8", "H3x2 H7 H8")
    assert not legal(led, "H3x2 H5 H7 H8", "H5 H7 H8", EVENT, "J")


@pytest.mark.rule("SJO-34", "SJE-25")
def test_all_cards_of_the_suit_go_before_any_discard():
    assert not legal("HAx2 HK", "H3 H5 D7 D8 D9", "H3 D7 D8")
    assert legal("HAx2 HK", "H3 H5 D7 D8 D9", "H3 H5 D8")
    assert legal("HAx2 HK", "D7 D8 D9 S3 S4", "S3 S4 D9")


def test_nothing_but_the_suit_is_asked_where_the_profile_says_so():
    assert legal("HAx2", "H3x2 H7", "H3 H7", follow__shapes=False)
    assert not legal("HAx2", "H3x2 H7 D5", "H3 D5", follow__shapes=False)


# An independent judge: the lists of the sources as they are printed, and every choice of cards tried. ----

LISTS = {
    "pair": {"official": ["P", ""], "event": ["P", ""]},
    "triple": {"official": ["T", "P", ""], "event": ["T", "P", ""]},
    "PP2": {"official": ["PP2", "P P", "P", ""], "event": ["PP2", "P P", "P", ""]},
    "PP3": {"official": ["PP3", "P P P", "P P", "P", ""], "event": ["PP3", "P P P", "P P", "P", ""]},
    "TT2": {
        "official": ["TT2", "T T", "T P", "T", "PP2", "P P", "P", ""],
        "tractor_before_triple": ["TT2", "T T", "PP2", "T P", "T", "P P", "P", ""],
        "tractor_first": ["TT2", "PP2", "T T", "T P", "T", "P P", "P", ""],
        "event": ["TT2", "PP2", "T", "P P", "P", ""],
    },
}


def _pieces(chosen: tuple[Card, ...], by: Order, wanted: str) -> bool:
    """Whether the cards can be laid out so that the wanted pieces are there, trying every layout."""
    return _lay(Counter(chosen), by, wanted.split())


def _lay(left: Counter[Card], by: Order, wanted: list[str]) -> bool:
    if not wanted:
        return True
    piece, rest = wanted[0], wanted[1:]
    width = {"P": 2, "T": 3}[piece[0]]
    length = int(piece[2:]) if len(piece) > 1 else 1
    names = [card for card in left if left[card] >= width]
    for run in combinations(sorted(names, key=by.place), length):
        places = [by.place(card) for card in run]
        if all(b - a == 1 for a, b in pairwise(places)):
            after = left.copy()
            for card in run:
                after[card] -= width
            if _lay(after, by, rest):
                return True
    return False


def _exact(chosen: tuple[Card, ...], by: Order, wanted: str) -> bool:
    """The same where a triple does not serve as a pair: only names with exactly the width are pieces."""
    left = Counter(chosen)
    pieces = wanted.split()
    threes = Counter({c: n for c, n in left.items() if n == 3})
    twos = Counter({c: n for c, n in left.items() if n == 2})
    return _lay(threes, by, [p for p in pieces if p[0] == "T"]) and _lay(
        twos, by, [p for p in pieces if p[0] == "P"]
    )


def _parts(led: tuple[Card, ...], by: Order) -> list[str]:
    """The list by which each part of a lead is followed, the largest part first."""
    names = {"pair": "pair", "triple": "triple", "tractor": "PP", "triple_tractor": "TT"}
    found = []
    for unit in best_reading(led, by):
        if unit.kind != "single":
            found.append(names[unit.kind] + (str(unit.length) if unit.length > 1 else ""))
    return found


def _level_of(chosen: tuple[Card, ...], by: Order, parts: list[str], published: str, has) -> list[int]:
    """How far down each list the cards must go, part by part, earlier parts kept."""
    wanted, places = "", []
    for part in parts:
        options = LISTS[part].get(published, LISTS[part]["official"])
        for i, option in enumerate(options):
            together = f"{wanted} {option}".strip()
            if has(chosen, by, together):
                wanted, places = together, [*places, i]
                break
    return places


def brute(led, hand, play, by: Order, published: str, split: bool) -> bool:
    group = by.group(led[0])
    held = by.of_group(hand, group)
    followed = by.of_group(play, group)
    if len(held) <= len(led):
        return len(followed) == len(held)
    if len(followed) < len(play):
        return False
    has = _pieces if split else _exact
    parts = _parts(led, by)
    return _level_of(followed, by, parts, published, has) <= _level_of(held, by, parts, published, has)


LEADS = [
    "H9", "H9x2", "H9 HJ", "H9x2 H10x2", "H9x2 HJ", "H9x2 HJx2", "H9 HJ HK", "H9x2 HJ HK", "H9x2 H10x2 HK",
    "H9x2 H10x2 HJx2", "H9x2 H10x2 HK HA", "H9x2 H10x2 HKx2", "HJx2 HKx2 HA", "H9 HJ HK HA", "H7x2 H9x2 HJx2",
    "H7x2 H9 HJ HK HA", "H7x2 H9x2 HJ HA", "H7 H9 HJ HK HA", "H7 H8 H10 HJ HK HA",
]  # fmt: skip
THREE_PACK_LEADS = [
    *LEADS, "H9x3", "H9x3 HJ", "H9x3 HJx2", "H9x3 H10x3", "H9x3 HJx3", "H9x3 HJx2 HA", "H9x3 HJ HK HA",
    "H9x3 HJ HA",
]  # fmt: skip


POOL = ("H3", "H4", "H5", "H6", "H8", "HQ", "C10", "D10", "S10", "LJ")


def _cases(packs: int, count: int, seed: int):
    """Random hands of up to seven cards of the led suit, dense so that shapes occur."""
    rng = random.Random(seed)
    leads = LEADS if packs == 2 else THREE_PACK_LEADS
    for number in range(count):
        by = order_for("2", "S") if number % 3 else order_for("10", "H")
        led = cards(leads[number % len(leads)])
        if by.only_group(led) is None:
            continue
        group = by.group(led[0])
        pool = [
            card for name in POOL for card in cards(f"{name}x{packs}")
            if by.group(card) == group
        ]  # fmt: skip
        names = rng.sample(sorted(set(pool), key=str), min(len(set(pool)), rng.randint(2, 5)))
        pool = [card for card in pool if card in names]
        hand = (
            tuple(rng.sample(pool, min(len(pool), rng.randint(0, 7))))
            + cards("D5 C7 D8 C9 DJ D6")[: len(led)]
        )
        yield by, led, hand


@pytest.mark.rule("SJO-34", "SJO-35", "SJO-36", "SJO-37", "SJO-38", "SJO-39", "SJO-40", "SJO-41")
@pytest.mark.rule("SJE-26", "SJE-27", "SJE-28", "SJE-29", "SJE-30")
@pytest.mark.parametrize("packs", [2, 3])
@pytest.mark.parametrize("published", ["official", "tractor_before_triple", "tractor_first", "event"])
def test_follow_accepts_exactly_what_the_printed_lists_accept(packs, published):
    count = int(os.environ.get("PAIZHUO_HANDS", "80"))
    split = published != "event"
    keys = Follow(order=published, split_triples=split)
    accepted = refused = 0
    for by, led, hand in _cases(packs, count, seed=packs):
        units = best_reading(led, by)
        plays = {tuple(sorted(play, key=str)) for play in combinations(hand, len(led))}
        for play in plays:
            verdict = follow(units, hand, play, by, keys).legal
            assert verdict == brute(led, hand, play, by, published, split), (led, hand, play)
            accepted, refused = accepted + verdict, refused + (not verdict)
        assert follow(units, hand, example_play(units, hand, by, keys), by, keys).legal, (led, hand)
    assert accepted > count
    assert refused > count
