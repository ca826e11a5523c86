"""The lobby and rooms on the whole terminal, by Textual (`pierule[tui]`).

`view` says what is shown of a room, `draft` how an action is put together, `hands` changes both by
what happens in the room and what its user does; all three know nothing of Textual. `widgets` draw a
view, `app` binds keys and mouse to the hands. `listing` says what stands in the lobby, `lobby`
shows it, `form` asks what game one wants, and `stage` shows one after the other. Boards, clocks and
words are those of `terminal`.
"""
