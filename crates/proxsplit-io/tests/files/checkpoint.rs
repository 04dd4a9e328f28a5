//! A checkpoint comes back bit by bit, or is refused.

use proptest::prelude::*;
use proxsplit_io::{Array, Checkpoint};
use serde_json::json;
use std::fs;

fn sample() -> Checkpoint<'static> {
    Checkpoint {
        header: json!({ "pass": 3, "digest": "00ff", "step": 0.1 }),
        arrays: vec![
            ("X".to_owned(), vec![0.1_f64, -0.0, f64::INFINITY].into()),
            ("A".to_owned(), vec![1.5_f32].into()),
            ("rng".to_owned(), vec![u64::MAX, 1].into()),
            ("order".to_owned(), vec![7_u32, 0].into()),
            ("flags".to_owned(), vec![1_u8, 0, 255].into()),
            ("none".to_owned(), Vec::<f64>::new().into()),
        ],
    }
}

#[test]
fn saving_replaces_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint.npz");
    sample().save(&path).unwrap();
    assert_eq!(Checkpoint::load(&path).unwrap(), sample());
    let numbers = [2.0_f64, 3.0];
    let next = Checkpoint {
        header: json!(null),
        arrays: vec![("X".to_owned(), Array::from(&numbers[..]))],
    };
    next.save(&path).unwrap();
    let mut loaded = Checkpoint::load(&path).unwrap();
    assert_eq!(loaded, next);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let taken = loaded.take("X").unwrap();
    let wrong: Result<Vec<u64>, _> = taken.clone().try_into();
    assert!(wrong.is_err());
    assert_eq!(Vec::<f64>::try_from(taken).unwrap(), numbers);
    assert!(loaded.take("X").is_none());
    let missing = Checkpoint::load(folder.path().join("no.npz")).unwrap_err();
    assert!(missing.to_string().contains("check the name"));
    let other = Checkpoint::load(super::fixture("one.npz"))
        .unwrap_err()
        .to_string();
    assert!(other.contains("'header.json'"), "{other}");
    assert!(other.contains("remove it to start over"), "{other}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_bit_comes_back(doubles in any::<Vec<u64>>(), singles in any::<Vec<u32>>(), step in any::<f64>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.npz");
        let x: Vec<f64> = doubles.iter().map(|&bits| f64::from_bits(bits)).collect();
        let a: Vec<f32> = singles.iter().map(|&bits| f32::from_bits(bits)).collect();
        let saved = Checkpoint {
            header: json!({ "step": step }),
            arrays: vec![("x".to_owned(), Array::from(&x[..])), ("a".to_owned(), Array::from(&a[..]))],
        };
        saved.save(&path).unwrap();
        let mut loaded = Checkpoint::load(&path).unwrap();
        prop_assert_eq!(&loaded.header, &saved.header);
        let x = Vec::<f64>::try_from(loaded.take("x").unwrap()).unwrap();
        let a = Vec::<f32>::try_from(loaded.take("a").unwrap()).unwrap();
        prop_assert_eq!(x.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), doubles);
        prop_assert_eq!(a.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), singles);
    }
}
