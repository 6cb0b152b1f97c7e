// Faults of the disk and the clock, for one process that loads this library with LD_PRELOAD.
//
// FAULTS_CONTROL names a file with `struct control`, which a test writes while the process runs. The faults of the disk
// concern the files below the directory FAULTS_DATA.
//
// full         every write of new data, and the creation of a file, fails with ENOSPC; the first write is short
// sync_ms      each fsync and fdatasync takes this much longer
// writes_left  after this number of writes the power fails: half of the last one is done, and the process ends with exit
//              code 86. Of what no fsync has covered, `seed` selects the sectors and files that have their old content again
// clock_s      is added to the clock of the system, not to the monotonic clock
//
// Not covered: writes through mmap, with pwritev, copy_file_range or fallocate, and direct system calls, as of rustix. The
// store and its database use none of them. Creation, renaming, removal and truncation of files are durable at once, and the
// latter three succeed on a full disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control { volatile int64_t full, sync_ms, writes_left, seed, clock_s; };

// A write that no fsync has covered, with the size of the file before it and the bytes that it replaced, or zeros.
struct unsynced {
    dev_t device;
    ino_t file;
    off_t size, at;
    size_t length;
    char *replaced, *path;
    uint64_t number;
};

// Smallest part of a file that a disk writes as a whole.
enum { SECTOR = 512 };

static struct control none, *control = &none;
static const char *directory;
static int (*system_clock)(clockid_t, struct timespec *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unsynced *unsynced;
static size_t used, capacity;
static uint64_t written;

__attribute__((constructor)) static void start(void) {
    system_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("FAULTS_CONTROL");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return;
    close(file);
    control = mapped;
    directory = getenv("FAULTS_DATA");
    // A validator must not outlive the test, even if it is stopped by SIGSTOP.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Path of a file below the directory; false for all other files.
static int find(int file, char path[PATH_MAX]) {
    char link[32] = "/proc/self/fd/";
    char digits[12], *end = link + strlen(link);
    int count = 0;
    for (unsigned rest = (unsigned)file; count == 0 || rest; rest /= 10) digits[count++] = '0' + rest % 10;
    while (count) *end++ = digits[--count];
    if (!directory || file < 0) return 0;
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t prefix = strlen(directory);
    return !strncmp(path, directory, prefix) && path[prefix] == '/';
}

static ssize_t store(int file, const void *bytes, size_t length, off_t at) {
    return at < 0 ? syscall(SYS_write, file, bytes, length) : syscall(SYS_pwrite64, file, bytes, length, at);
}

static void remember(int file, const char *path, size_t length, off_t at) {
    struct stat state;
    if (fstat(file, &state) || !S_ISREG(state.st_mode)) return;
    if (at < 0) at = fcntl(file, F_GETFL) & O_APPEND ? state.st_size : lseek(file, 0, SEEK_CUR);
    if (used == capacity) unsynced = realloc(unsynced, (capacity = 2 * capacity + 64) * sizeof *unsynced);
    char *replaced = calloc(1, length);
    // The descriptor may be open only for writing.
    int reader = at < state.st_size ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY) : -1;
    if (reader >= 0) {
        if (pread(reader, replaced, length, at) < 0) abort();
        close(reader);
    }
    unsynced[used++] = (struct unsynced){
        state.st_dev, state.st_ino, state.st_size, at, length, replaced, strdup(path), written++
    };
}

// Of the sectors, a half is lost, or down to one of 64: then what follows a lost one is there.
static int is_lost(const struct unsynced *write, off_t sector) {
    uint64_t seed = (uint64_t)control->seed;
    uint64_t mixed = seed ^ write->file * 0x9e3779b97f4a7c15u ^ (uint64_t)sector * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111ebu;
    return mixed >> 58 < 1u << seed % 6;
}

static void undo(const struct unsynced *write) {
    struct stat state;
    int file = (int)syscall(SYS_openat, AT_FDCWD, write->path, O_WRONLY);
    if (file < 0) return;
    if (!fstat(file, &state) && state.st_ino == write->file && state.st_dev == write->device) {
        // The size of a file is written later than its content, or not at all.
        int has_old_size = is_lost(write, -1) && is_lost(write, -2);
        off_t end = write->at + (off_t)write->length, next;
        for (off_t at = write->at; at < end; at = next) {
            next = at - at % SECTOR + SECTOR < end ? at - at % SECTOR + SECTOR : end;
            if (has_old_size || is_lost(write, at / SECTOR))
                store(file, write->replaced + (at - write->at), (size_t)(next - at), at);
        }
        if (has_old_size) syscall(SYS_ftruncate, file, write->size);
    }
    close(file);
}

static void fail_power(void) {
    while (used-- > 0) undo(&unsynced[used]);
    _exit(86);
}

static ssize_t intercept(int file, const void *bytes, size_t length, off_t at) {
    char path[PATH_MAX];
    if (!length || !find(file, path)) return store(file, bytes, length, at);
    if (control->full) {
        if (__atomic_fetch_add(&control->full, 1, __ATOMIC_RELAXED) > 1 || length < 2) return errno = ENOSPC, -1;
        length /= 2;
    }
    pthread_mutex_lock(&lock);
    int is_last = control->writes_left > 0 && --control->writes_left == 0;
    if (is_last) length /= 2;
    remember(file, path, length, at);
    ssize_t done = store(file, bytes, length, at);
    if (is_last) fail_power();
    pthread_mutex_unlock(&lock);
    return done;
}

#define WRITE(name, offset) \
    ssize_t name(int file, const void *bytes, size_t length, offset at) { return intercept(file, bytes, length, at); }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
ssize_t write(int file, const void *bytes, size_t length) { return intercept(file, bytes, length, -1); }

// A short write is always allowed: for a file of the data, only the first part is written.
ssize_t writev(int file, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    while (count > 1 && !parts->iov_len) parts++, count--;
    if (count < 1 || !find(file, path)) return syscall(SYS_writev, file, parts, count);
    return intercept(file, parts->iov_base, parts->iov_len, -1);
}

static int synchronize(int file, long call) {
    char path[PATH_MAX];
    struct stat state;
    if (!find(file, path) || fstat(file, &state)) return (int)syscall(call, file);
    if (control->sync_ms) usleep((useconds_t)control->sync_ms * 1000);
    // A write that begins during the call is not covered.
    pthread_mutex_lock(&lock);
    uint64_t end = written;
    pthread_mutex_unlock(&lock);
    int result = (int)syscall(call, file);
    pthread_mutex_lock(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < used; i++) {
        struct unsynced *one = &unsynced[i];
        int is_same = one->file == state.st_ino && one->device == state.st_dev;
        if (!result && is_same && one->number < end) free(one->replaced), free(one->path);
        else unsynced[kept++] = *one;
    }
    used = kept;
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int file) { return synchronize(file, SYS_fsync); }
int fdatasync(int file) { return synchronize(file, SYS_fdatasync); }

static int resize(int file, off_t length) {
    char path[PATH_MAX];
    struct stat state;
    if (control->full && find(file, path) && !fstat(file, &state) && length > state.st_size) return errno = ENOSPC, -1;
    return (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length) { return resize(file, length); }
int ftruncate64(int file, off64_t length) { return resize(file, length); }

static int create(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int is_new = control->full && (flags & O_CREAT) && faccessat(folder, name, F_OK, 0);
    int file = (int)syscall(SYS_openat, folder, name, flags, mode);
    if (!is_new || !find(file, path)) return file;
    close(file);
    unlinkat(folder, name, 0);
    return errno = ENOSPC, -1;
}

#define OPEN(parameters, folder, name, flags) parameters { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return create(folder, name, flags, mode); \
}
OPEN(int open(const char *name, int flags, ...), AT_FDCWD, name, flags)
OPEN(int open64(const char *name, int flags, ...), AT_FDCWD, name, flags)
OPEN(int openat(int folder, const char *name, int flags, ...), folder, name, flags)
OPEN(int openat64(int folder, const char *name, int flags, ...), folder, name, flags)

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = system_clock ? system_clock(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
    if (!result && clock == CLOCK_REALTIME) time->tv_sec += control->clock_s;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, time, zone);
    if (!result) time->tv_sec += control->clock_s;
    return result;
}
