"""What a newcomer does with data of their own: `make stranger` runs this with an installed wheel and an installed command line.

    python stranger.py PROGRAM FOLDER

Three files with the same counts of 60 cells and 30 genes, made of 3 programs: a csv by pandas, an .h5ad by anndata, and an .h5 by h5py in
the layout of the 10x software. The command line and the package must find the same objective in all of them.
"""

import json
import pathlib
import subprocess
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

import proxsplit

RANK, CELLS, GENES = 3, [f"cell{i}" for i in range(60)], [f"gene{i}" for i in range(30)]


def counts():
    rng = np.random.default_rng(0)
    rates = rng.gamma(0.3, 10, (len(CELLS), RANK)) @ rng.gamma(0.5, 2, (RANK, len(GENES)))
    return rng.poisson(rates).astype("f8")


def write(Y, folder):
    """The name of each file, and the options that its layout needs."""
    pd.DataFrame(Y, index=CELLS, columns=GENES).to_csv(folder / "cells.csv")
    names = {"obs": pd.DataFrame(index=CELLS), "var": pd.DataFrame(index=GENES)}
    anndata.AnnData(sp.csr_matrix(Y), **names).write_h5ad(folder / "cells.h5ad", compression="gzip")
    S = sp.csc_matrix(Y.T.astype("i4"))  # features × barcodes
    with h5py.File(folder / "tenx.h5", "w") as file:
        matrix = file.create_group("matrix")
        for name, values in {"data": S.data, "indices": S.indices.astype("i8"), "indptr": S.indptr.astype("i8")}.items():
            matrix.create_dataset(name, data=values, compression="gzip", shuffle=True)
        matrix["shape"] = np.array(S.shape, "i4")
        matrix["barcodes"] = np.array(CELLS, "S18")
        matrix["features/id"] = np.array([f"ENSG{i:011}" for i in range(len(GENES))], "S15")
        matrix["features/name"] = np.array(GENES, "S16")
    return {"cells.csv": ["--samples", "rows"], "cells.h5ad": ["--samples", "rows"], "tenx.h5": []}


def by_command(program, folder, name, options):
    """The objective of `proxsplit factorize`, with the names of both sides checked."""
    out = folder / f"out-{name}"
    command = [program, "factorize", folder / name, "--rank", str(RANK), "--report", "--force", "--quiet", "--strict", "--out", out, *options]
    subprocess.run(command, check=True)
    assert (out / "features.txt").read_text().split() == GENES, name
    assert (out / "samples.txt").read_text().split() == CELLS, name
    assert "gene0" in (out / "report.html").read_text(), name
    return json.loads((out / "run.json").read_text())["objective"]


def by_package(folder):
    """The objectives of the same files, read by the tools that their owners use."""
    frame = pd.read_csv(folder / "cells.csv", index_col=0)
    adata = anndata.read_h5ad(folder / "cells.h5ad")
    with h5py.File(folder / "tenx.h5") as file:
        matrix = file["matrix"]
        parts = [matrix[name][:] for name in ("data", "indices", "indptr")]
        cells = sp.csc_matrix(tuple(parts), shape=matrix["shape"][:]).T
    options = {"init": "auto", "tol": 1e-6, "max_iter": 2000, "random_state": 0}
    for name, data in {"cells.csv": frame, "tenx.h5": cells}.items():
        yield name, proxsplit.NMF(RANK, **options).fit(data).certificate_
    model = proxsplit.factorize_anndata(adata, n_components=RANK, **options)
    assert adata.obsm["X_nmf"].shape == (len(CELLS), RANK) and adata.varm["nmf"].shape == (len(GENES), RANK)
    yield "cells.h5ad", model.certificate_


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    objectives = {}
    for name, options in write(counts(), folder).items():
        objectives[f"{name}, command line"] = by_command(program, folder, name, options)
    for name, certificate in by_package(folder):
        assert certificate.converged, (name, certificate.words)
        objectives[f"{name}, Python"] = certificate.objective
    for name, objective in objectives.items():
        print(f"{name:26} objective {objective:.6f}")
    values = list(objectives.values())
    assert np.ptp(values) <= 1e-4 * np.mean(values), "the same data must have the same objective"


if __name__ == "__main__":
    main(*sys.argv[1:])
