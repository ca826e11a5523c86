"""The lobby and rooms on the whole terminal, by Textual (`pierule[tui]`).

`view` says what is shown of a room, `draft` how an action is put together, `controller` changes
both by what happens in the room and what its user does; all three know nothing of Textual.
`widgets` draw a view, `app` binds keys and mouse to the controller. `listing` says what stands in
the lobby, `lobby` shows it, `form` asks what game one wants, and `launcher` shows one after the
other. Boards, clocks and words are those of `terminal`.
"""
