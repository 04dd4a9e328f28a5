//! Nonconvex h, which the paper leaves open: dist(0, ∂Φ(x⁺)) at the end of runs with errors of a given level, beside
//! K = 1 + 2(1+ηL)/(1−ηL), for η < 1/L.

use super::Sample;
use proxsplit::gradient::{Injected, Shape};
use proxsplit::smooth::Cauchy;
use proxsplit::step::Constant;
use proxsplit::text::Operator;
use proxsplit::{Smooth, Splitting, Stop, run};

pub(crate) fn study() {
    let sample = Sample::new(200, 30);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let l = f.lipschitz().value().unwrap();
    println!("term,share,shape,level,distance,constant,verdict");
    for text in [
        "mcp:1,3",
        "scad:1,3.7",
        "capped-l1:1,0.5",
        "l0:0.5",
        "lp:1,1/2",
    ] {
        let g: Operator = text.parse().unwrap();
        for share in [0.25, 0.75] {
            for shape in [Shape::Bias, Shape::Random, Shape::Adversarial] {
                for exponent in 1..=5 {
                    let level = 10_f64.powi(-exponent);
                    let source = Injected::new(&f, level, shape, 1).unwrap();
                    let solver = Splitting::new(&f, &g, &[0.3; 30]).unwrap();
                    let rule = Constant::new(share / l).unwrap();
                    let mut solver = solver.step(rule).gradient(source);
                    let stop = Stop {
                        residual: 0.0,
                        relative: 0.0,
                        passes: 20000.0,
                        ..Stop::default()
                    };
                    let certificate = run(&mut solver, &stop, ()).certificate;
                    let distance = certificate.at_point.residual;
                    let constant = 1.0 + 2.0 * (1.0 + share) / (1.0 - share);
                    println!(
                        "\"{text}\",{share},{shape:?},{level:e},{distance:.4e},{constant:.4},{:?}",
                        certificate.verdict
                    );
                }
            }
        }
    }
}
