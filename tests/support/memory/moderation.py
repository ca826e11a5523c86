"""`acts` of a store in memory: see `pierule_server.store.tables.moderation`."""

from __future__ import annotations

from pierule_server.store.tables import moderation as real
from pierule_server.store.tables.moderation import MessageReport, about


class MemoryReports:
    """Reports in the memory of one process."""

    def __init__(self) -> None:
        self.kept: dict[str, MessageReport] = {}

    async def report(self, report: MessageReport) -> bool:
        name = f"{about(report)}/{report.by}"
        own = [each for each in self.kept.values() if each.by == report.by]
        if name not in self.kept and (
            len(own) >= real.REPORTS_EACH or len(self.kept) >= real.REPORTS_ALL
        ):
            return False
        self.kept.setdefault(name, report)
        return True
