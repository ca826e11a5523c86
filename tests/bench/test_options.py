"""What the command line takes, and what it refuses before anything is started."""

from __future__ import annotations

import pytest

from bench import kept
from bench.__main__ import WORKLOADS, arguments
from bench.workloads import Options


def test_every_workload_is_measured_by_default() -> None:
    args = arguments([])
    assert args.workloads == list(WORKLOADS)
    assert (tuple(args.peers), args.rounds, args.sizes) == (
        Options.peers, Options.rounds, Options.sizes,
    )  # fmt: skip


def test_options_choose_workloads_peers_and_sizes() -> None:
    args = arguments(["--workloads=rooms,alone", "--peers=loop", "--sizes=10,20", "--seconds=0.5"])
    assert (args.workloads, args.peers) == (["rooms", "alone"], ["loop"])
    assert (args.sizes, args.seconds) == ((10, 20), 0.5)
    assert arguments(["--keep"]).out == kept.FOLDER


@pytest.mark.parametrize(
    "line",
    ["--workloads tea", "--peers ws,tea", "--rounds 0", "--rounds 1.5", "--seconds nan",
     "--seconds inf", "--sizes 100,", "--sizes -1", "--store-core tea"],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments(line.split())
    assert line.split()[0] in capsys.readouterr().err
