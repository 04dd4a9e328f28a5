//! Any bytes are read as a parquet table or refused, without a panic.
#![no_main]

use proxsplit_io::{Data, Format, Nan, Reading};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let reading = Reading {
        nan: Nan::Missing,
        ..Reading::default()
    };
    if let Ok(data) = Data::parse(Format::Parquet, bytes, &reading) {
        assert!(data.matrix().rows() > 0 && data.matrix().cols() > 0);
    }
});
