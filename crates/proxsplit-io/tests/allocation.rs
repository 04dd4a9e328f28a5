//! False sizes in small files do not make a reader ask for much memory.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]
#![allow(
    unsafe_code,
    reason = "an allocator that keeps count cannot be written without"
)]

use proxsplit_io::{Data, Format};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use zip::write::SimpleFileOptions;

/// Remembers the largest piece of memory that was asked for.
struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn npy(descr: &str, shape: &str) -> Vec<u8> {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dict.len() as u16).to_le_bytes());
    bytes.extend(dict.as_bytes());
    bytes
}

/// An archive with these arrays, each 80 bytes long whatever it says.
fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, header) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default())
            .unwrap();
        zip.write_all(header).unwrap();
        zip.write_all(&[0; 80]).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn false_sizes_are_not_believed() {
    let mtx = |rest: &str| format!("%%MatrixMarket matrix {rest}").into_bytes();
    let huge = "(100000000, 100)";
    let files = [
        (Format::Npy, npy("<f8", huge)),
        (Format::Npy, npy(">i8", huge)),
        (Format::Npz, npz(&[("a", npy("<f8", huge))])),
        (
            Format::Npz,
            npz(&[
                ("format", npy("|S80", "()")),
                ("shape", npy("<i8", "(10,)")),
            ]),
        ),
        (Format::Npz, npz(&[("format", npy("<U3", "(9999999999,)"))])),
        (
            Format::Mtx,
            mtx("coordinate real general\n1000000000 1000000000 1\n1 1 1"),
        ),
        (
            Format::Mtx,
            mtx("coordinate real general\n10 10 100000000000\n1 1 1"),
        ),
        (Format::Mtx, mtx("array real general\n100000000 100000\n1")),
        (
            Format::Mtx,
            mtx("array real symmetric\n100000000 100000000\n1"),
        ),
    ];
    for (format, bytes) in files {
        LARGEST.store(0, Relaxed);
        let result = Data::from_bytes(format, &bytes);
        let largest = LARGEST.load(Relaxed);
        assert!(result.is_err());
        assert!(
            largest <= 4 << 20,
            "{largest} bytes for {}",
            bytes.escape_ascii()
        );
    }
}
