//! Gradients, after their first call.

use super::count;
use super::storages::Sample;
use proxsplit::smooth::Logistic;
use proxsplit::{FiniteSum, Smooth};

#[test]
fn gradients_allocate_nothing_after_the_first() {
    let (rows, cols) = (120, 60);
    let labels = vec![1.0; rows];
    let (x, mut grad) = (vec![0.1; cols], vec![0.0; cols]);
    let batch = [3, 100, 7];
    Sample::new(rows, cols, 1).each(&mut |storage, a, _| {
        let f = Logistic::new(a, &labels).unwrap();
        let mut pass = || {
            f.gradient(&x, &mut grad);
            f.value(&x);
            f.add_gradient(&batch, &x, &mut grad);
        };
        pass();
        let before = count();
        for _ in 0..10 {
            pass();
        }
        assert_eq!(count(), before, "{storage}");
    });
}
