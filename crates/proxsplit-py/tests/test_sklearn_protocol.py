"""scikit-learn's own checks, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from proxsplit import NMF, DictionaryLearning, MiniBatchNMF


@parametrize_with_checks(
    [NMF(), MiniBatchNMF(), DictionaryLearning(transform_algorithm="lasso_cd"), NMF(signed=True, W_set=None, H_set="l2-ball:1"), NMF(missing="nan")]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimators_keep_the_protocol(estimator, check):
    check(estimator)
