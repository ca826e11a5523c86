import pytest

from pierule_server.operations.listed_rooms import ListedRooms
from pierule_server.settings import Settings


@pytest.mark.parametrize("store", ["http://store", "redis://:pass/word@store", "redis://s?tea=1"])
def test_a_store_that_cannot_be_is_told_at_the_start(store: str) -> None:
    with pytest.raises(ValueError, match="store's URL"):
        ListedRooms(Settings(store=store))
