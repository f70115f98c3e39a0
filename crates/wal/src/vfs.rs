//! The VFS that SQLite calls. Only the log is handled here; everything else goes to SQLite's default VFS.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{
    SQLITE_CANTOPEN, SQLITE_IOERR_WRITE, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_int64,
    sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

use crate::pieces::Waiting;

/// The name under which SQLite knows it.
const NAME: &CStr = c"fieldhouse";

thread_local! {
    /// The number of the last commit that was run by this thread, and whether it runs now.
    static COMMIT: Cell<(u64, bool)> = const { Cell::new((0, false)) };
}

/// Runs a COMMIT of a database that was opened with the VFS. Frames of the log wait in memory only while it runs, on this thread.
pub fn commit<T>(run: impl FnOnce() -> T) -> T {
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            COMMIT.set((COMMIT.get().0, false));
        }
    }
    COMMIT.set((COMMIT.get().0 + 1, true));
    let _running = Running;
    run()
}

/// The number of the commit that runs on this thread.
fn running() -> Option<u64> {
    let (number, runs) = COMMIT.get();
    runs.then_some(number)
}

/// Registers the VFS, the first time it is called. Returns its name, with which a database can be opened; `None` if SQLite has no VFS to
/// pass everything else on to, or no memory.
pub fn register() -> Option<&'static CStr> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    REGISTERED.get_or_init(add).then_some(NAME)
}

fn add() -> bool {
    // SAFETY: the default VFS is found by no name. It is registered for as long as the process runs.
    let default_vfs = unsafe { sqlite3_vfs_find(ptr::null()) };
    if default_vfs.is_null() {
        return false;
    }
    let Ok(own) = c_int::try_from(size_of::<LogFile>()) else { return false };
    // SAFETY: it is not null, and SQLite does not change the fields that are read here.
    let added = unsafe {
        sqlite3_vfs {
            szOsFile: (*default_vfs).szOsFile + own,
            zName: NAME.as_ptr(),
            pNext: ptr::null_mut(),
            pAppData: default_vfs.cast(),
            xOpen: Some(open),
            ..*default_vfs
        }
    };
    // SAFETY: it is never freed, so that SQLite can use it for as long as the process runs.
    let registered = unsafe { sqlite3_vfs_register(Box::leak(Box::new(added)), 0) };
    registered == SQLITE_OK
}

/// The open file of a log. SQLite allocates it, followed by room for the default VFS's file.
#[repr(C, align(8))]
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
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the VFS of `add`, whose data is the default one.
    let default_vfs: *mut sqlite3_vfs = unsafe { (*vfs).pAppData }.cast();
    // SAFETY: see above.
    let Some(open) = (unsafe { (*default_vfs).xOpen }) else { return SQLITE_CANTOPEN };
    if flags & SQLITE_OPEN_WAL == 0 {
        // SAFETY: SQLite has allocated more than the default VFS needs. From now on it calls that one's functions.
        return unsafe { open(default_vfs, name, file, flags, flags_out) };
    }
    // SAFETY: SQLite has allocated room for both, as `szOsFile` says. After a failure it may only look at the pointer to the functions.
    unsafe {
        (*file).pMethods = ptr::null();
        let opened = open(default_vfs, name, default_file(file), flags, flags_out);
        if opened == SQLITE_OK {
            (*file.cast::<LogFile>()).waiting = Box::into_raw(Box::default());
            (*file).pMethods = &raw const METHODS;
        }
        opened
    }
}

/// The file of the default VFS, which follows the log's.
///
/// # Safety
///
/// The file was allocated for a [`LogFile`].
unsafe fn default_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the room for it begins there. SQLite's memory is aligned to 8 bytes, and so is the end of a `LogFile`.
    unsafe { file.cast::<LogFile>().add(1) }.cast()
}

/// Calls a function of the default VFS's file.
macro_rules! on_default {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: SQLite passes a file that `open` has opened, and the arguments that the function needs.
        unsafe {
            let file = default_file($file);
            (*(*file).pMethods).$function.map_or(SQLITE_IOERR_WRITE, |function| function(file $(, $argument)*))
        }
    }};
}

/// Writes to the default VFS's file.
fn write_default(file: *mut sqlite3_file, bytes: &[u8], at: i64) -> Result<(), c_int> {
    let length = c_int::try_from(bytes.len()).map_err(|_| SQLITE_IOERR_WRITE)?;
    match on_default!(file, xWrite, bytes.as_ptr().cast(), length, at) {
        SQLITE_OK => Ok(()),
        error => Err(error),
    }
}

/// Writes what waits, then calls a function of the default VFS's file.
macro_rules! after_writing {
    ($file:expr, $function:ident $(, $argument:expr)*) => {{
        let file = $file;
        // SAFETY: SQLite passes a file that `open` has opened and `close` has not closed, and uses it on one thread at a time.
        let waiting = unsafe { &mut *(*file.cast::<LogFile>()).waiting };
        match waiting.write(running(), &mut |bytes, at| write_default(file, bytes, at)) {
            Ok(()) => on_default!(file, $function $(, $argument)*),
            Err(error) => error,
        }
    }};
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // What waits belongs to a commit that failed.
    let closed = on_default!(file, xClose);
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
    match waiting.take(bytes, at, running(), &mut |bytes, at| write_default(file, bytes, at)) {
        Ok(()) => SQLITE_OK,
        Err(error) => error,
    }
}

/// Functions that call the default VFS's: after what waits was written, or at once.
macro_rules! pass_on {
    ($($how:ident $name:ident: $function:ident($($argument:ident: $kind:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            $how!(file, $function $(, $argument)*)
        }
    )*};
}

pass_on! {
    after_writing read: xRead(bytes: *mut c_void, length: c_int, at: sqlite3_int64);
    after_writing truncate: xTruncate(size: sqlite3_int64);
    after_writing sync: xSync(flags: c_int);
    after_writing file_size: xFileSize(size: *mut sqlite3_int64);
    on_default lock: xLock(level: c_int);
    on_default unlock: xUnlock(level: c_int);
    on_default check_reserved_lock: xCheckReservedLock(is_reserved: *mut c_int);
    on_default file_control: xFileControl(operation: c_int, argument: *mut c_void);
    on_default sector_size: xSectorSize();
    on_default device_characteristics: xDeviceCharacteristics();
}
