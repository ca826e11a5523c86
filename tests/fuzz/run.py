"""`make fuzz`: look, for as long as one likes, for input that is neither accepted nor refused in
order.

`python -m fuzz.run {bytes,messages,session} SECONDS`. atheris (libFuzzer) is guided by the
coverage of our own code; msgspec is compiled and stays a black box, so for `messages` and
`session` hypothesis makes something well-formed out of its bytes. A finding is written to
`crash-*` where it is run, and makes it end with an error.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("make fuzz needs atheris, which is not installed: pip install -e '.[fuzz]'")

OURS = ["pierule_protocol", "pierule_server", "fuzz.oracle"]

with atheris.instrument_imports(include=OURS):
    from fuzz.oracle import CODECS, check_decoder, seeds
    from fuzz.test_decoder import test_any_well_formed_frame_is_decoded_or_refused
    from fuzz.test_session import test_requests_in_any_order_are_each_answered_once

ORDER = list(CODECS.values())


def check_bytes(data: bytes) -> None:
    """The first byte chooses the codec."""
    if data:
        check_decoder(ORDER[data[0] % len(ORDER)], data[1:])


TARGETS: dict[str, Callable[[bytes], object]] = {
    "bytes": check_bytes,
    "messages": test_any_well_formed_frame_is_decoded_or_refused.hypothesis.fuzz_one_input,  # type: ignore[attr-defined]
    "session": test_requests_in_any_order_are_each_answered_once.hypothesis.fuzz_one_input,  # type: ignore[attr-defined]
}


def main() -> None:
    target, seconds = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        if target == "bytes":
            for number, codec in enumerate(ORDER):
                for index, data in enumerate(seeds(codec)):
                    Path(folder, f"{number}-{index}").write_bytes(bytes([number]) + data)
        flags = [f"-max_total_time={seconds}", "-max_len=4096", "-rss_limit_mb=1024", "-timeout=20"]
        atheris.Setup([sys.argv[0], *flags, folder], TARGETS[target])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
