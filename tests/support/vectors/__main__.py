"""Write `protocol/vectors`, and the written parts of the SPEC, anew:
`PYTHONPATH=tests python -m support.vectors`."""

from __future__ import annotations

from support.vectors.files import FOLDER, texts
from support.vectors.reference import SPEC, written

FOLDER.mkdir(exist_ok=True)
for name, text in texts().items():
    (FOLDER / name).write_text(text, "utf-8")
    print(FOLDER / name, len(text))
SPEC.write_text(written(SPEC.read_text("utf-8")), "utf-8")
