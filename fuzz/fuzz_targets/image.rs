//! Any bytes are read as a picture or a stack of pictures, or refused, without a panic.
#![no_main]

use proxsplit_io::{Data, Format};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(data) = Data::from_bytes(Format::Image, bytes) {
        assert!(data.matrix().rows() > 0 && data.matrix().cols() > 0);
    }
});
