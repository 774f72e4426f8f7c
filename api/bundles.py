"""Files to take away: the evidence of a finding, a whole match that can be replayed elsewhere; every file with its hash."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from api.exports import write_sheet
from api.finding_parts import findings_part
from api.live import Json
from api.record_view import RecordView
from table.event_json import event_from_json
from table.events import DealStarted, Event, MatchStarted
from table.journal import GENESIS, chained
from table.record import format_event, parse_record
from table.rulesets import BadProfile, Profile, load_profile, profile_names
from table.texts import LANGUAGES
from table.transcript import transcript

MANIFEST: Final = "manifest.json"
RECORD: Final = "record.jsonl"
PROFILE: Final = "profile.json"
FORMAT: Final = "paizhuo-bundle"
VERSION: Final = 1
_LARGEST: Final = 200 * 2**20
"""Bytes of a record that is read from a bundle at most."""


class BadBundle(ValueError):
    """A bundle that cannot be used; one line that names the file and what is wrong."""


class _Writer:
    """Writes a zip and keeps the hash of everything in it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.hashes: dict[str, str] = {}

    def text(self, name: str, text: str) -> None:
        self.bytes(name, text.encode())

    def bytes(self, name: str, data: bytes, packed: bool = True) -> None:
        # The same content gives the same file: entries carry no time of their own.
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        self._zip.writestr(entry, data)
        self.hashes[name] = hashlib.sha256(data).hexdigest()

    def evidence(self, folder: Path | None, name: str) -> None:
        """A still or clip, where it is still kept."""
        if folder is None:
            return
        try:
            data = (folder / name).read_bytes()
        except OSError:
            return
        self.bytes(f"evidence/{name}", data, packed=False)

    def close(self, manifest: Json) -> None:
        whole = {"format": FORMAT, "version": VERSION, **manifest, "files": self.hashes}
        self._zip.writestr(zipfile.ZipInfo(MANIFEST), json.dumps(whole, ensure_ascii=False, indent=1) + "\n")
        self._zip.close()


def finding_bundle(view: RecordView, number: int, evidence: Path | None, table: str) -> IO[bytes] | None:
    """The evidence of a finding as a zip, at its beginning: the finding, its deal's record, stills, clip, hashes.

    Returns:
        None where no such finding stands.
    """
    found = next((one for one in findings_part(view.referee, view.told) if one["finding"] == number), None)
    if found is None:
        return None
    events = _deal_round(view.events, found["event"])
    file = tempfile.TemporaryFile()  # noqa: SIM115 (whoever asked for it closes it)
    writer = _Writer(file)
    writer.text("finding.json", json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    writer.text(RECORD, "".join(f"{format_event(event)}\n" for event in events))
    writer.text("record.txt", transcript(events, view.lines, [], "both"))
    writer.text("finding.txt", "".join(f"{line}\n" for line in _about(found)))
    shown = {
        name
        for event in events
        if event.seq == found["event"] or event.seq in found["events"]
        for name in event.evidence
    }
    for name in sorted({*found["stills"], *shown, *([found["clip"]] if found["clip"] else [])}):
        writer.evidence(evidence, name)
    writer.close({"kind": "finding", "finding": number, "table": table, "journal": _chain(view)})
    file.seek(0)
    return file


def _deal_round(events: Sequence[Event], seq: int) -> list[Event]:
    """The match's start and the events of the deal in which event `seq` lies, as they were recorded."""
    start = next((event for event in events if isinstance(event, MatchStarted)), None)
    begins = [event.seq for event in events if isinstance(event, DealStarted)]
    first = max((one for one in begins if one <= seq), default=0)
    after = min((one for one in begins if one > seq), default=10**12)
    deal = [event for event in events if first <= event.seq < after]
    return ([start] if start is not None and start not in deal else []) + deal


def _about(found: Json) -> list[str]:
    lines = []
    for lang in LANGUAGES:
        rule = f"{found['rule']}: {found['article'][lang]}" if found["rule"] else ""
        lines += [found["text"][lang], rule, f"{found['certainty']}  {found['ruling'] or ''}".strip(), ""]
    return lines


def match_bundle(view: RecordView, evidence: Path | None, setup: Json) -> IO[bytes]:
    """The whole match as a zip, at its beginning; `paizhuo replay` opens it on any machine.

    Args:
        view: of the record.
        evidence: folder of stills and clips; None for none.
        setup: of the table, as plain JSON.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 (whoever asked for it closes it)
    writer = _Writer(file)
    writer.text(RECORD, "".join(f"{format_event(event)}\n" for event in view.events))
    writer.text("record.txt", transcript(view.events, view.lines, view.end, "both"))
    writer.bytes("record.xlsx", sheet(view))
    writer.text("setup.json", json.dumps(setup, ensure_ascii=False, indent=1) + "\n")
    findings = findings_part(view.referee, view.told)
    writer.text("findings.json", json.dumps(findings, ensure_ascii=False, indent=1) + "\n")
    profile = _profile_json(view)
    if profile is not None:
        writer.text(PROFILE, json.dumps(profile, ensure_ascii=False, indent=1) + "\n")
    names = {name for event in view.events for name in event.evidence}
    names |= {one["clip"] for one in findings if one["clip"]}
    for name in sorted(names):
        writer.evidence(evidence, name)
    writer.close({"kind": "match", "table": setup.get("name", ""), "journal": _chain(view)})
    file.seek(0)
    return file


def sheet(view: RecordView) -> bytes:
    """The match record sheet (比赛记录表) as xlsx."""
    lines = [line for event in view.events for line in view.lines.get(event.seq, ())] + view.end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.xlsx"
        write_sheet(path, view.events, lines)
        return path.read_bytes()


def _chain(view: RecordView) -> Json:
    """How many events there are and the hash that seals them, as the journal chains them."""
    digest = GENESIS
    for one in view.told:
        digest = chained(digest, format_event(one.event))
    return {"events": len(view.told), "head": digest, "withheld": view.withheld}


def _profile_json(view: RecordView) -> Json | None:
    """The rules of the match with every setting, so that they are the same elsewhere; None where they changed."""
    state = view.referee.state
    started = {event.profile for event in view.events if isinstance(event, MatchStarted)}
    if state is None or len(started) != 1:
        return None
    try:
        profile = load_profile(next(iter(started)))
    except BadProfile:
        profile = state.profile
    return {
        "name": profile.name, "game": profile.game, "zh": profile.zh, "en": profile.en,
        "settings": {key: list(value) if isinstance(value, tuple) else value for key, value in profile.items()},
    }  # fmt: skip


# Reading one.


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was opened and whose hashes hold.

    Attributes:
        events: of its record.
        profile: the rules of the match; None: those that the record names.
        problems: what could not be read of the record, one line each.
    """

    events: list[Event]
    profile: Profile | None
    problems: list[str]


def open_bundle(path: Path) -> Bundle:
    """Open a bundle and check every file in it against its hash.

    Raises:
        BadBundle: it cannot be read, is none, or something in it was changed.
    """
    try:
        with zipfile.ZipFile(path) as bundle:
            manifest = _manifest(path, bundle)
            for name, digest in manifest["files"].items():
                if _hash(bundle, name) != digest:
                    raise BadBundle(f"{path}: {name} was changed since the bundle was made")
            if bundle.getinfo(RECORD).file_size > _LARGEST:
                raise BadBundle(f"{path}: {RECORD} is larger than {_LARGEST // 2**20} MiB")
            text = bundle.read(RECORD).decode("utf-8")
            profile = json.loads(bundle.read(PROFILE)) if PROFILE in manifest["files"] else None
    except (OSError, zipfile.BadZipFile, KeyError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadBundle(f"{path}: not a bundle of a match ({error})") from None
    journal = manifest.get("journal", {})
    if manifest.get("kind") == "match" and not journal.get("withheld") and _head(text) != journal.get("head"):
        raise BadBundle(f"{path}: {RECORD} is not the journal that it was made from")
    record = parse_record(text)
    problems = [str(problem) for problem in record.problems if not problem.note]
    return Bundle(record.events, _profile(path, profile), problems)


def _manifest(path: Path, bundle: zipfile.ZipFile) -> Mapping[str, Any]:
    manifest = json.loads(bundle.read(MANIFEST))
    if (
        not isinstance(manifest, dict)
        or manifest.get("format") != FORMAT
        or not isinstance(manifest.get("files"), dict)
    ):
        raise BadBundle(f"{path}: not a bundle of a match")
    if manifest.get("version") != VERSION:
        raise BadBundle(
            f"{path}: version {manifest.get('version')!r} of a bundle; this paizhuo reads {VERSION}"
        )
    return manifest


def _hash(bundle: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    with bundle.open(name) as file:
        while part := file.read(2**20):
            digest.update(part)
    return digest.hexdigest()


def _head(text: str) -> str:
    digest = GENESIS
    for line in text.splitlines():
        digest = chained(digest, format_event(event_from_json(json.loads(line))))
    return digest


def _profile(path: Path, data: Json | None) -> Profile | None:
    if data is None:
        return None
    try:
        base = next(one for one in map(load_profile, profile_names()) if one.game == data["game"])
        known = {key: value for key, value in data["settings"].items() if key in base.schema}
        settings = base.with_options(known).settings
        return Profile(str(data["name"]), base.game, str(data["zh"]), str(data["en"]), settings, base.schema)
    except (BadProfile, StopIteration, KeyError, TypeError, AttributeError) as error:
        raise BadBundle(f"{path}: {PROFILE}: {error}") from None
