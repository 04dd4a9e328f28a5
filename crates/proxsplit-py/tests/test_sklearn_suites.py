"""scikit-learn's own tests of NMF and dictionary learning, with the import replaced.

Only tests that use one of the replaced names are run. Those of `EXPECTED` must fail, each for the reason given: one that passes is an
error, and so is a pattern that no test matches, so that the list stays true. The book has it, too, in "scikit-learn's own tests".
"""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

LOSS = "needs a loss that is not there"
ITERATES = "compares digits with those of scikit-learn's own iteration"
PATHS = "compares digits of two runs that take different ways to the same minimum here"

# Regular expressions of names, with the reason.
EXPECTED = {
    "test_nmf": {
        r"test_convergence_warning": "wants a warning after one pass, but the run has converged",
        r"test_parameter_checking": "wants Kullback–Leibler to be refused with solver='cd'",
        r"test_minibatch_nmf_negative_beta_loss": LOSS,
        r"test_nmf_minibatchnmf_equivalence\[(-0.5|0|0.5|1.5|2.5)\]": LOSS,
        r"test_nmf_minibatchnmf_equivalence\[(1|2)\]": PATHS,
        r"test_nmf_sparse_input\[(0.0-0.0|same-0.0|0.0-1.0|1.0-0.0)-.*-NMF-.*\]": "compares digits where the minimum is not unique and rounding decides",
        r"test_nmf_float32_float64_consistency": PATHS,
        r"test_minibatch_nmf_partial_fit": PATHS,
        r"test_non_negative_factorization_consistency": ITERATES,
        r"test_nmf_n_components_auto": "reads a private name",
    },
    "test_dict_learning": {},
}
NAMES = {"test_nmf": ("NMF", "MiniBatchNMF"), "test_dict_learning": ("DictionaryLearning",)}

CONFTEST = '''
import json, pathlib, pytest, re

REASONS = json.loads(pathlib.Path(__file__).with_name("expected.json").read_text())

def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: used by scikit-learn")

def pytest_collection_modifyitems(items):
    used = set()
    for item in items:
        for pattern, reason in REASONS.items():
            if re.fullmatch(pattern, item.name) or re.fullmatch(pattern, item.originalname):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
                used.add(pattern)
    if unused := REASONS.keys() - used:
        raise pytest.UsageError(f"no test matches {sorted(unused)}")
'''


def with_our_import(source, names):
    """The source with `names` imported from this package, and the tests that use them."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "sklearn.decomposition":
            node.names = [alias for alias in node.names if alias.name not in names] or [ast.alias("PCA")]
    ours = ast.parse(f"from proxsplit import {', '.join(names)}").body
    last = max(i for i, node in enumerate(tree.body) if isinstance(node, (ast.Import, ast.ImportFrom)))
    tree.body[last + 1 : last + 1] = ours
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    used = [test.name for test in tests if any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(test))]
    return ast.unparse(ast.fix_missing_locations(tree)), used


@pytest.mark.parametrize("suite", list(NAMES))
def test_the_suite_passes_but_for_what_is_listed(suite, tmp_path):
    # The package of the tests is not installed everywhere; its files are.
    folder = Path(importlib.util.find_spec("sklearn.decomposition").origin).parent / "tests"
    path = folder / f"{suite}.py"
    if not path.exists():
        pytest.skip("scikit-learn is installed without its tests")
    source, used = with_our_import(path.read_text(), NAMES[suite])
    (tmp_path / f"{suite}_swapped.py").write_text(source)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "expected.json").write_text(json.dumps(EXPECTED[suite]))
    nodes = [f"{suite}_swapped.py::{name}" for name in used]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", *nodes]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr


def test_the_book_has_the_same_list():
    """Every test with its reason, one row each, and no other row."""
    page = (Path(__file__).parents[3] / "docs/src/python.md").read_text()
    section = page.split("### scikit-learn's own tests")[1].split("\n## ")[0]
    rows = [row.strip("| ").split(" | ") for row in section.splitlines() if row.startswith("| `")]
    listed = {(name, reason) for names, reason in rows for name in re.findall(r"`(test_\w+)", names)}
    expected = {(re.match(r"\w+", pattern)[0], reason) for suite in EXPECTED.values() for pattern, reason in suite.items()}
    assert listed == expected
