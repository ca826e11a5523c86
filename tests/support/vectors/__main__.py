"""Write `protocol/schema`, `protocol/vectors`, the types in TypeScript and the written parts of the
SPEC anew: `PYTHONPATH=tests python -m support.vectors`. If anything is missing, write nothing and
say what."""

from __future__ import annotations

import sys

from pierule_protocol import schema
from support.vectors import typescript
from support.vectors.files import FOLDER, texts
from support.vectors.reference import SPEC, lacking, written

if missing := lacking():
    sys.exit("\n".join(["Nothing was written. Missing:", *(f"  {each}" for each in missing)]))

SCHEMA = FOLDER.parent / "schema"
files = {FOLDER / name: text for name, text in texts().items()}
files |= {SCHEMA / name: text for name, text in schema.files().items()}
files |= typescript.texts()
files[SPEC] = written(SPEC.read_text("utf-8"))
for path, text in files.items():
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    print(path, len(text))
