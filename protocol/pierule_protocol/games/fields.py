"""What every field of a game document means, in words (SPEC 26)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "GameDocument": {
        "format": "always `pierule.game`",
        "version": "1; a higher one may have more than this",
        "rules": "the versions of the rules that can be played here, new rooms by the last one",
        "sizes": "the sizes of new rooms",
        "default_size": "the size without one in `create`",
        "draws": "whether a game can end in a draw",
        "phases": "the phases in order, `over` the last",
        "segments": "whether `a1-a4` names all points from one to the other (26.8)",
        "board": "how boards are drawn",
        "pieces": "what the values of cells look like; 0 is empty",
        "changes": "how changes of cells are shown (26.8)",
        "sample": "a board that shows what the game looks like",
        "examples": "boards for the rules, in the order of `captions`",
        "lessons": "lessons, in the order of those of the texts",
        "texts": "all that is said of the game, by language",
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
        "strong": "lines that are drawn thicker",
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
        "owner": "a color that is marked in its middle; null: none",
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
        "value": "how much they count together; null: no number is shown",
    },
    "Sum": {
        "kind": "what it is, by name of `texts.sums`",
        "color": "of which color's score",
        "value": "how much it adds",
        "numbers": "what fills the placeholders of its text",
    },
    "Picture": {
        "cells": "the cells, as in a position (5.2)",
        "action": "the action that is shown; null: none",
        "changes": "what it changes, as `[index, value]` pairs",
        "pointed": "points that are to be marked",
    },
    "LessonTree": {
        "position": "the position at node 0",
        "nodes": "its nodes; it begins with the first",
    },
    "LessonNode": {
        "says": "the name of the text that says what to do",
        "choices": "the actions that it knows",
        "refusals": "by point why no action begins with it; of the points that are not here one "
        "does",
    },
    "LessonChoice": {
        "says": "the name of the text that is told then",
        "good": "whether the lesson goes on; else the board is taken back",
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
        "name": "what the game is called",
        "by": "who made it, and when",
        "about": "the game in one sentence",
        "aim": "what players try to do, for somebody who has read nothing",
        "size": "what a size is called (`{0}`: the size)",
        "pieces": "what pieces are called, in the order of `pieces`",
        "phases": "by phase what whoever is to act is told",
        "words": "by word what actions such as `pass` are called",
        "numbers": "by name what numbers such as `komi` are called",
        "changes": "what is said of a change (`{0}`: the points), in the order of `changes`; "
        "null: nothing",
        "result": "how the game ended (26.9)",
        "marks": "by kind what marks of an account are (26.12)",
        "sums": "by kind what sums of an account are (26.12)",
        "refusals": "by rule why an action is not legal (26.7)",
        "rules": "the rules, paragraph by paragraph",
        "captions": "what the examples show, in their order",
        "lessons": "what lessons say, in their order",
    },
    "PhaseTexts": {
        "prompt": "what there is to do",
        "typed": "how actions are typed, for a line of text",
        "steps": "what the next pick is for (26.8)",
    },
    "WordTexts": {
        "label": "what its button says",
        "again": "what is told of it while `passes` is over 0; null: nothing",
    },
    "NumberTexts": {
        "label": "what the number is",
        "set": "what the button says that plays it",
        "shown": "how it is told once it is set (`{0}`: the number)",
    },
    "ResultTexts": {
        "ahead": "the winner has the higher score",
        "level": "there is a winner, though scores are equal; null: that cannot be",
        "draw": "there is none; null: that cannot be",
    },
    "LessonTexts": {
        "title": "what the lesson is called",
        "says": "by name what nodes and choices say",
    },
}
