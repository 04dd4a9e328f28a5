//! The classic swimmer, whose parts are known.

use super::{Generated, Storage};

/// A pixel next to the torso, and the four directions of the limb that begins there.
type Limb = ((i32, i32), [(i32, i32); 4]);

/// 256 pictures of 32×32: a torso and four limbs, each limb in one of four positions; 17 parts in all.
pub(super) fn swimmer() -> Generated {
    const SIDE: usize = 32;
    let limbs: [Limb; 4] = [
        ((10, 14), [(-1, -1), (-1, 0), (0, -1), (1, -1)]),
        ((10, 17), [(-1, 1), (-1, 0), (0, 1), (1, 1)]),
        ((21, 14), [(1, -1), (1, 0), (0, -1), (-1, -1)]),
        ((21, 17), [(1, 1), (1, 0), (0, 1), (-1, 1)]),
    ];
    let mut values = vec![0.0; SIDE * SIDE * 256];
    for (picture, image) in values.chunks_mut(SIDE * SIDE).enumerate() {
        for row in 10..=21 {
            image[row + SIDE * 15] = 1.0;
            image[row + SIDE * 16] = 1.0;
        }
        for (limb, &((row, col), directions)) in limbs.iter().enumerate() {
            let (down, right) = directions[picture >> (2 * limb) & 3];
            for step in 1..=6 {
                image[(row + step * down) as usize + SIDE * (col + step * right) as usize] = 1.0;
            }
        }
    }
    Generated {
        rows: SIDE * SIDE,
        cols: 256,
        storage: Storage::Dense(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_swimmer_share_no_pixel_and_all_pictures_differ() {
        let Storage::Dense(values) = swimmer().storage else {
            panic!("swimmer is dense")
        };
        let pictures: std::collections::HashSet<Vec<u8>> = values
            .chunks(1024)
            .map(|p| p.iter().map(|&v| v as u8).collect())
            .collect();
        assert_eq!(pictures.len(), 256);
        // No two parts share a pixel: 24 of the torso and 6 of each limb in every picture.
        assert!(values.chunks(1024).all(|p| p.iter().sum::<f64>() == 48.0));
    }
}
