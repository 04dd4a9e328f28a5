//! One vocabulary: enums whose names are the same in files, on the command line and in Python.

/// Gives an enum its names: `ALL`, `name`, `Display` and `FromStr`, whose error lists what is possible.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($what:literal, $type:ty: $($name:literal => $variant:ident),+ $(,)?) => {
        impl $type {
            /// All of them, in the order of their documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in files, on the command line and in Python.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                let known = Self::ALL.iter().find(|known| known.name() == text);
                known.copied().ok_or_else(|| {
                    $crate::Error::Incompatible(format!(
                        "unknown {} '{text}': use {}",
                        $what,
                        [$($name),+].join(", ")
                    ))
                })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::order::VisitOrder;

    #[test]
    fn names_are_read_and_printed_and_others_refused_with_the_list() {
        for order in VisitOrder::ALL {
            assert_eq!(order.to_string().parse::<VisitOrder>().unwrap(), *order);
        }
        let error = "backwards".parse::<VisitOrder>().unwrap_err().to_string();
        assert!(error.contains("'backwards'") && error.contains("cyclic, reshuffled, random"));
    }
}
