"""The archive over HTTP, read-only (SPEC 27). It is a separate process, so no query delays a game.

`routes` is the table of all paths. The server and the OpenAPI document follow from it. Only
`counter` writes, and nothing that blocks runs on the event loop.
"""

ROOT = "/api/v1"
