//! Vectors with few nonzeros.

use crate::scratch;
use crate::{Class, Form, Kind, Prox, Real};

/// `sparse-ball:K`, the x with at most K nonzeros: the K largest |x_i| stay, of equal ones the first. Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardinalityBall {
    count: usize,
}

impl CardinalityBall {
    /// Vectors with at most K nonzeros; K = 0 leaves only x = 0.
    pub fn new(count: usize) -> Self {
        Self { count }
    }

    /// K
    pub fn count(&self) -> usize {
        self.count
    }
}

/// The K-th largest |x_i|, and how many entries of exactly that size are among the K largest. In expected linear time.
fn cut<T: Real>(x: &[T], count: usize) -> (T, usize) {
    scratch::with(x.len(), |sizes: &mut [T]| {
        for (size, x) in sizes.iter_mut().zip(x) {
            *size = x.abs();
        }
        let (_, &mut cut, _) =
            sizes.select_nth_unstable_by(count - 1, |a, b| b.f64().total_cmp(&a.f64()));
        let larger = sizes[..count].iter().filter(|&&size| size > cut).count();
        (cut, count - larger)
    })
}

impl<T: Real> Prox<T> for CardinalityBall {
    fn value(&self, x: &[T]) -> f64 {
        let nonzeros = x.iter().filter(|&&x| x != T::ZERO).count();
        if nonzeros <= self.count {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn prox(&self, x: &mut [T], _: T) {
        if self.count >= x.len() {
            return;
        }
        if self.count == 0 {
            x.fill(T::ZERO);
            return;
        }
        let (cut, mut ties) = cut(x, self.count);
        for x in x {
            if x.abs() == cut && ties > 0 {
                ties -= 1;
            } else if x.abs() <= cut {
                *x = T::ZERO;
            }
        }
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn form(&self) -> Form {
        let count = self.count;
        Form::of(Kind::Sparse { count })
            .absolute()
            .homogeneous()
            .symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use crate::linalg::vec::distance_squared;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_contract() {
        for count in 0..5 {
            contract(&CardinalityBall::new(count), 4);
        }
    }

    proptest! {
        #[test]
        fn no_support_is_nearer(y in vector(7), count in 0usize..8) {
            let ball = CardinalityBall::new(count);
            let mut x = y.clone();
            ball.prox(&mut x, 1.0);
            prop_assert_eq!(ball.value(&x), 0.0);
            for support in 0u32..1 << 7 {
                let masked: Vec<f64> = y.iter().enumerate()
                    .map(|(i, &y)| if support >> i & 1 == 1 { y } else { 0.0 })
                    .collect();
                if support.count_ones() as usize <= count {
                    let rival = distance_squared(&y, &masked);
                    prop_assert!(distance_squared(&y, &x) <= rival * (1.0 + 1e-14));
                }
            }
        }
    }

    #[test]
    fn ties_go_to_the_first() {
        let mut x = [1.0, -2.0, 2.0, 2.0, f64::NAN, 0.0];
        CardinalityBall::new(2).prox(&mut x[..4], 1.0);
        assert_eq!(x[..4], [0.0, -2.0, 2.0, 0.0]);
        CardinalityBall::new(1).prox(&mut x, 1.0);
    }
}
