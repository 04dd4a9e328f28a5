//! Data matrices from Python, borrowed and never copied: NumPy arrays in either order, and the three arrays of scipy's CSR and CSC.

use crate::error::refuse;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use proxsplit::Matrix;
use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Numbers of a stored type, borrowed from a NumPy array of one or two dimensions.
enum Values<'py> {
    U8(PyReadonlyArray2<'py, u8>),
    I16(PyReadonlyArray2<'py, i16>),
    I32(PyReadonlyArray2<'py, i32>),
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
}

/// Indices of a stored type.
#[derive(FromPyObject)]
enum Positions<'py> {
    I32(PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>),
}

/// A data matrix, borrowed for the time of a call: an array, or the tuple (shape, by rows?, starts, indices, values as a 1×n array).
pub(crate) struct Data<'py> {
    shape: (usize, usize),
    order: StorageOrder,
    values: Values<'py>,
    positions: Option<(Positions<'py>, Positions<'py>)>,
}

type Compressed<'py> = (
    (usize, usize),
    bool,
    Positions<'py>,
    Positions<'py>,
    Bound<'py, PyAny>,
);

impl<'py> FromPyObject<'_, 'py> for Data<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok((shape, by_rows, starts, indices, values)) = object.extract::<Compressed>() {
            let order = if by_rows {
                StorageOrder::RowMajor
            } else {
                StorageOrder::ColumnMajor
            };
            let (values, _, _) = values_of(&values)?;
            let positions = Some((starts, indices));
            return Ok(Self {
                shape,
                order,
                values,
                positions,
            });
        }
        let (values, shape, order) = values_of(&object)?;
        Ok(Self {
            shape,
            order,
            values,
            positions: None,
        })
    }
}

/// The numbers of a contiguous array of two dimensions, its shape and its order.
fn values_of<'py>(
    array: &Bound<'py, PyAny>,
) -> PyResult<(Values<'py>, (usize, usize), StorageOrder)> {
    macro_rules! typed {
        ($($variant:ident),*) => {$(
            if let Ok(array) = array.extract() {
                let (shape, order) = layout(&array)?;
                return Ok((Values::$variant(array), shape, order));
            }
        )*};
    }
    typed!(F64, F32, U8, I32, I16);
    Err(PyTypeError::new_err(
        "the data must be a matrix of float64, float32, uint8, int32 or int16",
    ))
}

fn layout<T: numpy::Element>(
    array: &PyReadonlyArray2<T>,
) -> PyResult<((usize, usize), StorageOrder)> {
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    let order = if array.is_c_contiguous() {
        StorageOrder::RowMajor
    } else if array.is_fortran_contiguous() {
        StorageOrder::ColumnMajor
    } else {
        return Err(refuse("the data must be contiguous, in C or in F order"));
    };
    Ok(((rows, cols), order))
}

impl Data<'_> {
    /// The matrix as it is stored.
    pub(crate) fn matrix(&self) -> PyResult<Matrix<'_>> {
        let elements = match &self.values {
            Values::U8(values) => Elements::U8(values.as_slice()?),
            Values::I16(values) => Elements::I16(values.as_slice()?),
            Values::I32(values) => Elements::I32(values.as_slice()?),
            Values::F32(values) => Elements::F32(values.as_slice()?),
            Values::F64(values) => Elements::F64(values.as_slice()?),
        };
        let (shape, order) = (self.shape, self.order);
        match &self.positions {
            None => Ok(Dense::new(shape.0, shape.1, order, elements)
                .map_err(refuse)?
                .into()),
            Some((starts, indices)) => {
                let (starts, indices) = (starts.indices()?, indices.indices()?);
                let sparse = Sparse::new(shape, order, starts, indices, elements);
                Ok(sparse.map_err(refuse)?.into())
            }
        }
    }
}

impl Positions<'_> {
    fn indices(&self) -> PyResult<Indices<'_>> {
        Ok(match self {
            Positions::I32(indices) => Indices::I32(indices.as_slice()?),
            Positions::I64(indices) => Indices::I64(indices.as_slice()?),
        })
    }
}
