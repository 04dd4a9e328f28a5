//! What comes after a factorization: encode, check, report.

use crate::bench::Bench;

#[test]
fn encoding_the_training_data_gives_its_codes() {
    let bench = Bench::new();
    let data = "planted:40x60x3,0.05";
    bench.run(&format!("factorize {data} -k 3 --a-penalty l1:0.1 --x-set l2-ball:1+nonneg --passes 50 --out model -q")).done();
    let printed = bench
        .run(&format!("encode {data} --model model --out a.npy --json"))
        .json();
    assert_eq!(printed["samples"], 60);
    assert_eq!(printed["terms"], "l1:0.1+nonneg");
    let (known, found) = (bench.dense("model/A.npy"), bench.dense("a.npy"));
    assert_eq!((found.rows(), found.cols()), (3, 60));
    let far = known
        .data()
        .iter()
        .zip(found.data())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(far < 1e-5, "{far}");
    bench
        .run(&format!("encode {data} --model model --out a.npy"))
        .refused(1, &["a.npy already exists"]);
    bench
        .run(&format!("encode {data} --model model --out a.npz"))
        .done();
    assert_eq!(bench.dense("a.npz").data(), found.data());
    bench
        .run("encode rand:41x5 --model model --out b.npy")
        .refused(1, &["41 features", "had 40"]);
    bench
        .run("encode rand:40x5 --model nothing --out b.npy")
        .refused(1, &["nothing"]);
}

#[test]
fn an_audit_finds_what_is_true() {
    let bench = Bench::new();
    let data = "planted:40x60x3,0.05";
    let terms = "--x-penalty l1:0.01 --a-penalty l1:0.1";
    bench
        .run(&format!(
            "factorize {data} -k 3 {terms} --passes 50 --out model -q"
        ))
        .done();
    let record = bench.json("model/run.json");
    let audit = bench
        .run(&format!(
            "check {data} model/X.npy model/A.npy {terms} --json"
        ))
        .json();
    let gap = audit["objective"].as_f64().unwrap() - record["objective"].as_f64().unwrap();
    assert!(
        gap.abs() < 1e-8 * record["objective"].as_f64().unwrap(),
        "{gap}"
    );
    assert!(audit["dead_atoms"].as_array().unwrap().is_empty());
    let words = bench
        .run(&format!("check {data} model/X.npy model/A.npy"))
        .done()
        .out;
    assert!(
        words.contains("objective") && words.contains("dead atoms  none"),
        "{words}"
    );
    // Y = 2·3 with x = (1, 0) and one dead atom: the misfit is (6 − 4)²/2.
    bench.matrix("y.npy", 1, &[6.0]);
    bench.matrix("x.npy", 2, &[2.0, 0.0]);
    bench.matrix("a.npy", 1, &[2.0, 5.0]);
    let audit = bench.run("check y.npy x.npy a.npy --json").json();
    assert_eq!(audit["misfit"], 2.0);
    assert_eq!(audit["dead_atoms"], serde_json::json!([1]));
    let words = bench
        .run("check y.npy x.npy a.npy --x-set l2-ball:1")
        .done()
        .out;
    assert!(
        words.contains("column 0 of X lies 1.00e0 outside its set"),
        "{words}"
    );
    bench
        .run("check y.npy a.npy x.npy")
        .refused(1, &["shapes do not match", "1 × 2"]);
}

#[test]
fn a_misfit_is_found_by_plain_sums_where_products_cancel() {
    let bench = Bench::new();
    // Both columns of X are (2³⁰, 0), the rows of A nearly cancel: XA = (½, 0; 0, 0) although its parts are of size 2³⁰.
    let large = f64::from(1 << 30);
    let tiny = 0.5 / large;
    bench.matrix("y.npy", 2, &[1.0, 0.0, 0.0, 1.0]);
    bench.matrix("x.npy", 2, &[large, large, 0.0, 0.0]);
    bench.matrix("a.npy", 2, &[1.0, 1.0, tiny - 1.0, -1.0]);
    let audit = bench
        .run("check y.npy x.npy a.npy --x-set zero --a-set zero --json")
        .json();
    assert_eq!(audit["misfit"], 0.625);
    assert_eq!(audit["objective"], 0.625);
}

#[test]
fn the_page_needs_neither_network_nor_script() {
    let bench = Bench::new();
    bench
        .run("factorize swimmer --rank 17 --passes 30 --report --out out -q")
        .done();
    let page = bench.text("out/report.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("url("));
    let addresses = page.matches("http").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count(),
        "only the name space of SVG"
    );
    assert_eq!(
        page.matches("data:image/png").count(),
        18,
        "17 atoms and the codes"
    );
    for words in [
        "Convergence",
        "Certificate",
        "Sparsity",
        "How to reproduce",
        "factorize swimmer --rank 17",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let record = bench.json("out/run.json");
    let details = record["certificate"]["details"].as_array().unwrap();
    for name in details.iter().map(|line| line[0].as_str().unwrap()) {
        let row = page.split(&format!("<th>{name}</th>")).nth(1).unwrap();
        let row = row.split("</tr>").next().unwrap();
        assert!(row.contains("<small>"), "'{name}' is not explained");
    }
    std::fs::remove_file(bench.path("out/report.html")).unwrap();
    bench.run("report out").done();
    assert_eq!(bench.text("out/report.html"), page);
    bench
        .run("report out --image 16x64 --out other.html")
        .done();
    assert!(bench.text("other.html").contains("16 × 64"));
    bench
        .run("report out --image 5x5")
        .refused(1, &["25 pixels", "1024"]);
    bench
        .run("report nowhere")
        .refused(1, &["nowhere/run.json"]);
}

#[test]
fn two_runs_are_compared_on_one_page() {
    let bench = Bench::new();
    for (rank, seed, out) in [(17, 1, "one"), (16, 2, "other")] {
        let words =
            format!("factorize swimmer --rank {rank} --seed {seed} --passes 30 --out {out} -q");
        bench.run(&words).done();
    }
    let ran = bench.run("report one other").done();
    assert_eq!(ran.out, "compare.html\n");
    let page = bench.text("compare.html");
    assert_eq!(
        page.matches("data:image/png").count(),
        33,
        "every atom once"
    );
    assert_eq!(page.matches("no partner").count(), 1);
    assert_eq!(page.matches("class=\"curve c1\"").count(), 4);
    for words in ["<th>rank</th>", ">one</text>", "--seed 2"] {
        assert!(page.contains(words), "{words}");
    }
    bench
        .run("report one other --out one/X.npy")
        .refused(1, &["one/X.npy"]);
    bench.run("report one other more").refused(2, &["more"]);
}
