//! Reads data files and prints what they are: `cargo run --release --example describe -- Y.npy`.
#![allow(clippy::print_stdout)]

use proxsplit_io::{Data, Error};
use std::time::Instant;

fn main() -> Result<(), Error> {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let data = Data::open(&path)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{path}: {}", data.describe());
        println!("  digest {}, read in {seconds:.3} s", data.digest());
    }
    Ok(())
}
