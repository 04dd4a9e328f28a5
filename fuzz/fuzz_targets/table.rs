//! Any bytes are read as a table with any options or refused, without a panic. The first two bytes are the options.
#![no_main]

use proxsplit_io::{CsvOptions, Data, Format, Nan, Reading};

fn answer(bits: u8) -> Option<bool> {
    [None, None, Some(false), Some(true)][usize::from(bits & 3)]
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let [first, second, text @ ..] = bytes else {
        return;
    };
    let csv = CsvOptions {
        header: answer(*first),
        labels: answer(first >> 2),
        delimiter: [None, Some(b';'), Some(b','), Some(*second)][usize::from(first >> 4 & 3)],
        decimal: [None, None, Some(b','), Some(b'.')][usize::from(first >> 6)],
        triples: second & 1 == 1,
    };
    let nan = if second & 2 == 2 {
        Nan::Missing
    } else {
        Nan::default()
    };
    let reading = Reading {
        nan,
        csv,
        ..Reading::default()
    };
    if let Ok(data) = Data::parse(Format::Csv, text, &reading) {
        assert!(data.matrix().rows() > 0 && data.matrix().cols() > 0);
        assert!(!data.describe().contains('\n'));
    }
});
