//! Wide vector instructions where the processor has them.

/// Runs `work` with the vector instructions in use; everything in it must be inlined. There is no fused
/// multiply-add unless it is asked for, so that all processors give the same bits.
#[inline]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    crate::simd::arch().dispatch(work)
}
