"""Makes the small files that the tests read: what NumPy, SciPy, pandas, anndata and h5py really write.

Run with NumPy 2, SciPy 1.15 or newer, pandas, anndata and h5py: python make.py. The matrix is always the same 3 x 4 one.
"""

import gzip
import pathlib

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

here = pathlib.Path(__file__).parent
Y = np.array([[1, 0, 2, 0], [0, 0, 3, 0], [4, 5, 0, 6]])

for name in ["u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "?", ">f4", ">f8", ">i2", ">u8"]:
    file = name.replace("?", "bool").replace(">", "big_")
    np.save(here / f"c_{file}.npy", Y.astype(name))
np.save(here / "f_f8.npy", np.asfortranarray(Y.astype("f8")))
np.save(here / "f_u1.npy", np.asfortranarray(Y.astype("u1")))
np.save(here / "vector.npy", Y[:, 2].astype("f8"))
np.save(here / "complex.npy", Y.astype("c16"))
np.save(here / "cube.npy", np.zeros((2, 2, 2)))
np.save(here / "large_integer.npy", np.array([[1, 2**53 + 1]]))
np.savez(here / "one.npz", Y.astype("f4"))
np.savez_compressed(here / "two.npz", a=Y.astype("f8"), b=Y.T.astype("i8"))

S = sp.csr_array(Y.astype("f8"))
sp.save_npz(here / "csr_array.npz", S)
sp.save_npz(here / "csr.npz", sp.csr_matrix(S), compressed=False)
sp.save_npz(here / "csc.npz", sp.csc_matrix(Y.astype("f4")))
sp.save_npz(here / "coo.npz", sp.coo_matrix(Y))
sp.save_npz(here / "coo_array.npz", sp.coo_array(Y))
sp.save_npz(here / "bool.npz", sp.csr_matrix(Y.astype(bool)))
sp.save_npz(here / "dia.npz", sp.dia_matrix(Y))
row, col = np.array([2, 0, 0, 2, 1, 2, 0, 2]), np.array([3, 2, 0, 0, 2, 1, 2, 3])
val = np.array([2.0, 1, 1, 4, 3, 5, 1, 4])
sp.save_npz(here / "duplicates.npz", sp.coo_matrix((val, (row, col)), shape=(3, 4)))
unsorted = sp.csr_matrix(
    (np.array([2.0, 1, 3, 6, 5, 3, 1]), np.array([2, 0, 2, 3, 1, 0, 0], dtype="i8"), np.array([0, 2, 3, 7], dtype="i8")),
    shape=(3, 4),
)
assert not unsorted.has_canonical_format and (unsorted.toarray() == Y).all()
sp.save_npz(here / "unsorted.npz", unsorted)

scipy.io.mmwrite(here / "real.mtx", sp.coo_matrix(Y.astype("f8")), comment="a comment")
scipy.io.mmwrite(here / "integer.mtx", sp.coo_matrix(Y))
scipy.io.mmwrite(here / "array.mtx", Y.astype("f8"))
scipy.io.mmwrite(here / "complex.mtx", sp.coo_matrix(Y.astype("c16")))
with gzip.open(here / "integer_packed.mtx.gz", "wb") as out:
    out.write((here / "integer.mtx").read_bytes())

frame = pd.DataFrame(Y, index=["r1", "r2", "r3"], columns=["a", "b", "c", "d"])
frame.to_csv(here / "labels.csv")
frame.to_csv(here / "labels.tsv.gz", sep="\t")
frame.to_csv(here / "header.csv", index=False)
frame.to_csv(here / "rows.csv", header=False)
frame.to_csv(here / "plain.csv", index=False, header=False)
pd.DataFrame(Y / 3).to_csv(here / "thirds.csv")


def annotated(X, **more):
    obs = pd.DataFrame({"kind": pd.Categorical(["u", "v", "u"])}, index=["r1", "r2", "r3"])
    return ad.AnnData(X, obs=obs, var=pd.DataFrame(index=["a", "b", "c", "d"]), **more)


F = Y.astype("f4")
annotated(F).write_h5ad(here / "dense.h5ad")
annotated(sp.csr_matrix(F)).write_h5ad(here / "csr.h5ad", compression="gzip")
annotated(sp.csc_matrix(F)).write_h5ad(here / "csc.h5ad")
annotated(F).write_h5ad(here / "lzf.h5ad", compression="lzf")
layers = {"counts": sp.csr_matrix(Y), "thirds": Y / 3}
annotated(sp.csr_matrix(F), layers=layers).write_h5ad(here / "layers.h5ad", compression="gzip")
with h5py.File(here / "latest.h5ad", "w", libver="latest") as file:
    ad.io.write_elem(file, "/", annotated(sp.csr_matrix(F)))


def tenx(name, features, **how):
    """What the 10x software writes, in its version 3 or 2."""
    S = sp.csc_matrix(Y.astype("i4"))
    with h5py.File(here / name, "w") as file:
        group = file.create_group("matrix" if "features/name" in features else "GRCh38")
        group.create_dataset("data", data=S.data, **how)
        group.create_dataset("indices", data=S.indices.astype("i8"), **how)
        group.create_dataset("indptr", data=S.indptr.astype("i8"), **how)
        group.create_dataset("shape", data=np.array(S.shape, "i4"), **how)
        group.create_dataset("barcodes", data=np.array(["a", "b", "c", "d"], "S18"), **how)
        for key, texts in features.items():
            group.create_dataset(key, data=np.array(texts, "S16"), **how)


packed = {"compression": "gzip", "shuffle": True, "chunks": True}
genes, names = ["ENSG1", "ENSG2", "ENSG3"], ["r1", "r2", "r3"]
tenx("tenx.h5", {"features/id": genes, "features/name": names}, **packed)
tenx("tenx_two.h5", {"genes": genes, "gene_names": names})

# Pictures: run with Pillow and tifffile.
from PIL import Image  # noqa: E402
import tifffile  # noqa: E402

pictures = here / "pictures"
pictures.mkdir(exist_ok=True)
B = Y.astype("u1")
Image.fromarray(B).save(pictures / "grey.png")
Image.fromarray((1000 * Y).astype("u2")).save(pictures / "deep.png")
Image.fromarray(np.stack([B, B, B], axis=2)).save(pictures / "colour.png")
palette = Image.fromarray(B, mode="P")
palette.putpalette([level for level in range(256) for _ in range(3)])
palette.save(pictures / "palette.png")
Image.fromarray(np.dstack([B, 255 - B])).save(pictures / "transparent.png")
Image.fromarray(B).save(pictures / "raw.pgm")
Image.fromarray(B).save(pictures / "lzw.tif", compression="tiff_lzw")
Image.fromarray(B).save(pictures / "deflate.tif", compression="tiff_adobe_deflate")
tifffile.imwrite(pictures / "float.tif", Y.astype("f4"))
tifffile.imwrite(pictures / "words.tif", Y.astype("u2"), byteorder=">")
tifffile.imwrite(pictures / "stack.tif", np.stack([B, B + 1]), photometric="minisblack")

# Parquet: run with pyarrow and polars.
import polars as pl  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

tables = here / "parquet"
tables.mkdir(exist_ok=True)
columns = {name: Y[:, at] for at, name in enumerate("abcd")}
named = {"gene": ["r1", "r2", "r3"], **columns}
frame.to_parquet(tables / "pandas.parquet")  # the index becomes the last column
frame.rename_axis("gene").reset_index().to_parquet(tables / "first.parquet", row_group_size=2, index=False)
pl.DataFrame(named).write_parquet(tables / "polars.parquet")  # zstd


def arrow(name, table, **how):
    pq.write_table(pa.table(table), tables / f"{name}.parquet", store_schema=False, **how)


arrow("gzip", named, compression="gzip", data_page_version="2.0")
arrow("delta", named, use_dictionary=["gene"], column_encoding={name: "DELTA_BINARY_PACKED" for name in "abcd"})
floats = {name: column.astype("f4") for name, column in columns.items()}
arrow("float", floats, compression="none", use_dictionary=False, use_byte_stream_split=True)
arrow("mixed", {"a": pa.array([True, False, True]), "b": pa.array([1, 2**32 - 1, 3], "u4"), "c": [0.5, 1, 2]})
arrow("nulls", {"a": [1.0, None, 3.0], "b": [None, 5, 6]})
arrow("large", {"a": [1, 2**53 + 1]})
arrow("nested", {"a": [1, 2], "b": [[1], [2, 3]]})
arrow("struct", {"a": [{"x": 1}, {"x": 2}]})
arrow("dates", {"a": [1, 2], "b": pa.array([1, 2], pa.date32())})
arrow("decimal", {"a": pa.array([1, 2], pa.decimal128(9, 2))})
arrow("texts", {"a": ["x", "y"], "b": [1, 2], "c": ["u", "v"]})
arrow("last", {"a": [1, 2], "b": ["u", "v"]})
arrow("none", {"a": pa.array([], "f8")})
arrow("bare", {})
arrow("brotli", columns, compression="brotli")
