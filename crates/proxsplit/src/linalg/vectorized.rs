//! Wide vector instructions where the processor has them.

/// Runs `work` with the widest vector instructions of this processor; everything in it must be inlined. There is no fused
/// multiply-add unless it is asked for, so that all processors give the same bits.
#[inline]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}
