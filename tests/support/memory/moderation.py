"""Reports of a store in memory: see `pierule_server.store.tables.moderation`."""

from __future__ import annotations

from msgspec.structs import replace

from pierule_server.store.tables import moderation as real
from pierule_server.store.tables.moderation import MessageReport, about


class MemoryReports:
    """Reports in the memory of one process."""

    def __init__(self) -> None:
        self.kept: dict[str, MessageReport] = {}

    async def report(self, report: MessageReport) -> bool:
        name = about(report)
        if name in self.kept:
            known = self.kept[name]
            self.kept[name] = replace(known, count=known.count + 1)
            return True
        own = [each for each in self.kept.values() if each.room == report.room]
        if len(own) >= real.REPORTS_ROOM or len(self.kept) >= real.REPORTS_ALL:
            return False
        self.kept[name] = report
        return True

    async def by(self, user: str) -> list[MessageReport]:
        return [report for _, report in sorted(self.kept.items()) if report.by == user]
