/* Fails the Nth file operation below one directory: preloaded into a test's child process.
 *
 * The child and this library share a control file (FITNESS_IO_CONTROL), mapped into memory here and written
 * with ordinary file operations there. Only files below FITNESS_IO_DIRECTORY are counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
    _Atomic int64_t calls;    /* file operations so far */
    _Atomic int64_t fail_at;  /* the first one that fails; 0 = none */
    _Atomic int64_t failures; /* how many more fail from there on; negative = all */
    _Atomic int64_t error;    /* the errno they fail with */
    _Atomic int64_t failed;   /* how many have failed */
};

static struct control *control;
static char directory[4096];
static size_t directory_length;

__attribute__((constructor)) static void load(void) {
    const char *path = getenv("FITNESS_IO_CONTROL"), *below = getenv("FITNESS_IO_DIRECTORY");
    if (!path || !below || strlen(below) >= sizeof directory) return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return;
    strcpy(directory, below);
    directory_length = strlen(directory);
    control = mapped;
}

static int is_below(const char *path) {
    return strncmp(path, directory, directory_length) == 0;
}

/* Counts one operation; true when it is to fail, with errno set. */
static int fails(void) {
    int64_t call = atomic_fetch_add(&control->calls, 1) + 1;
    int64_t at = atomic_load(&control->fail_at);
    if (at == 0 || call < at) return 0;
    int64_t left = atomic_load(&control->failures);
    if (left == 0) return 0;
    if (left > 0) atomic_store(&control->failures, left - 1);
    atomic_fetch_add(&control->failed, 1);
    errno = (int)atomic_load(&control->error);
    return 1;
}

static int path_fails(const char *path) { return control && is_below(path) && fails(); }

static int file_fails(int fd) {
    if (!control) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = '\0';
    return is_below(path) && fails();
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define ON_FILE(result, name, parameters, arguments) \
    result name parameters { \
        REAL(name); \
        return file_fails(fd) ? -1 : real arguments; \
    }

ON_FILE(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
ON_FILE(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
ON_FILE(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(int, fsync, (int fd), (fd))
ON_FILE(int, fdatasync, (int fd), (fd))
ON_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))

/* A failing disk fails reads, too; a full or read-only one does not. */
static int read_fails(int fd) { return control && atomic_load(&control->error) == EIO && file_fails(fd); }

ssize_t read(int fd, void *to, size_t size) {
    REAL(read);
    return read_fails(fd) ? -1 : real(fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at) {
    REAL(pread);
    return read_fails(fd) ? -1 : real(fd, to, size, at);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at) {
    REAL(pread64);
    return read_fails(fd) ? -1 : real(fd, to, size, at);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return path_fails(to) ? -1 : real(from, to);
}

int unlink(const char *path) {
    REAL(unlink);
    return path_fails(path) ? -1 : real(path);
}

#define OPENING(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if ((flags & (O_WRONLY | O_RDWR)) && path_fails(path)) return -1; \
        return real(path, flags, mode); \
    }

OPENING(open)
OPENING(open64)
