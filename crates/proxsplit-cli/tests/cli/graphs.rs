//! Graphs of samples and of features, from the files to the audit.

use crate::bench::Bench;

const ROWS: usize = 9;
const COLS: usize = 20;

fn numbers() -> Vec<f64> {
    let entry = |i: usize, t: usize| ((i % 3 + 1) * (t % 4 + 1) + (i * 31 + t * 17) % 11) as f64;
    (0..ROWS * COLS)
        .map(|at| entry(at / COLS, at % COLS))
        .collect()
}

/// w_ij = 1 from every node to the next one.
fn chain(nodes: usize) -> Vec<f64> {
    (0..nodes * nodes)
        .map(|at| f64::from(u8::from(at / nodes + 1 == at % nodes)))
        .collect()
}

fn objective(bench: &Bench, folder: &str, (of_x, of_a): (f64, f64)) -> f64 {
    let (x, a) = (
        bench.dense(&format!("{folder}/X.npy")),
        bench.dense(&format!("{folder}/A.npy")),
    );
    let mut sum = 0.0;
    for (at, y) in numbers().into_iter().enumerate() {
        let (i, t) = (at / COLS, at % COLS);
        let z: f64 = (0..2).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
        sum += 0.5 * (y - z).powi(2);
    }
    for k in 0..2 {
        let codes: Vec<f64> = (0..COLS).map(|t| a.col(t)[k]).collect();
        let steps = |values: &[f64]| {
            values
                .windows(2)
                .map(|w| (w[0] - w[1]).powi(2))
                .sum::<f64>()
        };
        sum += 0.5 * (of_x * steps(x.col(k)) + of_a * steps(&codes));
    }
    sum
}

#[test]
fn graphs_count_in_the_run_in_its_record_and_in_the_audit() {
    let bench = Bench::new();
    bench.matrix("y.npy", COLS, &numbers());
    bench.matrix("x.npy", ROWS, &chain(ROWS));
    bench.matrix("a.npy", COLS, &chain(COLS));
    let graphs = "--x-graph x.npy --x-graph-weight 0.5 --a-graph a.npy --a-graph-weight 2";
    let words = format!("factorize y.npy -k 2 {graphs} --threads 2 --passes 3000 --out out --json");
    let record = bench.run(&words).json();
    assert_eq!(record["converged"], true, "{record}");
    assert_eq!(record["settings"]["a_graph_weight"], 2.0);
    let told = record["settings"]["x_graph"].as_str().unwrap();
    assert!(told.starts_with("x.npy ("), "{told}");
    let exact = objective(&bench, "out", (0.5, 2.0));
    let check = format!("check y.npy out/X.npy out/A.npy {graphs} --json");
    let audit = bench.run(&check).json();
    for stated in [&record["objective"], &audit["objective"]] {
        let stated = stated.as_f64().unwrap();
        assert!((stated - exact).abs() <= 1e-9 * exact, "{stated}, {exact}");
    }
    let share = |name: &str| {
        let number = |what: &str| audit[format!("{what}_{name}")].as_f64().unwrap();
        number("residual") / number("scale")
    };
    assert!(share("x") <= 1e-5 && share("a") <= 1e-5, "{audit}");
    // New samples are coded without the graph.
    bench.run("encode y.npy --model out --out codes.npy").done();
}

#[test]
fn what_does_not_fit_is_refused() {
    let bench = Bench::new();
    bench.matrix("y.npy", COLS, &numbers());
    bench.matrix("x.npy", ROWS, &chain(ROWS));
    bench.matrix("a.npy", COLS, &chain(COLS));
    let mut negative = chain(COLS);
    negative[2 * COLS + 7] = -1.0;
    bench.matrix("bad.npy", COLS, &negative);
    for (words, told) in [
        ("--a-graph x.npy", "9 nodes"),
        ("--a-graph bad.npy", "row 2, column 7"),
        ("--a-graph a.npy --loss kl", "kl does not support graphs"),
        ("--x-graph x.npy --method incremental", "use batch"),
        ("--a-graph none.npy", "none.npy"),
    ] {
        bench
            .run(&format!("factorize y.npy -k 2 {words} --out out"))
            .refused(1, &[told]);
    }
    bench
        .run("factorize y.npy -k 2 --a-graph-weight 2 --out out")
        .refused(2, &["--a-graph"]);
}
