"""The public surface is what the package names, and nothing that only happens to be there."""

import ast
import inspect
from contextlib import AbstractAsyncContextManager
from inspect import isfunction, ismodule

import pytest

import pierule


def test_the_package_exports_exactly_its_imports() -> None:
    here = {name for name, it in vars(pierule).items() if not (name[0] == "_" or ismodule(it))}
    assert pierule.__all__ == sorted(here)


@pytest.mark.parametrize("kind", [pierule.Client, pierule.Room])
def test_only_methods_and_properties_are_public(kind: type) -> None:
    """That each of them is documented, `test_reference` sees to."""
    public = {name: it for name, it in vars(kind).items() if not name.startswith("_")}
    assert all(isfunction(it) or isinstance(it, property) for it in public.values())
    tree = ast.parse(inspect.getsource(kind))
    kept = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    assert {name for name in kept if not name.startswith("_")} == set()


def test_every_error_is_a_pierule_error() -> None:
    for error in ("Refused", "TimedOut", "ConnectionLost", "Desync", "BadReply", "BadClock"):
        assert issubclass(getattr(pierule, error), pierule.PieruleError)
    assert issubclass(pierule.TimedOut, TimeoutError)


def test_the_signature_of_connect_names_its_client() -> None:
    told = inspect.signature(pierule.connect, eval_str=True).return_annotation
    assert told == AbstractAsyncContextManager[pierule.Client]


def test_an_unknown_codec_is_named() -> None:
    with pytest.raises(ValueError, match="msgpack or json, not 'xml'"):
        pierule.connect("ws://127.0.0.1:9/ws", codec="xml")  # type: ignore[arg-type]
