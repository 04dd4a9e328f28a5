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
    let (mut moved, mut beside) = (x.to_vec(), vec![T::ZERO; x.len()]);
    for i in 0..x.len() {
        let width = epsilon.cbrt() * x[i].abs().f64().max(1.0);
        let mut side = |y: T| {
            moved[i] = y;
            let value = f.gradient(&moved, &mut beside);
            moved[i] = x[i];
            (y.f64(), value, beside[i].f64())
        };
        let (left, below, left_slope) = side(x[i] - T::of(width));
        let (right, above, right_slope) = side(x[i] + T::of(width));
        let slope = grad[i].f64();
        let difference = (above - below) / (right - left);
        // What differences miss: the bend of the slope between left and right, and rounding.
        let slack = (left_slope - 2.0 * slope + right_slope).abs()
            + 10.0 * epsilon * (norm_inf(&grad) + above.abs().max(below.abs()) / width);
        if (difference - slope).abs() > slack {
            return Err(format!(
                "gradient[{i}] = {slope} but differences of f give {difference} (allowed: {slack:.1e}) at x = {x:?}"
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
