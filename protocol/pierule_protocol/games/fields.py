"""What every field of a game document means, in words (SPEC 26)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "GameDocument": {
        "format": "always `pierule.game`",
        "version": "1; a higher version may have more than this",
        "rules": "the versions of the rules that this server can play; new rooms take the last one",
        "sizes": "the sizes of new rooms",
        "default_size": "the size without one in `create`",
        "draws": "whether a game can end in a draw",
        "phases": "the phases in order, `over` the last",
        "segments": "whether `a1-a4` names all points from one to the other (26.8)",
        "board": "how boards are drawn",
        "pieces": "what the values of cells look like; 0 is empty",
        "changes": "how to show changes of cells (26.8)",
        "sample": "a board that shows what the game looks like",
        "examples": "boards for the rules, in the order of `captions`",
        "lessons_hash": "names its lessons (26.16); null: there are none",
        "texts": "all texts of the game, by language",
    },
    "GameLessons": {
        "format": "always `pierule.lessons`",
        "version": "1; a higher version may have more than this",
        "game": "the name of the game",
        "lessons": "the lessons, to be taken in this order",
        "texts": "by language what the lessons say, in the same order",
    },
    "BoardDescriptor": {
        "grid": "where points lie (26.5)",
        "surface": "whether pieces stand on `points` of lines or in `cells`",
        "columns": "where the letters of columns stand (26.6)",
        "rows": "where the numbers of rows stand",
        "boards": "the board of each size",
    },
    "BoardShape": {
        "missing": "points of the box that the board does not have",
        "lines": "lines, each by the points at which it bends or ends",
        "strong": "lines to draw thicker",
        "dots": "points with a small mark",
        "edges": "parts of the outside that belong to a color",
    },
    "Edge": {
        "points": "the points along that part",
        "color": "`black` or `white`",
    },
    "Piece": {
        "cell": "the value of a cell, 1 to 62",
        "name": "what templates call it (`what`, 6.4); several values may share it",
        "tint": "its main color",
        "shape": "`disc`, `ring`, `star`, `square`, `diamond`, `triangle`, `cross`, `hexagon`; "
        "there may come more",
        "owner": "a color to mark in its middle; null: none",
        "glyph": "one character for terminals",
        "plain": "one ASCII character, for terminals without others",
    },
    "Change": {
        "of": "the values before, one of which fits",
        "to": "the values after, one of which fits",
        "named": "whether the action names the point; null: either",
        "motion": "`appear`, `vanish`, `turn` or `claim`; there may come more",
    },
    "Account": {
        "marks": "points that count",
        "sums": "what adds up to each color's score",
    },
    "Mark": {
        "kind": "what it is, by name of `texts.marks`",
        "color": "for which color",
        "points": "the points",
        "value": "how much they count together; null: show no number",
    },
    "Sum": {
        "kind": "what it is, by name of `texts.sums`",
        "color": "of which color's score",
        "value": "how much it adds",
        "numbers": "what fills the placeholders of its text",
    },
    "Picture": {
        "cells": "the cells, as in a position (5.2)",
        "action": "the action to show; null: none",
        "changes": "what it changes, as `[index, value]` pairs",
        "pointed": "points to mark",
    },
    "LessonTree": {
        "name": "names it among the lessons of the game; stays when the lesson changes",
        "position": "the position at node 0",
        "nodes": "its nodes; it begins with the first",
    },
    "LessonNode": {
        "says": "the name of the text that says what to do",
        "choices": "the actions that it knows",
        "refusals": "by point why no action begins with it; an action begins with every other "
        "point",
    },
    "LessonChoice": {
        "says": "the name of the text to show then",
        "good": "whether the lesson goes on; else take the board back",
        "played": "the learner's action, then the replies",
        "next": "the number of the next node; null: the lesson is done",
    },
    "Played": {
        "diff": "what it changes, as in an event (4.2)",
    },
    "Why": {
        "rule": "the rule that forbids it (8.3)",
        "points": "the points that show it",
    },
    "GameTexts": {
        "name": "the name of the game",
        "by": "who made it, and when",
        "about": "the game in one sentence",
        "aim": "what players try to do, for somebody new to the game",
        "size": "the name of a size (`{0}`: the size)",
        "pieces": "the names of the pieces, in the order of `pieces`",
        "phases": "by phase what to tell the player who is to act",
        "words": "by word the names of actions such as `pass`",
        "numbers": "by name the words for numbers such as `komi`",
        "changes": "what to say about a change (`{0}`: the points), in the order of `changes`; "
        "null: nothing",
        "result": "how the game ended (26.9)",
        "marks": "by kind the words for marks of an account (26.12)",
        "sums": "by kind the words for sums of an account (26.12)",
        "refusals": "by rule why an action is not legal (26.7)",
        "rules": "the rules, paragraph by paragraph",
        "captions": "what the examples show, in their order",
    },
    "PhaseTexts": {
        "prompt": "what to do",
        "typed": "how to type actions in a line of text; in phases with a template without an "
        "example, for clients make one that can be played",
        "steps": "what the next pick is for (26.8)",
    },
    "WordTexts": {
        "label": "the label of its button",
        "again": "what to say about it while `passes` is over 0; null: nothing",
    },
    "NumberTexts": {
        "label": "what the number is",
        "set": "the label of the button that plays it",
        "shown": "how to show it once it is set (`{0}`: the number)",
    },
    "ResultTexts": {
        "ahead": "the winner has the higher score",
        "level": "there is a winner, though scores are equal; null: this cannot happen",
        "draw": "there is no winner; null: this cannot happen",
    },
    "LessonTexts": {
        "title": "the title of the lesson",
        "says": "by name the texts of nodes and choices",
    },
}
