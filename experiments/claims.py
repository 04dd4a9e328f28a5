"""The first page: claim by claim of the paper, what the other pages found, and what differs from the paper."""

from __future__ import annotations

from bench.table import markdown

from .checks import Checks
from .output import Output

TEXT = """
Every page opens with its answer. The answers, in the order of the paper's claims:

1. **Errors need not vanish, and the outcome is stationary up to their level** (Theorem "Convergence"); **the incremental method is an instance with bounded error** (Lemmas "Incrementality error" and "Bounded error", with the corrected sum).
   [The theory at work](theory.md). {theory}
2. **"Only slightly slower than SPAMS" in Matlab, 4–10 times faster when compiled** (Figure 1). [Figure 1](figure1.md). {figure1}
3. **Lower objective and greater sparsity than SGGD from the same start** (Figure 2), **with substantially less tuning of the step.** [Figure 2](figure2.md). {figure2}
4. What the paper could not show: [the certificate at work](certificate.md). {certificate}
5. [Where the method stands today](today.md). {today}

## What was checked in this run

{table}
## What differs from the paper

- Machine, language and SPAMS: the paper ran Matlab against SPAMS 2.3 and printed no numbers, only plots; here compiled code runs against spams-bin 2.6.14.
- Data: RAND is NumPy's `default_rng(0).random((4000, 4000))`. CBCL and YALE are the same sets, divided by 255. The paper's web graph could not be had: WEB-SCC is the largest strongly connected
  component of the same crawl, and the graph of the paper's size is generated. Neither is the paper's own. The planted case is added, because the paper's weights hardly act.
- Tuning: the paper tuned SGGD over "a range" and NIPS "substantially lesser", without numbers. Here both have the same number of trials.
- The paper does not say how its inner problems were solved, nor whether scale was controlled; both are factors of the experiments here.

Numbers are those of the CSVs in `experiments/results`; `python -m experiments.verify` makes every page from them again and fails on a difference.
"""

PAGES = ["theory", "figure1", "figure2", "certificate", "today"]


def write(out: Output, checks: Checks) -> None:
    rows = [[text, "holds" if holds else "**does not hold**", seen] for text, holds, seen in checks.rows]
    answers = {name: out.answer(name) for name in PAGES}
    out.page("claims", "The paper's claims", TEXT.format(table=markdown(["claim", "outcome", "seen"], rows), **answers))
