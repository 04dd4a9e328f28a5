"""scikit-learn's own checks, on configurations of the factorizations that take different ways through the code.

Those of the linear models are in test_linear.py.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from proxsplit import NMF, DictionaryLearning, MiniBatchNMF

CONFIGURATIONS = [
    NMF(),
    NMF(init="random", method="batch"),
    NMF(init="nndsvd", solver="mu"),
    NMF(beta_loss="kullback-leibler"),
    NMF(alpha_W=0.01, l1_ratio=0.5),
    NMF(method="incremental", batch_size=7),
    NMF(signed=True, W_set=None, H_set="l2-ball:1"),
    NMF(W_set="simplex:1", n_components=2),
    NMF(W_penalty="l1:0.1", H_set="box:0,1"),
    NMF(missing="nan"),
    NMF(n_init=2, init="random", n_components=2),
    MiniBatchNMF(),
    MiniBatchNMF(batch_size=5, alpha_W=0.01),
    MiniBatchNMF(method="incremental", signed=True, H_set=None),
    MiniBatchNMF(beta_loss="kullback-leibler"),
    DictionaryLearning(transform_algorithm="lasso_cd"),
    DictionaryLearning(n_components=3, split_sign=True, transform_algorithm="lasso_cd"),
    DictionaryLearning(n_components=3, positive_code=True, transform_algorithm="lasso_lars"),
    DictionaryLearning(n_components=3, positive_dict=True, method="batch", transform_algorithm="lasso_cd"),
]


@parametrize_with_checks(CONFIGURATIONS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimators_keep_the_protocol(estimator, check):
    check(estimator)
