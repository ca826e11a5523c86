"""The archive over HTTP, to be read (SPEC 27): a process of its own, so that no query or export
delays a game.

`routes` is the table of what can be asked; the server and the OpenAPI document both follow from it.
Nothing here writes, and nothing that blocks runs on the event loop.
"""

ROOT = "/api/v1"
