//! Eigenvalues and eigenvectors of a symmetric matrix in plain arithmetic, the same bits on every processor: Householder
//! reflections to tridiagonal form, then the implicit QL iteration with Wilkinson's shift.
//!
//! R. S. Martin, C. Reinsch, J. H. Wilkinson, "Householder's tridiagonalization of a symmetric matrix", 1968;
//! A. Dubrulle, R. S. Martin, J. H. Wilkinson, "The implicit QL algorithm", 1968.

use super::vec::{axpy, dot, scale};

/// Most iterations for one eigenvalue; a few are enough.
const ITERATIONS: usize = 60;

/// a = V diag(values) Vᵀ for a symmetric `a` (n × n, n ≥ 1), which is overwritten; values in increasing order, V's columns one
/// after the other. `false` if the iteration did not converge. Squares of the entries must neither overflow nor vanish.
#[inline(always)]
pub(super) fn eigen(
    a: &mut [f64],
    values: &mut [f64],
    beside: &mut [f64],
    mut vectors: Option<&mut [f64]>,
) -> bool {
    let n = values.len();
    reduce(a, values, beside);
    if let Some(vectors) = &mut vectors {
        collect(a, vectors, n);
    }
    if !iterate(values, beside, vectors.as_deref_mut()) {
        return false;
    }
    sort(values, vectors);
    true
}

/// Reflects column after column: `diagonal` and `beside` become the tridiagonal form. Column k of `a` keeps v_k/‖v_k‖·√2 below the
/// diagonal, so that the reflection is I − vvᵀ.
#[inline(always)]
fn reduce(a: &mut [f64], diagonal: &mut [f64], beside: &mut [f64]) {
    let n = diagonal.len();
    for k in 0..n {
        diagonal[k] = a[k * n + k];
        beside[k] = 0.0;
        let (left, rest) = a.split_at_mut((k + 1) * n);
        let v = &mut left[k * n + k + 1..];
        let norm = dot(v, v).sqrt();
        let Some(&first) = v.first().filter(|_| norm > 0.0) else {
            continue;
        };
        let reflected = if first > 0.0 { -norm } else { norm };
        beside[k] = reflected;
        v[0] = first - reflected;
        // ‖v‖² = 2·norm·(norm + |first|)
        scale(1.0 / (norm * (norm + first.abs())).sqrt(), v);
        reflect(rest, v, &mut diagonal[k + 1..], (n, k + 1));
    }
}

/// A ← (I − vvᵀ)A(I − vvᵀ) for the lower right part of A from row and column `first`; `w` is overwritten.
#[inline(always)]
fn reflect(rest: &mut [f64], v: &[f64], w: &mut [f64], (n, first): (usize, usize)) {
    let column = |j: usize| j * n + first..(j + 1) * n;
    for j in 0..v.len() {
        w[j] = dot(&rest[column(j)], v);
    }
    let half = 0.5 * dot(w, v);
    axpy(-half, v, w);
    for j in 0..v.len() {
        let column = &mut rest[column(j)];
        axpy(-w[j], v, column);
        axpy(-v[j], w, column);
    }
}

/// vectors ← the product of the reflections.
#[inline(always)]
fn collect(a: &[f64], vectors: &mut [f64], n: usize) {
    vectors.fill(0.0);
    for k in 0..n {
        vectors[k * n + k] = 1.0;
    }
    for k in (0..n.saturating_sub(1)).rev() {
        let v = &a[k * n + k + 1..(k + 1) * n];
        for column in vectors.chunks_exact_mut(n).skip(k + 1) {
            let column = &mut column[k + 1..];
            axpy(-dot(column, v), v, column);
        }
    }
}

/// Rotates the tridiagonal form until nothing stands beside the diagonal.
#[inline(always)]
fn iterate(d: &mut [f64], e: &mut [f64], mut vectors: Option<&mut [f64]>) -> bool {
    let n = d.len();
    for low in 0..n {
        let mut left = ITERATIONS;
        loop {
            let is_small = |m: &usize| e[*m].abs() <= f64::EPSILON * (d[*m].abs() + d[m + 1].abs());
            let high = (low..n - 1).find(is_small).unwrap_or(n - 1);
            if high == low {
                break;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            step(d, e, (low, high), vectors.as_deref_mut());
        }
    }
    true
}

/// One implicit QL step on the rows `low ..= high`.
#[inline(always)]
fn step(
    d: &mut [f64],
    e: &mut [f64],
    (low, high): (usize, usize),
    mut vectors: Option<&mut [f64]>,
) {
    let n = d.len();
    // The eigenvalue of the leading 2 × 2 block that is nearer to its corner.
    let g = (d[low + 1] - d[low]) / (2.0 * e[low]);
    let root = length(g, 1.0);
    let mut bulge = d[high] - d[low] + e[low] / (g + if g >= 0.0 { root } else { -root });
    let (mut s, mut c, mut shift) = (1.0, 1.0, 0.0);
    for i in (low..high).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = length(f, bulge);
        e[i + 1] = r;
        if r == 0.0 {
            // The matrix has come apart here.
            d[i + 1] -= shift;
            e[high] = 0.0;
            return;
        }
        s = f / r;
        c = bulge / r;
        let corner = d[i + 1] - shift;
        let t = (d[i] - corner) * s + 2.0 * c * b;
        shift = s * t;
        d[i + 1] = corner + shift;
        bulge = c * t - b;
        if let Some(vectors) = &mut vectors {
            rotate(&mut vectors[i * n..(i + 2) * n], c, s);
        }
    }
    d[low] -= shift;
    e[low] = bulge;
    e[high] = 0.0;
}

/// √(a² + b²), without overflow.
#[inline(always)]
fn length(a: f64, b: f64) -> f64 {
    let (a, b) = (a.abs(), b.abs());
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if large == 0.0 {
        return 0.0;
    }
    let ratio = small / large;
    large * (1.0 + ratio * ratio).sqrt()
}

#[inline(always)]
fn rotate(pair: &mut [f64], c: f64, s: f64) {
    let (left, right) = pair.split_at_mut(pair.len() / 2);
    for (left, right) in left.iter_mut().zip(right) {
        let (x, y) = (*left, *right);
        *left = c * x - s * y;
        *right = s * x + c * y;
    }
}

/// Puts the eigenvalues in increasing order, the vectors with them.
#[inline(always)]
fn sort(values: &mut [f64], mut vectors: Option<&mut [f64]>) {
    let n = values.len();
    for k in 0..n {
        let least = (k + 1..n).fold(k, |m, j| if values[j] < values[m] { j } else { m });
        if least == k {
            continue;
        }
        values.swap(k, least);
        if let Some(vectors) = &mut vectors {
            let (left, right) = vectors.split_at_mut(least * n);
            left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VᵀV = I, AV = V·diag(values), for full, diagonal, singular and repeated matrices.
    #[test]
    fn decomposes() {
        for n in [1, 2, 3, 10, 65] {
            for kind in 0..4 {
                let entry = |i: usize, j: usize| match kind {
                    0 => ((i * j + i + j) as f64).sin(),
                    1 => f64::from(u8::from(i == j)) * (i % 3) as f64,
                    2 => 1.0,
                    _ => 1.0 / (i + j + 1) as f64,
                };
                let a: Vec<f64> = (0..n * n).map(|k| entry(k % n, k / n)).collect();
                let (mut values, mut beside) = (vec![0.0; n], vec![0.0; n]);
                let mut v = vec![0.0; n * n];
                assert!(eigen(
                    &mut a.clone(),
                    &mut values,
                    &mut beside,
                    Some(&mut v)
                ));
                assert!(values.is_sorted());
                let tolerance = 1e-14 * n as f64;
                for (j, x) in v.chunks(n).enumerate() {
                    for (i, y) in v.chunks(n).enumerate() {
                        let expected = f64::from(u8::from(i == j));
                        assert!(
                            (dot(x, y) - expected).abs() <= tolerance,
                            "n {n} kind {kind}"
                        );
                    }
                    for (row, &x_i) in a.chunks(n).zip(x) {
                        let error = (dot(row, x) - values[j] * x_i).abs();
                        assert!(error <= tolerance * n as f64, "n {n} kind {kind}: {error}");
                    }
                }
                let mut alone = vec![0.0; n];
                assert!(eigen(&mut a.clone(), &mut alone, &mut beside, None));
                assert_eq!(alone, values);
            }
        }
    }
}
