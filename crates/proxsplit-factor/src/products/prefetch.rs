//! Numbers that will be read some time later, and that the processor does not see coming.

/// Asks the caches for the line of a number; nothing happens if it lies outside.
#[inline(always)]
pub(super) fn prefetch<T>(numbers: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        const ALL_LEVELS: i32 = std::arch::x86_64::_MM_HINT_T0;
        sse._mm_prefetch::<ALL_LEVELS>(numbers.as_ptr().wrapping_add(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, at);
}
