"""Runs checks against a server, many at a time, and turns what they raise into findings."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.raw_connection import CodecName
from pierule_conform.checks.registry import Check, Failed, Skipped, covers, section_key
from pierule_conform.checks.watch import Watcher
from pierule_conform.report import Finding

logger = logging.getLogger(__name__)

AT_ONCE = 12
"""How many checks run at the same time by default: few enough for a server's bound on connections
from one address."""
BOUND = 120.0
"""Seconds after which a check is over, whatever it waits for."""


class NoServer(Exception):
    """Nothing at the address speaks the protocol at all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to try a server: `seconds` bounds each answer, `wait` each timer that is waited for,
    `at_once` the checks that run at the same time; `commands` are the operator's."""

    url: str
    codecs: Sequence[CodecName]
    seconds: float
    wait: float
    at_once: int = AT_ONCE
    commands: Mapping[str, str] = field(default_factory=dict)


async def run_all(plan: Plan, checks: Sequence[Check]) -> list[Finding]:
    """The findings of the checks and of the watches over them. Raises NoServer."""
    watcher = Watcher()
    welcome = await _welcome(plan, watcher)
    gate = asyncio.Semaphore(plan.at_once)
    tokens: set[str] = set()

    async def one(check: Check) -> Finding:
        async with gate:
            return await _try(plan, check, watcher, welcome, tokens)

    # The longest first: those that wait for the server's own timers.
    order = sorted(checks, key=lambda check: check.section not in ("1.3", "1.4", "1.6"))
    findings = await asyncio.gather(*(one(check) for check in order if not check.alone))
    findings += [await one(check) for check in order if check.alone]
    found = [*findings, *watcher.findings()]
    await _clear(plan, tokens, welcome)
    return found


async def _clear(plan: Plan, tokens: Collection[str], welcome: dict[str, Any]) -> None:
    """End the games that checks have begun and not ended. These messages are not judged."""
    gate = asyncio.Semaphore(plan.at_once)

    async def one(token: str) -> None:
        async with gate:
            context = CheckContext(
                plan.url, plan.codecs[0], plan.seconds, plan.wait, Watcher(), welcome
            )
            try:
                await context.clear(token)
            except (KeyError, TypeError, IndexError, ValueError, AttributeError, OSError):
                logger.debug("the rooms of a user could not be cleared", exc_info=True)
            finally:
                await context.close()

    await asyncio.gather(*map(one, tokens))


def judged(
    findings: Sequence[Finding], chosen: Mapping[str, Check], sections: Sequence[str], whole: bool
) -> list[Finding]:
    """The requested findings, by section. `whole`: also those that belong to no check."""
    kept = [
        finding
        for finding in findings
        if finding.name in chosen
        or (
            whole
            and finding.name.startswith(("every-", "never-"))
            and (not sections or any(covers(one, finding.section) for one in sections))
        )
    ]
    return sorted(kept, key=lambda finding: section_key(finding.section))


async def _welcome(plan: Plan, watcher: Watcher) -> dict[str, Any]:
    context = CheckContext(plan.url, plan.codecs[0], plan.seconds, plan.wait, watcher, {})
    try:
        peer = await context.peer()
    except Failed as failed:
        raise NoServer(f"{plan.url}: expected {failed.expected}; {failed.received}") from None
    except (InvalidURI, ValueError) as error:
        raise NoServer(f"{plan.url}: {error}") from None
    finally:
        await context.close()
    return peer.welcome


async def _try(
    plan: Plan, check: Check, watcher: Watcher, welcome: dict[str, Any], tokens: set[str]
) -> Finding:
    begun = time.monotonic()
    finding = Finding(check.section, check.name, check.title, "passed")
    for codec in plan.codecs[: check.codecs]:
        context = CheckContext(
            plan.url, codec, plan.seconds, plan.wait, watcher, welcome, plan.commands
        )
        try:
            async with asyncio.timeout(BOUND):
                await check.body(context)
        except Skipped as skipped:
            finding = replace(finding, status="skipped", reason=str(skipped))
        except Failed as failed:
            finding = _failed(finding, codec, failed)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
            # A missing field shows where a check uses it; the watches name it.
            last = context.peers[-1] if context.peers else None
            finding = _failed(
                finding, codec,
                Failed(f"messages of the right shape ({type(error).__name__}: {error})",
                       last and last.inbox[-1:], last and last.last_sent),
            )  # fmt: skip
        except (TimeoutError, ConnectionClosed, InvalidHandshake, OSError) as error:
            words = f"{type(error).__name__}: {error}".rstrip(": ")
            finding = _failed(finding, codec, Failed("a server that answers", words))
        finally:
            tokens.update(context.tokens())
            await context.close()
        if finding.status != "passed":
            break
    return replace(finding, seconds=round(time.monotonic() - begun, 3))


def _failed(finding: Finding, codec: str, failed: Failed) -> Finding:
    return replace(
        finding,
        status="failed",
        reason=f"in {codec}",
        sent=repr(failed.sent) if isinstance(failed.sent, bytes) else failed.sent,
        expected=failed.expected,
        received=failed.received,
    )
