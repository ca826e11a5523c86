"""Writes the lowest row first."""

import plain_client

right = plain_client.text


def upside_down(position):
    *fields, board = right(position).split(" ")
    return " ".join([*fields, "/".join(reversed(board.split("/")))])


plain_client.text = upside_down
plain_client.main()
