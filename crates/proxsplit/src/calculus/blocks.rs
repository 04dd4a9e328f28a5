//! g(x) = Σ_b g_b(x_b) over consecutive blocks of x.

use super::join_errors;
use crate::error::Error;
use crate::{Class, Elementary, Form, Prox, Real, Separable};

/// A separable sum: one operator for every block of x. The prox acts on each block alone.
///
/// ```
/// use proxsplit::{Prox, calculus::Blocks, prox::L1, set::NonNeg};
/// let parts: Vec<(Box<dyn Prox>, usize)> = vec![(Box::new(L1::new(1.0)?), 2), (Box::new(NonNeg), 1)];
/// let g = Blocks::new(parts);
/// let mut x = [3.0, -0.5, -2.0];
/// g.prox(&mut x, 1.0);
/// assert_eq!(x, [2.0, 0.0, 0.0]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks<P> {
    parts: Vec<P>,
    /// Where each block ends.
    ends: Vec<usize>,
}

impl<P> Blocks<P> {
    /// Operators with the lengths of their blocks, in order.
    pub fn new(parts: impl IntoIterator<Item = (P, usize)>) -> Self {
        let mut end = 0;
        let (parts, ends) = parts
            .into_iter()
            .map(|(part, len)| {
                end += len;
                (part, end)
            })
            .unzip();
        Self { parts, ends }
    }

    /// The length of x.
    pub fn total(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The operators with the ranges of their blocks.
    fn ranges(&self) -> impl Iterator<Item = (&P, std::ops::Range<usize>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start..end);
        self.parts.iter().zip(ranges)
    }

    /// The operator of entry i and the entry's index in its block.
    fn locate(&self, i: usize) -> (&P, usize) {
        let block = self.ends.partition_point(|&end| end <= i);
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        (&self.parts[block], i - start)
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Blocks<P> {
    fn value(&self, x: &[T]) -> f64 {
        self.ranges()
            .map(|(part, range)| part.value(&x[range]))
            .sum()
    }

    fn prox(&self, x: &mut [T], step: T) {
        for (part, range) in self.ranges() {
            part.prox(&mut x[range], step);
        }
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        // All parts are moved, also those after one whose error is not known.
        let errors = self
            .ranges()
            .map(|(part, range)| part.prox_with_error(&mut x[range], step));
        errors.fold(Some(0.0), join_errors)
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.ranges()
            .map(|(part, range)| part.conjugate(&s[range]))
            .sum()
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let polars = self.ranges().map(|(part, range)| part.polar(&s[range]));
        polars
            .into_iter()
            .try_fold(0.0f64, |largest, polar| Some(largest.max(polar?)))
    }

    fn class(&self) -> Class {
        let classes = self.parts.iter().map(Prox::class);
        classes.fold(Class::Convex, |all, class| match (all, class) {
            // The blocks do not overlap, so the worst modulus counts, not the sum.
            (Class::WeaklyConvex { modulus: a }, Class::WeaklyConvex { modulus: b }) => {
                Class::WeaklyConvex { modulus: a.max(b) }
            }
            (all, class) => all.and(class),
        })
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        if len != self.total() {
            return Err(Error::Shape {
                what: "x",
                expected: self.total(),
                found: len,
            });
        }
        self.ranges()
            .try_for_each(|(part, range)| part.fits(range.len()))
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        let all = self.parts.iter().all(|part| part.separable().is_some());
        all.then_some(self)
    }

    fn form(&self) -> Form {
        let forms = self.parts.iter().map(Prox::form);
        let Some(all) = forms.reduce(Form::and) else {
            return Form::default();
        };
        // Order across blocks is not covered by what each block declares.
        Form {
            symmetric: false,
            ..all
        }
    }
}

impl<T: Real, P: Prox<T>> Separable<T> for Blocks<P> {
    fn value_at(&self, i: usize, t: T) -> f64 {
        let (part, i) = self.locate(i);
        part.separable()
            .map_or(f64::NAN, |part| part.value_at(i, t))
    }

    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        let (part, i) = self.locate(i);
        part.separable()
            .map_or(t, |part| part.prox_between(i, t, step, bounds))
    }

    fn entry(&self, i: usize) -> Option<Elementary> {
        let (part, i) = self.locate(i);
        part.separable()?.entry(i)
    }

    fn prox_diagonal(&self, x: &mut [T], steps: &[T]) {
        for (part, range) in self.ranges() {
            if let Some(part) = part.separable() {
                part.prox_diagonal(&mut x[range.clone()], &steps[range]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;
    use crate::prox::{L0, L1};

    #[test]
    fn keeps_the_contract() {
        let l1 = |w| L1::new(w).unwrap();
        contract(&Blocks::new([(l1(0.5), 2), (l1(2.0), 3), (l1(0.0), 1)]), 6);
        contract(&Blocks::new([(L0::new(0.5).unwrap(), 2)]), 2);
        assert_eq!(Prox::<f64>::value(&Blocks::<L1>::new([]), &[]), 0.0);
    }

    #[test]
    fn refuses_the_wrong_length() {
        let two = Blocks::new([(L1::new(1.0).unwrap(), 2), (L1::new(1.0).unwrap(), 1)]);
        let refusal = Prox::<f64>::fits(&two, 4).unwrap_err().to_string();
        assert_eq!(refusal, "x has length 4, expected 3");
    }
}
