//! Which columns hold numbers, and which one the names of the rows.

use crate::content::some;
use crate::error::Fault;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type};
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::schema::types::ColumnDescriptor;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bool,
    Signed,
    Unsigned,
    Float,
    Double,
}

pub(super) struct Layout {
    /// The column with the names of the rows.
    pub(super) names: Option<(usize, Kind)>,
    /// The columns of the matrix.
    pub(super) numbers: Vec<(usize, Kind)>,
}

impl Layout {
    /// From the schema; `labels` says whether there are names of rows, if the caller knows.
    pub(super) fn of(file: &FileMetaData, labels: Option<bool>) -> Result<Self, Fault> {
        let kinds = kinds(file)?;
        let names = match (labels, index(file)?, kinds.first()) {
            (Some(false), ..) => None,
            (_, Some(index), _) => Some(index),
            (Some(true), None, Some(_)) | (None, None, Some(Kind::Text)) => Some(0),
            _ => None,
        };
        let mut numbers = Vec::new();
        for (at, &kind) in kinds.iter().enumerate() {
            if Some(at) == names {
                continue;
            }
            if kind == Kind::Text {
                let name = file.schema_descr().column(at);
                return Err(Fault::in_column(name.name(), refusal(names.is_some())));
            }
            numbers.push((at, kind));
        }
        Ok(Self {
            names: names.map(|at| (at, kinds[at])),
            numbers,
        })
    }

    /// The names of the columns of the matrix.
    pub(super) fn columns(&self, footer: &ParquetMetaData) -> Vec<String> {
        let schema = footer.file_metadata().schema_descr();
        let name = |(at, _): &(usize, Kind)| schema.column(*at).name().to_owned();
        self.numbers.iter().map(name).collect()
    }

    /// What was taken for what.
    pub(super) fn describe(&self, footer: &ParquetMetaData) -> String {
        let columns = some(&self.columns(footer));
        let schema = footer.file_metadata().schema_descr();
        match self.names {
            Some((at, _)) => {
                let name = some(&[schema.column(at).name().to_owned()]);
                format!("columns {columns}, row names in the column {name}")
            }
            None => format!("columns {columns}, no row names"),
        }
    }
}

fn refusal(named: bool) -> &'static str {
    if named {
        "the column holds text, but only one column can hold row names; leave it out"
    } else {
        "the column holds text, but only the first column can hold row names; put it first or leave it out"
    }
}

/// What the columns hold, if none is nested.
fn kinds(file: &FileMetaData) -> Result<Vec<Kind>, Fault> {
    let mut kinds = Vec::new();
    for field in file.schema().get_fields() {
        let info = field.get_basic_info();
        let repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
        if !field.is_primitive() || repeated {
            return Err(Fault::in_column(
                field.name(),
                "the column is nested (a list, a map or a struct); flatten it or leave it out",
            ));
        }
        let kind = kind(&file.schema_descr().column(kinds.len()));
        kinds.push(kind.map_err(|what| {
            Fault::in_column(
                field.name(),
                format!(
                    "the column holds values of the type {what}; convert it to numbers or text, or leave it out"
                ),
            )
        })?);
    }
    Ok(kinds)
}

/// What the values are, or the name of the type if it is neither number nor text.
fn kind(column: &ColumnDescriptor) -> Result<Kind, String> {
    use ConvertedType as Old;
    let integer = |signed| {
        if signed { Kind::Signed } else { Kind::Unsigned }
    };
    let old = column.converted_type();
    Ok(match (column.physical_type(), column.logical_type_ref()) {
        (Type::BOOLEAN, _) => Kind::Bool,
        (Type::FLOAT, _) => Kind::Float,
        (Type::DOUBLE, _) => Kind::Double,
        (Type::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum)) => Kind::Text,
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(it))) => integer(it.is_signed),
        (_, Some(logical)) => return Err(first_word(logical)),
        // Older writers know these only.
        (Type::BYTE_ARRAY, None) if matches!(old, Old::UTF8 | Old::ENUM) => Kind::Text,
        (Type::INT32 | Type::INT64, None) => match old {
            Old::NONE | Old::INT_8 | Old::INT_16 | Old::INT_32 | Old::INT_64 => integer(true),
            Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64 => integer(false),
            other => return Err(other.to_string()),
        },
        (physical, None) => return Err(physical.to_string()),
    })
}

/// The name of a type without its parameters.
fn first_word(logical: &LogicalType) -> String {
    let text = format!("{logical:?}");
    text.split(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The column with the index of a data frame of pandas, if it has one besides its numbering.
fn index(file: &FileMetaData) -> Result<Option<usize>, Fault> {
    let mut entries = file.key_value_metadata().into_iter().flatten();
    let entry = entries.find(|entry| entry.key == "pandas");
    let text = entry.and_then(|entry| entry.value.as_deref());
    let frame = text.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let Some(frame) = frame else { return Ok(None) };
    let listed = frame["index_columns"].as_array();
    // A numbering is described, not stored.
    let names = listed.into_iter().flatten().filter_map(|it| it.as_str());
    let fields = file.schema().get_fields();
    let known: Vec<usize> = names
        .filter_map(|name| fields.iter().position(|field| field.name() == name))
        .collect();
    match known[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ => Err(Fault::whole(
            "the index of the data frame has several levels; keep one of them and turn the others into columns with reset_index",
        )),
    }
}
