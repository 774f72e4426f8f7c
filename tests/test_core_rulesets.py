"""Profiles: checked against their schema, extended, overridden, documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from table.findings import Claim, claim_text
from table.penalties import parse_penalty, penalty_from_json
from table.rulesets import BadProfile, games, load_profile, load_schema, profile_names
from table.texts import LANGUAGES, catalogue, text

AREAS = sorted(file.stem for file in (Path(__file__).resolve().parents[1] / "table" / "texts").glob("*.toml"))


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_gives_every_key_of_its_schema_a_value(name: str) -> None:
    profile = load_profile(name)
    assert set(profile) == set(profile.schema)
    for key, declared in profile.schema.items():
        declared.check(profile[key])


@pytest.mark.parametrize("game", games())
def test_every_key_is_documented_in_chinese_and_english(game: str) -> None:
    for key in load_schema(game).values():
        assert len(key.zh) >= 2, key.name
        assert len(key.en) >= 4, key.name


def test_an_unknown_key_names_the_nearest_known(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('extends = "guandan-official"\n[clock]\nplya = 10\n')
    with pytest.raises(BadProfile, match=r"unknown key 'clock.plya' \(did you mean clock.play\?\)"):
        load_profile(str(path))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('[clock]\nplay = "fast"', "clock.play must be seconds, 0 or more, got 'fast'"),
        ("[clock]\nplay = -1", "clock.play must be seconds"),
        ('[report]\nmode = "loud"', "report.mode must be one of duty, on_request, none"),
        ('[penalties]\nout_of_turn = "prison"', "not a penalty: 'prison'"),
        ("packs = 1.5", "packs must be a whole number"),
        ('[tribute]\nplayed = "yes"', "tribute.played must be true or false"),
    ],
)
def test_a_value_that_does_not_fit_is_named(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'extends = "guandan-official"\n{body}\n')
    with pytest.raises(BadProfile, match=message.replace("(", r"\(")):
        load_profile(str(path))


def test_a_profile_extends_another_and_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text('extends = "guandan-event"\n[clock]\nplay = 15\n')
    (tmp_path / "final.toml").write_text('extends = "club.toml"\n[clock]\nreturn = 10\n')
    profile = load_profile(str(tmp_path / "final.toml"))
    assert (profile["clock.play"], profile["clock.return"], profile["report.at"]) == (15, 10, 7)
    assert (profile.name, profile.game) == ("final", "guandan")


def test_a_profile_that_extends_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loop.toml"
    path.write_text('extends = "loop.toml"\n')
    with pytest.raises(BadProfile, match=r"extends itself|cannot be read"):
        load_profile(str(path))


def test_an_unknown_profile_names_the_nearest() -> None:
    with pytest.raises(BadProfile, match="did you mean guandan-official"):
        load_profile("guandan-oficial")


def test_options_override_keys_nested_or_dotted() -> None:
    profile = load_profile("guandan-official")
    assert profile.with_options({"clock.play": 5})["clock.play"] == 5
    assert profile.with_options({"clock": {"play": 6}})["clock.play"] == 6
    assert profile["clock.play"] == 20
    with pytest.raises(BadProfile, match=r"did you mean clock\.play"):
        profile.with_options({"clock.plays": 5})


def test_an_unknown_key_asked_of_a_profile_is_an_error_that_helps() -> None:
    with pytest.raises(KeyError, match=r"did you mean clock\.play"):
        load_profile("guandan-official")["clock.pla"]


@pytest.mark.parametrize("name", profile_names())
def test_every_rule_cited_has_an_article_and_every_check_a_text(name: str) -> None:
    profile = load_profile(name)
    for key, rule in profile.items():
        if not key.startswith("rules.") or not rule:
            continue
        check = key.removeprefix("rules.")
        for lang in LANGUAGES:
            words = claim_text(Claim(check, check, 1, 1), rule, lang, profile.game)
            assert rule in words
            assert len(words) > len(rule) + 8, f"{check} has no article of {rule}"


@pytest.mark.parametrize("area", AREAS)
def test_every_text_is_there_in_both_languages(area: str) -> None:
    for key, entry in catalogue(area).items():
        assert set(entry) == set(LANGUAGES), key


def test_an_unknown_text_is_an_error() -> None:
    with pytest.raises(KeyError, match="no text"):
        text("seats.chair", "en")


@pytest.mark.parametrize(
    "words", ["levels:2", "own_levels:-1", "warning:timeout", "finish_last", "disqualified", "points:10"]
)
def test_penalties_are_read_and_written(words: str) -> None:
    penalty = parse_penalty(words)
    assert penalty is not None
    assert str(penalty) == words
    assert penalty_from_json(penalty.to_json(0)) == penalty
