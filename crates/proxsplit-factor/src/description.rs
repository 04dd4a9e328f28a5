//! One description of a run: the command line parses it, `run.json` and checkpoints store it, and a resumed run is compared with it.

use crate::loss::Loss;
use crate::missing::Missing;
use crate::settings::{Settings, Step};
use proxsplit::Error;
use proxsplit::step::Choice;
use proxsplit::text::Operator;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The number type of the factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Single precision.
    F32,
    /// Double precision.
    #[default]
    F64,
}

proxsplit::names!("number type", Dtype: "f32" => F32, "f64" => F64);

/// What a sample is in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Samples {
    /// A column.
    #[default]
    Columns,
    /// A row: the data are read transposed.
    Rows,
}

proxsplit::names!("orientation", Samples: "columns" => Columns, "rows" => Rows);

/// Everything that decides what a factorization does, besides its data. In JSON all names stand side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The number of atoms.
    pub rank: usize,
    /// The loss; the usual one is not written down.
    #[serde(default, skip_serializing_if = "Loss::is_usual")]
    pub loss: Loss,
    /// ψ₀
    pub x_penalty: Option<Operator>,
    /// ψ
    pub a_penalty: Option<Operator>,
    /// The set of X.
    pub x_set: Option<Operator>,
    /// The set of A.
    pub a_set: Option<Operator>,
    /// The file of the atoms that are kept, if there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_x: Option<String>,
    /// The file of the weights of rows, with its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_weights: Option<String>,
    /// The same for columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_weights: Option<String>,
    /// The same for entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// The file of the graph of features, with its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_graph: Option<String>,
    /// γ of the graph of features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_graph_weight: Option<f64>,
    /// The file of the graph of samples, with its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a_graph: Option<String>,
    /// γ of the graph of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a_graph_weight: Option<f64>,
    /// What a sample is in the data.
    pub samples: Samples,
    /// Which entries are missing.
    pub missing: Missing,
    /// The data are divided by this.
    pub scale: f64,
    /// The choices of the method.
    #[serde(flatten, with = "flat")]
    pub settings: Settings,
    /// Where the factors of the start come from, if they are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The number type of the factors.
    pub dtype: Dtype,
    /// A limit: passes over the data.
    #[serde(deserialize_with = "null_is_infinite")]
    pub passes: f64,
    /// A limit: seconds.
    pub time: Option<f64>,
    /// The relative residual that is asked for.
    pub tol: f64,
}

/// What may change between a run and its continuation.
const LIMITS: [&str; 3] = ["passes", "time", "tol"];

impl Description {
    /// In words, the first setting that is not as in a saved description; limits may differ.
    pub fn first_difference(&self, saved: &Value) -> Option<String> {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else {
            return None;
        };
        let told = |value: &Value| match value {
            Value::Null => "not set".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let (name, now) = fields
            .iter()
            .filter(|(name, _)| !LIMITS.contains(&name.as_str()))
            .find(|(name, now)| saved[name.as_str()] != **now)?;
        Some(format!(
            "its {} was {}, but now it is {}",
            name.replace('_', "-"),
            told(&saved[name.as_str()]),
            told(now)
        ))
    }
}

impl FromStr for Step {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let step = text.parse().ok().and_then(|choice| match choice {
            Choice::Auto => Some(Step::Auto),
            Choice::Constant(step) => Some(Step::Constant(step)),
            Choice::Diminishing {
                first,
                power,
                delay: 1.0,
            } => Some(Step::Diminishing { first, power }),
            _ => None,
        });
        step.ok_or_else(|| {
            Error::Incompatible(format!(
                "the step '{text}' cannot be used here: use auto, a number above 0, or diminishing:FIRST,POWER with a power \
                 between 0 and 1"
            ))
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choice = match *self {
            Step::Auto => Choice::Auto,
            Step::Constant(step) => Choice::Constant(step),
            Step::Diminishing { first, power } => Choice::Diminishing {
                first,
                power,
                delay: 1.0,
            },
        };
        choice.fmt(out)
    }
}

/// JSON has no infinity, and writes null.
fn null_is_infinite<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or(f64::INFINITY))
}

/// Settings among the other names of a description, with the step as people write it.
mod flat {
    use super::{Settings, Step};
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::{Map, Value};

    const STEP: &str = "step";

    pub(super) fn serialize<S: Serializer>(settings: &Settings, to: S) -> Result<S::Ok, S::Error> {
        let fields = serde_json::to_value(settings).map_err(S::Error::custom)?;
        let Value::Object(mut fields) = fields else {
            return Err(S::Error::custom("settings have no names"));
        };
        fields.insert(STEP.to_owned(), settings.step.to_string().into());
        fields.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Settings, D::Error> {
        let mut fields = Map::<String, Value>::deserialize(from)?;
        let text = fields.get(STEP).and_then(Value::as_str).unwrap_or("auto");
        let step: Step = text.parse().map_err(D::Error::custom)?;
        let step = serde_json::to_value(step).map_err(D::Error::custom)?;
        fields.insert(STEP.to_owned(), step);
        serde_json::from_value(Value::Object(fields)).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Method;
    use serde_json::json;

    fn description() -> Description {
        Description {
            rank: 5,
            loss: Loss::Squared,
            x_penalty: Some("l1:0.1".parse().unwrap()),
            a_penalty: None,
            x_set: Some("nonneg".parse().unwrap()),
            a_set: None,
            fixed_x: None,
            row_weights: None,
            column_weights: None,
            weights: None,
            x_graph: None,
            x_graph_weight: None,
            a_graph: None,
            a_graph_weight: None,
            samples: Samples::Rows,
            missing: Missing::Nan,
            scale: 255.0,
            settings: Settings {
                method: Method::Incremental,
                step: Step::Diminishing {
                    first: 0.5,
                    power: 0.75,
                },
                seed: u64::MAX,
                ..Settings::default()
            },
            start: None,
            dtype: Dtype::F32,
            passes: f64::INFINITY,
            time: None,
            tol: 1e-6,
        }
    }

    #[test]
    fn it_survives_the_way_through_json_with_flat_names() {
        let value = serde_json::to_value(description()).unwrap();
        assert_eq!(value["method"], "incremental");
        assert_eq!(value["step"], "diminishing:0.5,0.75");
        assert_eq!(value["x_penalty"], "l1:0.1");
        assert_eq!(
            (&value["a_set"], &value["dtype"]),
            (&Value::Null, &json!("f32"))
        );
        assert_eq!(
            (&value["samples"], &value["missing"]),
            (&json!("rows"), &json!("nan"))
        );
        let text = serde_json::to_string(&value).unwrap();
        let back: Description = serde_json::from_str(&text).unwrap();
        assert_eq!(back, description());
    }

    #[test]
    fn the_first_difference_is_named_and_limits_may_differ() {
        let now = description();
        let mut then = serde_json::to_value(&now).unwrap();
        then["passes"] = json!(7.0);
        then["tol"] = json!(0.5);
        assert_eq!(now.first_difference(&then), None);
        then["rank"] = json!(4);
        let words = now.first_difference(&then).unwrap();
        assert_eq!(words, "its rank was 4, but now it is 5");
        let mut then = serde_json::to_value(&now).unwrap();
        then["x_penalty"] = Value::Null;
        let words = now.first_difference(&then).unwrap();
        assert_eq!(words, "its x-penalty was not set, but now it is l1:0.1");
        assert!(now.first_difference(&Value::Null).is_some());
    }

    #[test]
    fn steps_are_read_and_printed_and_others_refused() {
        for text in ["auto", "0.5", "diminishing:0.5,1"] {
            assert_eq!(text.parse::<Step>().unwrap().to_string(), text);
        }
        for text in ["bb", "0", "diminishing:1,2", "diminishing:1,1,5", ""] {
            let error = text.parse::<Step>().unwrap_err().to_string();
            assert!(error.contains("diminishing:FIRST,POWER"), "{error}");
        }
    }
}
