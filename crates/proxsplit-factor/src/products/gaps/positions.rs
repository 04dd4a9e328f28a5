//! Sorted positions of some entries of a matrix, line by line.

use std::ops::Range;

/// What the positions are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Missing,
    Observed,
}

impl Kind {
    fn other(self) -> Self {
        match self {
            Kind::Missing => Kind::Observed,
            Kind::Observed => Kind::Missing,
        }
    }
}

/// All missing entries of a matrix, or all observed ones.
#[derive(Debug, PartialEq)]
pub(crate) struct Positions {
    kind: Kind,
    starts: Vec<usize>,
    indices: Vec<u32>,
    /// The length of a line.
    width: usize,
}

impl Positions {
    /// From the increasing positions of every line.
    pub(super) fn collect<L: Iterator<Item = usize>>(
        kind: Kind,
        width: usize,
        lines: impl Iterator<Item = L>,
    ) -> Self {
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for line in lines {
            indices.extend(line.map(|i| i as u32));
            starts.push(indices.len());
        }
        Self {
            kind,
            starts,
            indices,
            width,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    pub(super) fn lines(&self) -> usize {
        self.starts.len() - 1
    }

    /// The positions of a line.
    fn listed(&self, line: usize) -> &[u32] {
        &self.indices[self.starts[line]..self.starts[line + 1]]
    }

    /// These, or those of the other kind if they are fewer.
    pub(super) fn fewer(self) -> Self {
        if 2 * self.len() > self.lines() * self.width {
            self.others()
        } else {
            self
        }
    }

    /// All positions of the other kind.
    pub(super) fn others(&self) -> Self {
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for line in 0..self.lines() {
            let others = Few {
                kind: self.kind.other(),
                listed: self.listed(line),
                are_listed: false,
                range: 0..self.width,
            };
            others.for_each(|i| indices.push(i as u32));
            starts.push(indices.len());
        }
        Self {
            kind: self.kind.other(),
            starts,
            indices,
            width: self.width,
        }
    }

    /// The same entries by the other lines, by a counting sort.
    pub(super) fn flipped(&self) -> Self {
        let mut next = vec![0; self.width + 1];
        for &i in &self.indices {
            next[i as usize + 1] += 1;
        }
        for i in 0..self.width {
            next[i + 1] += next[i];
        }
        let starts = next.clone();
        let mut indices = vec![0; self.indices.len()];
        for line in 0..self.lines() {
            for &i in self.listed(line) {
                indices[next[i as usize]] = line as u32;
                next[i as usize] += 1;
            }
        }
        Self {
            kind: self.kind,
            starts,
            indices,
            width: self.lines(),
        }
    }

    /// The missing or the observed entries of a part of a line, whichever are fewer there.
    pub(super) fn within(&self, line: usize, range: Range<usize>) -> Few<'_> {
        let listed = self.listed(line);
        let before = |end: usize| listed.partition_point(|&i| (i as usize) < end);
        let listed = &listed[before(range.start)..before(range.end)];
        let are_fewer = 2 * listed.len() <= range.len();
        Few {
            kind: if are_fewer {
                self.kind
            } else {
                self.kind.other()
            },
            listed,
            are_listed: are_fewer,
            range,
        }
    }
}

/// Entries of a part of a line.
pub(super) struct Few<'a> {
    pub(super) kind: Kind,
    listed: &'a [u32],
    are_listed: bool,
    range: Range<usize>,
}

impl Few<'_> {
    /// The entries of the part that these are not.
    pub(super) fn others(&self) -> Few<'_> {
        Few {
            kind: self.kind.other(),
            listed: self.listed,
            are_listed: !self.are_listed,
            range: self.range.clone(),
        }
    }

    /// Visits them in order, counted from the start of the part.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize)) {
        let Range { start, end } = self.range;
        if self.are_listed {
            return self.listed.iter().for_each(|&i| visit(i as usize - start));
        }
        let mut next = start;
        for stop in self.listed.iter().map(|&i| i as usize).chain([end]) {
            (next..stop).for_each(|i| visit(i - start));
            next = stop + 1;
        }
    }
}
