"""What every field of a game document means, in words (SPEC 26)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "GameDocument": {
        "format": "always `pierule.game`",
        "version": "1; a higher version may have more fields",
        "rules": "the versions of the rules that this server can play; new rooms use the last",
        "sizes": "the sizes that new rooms can have",
        "default_size": "the size if `create` names none",
        "draws": "whether a game can end in a draw",
        "phases": "the phases in order; the last is `over`",
        "segments": "whether `a1-a4` means all points from a1 to a4 (26.8)",
        "board": "how boards are drawn",
        "pieces": "what the values of cells look like; 0 is empty",
        "changes": "how to show changes of cells (26.8)",
        "sample": "a board that shows what the game looks like",
        "examples": "boards for the rules, in the order of `captions`",
        "lessons_hash": "names the game's lessons (26.16); null: it has none",
        "texts": "all texts of the game, by language",
    },
    "GameLessons": {
        "format": "always `pierule.lessons`",
        "version": "1; a higher version may have more fields",
        "game": "the name of the game",
        "lessons": "the lessons, in the order in which to take them",
        "texts": "the texts of the lessons by language, in the same order",
    },
    "BoardDescriptor": {
        "grid": "how points are arranged (26.5)",
        "surface": "whether pieces stand on `points` of lines or in `cells`",
        "columns": "where the letters of columns stand (26.6)",
        "rows": "where the numbers of rows stand",
        "boards": "the board of each size",
    },
    "BoardShape": {
        "missing": "points of the box that are not on the board",
        "lines": "lines, each given by the points at which it begins, bends or ends",
        "strong": "lines to draw thicker, in the same form",
        "dots": "points with a small mark",
        "edges": "parts of the border that belong to a color",
    },
    "Edge": {
        "points": "the points along that part",
        "color": "`black` or `white`",
    },
    "Piece": {
        "cell": "the value of a cell, 1 to 62",
        "name": "its name in templates (`what`, 6.4); several values may share it",
        "tint": "its main color",
        "shape": "`disc`, `ring`, `star`, `square`, `diamond`, `triangle`, `cross`, `hexagon`; "
        "later versions may have more",
        "owner": "a color to mark in its middle; null: none",
        "glyph": "one character for terminals",
        "plain": "one ASCII character, for terminals that show only ASCII",
    },
    "Change": {
        "of": "the value before is one of these",
        "to": "the value after is one of these",
        "named": "whether the action names the point; null: either",
        "motion": "`appear`, `vanish`, `turn` or `claim`; later versions may have more",
    },
    "Account": {
        "marks": "points that count",
        "sums": "what adds up to each color's score",
    },
    "Mark": {
        "kind": "its name in `texts.marks`",
        "color": "the color for which they count",
        "points": "the points",
        "value": "how much they count together; null: show no number",
    },
    "Sum": {
        "kind": "its name in `texts.sums`",
        "color": "the color whose score it is part of",
        "value": "how much it adds",
        "numbers": "the numbers for the placeholders of its text",
    },
    "Picture": {
        "cells": "the cells, as in a position (5.2)",
        "action": "the action to show; null: none",
        "changes": "what it changes, as `[index, value]` pairs",
        "pointed": "points to mark",
    },
    "LessonTree": {
        "name": "its name among the lessons of the game, which stays when the lesson changes",
        "position": "the position at node 0",
        "nodes": "its nodes; the lesson begins with node 0",
    },
    "LessonNode": {
        "says": "the name of the text that says what to do",
        "choices": "the actions that the lesson expects",
        "refusals": "the points with which no action begins, and why; an action begins with every "
        "other point",
    },
    "LessonChoice": {
        "says": "the name of the text to show then",
        "good": "whether the lesson goes on; if not, take the action back",
        "played": "the learner's action, then the replies",
        "next": "the number of the next node; null: the lesson is done",
    },
    "Played": {
        "diff": "what the action changes, as in an event (4.2)",
    },
    "Why": {
        "rule": "the rule that forbids it (8.3)",
        "points": "the points that show it",
    },
    "GameTexts": {
        "name": "the name of the game",
        "by": "its designer and year",
        "about": "the game in one sentence",
        "aim": "what players try to do, for somebody new to the game",
        "size": "the name of a size (`{0}`: the size)",
        "pieces": "the names of the pieces, in the order of `pieces`",
        "phases": "by phase: what to tell the player who is to act",
        "words": "by word: the labels of actions such as `pass`",
        "numbers": "by name: the texts for numbers such as `komi`",
        "changes": "what to say about a change (`{0}`: the points), in the order of `changes`; "
        "null: nothing",
        "result": "how the game ended (26.9)",
        "marks": "by kind: the texts for marks of an account (26.12)",
        "sums": "by kind: the texts for sums of an account (26.12)",
        "refusals": "by rule: why an action is not legal (26.7)",
        "rules": "the rules, paragraph by paragraph",
        "captions": "what the examples show, in their order",
    },
    "PhaseTexts": {
        "prompt": "what to do",
        "typed": "how to type an action as text; in phases with a template, without an example, "
        "because clients add one that is legal",
        "steps": "what the next pick is for (26.8)",
    },
    "WordTexts": {
        "label": "the label of its button",
        "again": "what to say about it while `passes` is above 0; null: nothing",
    },
    "NumberTexts": {
        "label": "what the number is",
        "set": "the label of the button that plays it",
        "shown": "how to show it once it is set (`{0}`: the number)",
    },
    "ResultTexts": {
        "ahead": "the winner has the higher score",
        "level": "there is a winner although the scores are equal; null: this cannot happen",
        "draw": "there is no winner; null: this cannot happen",
    },
    "LessonTexts": {
        "title": "the title of the lesson",
        "says": "by name: the texts of nodes and choices",
    },
}
