"""The lobby and rooms on the whole terminal, with Textual (`pierule[tui]`).

`view` is what a room shows, and `draft` an unfinished action. `controller` changes both when
something happens in the room or the user does something. These three do not depend on Textual.
`widgets` draw a view, and `app` binds keys and mouse to the controller. `listing` has the lines of
the lobby, `lobby` shows them, `form` asks the user for a game, and `launcher` switches between
lobby and rooms. Boards, clocks and texts are those of the line mode.
"""
