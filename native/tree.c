/*
 * Which process belongs to which call, and ending them.
 *
 * The launcher is a subreaper: whatever loses its parent becomes its child. So once the program of a call has
 * been reaped, the call has processes left if and only if one of them is a direct child of the launcher, and
 * killing those brings up theirs. A direct child keeps its pid until it is reaped here, so no signal goes astray.
 *
 * To tell the children of one call from those of another, each call has a number of its own as the hard limit
 * of RLIMIT_LOCKS. The kernel gives that limit no meaning since 2.4, yet hands it on through fork, exec, setsid and
 * a cleared environment, and shows it to everyone in /proc/PID/limits. A process that lowered even this is told by
 * its session or by the marker in its environment, and what shows none of the three goes as soon as no other
 * call could be its owner.
 */
#define _GNU_SOURCE
#include "launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int children_file = -1;
static uint64_t last_mark;
static pid_t *children;
static size_t child_count;
static size_t child_room;

void prepare_tree(void) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) fail("this system has no subreapers");
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)launcher_pid);
  children_file = open(path, O_RDONLY | O_CLOEXEC);
  if (children_file < 0) fail("this system does not list the children of a process in /proc");

  /* A launcher below a tool of another one stays below the number it got, at a distance nobody else chose. */
  struct rlimit limit;
  uint64_t highest = (uint64_t)1 << 62;
  if (getrlimit(RLIMIT_LOCKS, &limit) == 0 && limit.rlim_max < highest) highest = limit.rlim_max;
  if (highest < 1 << 20) fail("no numbers are left to tell calls apart");
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) random = (uint64_t)now_ms();
  last_mark = highest / 2 + random % (highest / 2);
}

uint64_t next_mark(void) { return --last_mark; }

void list_no_children(void) { child_count = 0; }

/* Only we remove entries of this list, by reaping, so reading it in pieces misses none. */
void list_children(void) {
  static char text[64 << 10];
  child_count = 0;
  pid_t pid = 0;
  off_t offset = 0;
  for (;;) {
    ssize_t length = pread(children_file, text, sizeof text, offset);
    if (length <= 0) break;
    offset += length;
    for (ssize_t i = 0; i < length; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
        continue;
      }
      if (pid > 0 && child_count == child_room) {
        child_room = child_room ? 2 * child_room : 64;
        children = realloc(children, child_room * sizeof *children);
        if (children == NULL) _exit(2); /* Every program goes with us; see start.c. */
      }
      if (pid > 0) children[child_count++] = pid;
      pid = 0;
    }
  }
}

/* The whole of a small file of /proc, ended by NUL. The caller frees it. */
static char *read_proc(pid_t pid, const char *name, size_t *length) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  size_t room = 16 << 10;
  char *text = malloc(room);
  *length = 0;
  while (text != NULL) {
    ssize_t got = read(file, text + *length, room - *length - 1);
    if (got <= 0) break;
    *length += (size_t)got;
    if (room - *length > 1) continue;
    char *larger = room < (16 << 20) ? realloc(text, room *= 2) : NULL;
    if (larger == NULL) break;
    text = larger;
  }
  close(file);
  if (text != NULL) text[*length] = '\0';
  return text;
}

/* 0 when it cannot be told. Another user's limits are read the long way. */
static uint64_t mark_of(pid_t pid) {
  struct rlimit limit;
  if (prlimit(pid, RLIMIT_LOCKS, NULL, &limit) == 0) return limit.rlim_max;
  if (errno != EPERM) return 0;
  size_t length;
  char *text = read_proc(pid, "limits", &length);
  char *line = text == NULL ? NULL : strstr(text, "Max file locks");
  unsigned long long soft = 0, hard = 0;
  int found = line == NULL ? 0 : sscanf(line + 14, "%llu %llu", &soft, &hard);
  free(text);
  return found == 2 ? hard : 0;
}

static bool carries_marker(pid_t pid, const struct call *call) {
  size_t length;
  char *text = read_proc(pid, "environ", &length);
  bool found = text != NULL && *call->marker && memmem(text, length, call->marker, strlen(call->marker)) != NULL;
  free(text);
  return found;
}

/* The call a direct child belongs to; NULL for what shows nothing. */
static const struct call *owner_of(pid_t pid) {
  uint64_t mark = mark_of(pid);
  pid_t session = getsid(pid);
  for (const struct call *call = calls; call != NULL; call = call->next)
    if (call->mark == mark) return call;
  for (const struct call *call = calls; call != NULL; call = call->next)
    if (call->pid == session && call->phase != OVER) return call;
  for (const struct call *call = calls; call != NULL; call = call->next)
    if (carries_marker(pid, call)) return call;
  return NULL;
}

static bool is_program(pid_t pid) {
  for (const struct call *call = calls; call != NULL; call = call->next)
    if (call->pid == pid && !call->reaped) return true;
  return false;
}

static bool is_alone(const struct call *call) {
  for (const struct call *other = calls; other != NULL; other = other->next)
    if (other != call && other->phase != OVER && other->phase != DRAINING) return false;
  return true;
}

bool signal_orphans(struct call *call, int signal) {
  bool found = false;
  for (size_t i = 0; i < child_count; i++) {
    if (is_program(children[i])) continue;
    const struct call *owner = owner_of(children[i]);
    if (owner != call && (owner != NULL || !is_alone(call))) continue;
    found = true;
    if (signal != 0) kill(children[i], signal);
  }
  return found;
}

/* Once the program is reaped its number may become that of another session. */
static bool belongs(pid_t pid, const struct call *call) {
  return mark_of(pid) == call->mark || (!call->reaped && getsid(pid) == call->pid);
}

/* The pid may be another's by the time the signal is sent, so it is held while we look a second time. */
static void signal_member(pid_t pid, const struct call *call, int signal) {
  int handle = (int)syscall(SYS_PIDFD_OPEN, pid, 0);
  if (handle < 0) {
    if (errno == ENOSYS) kill(pid, signal);
    return;
  }
  if (belongs(pid, call)) syscall(SYS_PIDFD_SEND_SIGNAL, handle, signal, NULL, 0);
  close(handle);
}

void signal_tree(struct call *call, int signal) {
  /* A group takes the signal at once, whatever its members fork meanwhile. Until it is reaped the number is ours. */
  if (!call->reaped) kill(-call->pid, signal);
  DIR *folder = opendir("/proc");
  if (folder == NULL) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    pid_t pid = atoi(entry->d_name);
    if (pid <= 1 || pid == launcher_pid || !belongs(pid, call)) continue;
    if (call->reaped || getpgid(pid) != call->pid) signal_member(pid, call, signal);
  }
  closedir(folder);
}

void kill_everything(void) {
  for (struct call *call = calls; call != NULL; call = call->next)
    if (!call->reaped && call->pid > 0) kill(-call->pid, SIGKILL);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  for (int64_t give_up = now_ms() + 5000; now_ms() < give_up;) {
    list_children();
    for (size_t i = 0; i < child_count; i++) kill(children[i], SIGKILL);
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (pid < 0 && errno == ECHILD) return;
    sigtimedwait(&child_ended, NULL, &(struct timespec){.tv_nsec = 5000000});
  }
}
