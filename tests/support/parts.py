"""`make test`: its parts one after the other, and what each took beside its budget.

The budgets are for two quiet cores. A part that takes longer is reported, but does not fail: a busy
machine is not a fault of the code.
"""

from __future__ import annotations

import subprocess
import sys
import time

BUDGETS = {"browsers": 0, "page": 0, "check": 75, "archive": 60, "slow": 270, "pages": 180}
"""The make targets, and the seconds that each may take. The first two depend on the network."""


def main() -> int:
    """Run the parts by `make`, the command's arguments, until one fails; its status."""
    took: dict[str, float] = {}
    status = 0
    for part in BUDGETS:
        began = time.monotonic()
        status = subprocess.run([*sys.argv[1:], "--no-print-directory", part]).returncode
        took[part] = time.monotonic() - began
        if status:
            print(f"\nmake {part} has failed.")
            break
    print("\npart       seconds   budget")
    for part, seconds in took.items():
        budget = BUDGETS[part]
        late = "   over its budget" if 0 < budget < seconds else ""
        print(f"{part:10} {seconds:7.0f}   {budget or '':6}{late}")
    print(f"{'all':10} {sum(took.values()):7.0f}   {sum(BUDGETS.values()):6}")
    return status


if __name__ == "__main__":
    sys.exit(main())
