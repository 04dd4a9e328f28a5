//! Checks of smooth terms.

use crate::linalg::vec::{distance, norm, norm_inf};
use crate::{FiniteSum, Real, Smooth};

/// ∇f(x) agrees with central differences of f, and f(x) is the same with and without the gradient.
///
/// ```
/// use proxsplit::{check, smooth::FnSmooth};
/// let wrong = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
///     grad[0] = x[0];
///     x[0] * x[0]
/// })?;
/// assert!(check::gradient_at(&wrong, &[3.0]).is_err());
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub fn gradient_at<T: Real>(f: &dyn Smooth<T>, x: &[T]) -> Result<(), String> {
    let mut grad = vec![T::ZERO; x.len()];
    let value = f.gradient(x, &mut grad);
    let epsilon = T::EPSILON.f64();
    if (value - f.value(x)).abs() > 10.0 * epsilon * value.abs() {
        return Err(format!(
            "gradient() returns f = {value}, value() {}",
            f.value(x)
        ));
    }
    let mut moved = x.to_vec();
    for i in 0..x.len() {
        let width = T::of(epsilon.cbrt() * x[i].abs().f64().max(1.0));
        moved[i] = x[i] + width;
        let (above, right) = (f.value(&moved), moved[i].f64());
        moved[i] = x[i] - width;
        let (below, left) = (f.value(&moved), moved[i].f64());
        moved[i] = x[i];
        let difference = (above - below) / (right - left);
        // What the differences miss: the third derivative, and the rounding of f.
        let slack = 10.0 * epsilon.cbrt().powi(2) * (1.0 + norm_inf(&grad))
            + 10.0 * epsilon * above.abs().max(below.abs()) / width.f64();
        if (difference - grad[i].f64()).abs() > slack {
            return Err(format!(
                "gradient[{i}] = {} but differences of f give {difference} (allowed: {slack:.1e}) at x = {x:?}",
                grad[i]
            ));
        }
    }
    Ok(())
}

/// Σ_t ∇f_t(x) = ∇f(x) and Σ_t f_t(x) = f(x), with the terms taken one at a time.
pub fn terms_at<T: Real>(f: &dyn FiniteSum<T>, x: &[T]) -> Result<(), String> {
    let mut whole = vec![T::ZERO; x.len()];
    let value = f.gradient(x, &mut whole);
    let mut sum = vec![T::ZERO; x.len()];
    let (mut total, mut size) = (0.0, 0.0);
    for t in 0..f.terms() {
        let mut term = vec![T::ZERO; x.len()];
        total += f.add_gradient(&[t], x, &mut term);
        f.add_gradient(&[t], x, &mut sum);
        size += norm(&term);
    }
    let slack = 10.0 * T::EPSILON.f64();
    if (total - value).abs() > slack * (f.terms() as f64).sqrt() * value.abs() {
        return Err(format!("the terms sum to {total}, but f = {value}"));
    }
    let gap = distance(&sum, &whole);
    if gap > slack * size {
        return Err(format!(
            "the gradients of the terms sum to {sum:?}, which is {gap:.1e} away from {whole:?}"
        ));
    }
    Ok(())
}
