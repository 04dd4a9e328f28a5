//! The taut string between two walls, from its last fixed point on.
//!
//! A string to a point further on runs along the upper wall for a while or along the lower one. Both courses are kept as lists of
//! straight pieces: they leave the fixed point like the sides of a funnel. A new bend straightens the side on which it
//! lies; if nothing is left of that side and the other one is in the way, the string must follow the other one.

use crate::Real;

/// A straight piece.
#[derive(Clone, Copy, Default)]
struct Piece {
    rise: f64,
    length: f64,
}

impl Piece {
    #[inline(always)]
    fn add(&mut self, rise: f64, length: f64) {
        self.rise += rise;
        self.length += length;
    }
}

/// One side of the funnel. The lower one is kept upside down, so that both bend upwards.
struct Side<'a> {
    list: &'a mut [[f64; 2]],
    first: usize,
    end: usize,
    /// From the last bend, or from the fixed point, to the wall here.
    tail: Piece,
}

impl<'a> Side<'a> {
    /// Starts at a distance `gap` from the wall.
    fn new(list: &'a mut [[f64; 2]], gap: f64) -> Self {
        let mut side = Self {
            list,
            first: 0,
            end: 0,
            tail: Piece::default(),
        };
        side.restart(gap);
        side
    }

    #[inline(always)]
    fn restart(&mut self, gap: f64) {
        (self.first, self.end) = (0, 0);
        self.tail = Piece {
            rise: gap,
            length: 0.0,
        };
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.first == self.end
    }

    #[inline(always)]
    fn piece(&self, k: usize) -> Piece {
        let [rise, length] = self.list[k];
        Piece { rise, length }
    }

    /// The tail as a piece, straightened with those before it that are at least as steep.
    #[inline(always)]
    fn straighten(&mut self) -> Piece {
        let mut new = std::mem::take(&mut self.tail);
        while self.end > self.first {
            let last = self.piece(self.end - 1);
            if last.rise * new.length < new.rise * last.length {
                break;
            }
            new.add(last.rise, last.length);
            self.end -= 1;
        }
        new
    }

    #[inline(always)]
    fn push(&mut self, piece: Piece) {
        self.list[self.end] = [piece.rise, piece.length];
        self.end += 1;
    }
}

/// Both sides, and the x behind the fixed point.
pub(super) struct Funnel<'a, T> {
    x: &'a mut [T],
    /// The number of entries of x that are known.
    known: usize,
    base: f64,
    radius: f64,
    sides: [Side<'a>; 2],
}

/// A wall.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wall {
    Upper,
    Lower,
}

impl Wall {
    #[inline(always)]
    fn sign(self) -> f64 {
        if self == Wall::Upper { 1.0 } else { -1.0 }
    }
}

impl<'a, T: Real> Funnel<'a, T> {
    /// A string that starts midway between the walls; `base` is added to the slopes that become x.
    #[inline(always)]
    pub(super) fn new(x: &'a mut [T], (base, radius): (f64, f64), memory: &'a mut [f64]) -> Self {
        let (upper, lower) = memory.split_at_mut(memory.len() / 2);
        Self {
            x,
            known: 0,
            base,
            radius,
            sides: [upper, lower].map(|list| Side::new(list.as_chunks_mut().0, radius)),
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// y_i − base for i = start.., which must be ahead of the string.
    #[inline(always)]
    pub(super) fn read(&self, start: usize, to: &mut [f64]) {
        let from = self.x.get(start..).unwrap_or_default();
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.f64() - self.base;
        }
    }

    /// Follows the walls over `length` entries of sum `rise`.
    #[inline(always)]
    pub(super) fn advance(&mut self, rise: f64, length: usize) {
        let length = length as f64;
        let [upper, lower] = &mut self.sides;
        upper.tail.add(rise, length);
        lower.tail.add(-rise, length);
    }

    /// The last piece of a string that is taut up to the given wall here; the pieces before it stay on that side.
    #[inline(always)]
    fn pull(&mut self, wall: Wall) -> Piece {
        let (near, far) = both(&mut self.sides, wall);
        let mut new = near.straighten();
        if near.is_empty() {
            while far.first < far.end {
                let first = far.piece(far.first);
                if first.rise * new.length + new.rise * first.length > 0.0 {
                    break;
                }
                fill(self.x, &mut self.known, self.base, -wall.sign(), first);
                new.add(first.rise, -first.length);
                far.first += 1;
            }
        }
        new
    }

    /// The string may bend here, round the given wall.
    #[inline(always)]
    pub(super) fn bend(&mut self, wall: Wall) {
        let new = self.pull(wall);
        both(&mut self.sides, wall).0.push(new);
    }

    /// The string does bend here, round the given wall.
    #[inline(always)]
    pub(super) fn fix(&mut self, wall: Wall) {
        let sign = wall.sign();
        let [upper, lower] = &mut self.sides;
        if upper.is_empty() && lower.is_empty() {
            // Straight from the last fixed point, the most frequent case if λ is small: the same formula for both walls.
            let mut piece = upper.tail;
            piece.rise += self.radius * (sign - 1.0);
            fill(self.x, &mut self.known, self.base, 1.0, piece);
        } else {
            let last = self.pull(wall);
            let near = both(&mut self.sides, wall).0;
            for k in near.first..near.end {
                fill(self.x, &mut self.known, self.base, sign, near.piece(k));
            }
            fill(self.x, &mut self.known, self.base, sign, last);
        }
        let [upper, lower] = &mut self.sides;
        upper.restart(self.radius * (1.0 - sign));
        lower.restart(self.radius * (1.0 + sign));
    }

    /// The string ends here, midway between the walls.
    #[inline(always)]
    pub(super) fn end(mut self) {
        let last = self.x.len() - 1;
        self.advance(self.x[last].f64() - self.base, 1);
        self.sides[0].tail.rise -= self.radius;
        self.fix(Wall::Upper);
    }
}

#[inline(always)]
fn both<'a, 'b>(sides: &'b mut [Side<'a>; 2], wall: Wall) -> (&'b mut Side<'a>, &'b mut Side<'a>) {
    let [upper, lower] = sides;
    if wall == Wall::Upper {
        (upper, lower)
    } else {
        (lower, upper)
    }
}

/// A piece of the string as entries of x.
#[inline(always)]
fn fill<T: Real>(x: &mut [T], known: &mut usize, base: f64, sign: f64, piece: Piece) {
    let value = T::of(base + sign * (piece.rise / piece.length));
    let start = *known;
    *known += piece.length as usize;
    for x in &mut x[start..*known] {
        *x = value;
    }
}
