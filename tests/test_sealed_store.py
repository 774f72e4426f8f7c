"""The sealed store: nobody reads it without the key, nobody changes it unnoticed, everybody can check it afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.sealed_record import AnotherDeal, SealedRecord, verify_record
from calibration.device_setup import DeviceSetup
from devices.deal_folder import DealFolder, FileDeal, NotADeal, parse_deals
from devices.protocol import Said
from devices.seal_format import Facts, SealError, facts_of
from devices.seal_key import check_apart, make_key, private_key, public_key
from devices.seal_opening import log_opening, open_deal, openings
from devices.sealed import SealedStore
from table.cards import ALL_CARDS, Card
from table.event_json import event_from_json, event_to_json
from table.events import Correction, DealStarted, Dealt, HandSealed, Pass, Play
from table.session import replay
from tests.serial_tools import hands_of, shuffled

COUNTS = {"0": 27, "1": 27, "2": 27, "3": 27}


def seal(
    folder: Path, key: Path, dealt: list[tuple[str, str]], counts: dict[str, int] | None = None
) -> Facts:
    deal = SealedStore(folder, public_key(key)).begin(label="", device="d", reveal="after_deal", begun=0.0)
    for place, face in dealt:
        deal.add(place, face)
    assert "S" not in repr(deal).removeprefix("SealedDeal")
    return deal.finish(COUNTS if counts is None else counts, 2)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "seal.key"


def test_what_was_sealed_is_what_is_opened(tmp_path: Path, key: Path) -> None:
    dealt = shuffled(1)
    facts = seal(tmp_path / "s", key, dealt)
    assert facts.check == "whole"
    opened = open_deal(tmp_path / "s", facts.deal, private_key(key))
    assert {place: list(hand.cards) for place, hand in opened.items()} == hands_of(dealt)


def test_a_copy_of_the_folder_names_no_card_and_not_even_the_length_of_its_name(
    tmp_path: Path, key: Path
) -> None:
    facts = seal(tmp_path / "s", key, shuffled(2))
    lines = (tmp_path / "s" / f"deal-{facts.deal}.sealed").read_text().splitlines()
    cards = [json.loads(line) for line in lines if '"i"' in line]
    assert len(cards) == 108
    assert {len(card["box"]) for card in cards} == {len(cards[0]["box"])}
    assert all(set(card) == {"i", "to", "line", "bound", "box"} for card in cards)
    words = {json.loads(f'"{word}"') for line in lines for word in line.replace('"', " ").split()}
    assert not words & {str(card) for card in ALL_CARDS}
    # The same deal sealed again looks altogether different: no card can be guessed by its hash.
    again = seal(tmp_path / "t", key, shuffled(2))
    assert {hand.commitment for hand in facts.hands.values()}.isdisjoint(
        hand.commitment for hand in again.hands.values()
    )


def test_another_key_opens_nothing(tmp_path: Path, key: Path) -> None:
    facts = seal(tmp_path / "s", key, shuffled(3))
    make_key(tmp_path / "other.key")
    with pytest.raises(SealError, match="sealed with key"):
        open_deal(tmp_path / "s", facts.deal, private_key(tmp_path / "other.key"))


@pytest.mark.parametrize("field", ["box", "bound", "to"])
def test_a_card_that_was_exchanged_afterwards_is_noticed(tmp_path: Path, key: Path, field: str) -> None:
    facts = seal(tmp_path / "s", key, shuffled(4))
    path = tmp_path / "s" / f"deal-{facts.deal}.sealed"
    lines = path.read_text().splitlines()
    first, second = (json.loads(line) for line in lines[2:4])
    first[field], second[field] = second[field], first[field]
    path.write_text("\n".join([*lines[:2], json.dumps(first), json.dumps(second), *lines[4:]]) + "\n")
    with pytest.raises(SealError, match=r"changed after it was sealed|not the one that was bound"):
        open_deal(tmp_path / "s", facts.deal, private_key(key))


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda dealt: dealt, "whole"),
        (lambda dealt: [*dealt[:-1], (dealt[-1][0], "?")], "counted"),
        (lambda dealt: [*dealt[:-1], (dealt[-1][0], dealt[0][1])], "wrong"),
        (lambda dealt: dealt[:-1], "wrong"),
        (lambda dealt: [("1", dealt[0][1]), *dealt[1:]], "wrong"),
    ],
    ids=["whole", "a card unread", "a card twice", "a card short", "one hand too many"],
)
def test_a_deal_is_checked_against_the_packs_in_play(tmp_path: Path, key: Path, change, check: str) -> None:  # type: ignore[no-untyped-def]
    assert seal(tmp_path / "s", key, change(shuffled(5))).check == check


def test_a_deal_that_was_interrupted_goes_on_where_it_was(tmp_path: Path, key: Path) -> None:
    dealt = shuffled(6)
    store = SealedStore(tmp_path / "s", public_key(key))
    deal = store.begin(label="", device="d", reveal="after_deal", begun=0.0)
    for place, face in dealt[:50]:
        deal.add(place, face)
    deal.sync()
    path = next((tmp_path / "s").glob("*.sealed"))
    path.write_bytes(path.read_bytes() + b'{"i": 51, "to')
    again = SealedStore(tmp_path / "s", public_key(key)).unfinished("d")
    assert again is not None
    assert again.facts.cards == 50
    for place, face in dealt[50:]:
        again.add(place, face)
    assert again.finish(COUNTS, 2).check == "counted"
    opened = open_deal(tmp_path / "s", again.facts.deal, private_key(key))
    assert {place: list(hand.cards) for place, hand in opened.items()} == hands_of(dealt)


def test_the_key_may_lie_nowhere_where_it_protects_nothing(tmp_path: Path, key: Path) -> None:
    with pytest.raises(SealError, match="in the data folder"):
        check_apart(tmp_path / "data" / "keys" / "seal.key", tmp_path / "data")
    make_key(key)
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(SealError, match="others can read the seal key"):
        private_key(key)
    with pytest.raises(SealError, match="there is a seal key already") as caught:
        make_key(key)
    assert "已有密钥" in caught.value.reason["zh"]


def test_a_key_with_a_passphrase_seals_by_itself_and_opens_only_by_hand(tmp_path: Path, key: Path) -> None:
    make_key(key, "geheim")
    facts = seal(tmp_path / "s", key, shuffled(7))
    with pytest.raises(SealError, match="has a passphrase"):
        private_key(key)
    with pytest.raises(SealError, match="wrong passphrase"):
        private_key(key, "falsch")
    assert len(open_deal(tmp_path / "s", facts.deal, private_key(key, "geheim"))) == 4


def test_who_opens_a_deal_is_noted_before_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    log_opening(tmp_path / "s", "1-a", at=5.0, policy="referee", by="裁判甲", why="抗议")
    assert openings(tmp_path / "s") == [
        {"at": 5.0, "deal": "1-a", "policy": "referee", "by": "裁判甲", "why": "抗议"}
    ]
    with pytest.raises(SealError, match="not opened"):
        log_opening(tmp_path / "none", "1-a", at=5.0, policy="referee")


def test_what_holds_cards_does_not_show_them(tmp_path: Path, key: Path) -> None:
    facts = seal(tmp_path / "s", key, shuffled(8))
    hand = open_deal(tmp_path / "s", facts.deal, private_key(key))["0"]
    shown = [repr(hand), repr(FileDeal("1", {"0": ("S7",)})), repr(Said(3, 5, "CARD", ("1", "0", "S7")))]
    assert not [text for text in shown if "S7" in text or hand.cards[0] in text]


# The record.


def record_of(tmp_path: Path, key: Path, dealt: list[tuple[str, str]]) -> tuple[list, Facts]:  # type: ignore[type-arg]
    facts = seal(tmp_path / "s", key, dealt)
    events = [
        event_from_json({"event": "match_started", "profile": "guandan-official", "at": 0.0}),
        DealStarted(deal=1, level="2", at=1.0),
    ]
    record = SealedRecord(events)
    bound = record.sealing([facts], 2.0, 0.0)
    return [event.numbered(n) for n, event in enumerate([*events, *bound], 1)], facts


def test_the_record_is_bound_when_dealt_and_proves_the_hands_afterwards(tmp_path: Path, key: Path) -> None:
    dealt = shuffled(9)
    events, facts = record_of(tmp_path, key, dealt)
    assert [event.seat for event in events if isinstance(event, HandSealed)] == [0, 1, 2, 3]
    record = SealedRecord(events)
    assert record.may_open([facts]) == []
    record.note(DealStarted(deal=2, at=9.0))
    assert record.may_open([facts]) == [(facts.deal, "after_deal")]
    hands = open_deal(tmp_path / "s", facts.deal, private_key(key))
    events += [
        event.numbered(len(events) + n) for n, event in enumerate(record.opening(facts.deal, hands, 10.0), 1)
    ]
    assert [state for _, _, state in verify_record(events)] == ["verified"] * 4
    referee, _ = replay(events)
    assert referee.troubles == []
    found = {
        event.seat: [str(card) for card in event.cards]
        for event in referee.effective()
        if isinstance(event, Dealt)
    }
    assert found == {int(place): cards for place, cards in hands_of(dealt).items()}


def test_a_hand_that_is_not_the_bound_one_is_noticed_in_the_record_alone(tmp_path: Path, key: Path) -> None:
    events, facts = record_of(tmp_path, key, shuffled(10))
    hands = open_deal(tmp_path / "s", facts.deal, private_key(key))
    opening = SealedRecord(events).opening(facts.deal, hands, 10.0)
    assert isinstance(opening[0], Correction)
    told = dict(opening[0].replacement or {})
    other = "BJ" if str(told["cards"]).split()[0] != "BJ" else "LJ"
    told["cards"] = " ".join([other, *str(told["cards"]).split()[1:]])
    events.append(Correction(of=opening[0].of, replacement=told).numbered(99))
    assert [state for _, _, state in verify_record(events)] == ["broken", *["still_sealed"] * 3]


def test_hands_of_another_deal_do_not_get_into_the_record(tmp_path: Path, key: Path) -> None:
    dealt = shuffled(11)
    events, facts = record_of(tmp_path, key, dealt)
    theirs = hands_of(shuffled(12))
    record = SealedRecord(events)
    for seat in range(4):
        cards = tuple(Card.parse(card) for card in theirs[str(seat)][:9])
        record.note(Play(seat=seat, cards=cards, seq=50 + seat))
    with pytest.raises(AnotherDeal, match="is not deal 1 of the record"):
        record.opening(facts.deal, open_deal(tmp_path / "s", facts.deal, private_key(key)), 10.0)


def test_a_deal_is_bound_once_and_not_after_somebody_has_played(tmp_path: Path, key: Path) -> None:
    events, facts = record_of(tmp_path, key, shuffled(13))
    assert SealedRecord(events).sealing([facts], 3.0, 0.0) == []
    played = [*events[:2], Play(seat=0, cards=(Card.parse("S3"),), at=3.0)]
    assert SealedRecord(played).sealing([facts], 4.0, 0.0) == []
    pressed_by_mistake = [*events[:2], Pass(seat=0, at=3.0)]
    assert len(SealedRecord(pressed_by_mistake).sealing([facts], 4.0, 0.0)) == 4
    of_the_deal_before = [*events[:2], Play(seat=0, cards=(Card.parse("S3"),), at=0.5)]
    assert len(SealedRecord(of_the_deal_before).sealing([facts], 4.0, 0.0)) == 4
    old = SealedRecord(events[:2]).sealing([facts], 4.0, 7200.0)
    assert old == []


# Deals as files.


def as_file(dealt: list[tuple[str, str]], board: int) -> str:
    """A deal in the format of docs/serial-protocol.md."""
    hands = []
    for place in "0123":
        cards = [Card.parse(card) for card in hands_of(dealt)[place]]
        suits = ["".join(c.rank.replace("10", "T") for c in cards if c.suit == suit) for suit in "SHDC"]
        hands.append(".".join([*suits, "".join(c.rank[0] for c in cards if c.is_joker)]))
    return f'% a hand record\n[Event "x"]\n[Board "{board}"]\n[Deal "0:{" ".join(hands)}"]\n'


def test_a_file_is_sealed_once_it_is_whole_and_then_gone(tmp_path: Path, key: Path) -> None:
    folder, dealt = tmp_path / "in", shuffled(14)
    sealed: list[Facts] = []
    folder.mkdir()
    watch = DealFolder(
        DeviceSetup("files", "deal-folder", port=str(folder)),
        SealedStore(tmp_path / "s", public_key(key)), 2, sealed.append, lambda: 0.0,
    )  # fmt: skip
    text = as_file(dealt, 7) + as_file(shuffled(15), 8)
    (folder / "a.pbn").write_text(text[: len(text) - 40])
    for _ in range(20):
        watch.look()
    assert sealed == []
    assert "write it anew" in watch.health().why
    (folder / "a.pbn").write_text(text)
    for _ in range(3):
        watch.look()
    assert watch.health().why == ""
    assert list(folder.iterdir()) == []
    assert [facts.check for facts in facts_of(tmp_path / "s")] == ["whole", "whole"]
    opened = open_deal(tmp_path / "s", sealed[0].deal, private_key(key))
    assert {place: sorted(hand.cards) for place, hand in opened.items()} == {
        place: sorted(cards) for place, cards in hands_of(dealt).items()
    }
    match = [DealStarted(deal=8, level="2")]
    bound = SealedRecord(match).sealing(facts_of(tmp_path / "s"), 1.0, 1e9)
    assert {event_to_json(event)["sealed"] for event in bound} == {sealed[1].deal}


def test_kept_files_are_sealed_once(tmp_path: Path, key: Path) -> None:
    folder = tmp_path / "in"
    sealed: list[Facts] = []
    folder.mkdir()
    (folder / "a.pbn").write_text(as_file(shuffled(16), 1))
    for _ in range(2):
        store = SealedStore(tmp_path / "s", public_key(key))
        device = DeviceSetup("files", "deal-folder", port=str(folder), options={"keep": True})
        watch = DealFolder(device, store, 2, sealed.append, lambda: 0.0)
        for _ in range(4):
            watch.look()
    assert len(sealed) == 1
    assert [path.name for path in folder.iterdir()] == ["a.pbn"]


@pytest.mark.parametrize(
    "text",
    ["", "[Deal]", '[Board "1"]\n[Deal "N:A.K.Q.J A.K.Q.J A.K.Q.J A.K.Q.J"]', '[Deal "0:A.K.Q.J. A.K.Q.J. A.K.Q.J."]',
     '[Deal "0:AX.K.Q.J. A.K.Q.J. A.K.Q.J. A.K.Q.J."]', as_file(shuffled(17), 1).replace("T", "9", 1)],
)  # fmt: skip
def test_a_file_that_is_no_deal_is_told_without_a_card_in_it(text: str) -> None:
    with pytest.raises(NotADeal) as error:
        parse_deals(text, 2)
    assert not {word.strip(".,:") for word in str(error.value).split()} & {str(card) for card in ALL_CARDS}
