"""Star points lie as players know them from other boards."""

from pierule_games.drawing import stars


def test_a_small_board_marks_its_middle_and_a_larger_one_its_corners() -> None:
    assert stars(5) == ["c3"]
    assert stars(7) == ["d4"]
    assert sorted(stars(9)) == ["c3", "c7", "e5", "g3", "g7"]
    assert sorted(stars(13)) == ["d10", "d4", "g7", "j10", "j4"]


def test_the_largest_board_has_nine_marked_points() -> None:
    rows = ("d4", "d10", "d16", "j4", "j10", "j16", "p4", "p10", "p16")
    assert sorted(stars(19)) == sorted(rows)
