//! The theorem "Convergence" at work: robust regression with a gradient that is always wrong by a given amount.
//!
//! `cargo run --release -p proxsplit --example error_floor [docs/src/figures/error_floor.svg]` prints the final residual
//! for error levels from 1e-1 to 1e-6, and draws them if a file is named.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::gradient::{Injected, Shape};
use proxsplit::prox::L1;
use proxsplit::smooth::Cauchy;
use proxsplit::{Splitting, Stop, run};
use rand::{RngExt, SeedableRng};
use std::fmt::Write;

const ROWS: usize = 200;
const COLS: usize = 30;

fn main() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(1);
    let design: Vec<f64> = (0..ROWS * COLS)
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let targets: Vec<f64> = (0..ROWS)
        .map(|i| design[i * COLS] * 2.0 + random.random_range(-0.5..0.5))
        .collect();
    let design = Dense::new(ROWS, COLS, StorageOrder::RowMajor, Elements::F64(&design)).unwrap();
    let f = Cauchy::new(design, &targets, 0.5).unwrap();
    let g = L1::new(1.0).unwrap();

    println!("shape,level,residual,ratio,verdict");
    let mut curves = Vec::new();
    for shape in [Shape::Bias, Shape::Random, Shape::Adversarial] {
        let mut curve = Vec::new();
        for exponent in 1..=6 {
            let level = 10f64.powi(-exponent);
            let source = Injected::new(&f, level, shape, 1).unwrap();
            let mut solver = Splitting::new(&f, &g, &[0.5; COLS])
                .unwrap()
                .gradient(source);
            let stop = Stop {
                residual: 0.0,
                relative: 0.0,
                passes: 1e5,
                ..Stop::default()
            };
            let certificate = run(&mut solver, &stop, ()).certificate;
            let residual = certificate.at_point.residual;
            println!(
                "{shape:?},{level:e},{residual:.3e},{:.2},{:?}",
                residual / level,
                certificate.verdict
            );
            curve.push((level, residual));
        }
        curves.push((shape, curve));
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, svg(&curves)).unwrap();
    }
}

/// Residual against error level on logarithmic axes, with the line residual = level.
fn svg(curves: &[(Shape, Vec<(f64, f64)>)]) -> String {
    let x = |level: f64| 70.0 + (level.log10() + 6.3) * 65.0;
    let y = |residual: f64| 300.0 - (residual.log10() + 7.0) * 38.0;
    let mut out = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 440 350' font-family='sans-serif' font-size='12' fill='#888'>\n",
    );
    for decade in -6..=-1 {
        let (v, label) = (10f64.powi(decade), format!("1e{decade}"));
        let (px, py) = (x(v), y(v));
        let _ = writeln!(
            out,
            "<path d='M{px:.0} 20V300M70 {py:.0}H430' stroke='#8884' fill='none'/>"
        );
        let _ = writeln!(
            out,
            "<text x='{px:.0}' y='318' text-anchor='middle'>{label}</text>"
        );
        let _ = writeln!(
            out,
            "<text x='62' y='{:.0}' text-anchor='end'>{label}</text>",
            py + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x='250' y='340' text-anchor='middle'>error level ‖e‖</text>"
    );
    let _ = writeln!(
        out,
        "<text transform='translate(16 160) rotate(-90)' text-anchor='middle'>final residual ‖ρ‖</text>"
    );
    let (from, to) = (10f64.powf(-6.2), 10f64.powf(-0.8));
    let _ = writeln!(
        out,
        "<path d='M{:.0} {:.0}L{:.0} {:.0}' stroke='#888' stroke-dasharray='4'/>",
        x(from),
        y(from),
        x(to),
        y(to)
    );
    for (i, (shape, curve)) in curves.iter().enumerate() {
        let colour = ["#0072b2", "#d55e00", "#009e73"][i];
        let points: Vec<String> = curve
            .iter()
            .map(|&(l, r)| format!("{:.1},{:.1}", x(l), y(r)))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points='{}' stroke='{colour}' stroke-width='2' fill='none'/>",
            points.join(" ")
        );
        for point in &points {
            let (px, py) = point.split_once(',').unwrap();
            let _ = writeln!(out, "<circle cx='{px}' cy='{py}' r='3.5' fill='{colour}'/>");
        }
        let top = 40 + 18 * i;
        let _ = writeln!(
            out,
            "<text x='90' y='{top}' fill='{colour}'>{shape:?}</text>"
        );
    }
    out + "</svg>\n"
}
