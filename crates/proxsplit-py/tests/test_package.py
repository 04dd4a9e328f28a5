"""The package as a whole: stubs, docstrings, examples in them."""

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import proxsplit
from proxsplit import _proxsplit, prox
from proxsplit._operator import CLASSES

MODULES = ["proxsplit", "proxsplit.prox", "proxsplit._operator", "proxsplit._minimize", "proxsplit._nmf", "proxsplit._minibatch",
           "proxsplit._dictionary", "proxsplit._check"]  # fmt: skip


def test_stubs_describe_the_native_module():
    command = [sys.executable, "-m", "mypy.stubtest", "proxsplit._proxsplit", "--concise"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_annotations_are_consistent():
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "-p", "proxsplit"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    __import__(name)
    failed, _ = doctest.testmod(sys.modules[name], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_examples_of_the_readme_run():
    readme = Path(__file__).parents[1] / "README.md"
    assert doctest.testfile(str(readme), module_relative=False).failed == 0


def public():
    for name in proxsplit.__all__:
        yield name, getattr(proxsplit, name)
    for name in prox.__all__:
        yield f"prox.{name}", getattr(prox, name)


@pytest.mark.parametrize(("name", "thing"), list(public()), ids=[name for name, _ in public()])
def test_everything_public_is_documented(name, thing):
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and name.startswith(("NMF", "MiniBatch", "Dictionary")):
        documented = inspect.getdoc(thing)
        for parameter in inspect.signature(thing).parameters:
            assert parameter in documented, parameter


def test_every_operator_of_the_catalogue_has_a_class():
    assert set(_proxsplit.catalogue()) == set(CLASSES)
