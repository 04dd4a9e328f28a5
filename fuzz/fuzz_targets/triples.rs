//! Any bytes are read as a table of entries or refused, without a panic.
#![no_main]

use proxsplit_io::{CsvOptions, Data, Format, Reading};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let csv = CsvOptions {
        triples: true,
        ..CsvOptions::default()
    };
    let reading = Reading {
        csv,
        ..Reading::default()
    };
    if let Ok(data) = Data::parse(Format::Csv, bytes, &reading) {
        assert!(data.matrix().rows() > 0 && data.matrix().cols() > 0);
    }
});
