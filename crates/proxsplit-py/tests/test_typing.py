"""What mypy sees of the package in a user's script."""

import subprocess
import sys

SCRIPT = '''
from typing import assert_type

import numpy as np
from proxsplit import NMF, Certificate, DictionaryLearning, MiniBatchNMF, check, minimize
from proxsplit.prox import L1, Box, NonNeg, Operator, parse

X = np.ones((6, 4))
assert_type(NMF(2).fit(X), NMF)
assert_type(NMF("auto").fit(X), NMF)
assert_type(MiniBatchNMF(2).partial_fit(X), MiniBatchNMF)
assert_type(DictionaryLearning(2).fit(X), DictionaryLearning)
certificate = NMF(2).fit(X).certificate_
assert_type(certificate, Certificate)
assert_type(certificate.objective, float)
assert_type(certificate.gap, float | None)
assert_type(certificate.at_point["feasible"], bool)
assert_type(certificate.of_method["assumptions"][0]["text"], str)
operator: Operator = L1(0.1) + NonNeg()
assert_type(Box(0, 1), Box)
assert_type(parse("l1:1").prox_with_error(X)[1], float | None)
audit = check(X, X[:, :2], X[:2])
assert_type(audit.misfit, float)
minimize(lambda x: (0.0, x), np.ones(3), prox=operator, bounds=[(0, None)] * 3)
'''
MISTAKES = ['NMF("many")', "NMF(2.5)", 'NMF(alpha_H="other")', "MiniBatchNMF(batch_size='all')", "DictionaryLearning(alpha=None)"]


def mypy(path):
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)


def test_a_correct_script_passes_in_strict_mode(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    result = mypy(path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_wrong_arguments_are_found(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("from proxsplit import NMF, DictionaryLearning, MiniBatchNMF\n" + "\n".join(MISTAKES))
    found = mypy(path).stdout
    lines = {int(line.split(":")[1]) for line in found.splitlines() if ": error:" in line}
    assert lines == set(range(2, 2 + len(MISTAKES))), found
