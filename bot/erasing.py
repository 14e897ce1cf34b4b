"""What goes when a file, a channel or a person goes: everything that was made of it, not only the file.

Documents leave in one visible switch; what was kept beside them (cached answers, traces, turns of threads, feedback,
links, posts, jobs with their bytes) follows step by step in a job, so that a kill in between loses nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING
from uuid import uuid4

from bot.messages import NO_WORKSPACE
from core.ingest.walk import forget_all
from core.types import Parcel, Placement, Scope

if TYPE_CHECKING:
    from bot.app import App


@dataclass(frozen=True, slots=True)
class Removed:
    """Receipt of an erasure: how much of each kind went."""

    files: int = 0  # file names that left a channel
    passages: int = 0
    tables: int = 0
    relations: int = 0
    names: int = 0  # entities, and with them their words in the vocabulary
    stores: tuple[
        tuple[str, int], ...
    ] = ()  # (store, rows, points or edges erased); 0 where others hold the bytes
    cached: int = 0  # cached answers
    traces: int = 0  # answers kept for `/why`
    turns: int = 0  # turns of threads
    judged: int = 0  # thumbs
    links: int = 0
    jobs: int = 0
    audit: int = 0  # rows that now carry a pseudonym

    def plus(self, other: Removed) -> Removed:
        """Both together."""
        counts = {
            f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "stores"
        }
        names = sorted({name for name, _ in (*self.stores, *other.stores)})
        mine, theirs = dict(self.stores), dict(other.stores)
        return Removed(**counts, stores=tuple((n, mine.get(n, 0) + theirs.get(n, 0)) for n in names))


def removed_json(removed: Removed) -> dict[str, object]:
    return asdict(removed) | {"stores": dict(removed.stores)}


def removed_of(value: dict[str, object]) -> Removed:
    """What `removed_json` wrote."""
    stores = value["stores"]
    assert isinstance(stores, dict)
    return Removed(**{**value, "stores": tuple(sorted(stores.items()))})  # type: ignore[arg-type]


async def withdraw(app: App, names: Collection[tuple[str, str]]) -> Removed:
    """Take files away; what is counted was made of each and is the same whoever else holds the bytes."""
    ledger = app.ingest_ports.ledger
    known = [p for tag, name in names for p in ledger.everything(tag) if (p.tag, p.name) == (tag, name)]
    parcels = [parcel for d in sorted({p.document for p in known}) if (parcel := _parcel(app, d))]
    receipt = await forget_all(sorted(names), app.ingest_ports)
    return Removed(
        files=len({(p.tag, p.name) for p in known}),
        passages=sum(len(parcel.chunks) for parcel in parcels),
        tables=sum(len(parcel.tables) for parcel in parcels),
        relations=sum(len(parcel.triples) for parcel in parcels),
        names=sum(len(parcel.entities) for parcel in parcels),
        stores=receipt.erased,
    )


def _parcel(app: App, document: str) -> Parcel | None:
    """None for an upload that was received and not prepared."""
    try:
        return app.ingest_ports.ledger.parcel(document)
    except KeyError:
        return None


def erase_memory(app: App, documents: Iterable[str]) -> Removed:
    """Empty what was kept of answers whose readers can no longer see a file they drew on.

    Cached answers are found by what their readers see, so those of a document that lives on elsewhere are only
    out of reach; with the last channel they go too.
    """
    gone = frozenset(documents)
    ledger = app.ingest_ports.ledger

    def is_blind(scope_tags: Collection[str], drew_on: Collection[str]) -> bool:
        return bool(gone & set(drew_on) - ledger.view(Scope(frozenset(scope_tags))).documents)

    stale = [t.id for t in app.records.traces_of(gone) if is_blind(t.scope_tags, t.body["documents"])]
    app.records.erase_traces(stale)
    quoting = [turn for turn, o in app.records.origins_of(gone) if is_blind(o.scope_tags, o.documents)]
    last = [document for document in sorted(gone) if not ledger.tags_of(document)]
    kept = app.records.cache_keys_of(last)  # those that other processes wrote, too
    for document in last:
        app.ask_ports.cache.forget(document)
    app.records.cache_drop(kept)
    return Removed(
        cached=len(kept),
        traces=len(stale),
        turns=app.records.erase_turns(quoting),
    )


def erase_place(app: App, tag: str) -> Removed:
    """What a channel's conversation left: turns, traces, thumbs, links, posts."""
    traces = app.records.traces_under(tag)
    own = [trace for trace in traces if (found := app.records.trace(trace)) and found.tag == tag]
    app.book.erase_place(tag)
    app.versions.erase_place(tag)
    return Removed(
        cached=_uncache(app, own),
        traces=app.records.remove_traces(own),
        turns=app.records.erase_turns(app.records.turns_under(f"{tag}#")),
        links=app.records.unlink_all(tag),
    )


def places_of(platform: str, workspace: str) -> tuple[str, ...]:
    """Where a person of this workspace leaves something: there, and where direct messages have no workspace."""
    return tuple(sorted({f"{platform}:{workspace}", f"{platform}:{NO_WORKSPACE}"}))


def erase_person(app: App, platform: str, workspace: str, user: str) -> Removed:
    """What a person's questions, thumbs and acts left; the audit trail keeps the acts under a pseudonym."""
    pseudonym = f"erased-{uuid4().hex[:12]}"  # random: nobody can compute it from the name
    removed = Removed()
    for place in places_of(platform, workspace):
        removed = removed.plus(_erase_person_at(app, place, user, pseudonym))
    return removed


def _erase_person_at(app: App, place: str, user: str, pseudonym: str) -> Removed:
    """Args: place: one of `places_of`."""
    prefix, direct, platform = f"{place}/", f"{place}/@{user}", place.partition(":")[0]
    traces = app.records.traces_under(prefix, user)
    removed = Removed(
        cached=_uncache(app, traces),
        traces=app.records.remove_traces(traces),
        turns=app.records.erase_turns(app.records.turns_under(prefix, user)),
        judged=app.records.remove_feedback(user, prefix),
    )
    app.versions.erase_person(prefix, user)
    renamed = app.records.rename_actor(
        f"{platform}:{user}", prefix, f"{platform}:{pseudonym}", direct, f"{prefix}@{pseudonym}"
    )
    return removed.plus(erase_place(app, direct)).plus(Removed(audit=renamed))


def _uncache(app: App, traces: Collection[str]) -> int:
    """Drop the cached answers that these replies were or came from; no process serves a row that is gone."""
    keys = sorted({key for trace in traces if (key := app.records.cache_entry(trace))})
    app.records.cache_drop(keys)
    return len(keys)


def files_of(app: App, platform: str, workspace: str, user: str) -> list[Placement]:
    """What a person uploaded, and everything in their direct messages, with all that has the same names there."""
    found: list[Placement] = []
    for place in places_of(platform, workspace):
        placed = app.ingest_ports.ledger.everything(f"{place}/")
        own = {(p.tag, p.name) for p in placed if p.uploader == user or p.tag == f"{place}/@{user}"}
        found += [p for p in placed if (p.tag, p.name) in own]
    return found
