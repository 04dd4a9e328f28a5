"""Known ways for a certificate to be wrong, each with the command that shows it and what must hold instead.

`python -m fuzz.judge recipes [NAME ...]` runs them. A recipe is a function that gives complaints; its docstring is its claim.
"""

import shutil
import sys
import tempfile
import traceback
from pathlib import Path

from . import claims
from .program import Program

ALL = {}


def recipe(function):
    ALL[function.__name__.replace("_", "-")] = function
    return function


def factorize(program, data, *options, **keywords):
    return program.run(["factorize", data, "-q", *options], **keywords)


def honest(outcome):
    """The certificate and the exit code by themselves."""
    if not outcome.record:
        return [f"no result: {outcome.message}"]
    return claims.certificate(outcome.certificate) + claims.agree(outcome.record) + claims.exit_code(outcome, False)


def strength(outcome):
    """The kind of the guarantee, of either layout."""
    stated = outcome.certificate.get("of_method", outcome.certificate).get("guarantee")
    return next(iter(stated)) if isinstance(stated, dict) else stated


def run(names, path):
    """Run the recipes and print a line for each."""
    from . import linear_recipes, method_recipes, point_recipes, python_recipes  # noqa: F401  each adds its own

    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"no recipe {', '.join(unknown)}; there are {', '.join(ALL)}")
    failed = 0
    for name in names or ALL:
        folder = Path(tempfile.mkdtemp(prefix=f"recipe-{name}-"))
        try:
            complaints = ALL[name](Program(folder, path))
        except ImportError as error:
            complaints = [f"not run: {error}"]
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            complaints = [f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        failed += bool(complaints)
        print(f"{'FAIL' if complaints else 'pass'} {name:32} {ALL[name].__doc__}")
        for complaint in complaints[:4]:
            print(f"       {complaint}", flush=True)
    count = len(names or ALL)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0
