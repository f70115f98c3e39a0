//! The file system that SQLite calls. All but the log is the usual one's, which also does what this one passes on.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{
    SQLITE_IOERR_WRITE, SQLITE_NOMEM, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_int64,
    sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

use crate::pieces::Waiting;

/// The name under which SQLite knows it.
const NAME: &CStr = c"fieldhouse";

/// Registers the file system, the first time it is called. Returns its name, with which a database can be opened; `None` if SQLite has no
/// file system, or no memory.
pub fn register() -> Option<&'static CStr> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    REGISTERED.get_or_init(add).then_some(NAME)
}

fn add() -> bool {
    // SAFETY: the usual file system is found by no name. It is registered for as long as the process runs.
    let usual = unsafe { sqlite3_vfs_find(ptr::null()) };
    if usual.is_null() {
        return false;
    }
    let Ok(own) = c_int::try_from(size_of::<LogFile>()) else { return false };
    // SAFETY: it is not null, and SQLite does not change the fields that are read here.
    let added = unsafe {
        sqlite3_vfs {
            szOsFile: (*usual).szOsFile + own,
            zName: NAME.as_ptr(),
            pNext: ptr::null_mut(),
            pAppData: usual.cast(),
            xOpen: Some(open),
            ..*usual
        }
    };
    // SAFETY: it is never freed, so that SQLite can use it for as long as the process runs.
    let registered = unsafe { sqlite3_vfs_register(Box::leak(Box::new(added)), 0) };
    registered == SQLITE_OK
}

/// The open file of a log. SQLite allocates it, followed by room for the usual file system's file.
#[repr(C)]
struct LogFile {
    /// What SQLite knows of it: its functions.
    file: sqlite3_file,
    /// What waits, which was made by [`Box::into_raw`] and is freed when the file is closed.
    waiting: *mut Waiting,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_then: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the file system of `add`, whose data is the usual one.
    let usual: *mut sqlite3_vfs = unsafe { (*vfs).pAppData }.cast();
    // SAFETY: see above.
    let Some(open) = (unsafe { (*usual).xOpen }) else { return SQLITE_NOMEM };
    if flags & SQLITE_OPEN_WAL == 0 {
        // SAFETY: SQLite has allocated more than the usual file system needs. From now on it calls that one's functions.
        return unsafe { open(usual, name, file, flags, flags_then) };
    }
    // SAFETY: SQLite has allocated room for both, as `szOsFile` says. After a failure it may only look at the pointer to the functions.
    unsafe {
        (*file).pMethods = ptr::null();
        let opened = open(usual, name, usual_file(file), flags, flags_then);
        if opened == SQLITE_OK {
            (*file.cast::<LogFile>()).waiting = Box::into_raw(Box::default());
            (*file).pMethods = &raw const METHODS;
        }
        opened
    }
}

/// The file of the usual file system, which follows the log's.
///
/// # Safety
///
/// The file was allocated for a [`LogFile`].
unsafe fn usual_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the room for it begins there. Its alignment is the log's, because the size of a type is a multiple of its alignment.
    unsafe { file.cast::<LogFile>().add(1) }.cast()
}

/// Calls a function of the usual file system's file.
macro_rules! usual {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: SQLite passes a file that `open` has opened, and the arguments that the function needs.
        unsafe {
            let file = usual_file($file);
            (*(*file).pMethods).$function.map_or(SQLITE_IOERR_WRITE, |function| function(file $(, $argument)*))
        }
    }};
}

/// Writes to the usual file system's file.
fn write_usual(file: *mut sqlite3_file, bytes: &[u8], at: i64) -> Result<(), c_int> {
    let length = c_int::try_from(bytes.len()).map_err(|_| SQLITE_IOERR_WRITE)?;
    match usual!(file, xWrite, bytes.as_ptr().cast(), length, at) {
        SQLITE_OK => Ok(()),
        error => Err(error),
    }
}

/// Writes what waits, then calls a function of the usual file system's file.
macro_rules! after_writing {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        let file = $file;
        // SAFETY: SQLite passes a file that `open` has opened and `close` has not closed, and uses it on one thread at a time.
        let waiting = unsafe { &mut *(*file.cast::<LogFile>()).waiting };
        match waiting.write(&mut |bytes, at| write_usual(file, bytes, at)) {
            Ok(()) => usual!(file, $function $(, $argument)*),
            Err(error) => error,
        }
    }};
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // What waits is of a transaction without a commit, which no one will read.
    let closed = usual!(file, xClose);
    // SAFETY: `open` has made it, and SQLite does not use a file after it was closed.
    unsafe {
        drop(Box::from_raw((*file.cast::<LogFile>()).waiting));
        (*file).pMethods = ptr::null();
    }
    closed
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    at: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `after_writing`. SQLite passes as many bytes as it says.
    let (waiting, bytes) = unsafe {
        let waiting = &mut *(*file.cast::<LogFile>()).waiting;
        (waiting, std::slice::from_raw_parts(bytes.cast::<u8>(), usize::try_from(length).unwrap_or_default()))
    };
    match waiting.take(bytes, at, &mut |bytes, at| write_usual(file, bytes, at)) {
        Ok(()) => SQLITE_OK,
        Err(error) => error,
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    bytes: *mut c_void,
    length: c_int,
    at: sqlite3_int64,
) -> c_int {
    after_writing!(file, xRead, bytes, length, at)
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    after_writing!(file, xTruncate, size)
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    after_writing!(file, xSync, flags)
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    after_writing!(file, xFileSize, size)
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    usual!(file, xLock, level)
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    usual!(file, xUnlock, level)
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, is_reserved: *mut c_int) -> c_int {
    usual!(file, xCheckReservedLock, is_reserved)
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    usual!(file, xFileControl, operation, argument)
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    usual!(file, xSectorSize)
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    usual!(file, xDeviceCharacteristics)
}
