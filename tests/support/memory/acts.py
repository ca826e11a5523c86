"""`acts` of a store in memory: see `pierule_server.store.tables.acts`."""

from __future__ import annotations

from pierule_server.store.tables import acts as real
from pierule_server.store.tables.acts import LineReport, about


class MemoryReports:
    """Reports in the memory of one process."""

    def __init__(self) -> None:
        self.kept: dict[str, LineReport] = {}

    async def report(self, report: LineReport) -> bool:
        name = f"{about(report)}/{report.by}"
        own = [each for each in self.kept.values() if each.by == report.by]
        if name not in self.kept and (
            len(own) >= real.REPORTS_EACH or len(self.kept) >= real.REPORTS_ALL
        ):
            return False
        self.kept.setdefault(name, report)
        return True
