//! What will be read some time later, and cannot be seen coming by the processor.

/// Asks for the line of a number that will be read.
#[inline(always)]
pub(super) fn prefetch<T>(f: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        const ALL_LEVELS: i32 = std::arch::x86_64::_MM_HINT_T0;
        sse._mm_prefetch::<ALL_LEVELS>(f.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (f, at);
}
