"""Finds a client's address behind proxies, and decides whether pages of an origin may connect.

Pure functions of addresses and headers: this module counts nothing.
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
                    f"--trusted-proxies: {text!r} is neither an address nor a network, such as "
                    "10.0.0.0/8"
                ) from None

    def trusts(self, peer: str) -> bool:
        """Whether the peer is a trusted proxy, whose header gives the client's address."""
        address = read_address(peer)
        return address is not None and self._trusted(address)

    def origin_of(self, peer: str, headers: Headers) -> str:
        """The address, or IPv6 network, to which a connection from `peer` counts.

        The header lists the client and then the proxies on its way. Each proxy adds the address
        before it. So read it from the right: the first address that is not a trusted proxy is the
        client, and everything left of it is only the client's own claim. Without a trusted header,
        the address is that of the peer.
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
        by TLS. A node has no TLS itself, so a trusted proxy must say so. `localhost` never gets it:
        the header holds for all ports of a host, and other programs serve there."""
        hosts = headers.get_all("Host")  # `get` raises if a header comes twice
        host = _authority(f"https://{hosts[0]}") if len(hosts) == 1 else None
        if not (self._hsts and host and self.scheme_of(peer, headers) == "https"):
            return {}
        if host[0] == "localhost" or host[0].endswith(".localhost"):
            return {}
        return {"Strict-Transport-Security": f"max-age={self._hsts}"}

    def scheme_of(self, peer: str, headers: Headers) -> str:
        """`https` if a trusted proxy says that the client came by TLS, else `http`."""
        told = ",".join(headers.get_all("X-Forwarded-Proto")).partition(",")[0].strip().lower()
        return "https" if told == "https" and self.trusts(peer) else "http"

    def allows(self, origin: str, host: str | None) -> bool:
        """Whether a page of this origin may connect to this host. Programs send no origin. Browsers
        always do, and users should not play through a foreign page (SPEC 1)."""
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
    """The host and port of a Host header. A missing port is the default of the page's scheme."""
    return _authority(f"{origin.partition(':')[0]}://{host}")


def _items(text: str) -> Collection[str]:
    return {item.strip().lower().rstrip("/") for item in text.split(",") if item.strip()}
