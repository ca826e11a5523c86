"""Addresses, in the form in which connections are counted and banned."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

IPV6_PREFIX = 64
"""Somebody who has one IPv6 address has all with this prefix, so they count as one."""


def read_address(text: str) -> Address | None:
    """The address in a text, without its zone; None if there is none."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def group(address: Address) -> str:
    """The name under which an address is counted."""
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)


def address_name(text: str) -> str:
    """The name under which an address is banned: for an IPv6 address that of its network. Raises
    ValueError if the text is no address."""
    network = ip_network(text, strict=False)
    if network.num_addresses > 1 and network.version == 4:
        raise ValueError(f"{text!r} is a network; only single addresses can be banned")
    return group(network.network_address)
