//! The time of operators on a given vector, one thread: a line of JSON each. `bench/operators.py` sets it beside other
//! libraries.
//!
//! `operator_speed f64|f32 INPUT OUTPUTS FORM...`: INPUT holds raw little-endian numbers, and the result of the k-th form is
//! left in OUTPUTS/k.

use proxsplit::{Error, Prox, Real, text::Operator};
use std::error::Error as AnyError;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Repeats, within limits, until this much time is spent.
const PATIENCE: Duration = Duration::from_millis(400);
const REPEATS: std::ops::Range<usize> = 5..40;

/// x ← prox, and the least time of several runs.
fn time<T: Real>(operator: &dyn Prox<T>, y: &[T], x: &mut [T]) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    for repeat in 0..REPEATS.end {
        if repeat >= REPEATS.start && start.elapsed() > PATIENCE {
            break;
        }
        x.copy_from_slice(y);
        let clock = Instant::now();
        operator.prox(x, T::ONE);
        best = best.min(clock.elapsed());
    }
    best
}

/// How a number is read from bytes and written to them.
type Codec<T, const BYTES: usize> = (fn([u8; BYTES]) -> T, fn(T) -> [u8; BYTES]);

/// Times all forms on the numbers that `read` and `write` turn into bytes and back.
fn race<T: Real, const BYTES: usize>(
    paths: [&Path; 2],
    forms: &[String],
    (read, write): Codec<T, BYTES>,
) -> Result<(), Box<dyn AnyError>>
where
    Operator: Prox<T>,
{
    let bytes = fs::read(paths[0])?;
    let y: Vec<T> = bytes
        .as_chunks::<BYTES>()
        .0
        .iter()
        .map(|&b| read(b))
        .collect();
    let mut x = y.clone();
    for (k, form) in forms.iter().enumerate() {
        let operator: Operator = form.parse()?;
        Prox::<T>::fits(&operator, y.len())?;
        let nanoseconds = time::<T>(&operator, &y, &mut x).as_nanos() as f64 / y.len() as f64;
        let bytes: Vec<u8> = x.iter().flat_map(|&x| write(x)).collect();
        fs::write(paths[1].join(k.to_string()), bytes)?;
        writeln!(
            std::io::stdout(),
            r#"{{"text": "{operator}", "ns_per_element": {nanoseconds:.3}, "threads": 1}}"#
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn AnyError>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [scalar, input, outputs, forms @ ..] = words.as_slice() else {
        let usage = "usage: operator_speed f64|f32 INPUT OUTPUTS FORM...";
        return Err(Error::Incompatible(usage.into()).into());
    };
    let paths = [Path::new(input), Path::new(outputs)];
    match scalar.as_str() {
        "f32" => race(paths, forms, (f32::from_le_bytes, f32::to_le_bytes)),
        _ => race(paths, forms, (f64::from_le_bytes, f64::to_le_bytes)),
    }
}
