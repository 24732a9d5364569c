/* Loaded in front of the C library: ends the process after the MATCHA_KILL_AT-th call that changes a file; with MATCHA_KILL_TORN a write is cut in half first, with MATCHA_KILL_FULL the disk is full from there on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls = 0;

static long wanted(void) {
  const char* text = getenv("MATCHA_KILL_AT");
  return text != NULL ? atol(text) : 0;
}

static int is_full(void) { return getenv("MATCHA_KILL_FULL") != NULL; }

static void after(long number) {
  if (wanted() > 0 && number == wanted() && !is_full()) _exit(99);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  ssize_t (*real)(int, const void*, size_t) = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  struct stat facts;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return real(descriptor, bytes, count);
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (is_full() && wanted() > 0 && number >= wanted()) {
    errno = ENOSPC;
    return -1;
  }
  if (getenv("MATCHA_KILL_TORN") != NULL && number == wanted()) count = count / 2;
  const ssize_t done = real(descriptor, bytes, count);
  after(number);
  return done;
}

static int forwarded(const char* name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const long number = atomic_fetch_add(&calls, 1) + 1;
  const int done = real(descriptor);
  after(number);
  return done;
}

int fsync(int descriptor) { return forwarded("fsync", descriptor); }
int fdatasync(int descriptor) { return forwarded("fdatasync", descriptor); }

int rename(const char* from, const char* to) {
  int (*real)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  const long number = atomic_fetch_add(&calls, 1) + 1;
  const int done = real(from, to);
  after(number);
  return done;
}
