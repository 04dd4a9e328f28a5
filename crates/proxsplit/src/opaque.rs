//! `Debug` for types that hold terms of the user, which need not be printable.

/// Prints the name alone: `opaque!(Panoc<'_, T>, T: Real)`.
#[doc(hidden)]
#[macro_export]
macro_rules! opaque {
    ($name:ident < $($argument:tt),* > $(, $parameter:ident $(: $bound:path)?)*) => {
        impl<$($parameter $(: $bound)?),*> std::fmt::Debug for $name<$($argument),*> {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}
