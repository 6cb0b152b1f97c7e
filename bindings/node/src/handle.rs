//! Handles: values of the core that JavaScript's objects own.
//!
//! A handle is a JavaScript external that contains a number; a table, one per thread, has the value of each number. A
//! value is dropped
//!
//! - by [`handle_free`], at once;
//! - after its external was garbage-collected, when control returns to the event loop: only there Node runs the finalizers
//!   of native values;
//! - after its external was garbage-collected, when the table has grown enough since the last sweep: a loop that never
//!   returns to the event loop would otherwise keep every value that it created.
//!
//! V8 is told the size of each value, so that it collects garbage early enough. No number is used twice: neither a freed
//! handle nor the external of another addon leads to a value.

use std::any::{Any, type_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::{
    FromNapiRef, FromNapiValue, JsValue, ToNapiValue, TypeName, Unknown, ValidateNapiValue,
};
use napi::{Error, Result, Status, ValueType, check_status, sys};
use napi_derive::napi;

/// Bytes of an entry of the table, and of Node's records of an external, beside the value.
const OVERHEAD: usize = 256;
/// The table is swept when it has this many entries more than after the last sweep, or [`MIN_BYTES`], and at least half
/// more: so each new entry costs the sweeps three looks at an entry, on average.
const MIN_ENTRIES: usize = 4096;
/// Bytes of the values, see [`MIN_ENTRIES`].
const MIN_BYTES: usize = 1 << 25;

/// A value that becomes a handle when it is returned to JavaScript.
pub struct External<T: 'static> {
    value: T,
    owned: usize,
}

impl<T: 'static> External<T> {
    pub(crate) fn new(value: T) -> Self {
        Self::sized(value, 0)
    }

    /// A value that owns about `owned` bytes beside its own.
    pub(crate) fn sized(value: T, owned: usize) -> Self {
        Self { value, owned }
    }
}

impl<T: 'static> Deref for External<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Frees the value of a handle; of a freed one, nothing.
#[napi(catch_unwind)]
pub fn handle_free(handle: Unknown<'_>) -> Result<()> {
    let (env, handle) = (handle.value().env, handle.raw());
    drop(release(number_of(env, handle)?));
    Ok(())
}

/// The values of a thread.
#[derive(Default)]
struct Table {
    entries: HashMap<usize, Entry>,
    last_number: usize,
    bytes: usize,
    /// Entries and bytes after the last sweep.
    swept: (usize, usize),
}

impl Table {
    fn is_due(&self) -> bool {
        let (entries, bytes) = self.swept;
        self.entries.len() >= entries + MIN_ENTRIES.max(entries / 2)
            || self.bytes >= bytes + MIN_BYTES.max(bytes / 2)
    }

    fn take(&mut self, number: usize) -> Option<Entry> {
        let entry = self.entries.remove(&number)?;
        self.bytes -= entry.size;
        Some(entry)
    }
}

/// A value, and the weak reference to its external.
struct Entry {
    /// From `Box::into_raw`: while a function runs, it has references to the values of its arguments.
    value: *mut dyn Any,
    env: sys::napi_env,
    reference: sys::napi_ref,
    size: usize,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

fn number_of(env: sys::napi_env, handle: sys::napi_value) -> Result<usize> {
    let mut number = ptr::null_mut();
    // SAFETY: both are those of the call in progress.
    check_status!(unsafe { sys::napi_get_value_external(env, handle, &raw mut number) })?;
    Ok(number as usize)
}

/// The value of a handle.
fn find<T: 'static>(env: sys::napi_env, handle: sys::napi_value) -> Result<*mut External<T>> {
    let number = number_of(env, handle)?;
    let value = TABLE.with_borrow(|table| table.entries.get(&number).map(|entry| entry.value));
    // SAFETY: the table has only values that are not yet dropped.
    let fits = value.filter(|value| unsafe { &**value }.is::<External<T>>());
    fits.map(<*mut dyn Any>::cast).ok_or_else(|| {
        Error::new(Status::InvalidArg, format!("the handle is freed, or not one of {}", type_name::<T>()))
    })
}

/// Takes the value of a number out of the table, unless it was taken already.
fn release(number: usize) -> Option<Box<dyn Any>> {
    // At the end of a thread its table may end first; the values are then no longer needed.
    let entry = TABLE.try_with(|table| table.borrow_mut().take(number)).ok()??;
    let Entry { value, env, reference, size } = entry;
    // SAFETY: an environment runs all finalizers before it ends, and they remove the entries, so it has not ended. The
    // entry was the only owner of the reference and of the value.
    unsafe {
        sys::napi_delete_reference(env, reference);
        sys::napi_adjust_external_memory(env, -signed(size), &mut 0);
        Some(Box::from_raw(value))
    }
}

unsafe extern "C" fn finalize(_: sys::napi_env, number: *mut c_void, _: *mut c_void) {
    drop(release(number as usize));
}

fn signed(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// Drops the values whose externals were garbage-collected, if enough were added since the last time.
fn sweep(env: sys::napi_env) -> Result<()> {
    if !TABLE.with_borrow(Table::is_due) {
        return Ok(());
    }
    let all: Vec<(usize, sys::napi_ref)> = TABLE.with_borrow(|table| {
        let own = table.entries.iter().filter(|(_, entry)| entry.env == env);
        own.map(|(number, entry)| (*number, entry.reference)).collect()
    });
    let mut scope = ptr::null_mut();
    // SAFETY: the environment is that of the call in progress. `release` deletes a reference after its last use.
    unsafe {
        check_status!(sys::napi_open_handle_scope(env, &raw mut scope))?;
        for (number, reference) in all {
            let mut external = ptr::null_mut();
            let status = sys::napi_get_reference_value(env, reference, &raw mut external);
            if status == sys::Status::napi_ok && external.is_null() {
                drop(release(number));
            }
        }
        check_status!(sys::napi_close_handle_scope(env, scope))?;
    }
    TABLE.with_borrow_mut(|table| table.swept = (table.entries.len(), table.bytes));
    Ok(())
}

impl<T: 'static> ToNapiValue for External<T> {
    unsafe fn to_napi_value(env: sys::napi_env, handle: Self) -> Result<sys::napi_value> {
        sweep(env)?;
        let number = TABLE.with_borrow_mut(|table| {
            table.last_number += 1;
            table.last_number
        });
        let size = size_of::<Self>() + OVERHEAD + handle.owned;
        let data = number as *mut c_void;
        let (mut external, mut reference) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the environment is that of the call in progress. The finalizer uses only the number.
        unsafe {
            check_status!(sys::napi_create_external(env, data, None, ptr::null_mut(), &raw mut external))?;
            check_status!(sys::napi_add_finalizer(
                env,
                external,
                data,
                Some(finalize),
                ptr::null_mut(),
                &raw mut reference
            ))?;
        }
        let value: *mut dyn Any = Box::into_raw(Box::new(handle));
        let entry = Entry { value, env, reference, size };
        TABLE.with_borrow_mut(|table| {
            table.bytes += size;
            table.entries.insert(number, entry);
        });
        // SAFETY: as above.
        check_status!(unsafe { sys::napi_adjust_external_memory(env, signed(size), &mut 0) })?;
        Ok(external)
    }
}

impl<T: 'static> FromNapiRef for External<T> {
    unsafe fn from_napi_ref(env: sys::napi_env, handle: sys::napi_value) -> Result<&'static Self> {
        // SAFETY: the value is dropped only when no argument of a call in progress refers to its external.
        find::<T>(env, handle).map(|value| unsafe { &*value })
    }
}

impl<T: 'static> TypeName for &External<T> {
    fn type_name() -> &'static str {
        "External"
    }

    fn value_type() -> ValueType {
        ValueType::External
    }
}

impl<T: 'static> ValidateNapiValue for &External<T> {}

/// A native object that a function takes from JavaScript: its handle is then freed.
pub struct Taken<T: 'static>(T);

impl<T: 'static> Taken<Arc<T>> {
    /// The object, unless a thread uses it.
    pub(crate) fn value(self) -> Result<T> {
        let used = "the object is in use by another thread";
        Arc::into_inner(self.0).ok_or_else(|| Error::new(Status::GenericFailure, used))
    }
}

impl<T: 'static> FromNapiValue for Taken<T> {
    unsafe fn from_napi_value(env: sys::napi_env, handle: sys::napi_value) -> Result<Self> {
        find::<T>(env, handle)?;
        let value = release(number_of(env, handle)?);
        let value = value.and_then(|value| value.downcast::<External<T>>().ok());
        value.map(|external| Self(external.value)).ok_or_else(|| Error::from_status(Status::InvalidArg))
    }
}

impl<T: 'static> TypeName for Taken<T> {
    fn type_name() -> &'static str {
        "External"
    }

    fn value_type() -> ValueType {
        ValueType::External
    }
}

impl<T: 'static> ValidateNapiValue for Taken<T> {}
