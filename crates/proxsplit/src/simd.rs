//! Which vector instructions the kernels use: the widest that the processor has, or fewer if `PROXSPLIT_SIMD` says so.
//!
//! All sums are added in an order that does not depend on the width of a register, with fused multiply-add in the same
//! places, so that every level gives the same bits; narrower levels are for tests and for measurements.

use pulp::Arch;
use std::env;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The environment variable that asks for a level.
pub const VARIABLE: &str = "PROXSPLIT_SIMD";

/// A set of vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// None beyond what every processor of the platform has; fused multiply-add is computed in software.
    Scalar = 1,
    /// 128 bits: ARM.
    Neon,
    /// 256 bits and fused multiply-add: x86-64-v3, most processors since 2013 (Intel) and 2017 (AMD).
    Avx2,
    /// 512 bits: x86-64-v4, Intel servers, AMD since Zen 4.
    Avx512,
}

impl Level {
    /// Every level, from the narrowest to the widest.
    pub const ALL: [Level; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        self.arch().is_some()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The level as pulp has it, if the processor has it.
    fn arch(self) -> Option<Arch> {
        match self {
            Self::Scalar => Some(Arch::Scalar),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => pulp::aarch64::Neon::try_new().map(Arch::Neon),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => pulp::x86::V3::try_new().map(Arch::V3),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => pulp::x86::V4::try_new().map(Arch::V4),
            _ => None,
        }
    }

    /// The widest that this processor has.
    fn widest() -> Self {
        let mut available = Self::ALL.into_iter().rev().filter(|l| l.is_available());
        available.next().unwrap_or(Self::Scalar)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown instruction set {text:?}: it must be one of {names}")
        })
    }
}

/// The level in use.
pub fn level() -> Level {
    let forced = FORCED.load(Ordering::Relaxed);
    let forced = Level::ALL.into_iter().find(|&l| l as u8 == forced);
    forced.unwrap_or_else(|| chosen().level)
}

/// Why `PROXSPLIT_SIMD` was not followed, if it was set and was not.
pub fn warning() -> Option<&'static str> {
    chosen().warning.as_deref()
}

/// What to call kernels with.
#[doc(hidden)]
#[inline]
pub fn arch() -> Arch {
    let forced = FORCED.load(Ordering::Relaxed);
    if forced == 0 {
        return chosen().arch;
    }
    level().arch().unwrap_or(Arch::Scalar)
}

/// Calls `work` while every thread uses a level, one caller at a time; `None` if the processor does not have it. For tests
/// and benchmarks that compare levels in one process.
#[doc(hidden)]
pub fn with_level<R>(level: Level, work: impl FnOnce() -> R) -> Option<R> {
    static ONE: Mutex<()> = Mutex::new(());
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            FORCED.store(0, Ordering::SeqCst);
        }
    }
    level.arch()?;
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _reset = Reset;
    FORCED.store(level as u8, Ordering::SeqCst);
    Some(work())
}

/// The level that [`with_level`] has set, or 0.
static FORCED: AtomicU8 = AtomicU8::new(0);

struct Chosen {
    level: Level,
    arch: Arch,
    warning: Option<String>,
}

#[inline]
fn chosen() -> &'static Chosen {
    static CHOSEN: OnceLock<Chosen> = OnceLock::new();
    CHOSEN.get_or_init(|| choose(env::var(VARIABLE).ok().as_deref()))
}

/// The level that is asked for, or the widest, with a warning if it cannot be had.
fn choose(request: Option<&str>) -> Chosen {
    let widest = Level::widest();
    let (level, problem) = match request.map(Level::from_str) {
        None => (widest, None),
        Some(Ok(level)) if level.is_available() => (level, None),
        Some(Ok(level)) => (
            widest,
            Some(format!("this processor does not have {level}")),
        ),
        Some(Err(problem)) => (widest, Some(problem)),
    };
    Chosen {
        level,
        arch: level.arch().unwrap_or(Arch::Scalar),
        warning: problem.map(|problem| format!("{VARIABLE} ignored, using {level}: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_followed_or_explained() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            let chosen = choose(Some(&level.to_string()));
            assert_eq!(chosen.level == level, level.is_available());
            assert_eq!(chosen.warning.is_none(), level.is_available());
        }
        let chosen = choose(Some("sse9"));
        assert_eq!(chosen.level, Level::widest());
        let warning = chosen.warning.unwrap();
        assert!(
            warning.contains("sse9") && warning.contains("avx2"),
            "{warning}"
        );
        assert!(choose(None).warning.is_none());
    }

    #[test]
    fn a_level_is_forced_for_a_while() {
        let before = level();
        for one in Level::ALL {
            let seen = with_level(one, level);
            assert_eq!(seen, one.is_available().then_some(one));
        }
        assert!(level() == before || Level::ALL.contains(&level()));
    }
}
