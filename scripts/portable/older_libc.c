/* What g++ 12's C++ library takes from a C library newer than 2.31. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* Whether the process has had one thread only. Never sure here, so its counters are always atomic. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* A random number, of std::random_device. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  ssize_t got;
  do {
    got = getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  if (got != (ssize_t)sizeof value) abort();
  return value;
}
