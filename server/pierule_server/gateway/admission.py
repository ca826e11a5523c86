"""Whether to accept a handshake: the client's address behind proxies, and the origin of its page.

Pure functions of addresses and headers; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_network
from urllib.parse import urlsplit

from websockets.datastructures import Headers

from pierule_server.identity.addresses import Address, group, read_address
from pierule_server.settings import Settings

_PORTS = {"http": 80, "https": 443}


class Admission:
    """The rules by which this node accepts peers. Raises ValueError for wrong settings."""

    def __init__(self, settings: Settings) -> None:
        self._origins = _items(settings.origins)
        self._header = settings.proxy_header
        self._hsts = settings.hsts
        self._proxies = []
        for text in _items(settings.trusted_proxies):
            try:
                self._proxies.append(ip_network(text, strict=False))
            except ValueError:
                raise ValueError(
                    f"--trusted-proxies: {text!r} is no address and no network such as 10.0.0.0/8"
                ) from None

    def trusts(self, peer: str) -> bool:
        """Whether the peer is one of our proxies, whose header gives the client's address."""
        address = read_address(peer)
        return address is not None and self._trusted(address)

    def origin_of(self, peer: str, headers: Headers) -> str:
        """The address, or IPv6 network, for which a connection from `peer` counts.

        The header lists a client and the proxies on its way, each added by the next one. So read it
        from the right: the first address that is no proxy of ours is the client, and everything
        left of it is what the client itself claims. Without a trusted header it is the peer.
        """
        known = read_address(peer)
        if known is None:
            return peer
        hops = ",".join(headers.get_all(self._header)).split(",")
        for hop in reversed(hops):
            if not self._trusted(known):
                break
            told = read_address(hop.strip())
            if told is None:
                break
            known = told
        return group(known)

    def pinned(self, peer: str, headers: Headers) -> dict[str, str]:
        """The header that makes a browser use only TLS from now on (RFC 6797), if the client came
        by TLS this time. A node speaks no TLS itself, so a proxy of ours has to say so. Never for
        `localhost`: the header holds for all ports of a host, and other programs serve there."""
        hosts = headers.get_all("Host")  # Either may come twice, which `get` does not bear.
        host = _authority(f"https://{hosts[0]}") if len(hosts) == 1 else None
        if not (self._hsts and host and self.scheme_of(peer, headers) == "https"):
            return {}
        if host[0] == "localhost" or host[0].endswith(".localhost"):
            return {}
        return {"Strict-Transport-Security": f"max-age={self._hsts}"}

    def scheme_of(self, peer: str, headers: Headers) -> str:
        """`https` if one of our proxies says that the client came by TLS, else `http`."""
        told = ",".join(headers.get_all("X-Forwarded-Proto")).partition(",")[0].strip().lower()
        return "https" if told == "https" and self.trusts(peer) else "http"

    def allows(self, origin: str, host: str | None) -> bool:
        """Whether a page of this origin may connect. Programs send no origin. A browser always
        does, and its user should not play through a foreign page (SPEC 1)."""
        if "*" in self._origins:
            return True
        if self._origins:
            return origin.lower() in self._origins
        page = _authority(origin)
        return page is not None and host is not None and page == _with_port(host, origin)

    def _trusted(self, address: Address) -> bool:
        return any(address in network for network in self._proxies)


def _authority(origin: str) -> tuple[str, int | None] | None:
    try:
        parts = urlsplit(origin)
        if parts.hostname is None:
            return None
        return parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def _with_port(host: str, origin: str) -> tuple[str, int | None] | None:
    """A Host header's host and port; a missing port is that of the page's scheme."""
    return _authority(f"{origin.partition(':')[0]}://{host}")


def _items(text: str) -> Collection[str]:
    return {item.strip().lower().rstrip("/") for item in text.split(",") if item.strip()}
