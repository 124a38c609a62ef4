/*
 * Looks at many files at once for Orla: of each what Node's lstat tells, without an object for each, on several
 * processors. It is loaded into Node. What it needs of Node, libuv and the C library is in every process it can be
 * loaded into, so nothing is linked with it, and one file serves old and new C libraries.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "whether struct stat is what the kernel fills is known for 64-bit Linux on x86 and ARM only"
#endif

/* Node-API and libuv, as far as it is used here; both keep their ABI. */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef enum { napi_ok = 0 } napi_status;
typedef enum { napi_uint8_array = 1, napi_float64_array = 8 } napi_typedarray_type;
napi_status napi_create_double(napi_env, double, napi_value *);
napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
napi_status napi_get_typedarray_info(
    napi_env, napi_value, napi_typedarray_type *, size_t *, void **, napi_value *, size_t *);
napi_status napi_get_value_int32(napi_env, napi_value, int32_t *);
napi_status napi_is_arraybuffer(napi_env, napi_value, bool *);
napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
napi_status napi_throw_type_error(napi_env, const char *, const char *);
typedef pthread_t uv_thread_t;
int uv_thread_create(uv_thread_t *, void (*)(void *), void *);
int uv_thread_join(uv_thread_t *);

enum {
  NUMBERS = 6,      /* of each entry: mtimeMs, ctimeMs, size, ino, mode, dev */
  PART_MIN = 128,   /* starting a thread for fewer takes longer than looking at them */
  THREADS_MAX = 16,
  BLOCKS_MAX = 256,
  BLOCK_MIN = 32,
};

/*
 * Entries one after the other: 'l' or 'f', the path, NUL. Whoever is free takes the next block of them: a thread that
 * has to wait for a processor holds up nobody.
 */
struct work {
  const char *base; /* what most paths begin with, up to a slash, and that folder; they are looked up from there */
  size_t base_length;
  int base_fd; /* negative: from the root */
  const char *blocks[BLOCKS_MAX];
  size_t block_count;
  size_t block_size; /* in entries; the last block may be smaller */
  size_t count;
  double *into;
  atomic_size_t next;
};

static const char *after(const char *entry) {
  return entry + strlen(entry) + 1;
}

/* To the bit what Node makes of it; it depends on not being contracted to one operation. */
static double milliseconds(struct timespec time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static bool begins_with(const char *path, const char *base, size_t length) {
  for (size_t at = 0; at < length; at++) {
    if (path[at] != base[at]) return false; /* also at its end: nothing in the base is NUL */
  }
  return true;
}

static int look_at_one(const struct work *work, const char *entry, struct stat *seen) {
  int flags = *entry == 'l' ? AT_SYMLINK_NOFOLLOW : 0;
  const char *path = entry + 1;
  int from = AT_FDCWD;
  if (work->base_fd >= 0 && begins_with(path, work->base, work->base_length)) {
    const char *rest = path + work->base_length;
    /* A path that is too long stays too long. */
    if (*rest != 0 && *rest != '/' && strlen(rest) < PATH_MAX - work->base_length) {
      path = rest;
      from = work->base_fd;
    }
  }
  for (;;) {
    /* Not the function of the C library: older ones do not have it. */
    if (syscall(SYS_newfstatat, from, path, seen, flags) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

static void look_at_block(const struct work *work, const char *entry, size_t count, double *into) {
  for (size_t left = count; left > 0; left--, entry = after(entry), into += NUMBERS) {
    struct stat seen;
    int error = look_at_one(work, entry, &seen);
    if (error != 0) {
      for (int at = 0; at < NUMBERS; at++) into[at] = 0;
      if (error != ENOENT && error != ENOTDIR) into[4] = -error;
      continue;
    }
    into[0] = milliseconds(seen.st_mtim);
    into[1] = milliseconds(seen.st_ctim);
    into[2] = (double)seen.st_size;
    into[3] = (double)seen.st_ino;
    into[4] = (double)seen.st_mode;
    into[5] = (double)seen.st_dev;
  }
}

static void take_blocks(void *argument) {
  struct work *work = argument;
  for (;;) {
    size_t at = atomic_fetch_add(&work->next, 1);
    if (at >= work->block_count) return;
    size_t first = at * work->block_size;
    size_t left = work->count - first;
    size_t count = left < work->block_size ? left : work->block_size;
    look_at_block(work, work->blocks[at], count, work->into + first * NUMBERS);
  }
}

/*
 * Walking the same folders again for each path takes up to a third of a look. Those that the paths of two blocks have in
 * common are walked once.
 */
static void open_base(struct work *work) {
  const char *one = work->blocks[work->block_count / 4] + 1;
  const char *other = work->blocks[work->block_count / 2] + 1;
  size_t length = 0;
  for (size_t at = 0; one[at] != 0 && one[at] == other[at]; at++) {
    if (one[at] == '/') length = at + 1;
  }
  char folder[PATH_MAX];
  if (*one != '/' || length >= sizeof folder) return;
  memcpy(folder, one, length);
  folder[length] = 0;
  work->base = one;
  work->base_length = length;
  work->base_fd = (int)syscall(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void look_at_all(const char *entries, size_t count, double *into, size_t threads) {
  struct work work = {.count = count, .into = into, .block_size = (count + BLOCKS_MAX - 1) / BLOCKS_MAX};
  work.base_fd = -1;
  if (work.block_size < BLOCK_MIN) work.block_size = BLOCK_MIN;
  for (size_t at = 0; at < count; at++, entries = after(entries)) {
    if (at % work.block_size == 0) work.blocks[work.block_count++] = entries;
  }
  if (work.block_count > 1) open_base(&work);
  uv_thread_t others[THREADS_MAX];
  size_t started = 0;
  while (started < threads - 1 && uv_thread_create(&others[started], take_blocks, &work) == 0) started++;
  take_blocks(&work);
  while (started > 0) uv_thread_join(&others[--started]);
  if (work.base_fd >= 0) syscall(SYS_close, work.base_fd);
}

/* How many there are; false when this is not a list of entries. */
static bool count_entries(const char *at, size_t length, size_t *count) {
  for (*count = 0; length > 0; ++*count) {
    if (*at != 'l' && *at != 'f') return false;
    const char *end = memchr(at, 0, length);
    if (end == NULL) return false;
    length -= (size_t)(end + 1 - at);
    at = end + 1;
  }
  return true;
}

/* As many as may run at once, four at most: more wait for each other in the kernel. */
static size_t count_processors(void) {
  unsigned long set[128];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  size_t count = 0;
  for (long at = 0; at < bytes / (long)sizeof *set; at++) {
    for (unsigned long left = set[at]; left != 0 && count < 4; left &= left - 1) count++;
  }
  return count == 0 ? 1 : count;
}

/* The elements of an array of that type. Memory that others may write to meanwhile is refused. */
static bool elements_of(napi_env env, napi_value value, napi_typedarray_type wanted, void **data, size_t *length) {
  napi_typedarray_type type;
  napi_value buffer;
  bool own;
  return napi_get_typedarray_info(env, value, &type, length, data, &buffer, NULL) == napi_ok && type == wanted &&
         napi_is_arraybuffer(env, buffer, &own) == napi_ok && own;
}

static bool share_bytes(const char *paths, size_t length, const double *into, size_t numbers) {
  uintptr_t from = (uintptr_t)paths;
  uintptr_t to = (uintptr_t)into;
  return from < to + numbers * sizeof *into && to < from + length;
}

static napi_value refuse(napi_env env, const char *why) {
  napi_throw_type_error(env, NULL, why);
  return NULL;
}

/* lookAt(paths: Uint8Array, into: Float64Array, threads: number): number; 0 threads: as many as are of use. */
static napi_value look_at(napi_env env, napi_callback_info info) {
  napi_value words[3];
  size_t given = 3;
  void *paths, *into;
  size_t length, numbers, count;
  int32_t threads;
  napi_value result;
  if (napi_get_cb_info(env, info, &given, words, NULL, NULL) != napi_ok) return NULL;
  if (!elements_of(env, words[0], napi_uint8_array, &paths, &length)) return refuse(env, "paths: not a Uint8Array");
  if (!elements_of(env, words[1], napi_float64_array, &into, &numbers)) return refuse(env, "into: not a Float64Array");
  if (napi_get_value_int32(env, words[2], &threads) != napi_ok) return refuse(env, "threads: not a number");
  if (share_bytes(paths, length, into, numbers)) return refuse(env, "paths and into share memory");
  if (!count_entries(paths, length, &count)) return refuse(env, "paths: not entries of l or f, a path and NUL");
  if (numbers / NUMBERS < count) return refuse(env, "into: too small for the paths");

  size_t of_use = count / PART_MIN;
  size_t most = threads == 0 && of_use > 1 ? count_processors() : threads < 1 ? 1 : (size_t)threads;
  if (most > THREADS_MAX) most = THREADS_MAX;
  look_at_all(paths, count, into, of_use < 1 ? 1 : of_use < most ? of_use : most);
  return napi_create_double(env, (double)count, &result) == napi_ok ? result : NULL;
}

/* Node calls this in each thread that loads the library. */
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  if (napi_create_function(env, "lookAt", strlen("lookAt"), look_at, NULL, &function) != napi_ok) return NULL;
  if (napi_set_named_property(env, exports, "lookAt", function) != napi_ok) return NULL;
  return exports;
}
