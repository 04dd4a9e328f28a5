//! Any bytes are loaded as a checkpoint or refused, without a panic.
#![no_main]

use proxsplit_io::Checkpoint;
use std::io::Write;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    let _ = Checkpoint::load(file.path());
});
