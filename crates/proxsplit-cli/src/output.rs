//! What goes to the terminal: results to standard output, everything else to standard error.

use anyhow::Error;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Writes lines of a result.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes a result as JSON.
pub(crate) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(print(&serde_json::to_string_pretty(value)?)?)
}

/// Tells people something that is not the result. Nobody may be listening: errors are ignored.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells why the program fails, with the causes behind it.
pub(crate) fn complain(error: &Error) {
    tell(&format!("error: {error:#}"));
}

/// Whether people are looking at standard error.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Whether the reader of our output went away, as `head` does.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    })
}
