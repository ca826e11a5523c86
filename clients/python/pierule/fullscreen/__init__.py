"""A room on the whole terminal, by Textual (`pierule[tui]`).

`view` says what is shown, `draft` how an action is put together, `hands` changes both by what
happens in the room and what its user does; all three know nothing of Textual. `widgets` draw a
view, `app` binds keys and mouse to the hands. Boards, clocks and words are those of `terminal`.
"""
