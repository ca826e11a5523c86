import pytest

from pierule_server.store.driver.urls import check_url


@pytest.mark.parametrize(
    "url",
    [
        "redis://store",
        "redis://store:6379/",
        "redis://user:pass%2Fword@[::1]:6379/3",
        "rediss://:p@ss@store:6379/0?ssl_ca_certs=/etc/store@home.pem",
        "unix:///run/store@home/socket",
        "unix://user:word@/run/socket",
        "redis+sentinel://user:word@one:26379,two/games?sentinel_password=p@ss",
    ],
)
def test_a_url_of_a_store_is_taken(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:seven/word@store:6379",
        "redis://:seven?word@store:6379",
        "redis://:seven#word@store:6379",
        "redis://user:7/word@store:6379",
        "redis://user:7?word@store:6379",
        "redis://user:7#word@store:6379",
        "redis+sentinel://user:seven/word@one,two/games",
        "rediss+sentinel://user:seven#word@one,two/games",
    ],
)
def test_a_password_that_ends_too_early_is_told_and_not_shown(url: str) -> None:
    with pytest.raises(ValueError, match="write % as %25, / as %2F") as caught:
        check_url(url)
    for part in ("seven", "word"):
        assert part not in str(caught.value).replace("password", "")


@pytest.mark.parametrize("url", ["redis://store:port", "redis://store:70000"])
def test_a_port_that_is_none_is_told(url: str) -> None:
    with pytest.raises(ValueError, match="the port in the store's URL is not a number"):
        check_url(url)


@pytest.mark.parametrize("url", ["redis://store/games", "rediss://store/-1", "redis://store/0/1"])
def test_a_database_without_a_number_is_told(url: str) -> None:
    with pytest.raises(ValueError, match="not the number of a database"):
        check_url(url)


@pytest.mark.parametrize("url", ["", "store:6379", "127.0.0.1", "valkey://store", "https://store"])
def test_another_beginning_is_told(url: str) -> None:
    with pytest.raises(ValueError, match=r"none of redis://, .*, rediss\+sentinel://"):
        check_url(url)
