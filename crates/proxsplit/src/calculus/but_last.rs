//! g on all entries but the last, which is free: the intercept of a linear model.

use crate::error::{Error, require};
use crate::prox::Groups;
use crate::prox::separable::clamp;
use crate::{Class, Elementary, Form, Grouped, Prox, Real, Separable, dual};

/// g(x₁, …, x_{n−1}); the last entry of x costs nothing.
///
/// ```
/// use proxsplit::{Prox, calculus::ButLast, prox::L1};
/// let g = ButLast::new(L1::new(1.0)?, 3)?;
/// let mut x = [3.0, -0.5, 2.0, 5.0];
/// g.prox(&mut x, 1.0);
/// assert_eq!(x, [2.0, 0.0, 1.0, 5.0]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ButLast<P> {
    part: P,
    len: usize,
    groups: Groups, // those of the part, as lists: the last entry is in none
    is_grouped: bool,
}

impl<P: Prox<f64>> ButLast<P> {
    /// g on `len` ≥ 1 entries, and one more.
    pub fn new(part: P, len: usize) -> Result<Self, Error> {
        Self::of::<f64>(part, len)
    }
}

impl<P> ButLast<P> {
    /// The same for a term of another scalar, `ButLast::of::<f32>(g, len)`.
    pub fn of<T: Real>(part: P, len: usize) -> Result<Self, Error>
    where
        P: Prox<T>,
    {
        require("len", len as f64, len > 0, "at least 1")?;
        part.fits(len)?;
        // The last entry is free, and so must be those in no group.
        let grouped = part.grouped();
        let grouped = grouped.filter(|part| part.outside() == Elementary::ZERO);
        let lists: Vec<Vec<usize>> = grouped.map_or_else(Vec::new, |part| {
            let (starts, indices, count) = part.groups().lists(len);
            let group = |g: usize| indices[starts[g]..starts[g + 1]].to_vec();
            (0..count).map(group).collect()
        });
        let (groups, is_grouped) = (Groups::from_lists(&lists)?, grouped.is_some());
        Ok(Self {
            part,
            len,
            groups,
            is_grouped,
        })
    }
}

/// All entries but the last.
fn front<T>(x: &[T]) -> &[T] {
    &x[..x.len() - 1]
}

impl<T: Real, P: Prox<T>> Prox<T> for ButLast<P> {
    fn value(&self, x: &[T]) -> f64 {
        self.part.value(front(x))
    }

    fn prox(&self, x: &mut [T], step: T) {
        let len = x.len() - 1;
        self.part.prox(&mut x[..len], step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        let len = x.len() - 1;
        self.part.prox_with_error(&mut x[..len], step)
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let last = s.last().map_or(0.0, |s| s.abs().f64());
        if last > dual::rounding::<T>(crate::linalg::vec::norm(s)) {
            return Some(f64::INFINITY);
        }
        self.part.conjugate(front(s))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let last = s.last().map_or(0.0, |s| s.abs().f64());
        if last > dual::rounding::<T>(crate::linalg::vec::norm(s)) {
            return Some(f64::INFINITY);
        }
        self.part.polar(front(s))
    }

    fn class(&self) -> Class {
        self.part.class()
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        require("len", len as f64, len > 1, "at least 2")?;
        self.part.fits(len - 1)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        self.part.separable().map(|_| self as &dyn Separable<T>)
    }

    fn grouped(&self) -> Option<&dyn Grouped<T>> {
        self.is_grouped.then_some(self as &dyn Grouped<T>)
    }

    fn form(&self) -> Form {
        Form::default()
    }
}

impl<T: Real, P: Prox<T>> Separable<T> for ButLast<P> {
    fn value_at(&self, i: usize, t: T) -> f64 {
        match self.part.separable() {
            Some(part) if i < self.len => part.value_at(i, t),
            _ => 0.0,
        }
    }

    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        match self.part.separable() {
            Some(part) if i < self.len => part.prox_between(i, t, step, bounds),
            _ => clamp(t, bounds),
        }
    }

    fn entry(&self, i: usize) -> Option<Elementary> {
        if i < self.len {
            self.part.separable()?.entry(i)
        } else {
            Some(Elementary::ZERO)
        }
    }
}

impl<T: Real, P: Prox<T>> Grouped<T> for ButLast<P> {
    fn groups(&self) -> &Groups {
        &self.groups
    }

    fn value_of_group(&self, x: &[T]) -> f64 {
        self.part
            .grouped()
            .map_or(0.0, |part| part.value_of_group(x))
    }

    fn prox_of_group(&self, x: &mut [T], step: T) {
        if let Some(part) = self.part.grouped() {
            part.prox_of_group(x, step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ButLast;
    use crate::check::contract;
    use crate::prox::{GroupL2, Groups, L1, Mcp};

    #[test]
    fn keeps_the_contract() {
        contract(&ButLast::new(L1::new(0.7).unwrap(), 4).unwrap(), 5);
        contract(&ButLast::new(Mcp::new(0.7, 2.0).unwrap(), 2).unwrap(), 3);
        let pairs = GroupL2::new(0.5, Groups::of_size(2).unwrap()).unwrap();
        contract(&ButLast::new(pairs, 5).unwrap(), 6);
    }
}
