"""The independent checker: did the server treat people as the SPEC says, according to what they
sent and received and to the exported records?

It uses neither the server nor the client library.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from chaos.checker import Verdict, judge
from chaos.journal import Journal
from chaos.truth import Violation
from pierule_protocol.messages import AnswerChallenge, Challenge, Channel, ChatMessage, Seek
from social.reading import Story, StoryReader
from social.truth import Match, read_match

LATE = 8.0
"""Seconds after which a missing message no longer counts as under way."""
GONE = 40.0
"""Seconds after which a player must know that the opponent left, or died with a node."""


def check(
    journals: Sequence[Journal], records: Mapping[str, bytes], lease: float = LATE,
    taken_back: Sequence[float] = (),
    written: Mapping[tuple[str, int, int], float] = MappingProxyType({}),
) -> Verdict:  # fmt: skip
    """`records` are the files of all rooms, by their ids; `lease` is how many seconds nodes that
    answer at once may still pair a person who left; `taken_back` are the times of fail-overs, which
    may lose seen events; `written` is when events were written (see `read_match`), if the store's
    clock is not the journals'."""
    verdict, matches = Verdict(), {}
    for room, data in records.items():
        matches[room], wrong = read_match(data, written)
        verdict.violations += wrong
    verdict.truths = dict(matches)
    stories = [StoryReader(journal, matches, taken_back).account for journal in journals]
    verdict.accounts = list(stories)
    judge(verdict, LATE)
    people = {story.user: story for story in stories}
    for match in matches.values():
        verdict.counts.update(match.kinds)
        verdict.counts[f"result {match.result}"] += 1
        verdict.violations += _pairing(match, people)
        verdict.violations += _knowing(match, people)
    lease += _slowest(stories)
    for story in stories:
        verdict.violations += _seeking(story, matches, lease)
    verdict.violations += _chat(stories, matches, verdict.counts)
    return verdict


# --- getting a game ------------------------------------------------------------------------------


def _pairing(match: Match, people: Mapping[str, Story]) -> Iterator[Violation]:
    """No user plays against themselves, or against a user whom they have blocked."""
    first, second = match.seats
    made = match.created
    if made is None or made.players is None:
        return
    if first == second:
        yield Violation("nobody is paired with themselves", match.room, f"{first}")
    if made.rematch_of is not None or None in (first, second):
        return
    at = match.entries[0].at / 1_000
    for one, other in ((first, second), (second, first)):
        spans = people[one or ""].blocks.get(other or "", [])
        if any(since + LATE < at < until for since, until in spans):
            yield Violation(
                "nobody is paired with a user they block", match.room, f"{one}, {other}"
            )


def _slowest(stories: Sequence[Story]) -> float:
    """The seconds of the slowest answer: on a busy machine a node notices a closed connection as
    late as a request."""
    waits = [each.answered - each.sent for story in stories for each in story.asked if each.good]
    return max(waits, default=0.0)


def _seeking(story: Story, matches: Mapping[str, Match], lease: float) -> Iterator[Violation]:
    """A seek leads to one room; no room comes without a seek, or from a seek whose connection is
    gone."""
    for asked in story.asked:
        seek, gone = asked.message, story.links[asked.connection].closed
        if isinstance(seek, Seek):
            for room in story.rooms.get(seek.nonce, ()):
                match = matches.get(room)
                if match and match.began and match.began / 1_000 > gone + lease:
                    again = any(
                        isinstance(each.message, Seek) and each.message.nonce == seek.nonce
                        and each.connection > asked.connection for each in story.asked
                    )  # fmt: skip
                    if not again:
                        late = f"{match.began / 1_000 - gone:.1f} s after, allowed {lease:.1f}"
                        yield Violation(
                            "nobody is paired after leaving", room, f"{story.name}: {late}"
                        )
    for nonce, rooms in story.rooms.items():
        if len(rooms) > 1:
            yield Violation("nobody is paired twice", "", f"{story.name}: {nonce} led to {rooms}")
    wanted = sum(
        isinstance(each.message, Seek | Challenge | AnswerChallenge) for each in story.asked
    )
    paired = [
        match.room
        for match in matches.values()
        if story.user in match.seats
        and match.created is not None
        and match.created.players is not None
        and match.created.rematch_of is None
    ]
    if len(paired) > wanted:
        yield Violation("nobody is paired twice", "", f"{story.name}: {wanted} led to {paired}")


def _knowing(match: Match, people: Mapping[str, Story]) -> Iterator[Violation]:
    """Players know of every room in which they sit; a player who stays is told that the opponent
    left."""
    for seat, user in enumerate(match.seats):
        story = people.get(user or "")
        if story is None:
            continue
        if match.room not in story.mentioned and _there(story, match):
            yield Violation("who sits in a room knows it", match.room, story.name)
        other = people.get(match.seats[1 - seat] or "")
        if other is not None and match.bound is not None:
            yield from _forsaken(match, story, other, 1 - seat)


def _there(story: Story, match: Match) -> bool:
    """Whether it was connected for long enough after getting its seat to be told of it, while the
    room was not over (SPEC 23.4)."""
    since = match.taken[match.seat_of(story.user) or 0] / 1_000
    until = story.end if match.ended is None else match.ended / 1_000
    links = story.links.values()
    return any(min(each.closed, until) - max(each.opened, since) > LATE for each in links)


def _forsaken(match: Match, story: Story, other: Story, seat: int) -> Iterator[Violation]:
    if match.began is None or match.ended is None:
        return
    stays = [(each.since, each.left or story.end) for each in story.follows
             if each.room == match.room]  # fmt: skip
    for began, ended in _absences(match, other):
        for since, left in stays:
            start, end = max(began, since), min(ended, left)
            told = (at for at, each in story.presence[match.room] if start <= at <= start + GONE
                    and each.gone[seat] is not None)  # fmt: skip
            if end - start > GONE and next(told, None) is None:
                yield Violation("who is left knows it", match.room,
                                f"{story.name} from {start:.1f} to {end:.1f}")  # fmt: skip


def _absences(match: Match, story: Story) -> Iterator[tuple[float, float]]:
    """When a player was not there while the game ran."""
    now, end = (match.began or 0) / 1_000, (match.ended or 0) / 1_000
    for follow in sorted(story.follows, key=lambda each: each.since):
        if follow.room == match.room:
            if follow.since > now:
                yield now, min(follow.since, end)
            now = max(now, follow.left or story.end)
    if now < end:
        yield now, end


# --- chat ----------------------------------------------------------------------------------------


def _chat(
    stories: Iterable[Story], matches: Mapping[str, Match], counts: Counter[str]
) -> Iterator[Violation]:
    """A message is in the channel of its sender's side, everybody gets the same one, and those who
    stay in a room get all of their side."""
    stories = list(stories)
    lines: dict[tuple[str, Channel, int], ChatMessage] = {}
    for story in stories:
        lines |= story.said
    spoken = {(story.user, *each) for story in stories for each in story.spoke}
    for story in stories:
        for room, channel, line in story.heard:
            counts[f"heard by {channel}"] += 1
            counts["muted"] += line.text is None
            known = lines.setdefault((room, channel, line.seq), line)
            if known.user != line.user or line.text not in (known.text, None):
                yield Violation("everybody hears the same", room, f"{story.name}: {line}")
            if line.text is not None and (line.user, room, line.text) not in spoken:
                yield Violation("everybody hears the same", room, f"nobody said {line}")
    for (room, channel, _), line in lines.items():
        counts["said"] += 1
        if _side(matches.get(room), line.user, line.at) not in (channel, None):
            yield Violation("sides are apart", room, f"{line} in {channel}")
    for story in stories:
        yield from _deaf(story, matches, lines)


def _side(match: Match | None, user: str, at: int) -> Channel | None:
    """The side of a user at a time; None just when they sit down."""
    seat = match.seat_of(user) if match else None
    if match is None or seat is None:
        return "spectators" if match else None
    if abs(at - match.taken[seat]) < 1_000 * LATE:
        return None
    return "players" if at > match.taken[seat] else "spectators"


def _deaf(
    story: Story,
    matches: Mapping[str, Match],
    lines: Mapping[tuple[str, Channel, int], ChatMessage],
) -> Iterator[Violation]:
    by_room: dict[str, list[tuple[Channel, ChatMessage]]] = defaultdict(list)
    for (room, channel, _), line in lines.items():
        by_room[room].append((channel, line))
    for follow in story.follows:
        since, left = 1_000 * follow.since, 1_000 * ((follow.left or story.end) - LATE)
        for channel, line in by_room[follow.room]:
            heard = story.last.get((follow.connection, follow.room, channel), 0)
            mine = _side(matches.get(follow.room), story.user, line.at) == channel
            if mine and since < line.at < left and heard < line.seq:
                yield Violation("who stays hears all", follow.room, f"{story.name}: not {line}")
