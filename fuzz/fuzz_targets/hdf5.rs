//! Any bytes are read as `.h5ad` or 10x `.h5` or refused, without a panic.
#![no_main]

use proxsplit_io::{Data, Format};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(data) = Data::from_bytes(Format::Hdf5, bytes) {
        assert!(data.matrix().rows() > 0 && data.matrix().cols() > 0);
    }
});
