//! Average linkage: the height at which two things are joined.

/// The heights for all pairs, from distances (both n × n).
pub(super) fn cophenetic(distances: &[f64], n: usize) -> Vec<f64> {
    let mut between = distances.to_vec();
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mut alive: Vec<usize> = (0..n).collect();
    let mut nearest: Vec<usize> = (0..n).map(|i| nearest_of(&between, n, &alive, i)).collect();
    let mut heights = vec![0.0; n * n];
    while alive.len() > 1 {
        let height = |i: usize| between[i * n + nearest[i]];
        let closest = alive
            .iter()
            .copied()
            .min_by(|&i, &j| height(i).total_cmp(&height(j)));
        let Some(i) = closest else { break };
        let (j, at) = (nearest[i], height(i));
        for &a in &clusters[i] {
            for &b in &clusters[j] {
                (heights[a * n + b], heights[b * n + a]) = (at, at);
            }
        }
        let (of_i, of_j) = (clusters[i].len() as f64, clusters[j].len() as f64);
        for &k in alive.iter().filter(|&&k| k != i && k != j) {
            let mean = (of_i * between[i * n + k] + of_j * between[j * n + k]) / (of_i + of_j);
            (between[i * n + k], between[k * n + i]) = (mean, mean);
        }
        let joined = std::mem::take(&mut clusters[j]);
        clusters[i].extend(joined);
        alive.retain(|&k| k != j);
        for &k in &alive {
            // Distances to i have changed, and j is gone.
            if k == i || nearest[k] == i || nearest[k] == j {
                nearest[k] = nearest_of(&between, n, &alive, k);
            } else if between[k * n + i] < between[k * n + nearest[k]] {
                nearest[k] = i;
            }
        }
    }
    heights
}

fn nearest_of(between: &[f64], n: usize, alive: &[usize], i: usize) -> usize {
    let others = alive.iter().copied().filter(|&k| k != i);
    let nearest = others.min_by(|&a, &b| between[i * n + a].total_cmp(&between[i * n + b]));
    nearest.unwrap_or(i)
}

#[cfg(test)]
mod tests {
    use super::cophenetic;

    /// Points on a line; the heights are means of distances, by hand.
    #[test]
    fn neighbours_are_joined_first() {
        let points = [0.0, 1.0, 5.0, 7.0_f64];
        let distances: Vec<f64> = (0..16)
            .map(|at| (points[at / 4] - points[at % 4]).abs())
            .collect();
        let heights = cophenetic(&distances, 4);
        let at = |i: usize, j: usize| heights[i * 4 + j];
        assert_eq!((at(0, 1), at(2, 3)), (1.0, 2.0));
        let mean = (5.0 + 7.0 + 4.0 + 6.0) / 4.0;
        for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (3, 0)] {
            assert_eq!(at(i, j), mean);
        }
        assert_eq!(cophenetic(&[0.0], 1), [0.0]);
    }
}
