//! The losses by name, with a hint for names that are nearly right.

use crate::nearest::did_you_mean;
use proxsplit::smooth::loss::Named;

pub(crate) use proxsplit::smooth::loss::LOSSES;

/// Reads a loss.
pub(super) fn read(text: &str) -> Result<Named, String> {
    text.parse::<Named>().map_err(|error| {
        let names = LOSSES.map(|(name, _)| head(name));
        let hint = if names.contains(&head(text)) {
            String::new()
        } else {
            did_you_mean(head(text), names)
        };
        format!("{error}{hint}")
    })
}

/// The name without its parameter.
fn head(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_loss_can_be_read_with_and_without_its_parameter() {
        for (text, _) in LOSSES {
            let name = head(text);
            assert!(read(name).is_ok());
            let with_number = read(&format!("{name}:1"));
            assert_eq!(with_number.is_ok(), text.contains(':'), "{name}");
        }
        for text in ["", "hinge", "huber:", "huber:-1", "cauchy:x", "huber:inf"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
