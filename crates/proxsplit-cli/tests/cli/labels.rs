//! Names of features and samples, from the data to the outputs.

use crate::bench::Bench;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

#[test]
fn labels_travel_with_the_factors() {
    let bench = Bench::new();
    bench.write(
        "genes.csv",
        "gene,cell1,cell2,cell3\nBRCA1,1,2,3\nTP53,0,1,4\nMYC,2,2,1\n",
    );
    bench
        .run("factorize genes.csv --rank 1 --report --out out -q")
        .done();
    assert_eq!(bench.text("out/features.txt"), "BRCA1\nTP53\nMYC\n");
    assert_eq!(bench.text("out/samples.txt"), "cell1\ncell2\ncell3\n");
    assert!(bench.text("out/report.html").contains("TP53"));
    bench
        .run("factorize genes.csv --rank 1 --samples rows --out turned -q")
        .done();
    assert_eq!(bench.text("turned/features.txt"), "cell1\ncell2\ncell3\n");
}

/// Writes a packed file.
fn pack(bench: &Bench, name: &str, text: &str) {
    let file = std::fs::File::create(bench.path(name)).unwrap();
    let mut packed = GzEncoder::new(file, Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
}

/// 4 genes in 5 cells, two kinds of cells.
fn cells(bench: &Bench, folder: &str) {
    std::fs::create_dir(bench.path(folder)).unwrap();
    pack(
        bench,
        &format!("{folder}/matrix.mtx.gz"),
        "%%MatrixMarket matrix coordinate integer general\n%metadata_json: {}\n4 5 10\n\
         1 1 4\n2 1 2\n1 2 8\n2 2 4\n3 3 3\n4 3 6\n3 4 1\n4 4 2\n1 5 6\n2 5 3\n",
    );
    let features = "ENSG0\tBRCA1\tGene Expression\nENSG1\tTP53\tGene Expression\n\
                    ENSG2\tMYC\tGene Expression\nENSG3\t<EGFR>\tGene Expression\n";
    pack(bench, &format!("{folder}/features.tsv.gz"), features);
    pack(
        bench,
        &format!("{folder}/barcodes.tsv.gz"),
        "AAAC-1\nAAAG-1\nAACA-1\nAACC-1\nAACG-1\n",
    );
}

#[test]
fn a_10x_folder_is_factorized_with_its_names() {
    let bench = Bench::new();
    cells(&bench, "cells");
    let record = bench
        .run("factorize cells/ --rank 2 --report --json")
        .json();
    assert_eq!(record["data"]["features"], 4);
    assert_eq!(record["data"]["samples"], 5);
    let description = record["data"]["description"].as_str().unwrap();
    assert!(description.contains("sparse, 10 entries"), "{description}");
    // Two kinds of cells, each a multiple of one profile: rank 2 is exact.
    assert!(record["objective"].as_f64().unwrap() < 1e-6);
    assert_eq!(
        bench.text("cells-rank2/features.txt"),
        "BRCA1\nTP53\nMYC\n<EGFR>\n"
    );
    assert_eq!(
        bench.text("cells-rank2/samples.txt"),
        "AAAC-1\nAAAG-1\nAACA-1\nAACC-1\nAACG-1\n"
    );
    let page = bench.text("cells-rank2/report.html");
    assert!(page.contains("BRCA1") && !page.contains("ENSG0"));
    assert!(!page.contains("<EGFR>") && page.contains("EGFR"), "escaped");
    let (x, a) = ("cells-rank2/X.npy", "cells-rank2/A.npy");
    let audit = bench.run(&format!("check cells {x} {a} --json")).json();
    assert!(audit["misfit"].as_f64().unwrap() < 1e-6);
    bench
        .run("encode cells --model cells-rank2 --out codes.npy -q")
        .done();
    assert_eq!(bench.dense("codes.npy").cols(), 5);
}

#[test]
fn folders_whose_files_do_not_belong_together_are_refused() {
    let bench = Bench::new();
    cells(&bench, "cells");
    pack(&bench, "cells/barcodes.tsv.gz", "AAAC-1\n");
    bench
        .run("factorize cells --rank 2 --out out")
        .refused(1, &["cells: there are 1 column labels for 5 columns"]);
    std::fs::write(bench.path("cells/barcodes.tsv.gz"), "not packed").unwrap();
    bench
        .run("factorize cells --rank 2 --out out")
        .refused(1, &["cells/barcodes.tsv.gz"]);
    std::fs::remove_file(bench.path("cells/matrix.mtx.gz")).unwrap();
    bench
        .run("factorize cells --rank 2 --out out")
        .refused(1, &["neither matrix.mtx or matrix.mtx.gz"]);
    assert!(!bench.path("out").exists());
}
