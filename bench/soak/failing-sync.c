// Makes one sync of SQLite's write-ahead log fail, in a process that loads this library before all others (LD_PRELOAD).
//
// If the file that SOAK_FAULT names exists, it is removed, and the next fdatasync or fsync of a log fails with EIO. From
// then on the first sync by each other descriptor of the log fails, too, and every further one succeeds without syncing.
// Linux behaves like this: after a failed write it tells each open file once, and takes the pages as clean, so a later
// sync reports success although they never reached the disk.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILES 65536
static volatile int has_failed = 0;
static volatile char was_told[MOST_FILES];

static int is_log(int fd) {
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path - 1);
	if (length < 4) return 0;
	path[length] = 0;
	return strcmp(path + length - 4, "-wal") == 0;
}

static int sync_by(const char *name, int fd) {
	const char *fault = getenv("SOAK_FAULT");
	if (fault && is_log(fd)) {
		if (has_failed && (fd >= MOST_FILES || was_told[fd])) return 0;
		if (has_failed || unlink(fault) == 0) {
			has_failed = 1;
			if (fd < MOST_FILES) was_told[fd] = 1;
			errno = EIO;
			return -1;
		}
	}
	int (*real)(int) = dlsym(RTLD_NEXT, name);
	return real(fd);
}

int fdatasync(int fd) { return sync_by("fdatasync", fd); }

int fsync(int fd) { return sync_by("fsync", fd); }
