/*
 * Frames in and out, the loop.
 *
 * A frame is: length of what follows (u32), kind (u8), call or environment (u32), payload. Numbers are
 * little-endian. It comes and goes on descriptor 3, a stream socket whose other end the server holds; when that
 * ends, everything here ends. The server is trusted, its frames are checked all the same: anything odd is said on
 * standard error and ends the launcher with everything it started.
 */
#define _GNU_SOURCE
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  SERVER = 3,
  HEADER = 9,
  /* A program that ends sooner has its output read once, with its end, and costs no watching. */
  WATCH_AFTER_MS = 4,
  KILL_PATIENCE_MS = 2000, /* the kernel may hold a killed process for a while; an answer does not wait for ever */
  KILL_AGAIN_MS = 20,
  SILENCE_MS = 250, /* someone outside the tree holds the pipe: this long without output ends the wait */
};

pid_t launcher_pid;
struct call *calls;
static struct call *by_id[CALLS_MAX];
static struct template templates[TEMPLATES_MAX];
static int signals;
static int pipes; /* an epoll set: it can be left unread while the server is slow */

static struct buffer {
  uint8_t *bytes;
  size_t from, to, room;
} in, out;

int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static _Noreturn void leave(int status) {
  kill_everything();
  exit(status);
}

_Noreturn void fail(const char *message) {
  dprintf(2, "orla launcher: %s\n", message);
  leave(2);
}

/* ---- buffers and frames ---- */

static uint8_t *reserve(struct buffer *buffer, size_t length) {
  if (buffer->from == buffer->to) buffer->from = buffer->to = 0;
  if (buffer->room - buffer->to < length && buffer->from > 0) {
    memmove(buffer->bytes, buffer->bytes + buffer->from, buffer->to - buffer->from);
    buffer->to -= buffer->from;
    buffer->from = 0;
  }
  if (buffer->room - buffer->to < length) {
    buffer->room = buffer->to + length;
    buffer->bytes = realloc(buffer->bytes, buffer->room);
    if (buffer->bytes == NULL) {
      buffer->room = 0;
      fail("out of memory");
    }
  }
  return buffer->bytes + buffer->to;
}

static void put_u32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get_u32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint8_t *read_bytes(struct reader *reader, size_t length) {
  if (reader->bad || (size_t)(reader->end - reader->at) < length) {
    reader->bad = true;
    return NULL;
  }
  reader->at += length;
  return reader->at - length;
}

uint32_t read_u32(struct reader *reader) {
  const uint8_t *at = read_bytes(reader, 4);
  return at == NULL ? 0 : get_u32(at);
}

uint64_t read_u64(struct reader *reader) {
  uint64_t low = read_u32(reader);
  return low | (uint64_t)read_u32(reader) << 32;
}

char *read_string(struct reader *reader, size_t *length) {
  uint32_t count = read_u32(reader);
  uint8_t *at = read_bytes(reader, (size_t)count + 1);
  if (at == NULL || memchr(at, 0, (size_t)count + 1) != at + count) {
    reader->bad = true;
    if (length != NULL) *length = 0;
    return "";
  }
  if (length != NULL) *length = count;
  return (char *)at;
}

/* The payload is to be written where this points. */
static uint8_t *add_frame(uint8_t kind, uint32_t id, size_t length) {
  uint8_t *at = reserve(&out, HEADER + length);
  put_u32(at, (uint32_t)(HEADER - 4 + length));
  at[4] = kind;
  put_u32(at + 5, id);
  out.to += HEADER + length;
  return at + HEADER;
}

static void send_numbers(uint8_t kind, uint32_t id, size_t count, const uint32_t *values) {
  uint8_t *at = add_frame(kind, id, 4 * count);
  for (size_t i = 0; i < count; i++) put_u32(at + 4 * i, values[i]);
}
#define SEND(kind, id, ...) \
  send_numbers(kind, id, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static void flush(void) {
  while (out.from < out.to) {
    ssize_t sent = send(SERVER, out.bytes + out.from, out.to - out.from, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) leave(0);
    out.from += (size_t)sent;
  }
}

static bool server_is_slow(void) { return out.to - out.from >= OUT_HIGH; }

static bool is_due(int64_t at, int64_t now) { return at > 0 && now >= at; }

/* ---- streams ---- */

static void close_stream(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

static void watch(struct call *call, int stream, uint32_t events) {
  int descriptor = stream == 0 ? call->in : call->out[stream - 1];
  struct epoll_event event = {.events = events, .data.u64 = (uint64_t)call->id << 2 | (uint64_t)stream};
  if (descriptor >= 0 && epoll_ctl(pipes, EPOLL_CTL_ADD, descriptor, &event) != 0 && errno != EEXIST)
    fail("cannot watch a pipe");
}

static void watch_outputs(struct call *call) {
  if (call->watched || call->direct) return;
  call->watched = true;
  for (int stream = 1; stream <= 2; stream++) watch(call, stream, EPOLLIN);
}

/* One read, straight into the frame. False when there is nothing more for now. */
static bool relay_output(struct call *call, int stream) {
  int *descriptor = &call->out[stream - 1];
  if (*descriptor < 0) return false;
  uint8_t *at = reserve(&out, HEADER + READ_MAX);
  ssize_t length = read(*descriptor, at + HEADER, READ_MAX);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (length <= 0) {
    close_stream(descriptor);
    return false;
  }
  add_frame(stream == 1 ? STDOUT : STDERR, call->id, (size_t)length);
  if (call->phase == DRAINING) call->retry = now_ms() + SILENCE_MS;
  return true;
}

/* What the pipe takes now. A program need not read its input: what cannot be delivered is dropped. */
static void relay_input(struct call *call) {
  if (call->in < 0) return;
  size_t sent = 0;
  while (sent < call->input_length) {
    ssize_t length = write(call->in, call->input + call->input_from + sent, call->input_length - sent);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) break;
    if (length < 0) {
      call->input_length = 0;
      close_stream(&call->in);
      return;
    }
    sent += (size_t)length;
  }
  call->input_length -= sent;
  call->input_from = call->input_length > 0 ? call->input_from + sent : 0;
  if (sent > 0 && !call->input_ends) SEND(INPUT_ROOM, call->id, (uint32_t)sent);
  if (call->input_length > 0) {
    watch(call, 0, EPOLLOUT);
  } else if (call->input_ends) {
    close_stream(&call->in);
  } else {
    epoll_ctl(pipes, EPOLL_CTL_DEL, call->in, NULL);
  }
}

void take_input(struct call *call, const uint8_t *bytes, size_t length, bool ends) {
  if (call->direct || call->input_ends) fail("input for a program whose input has ended");
  if (length > STDIN_WINDOW - call->input_length) fail("more input than there is room for");
  call->input_ends = ends;
  if (call->in < 0) return;
  if (length > 0 && call->input == NULL) {
    /* They mostly fit into the pipe, and need no buffer. */
    ssize_t sent = write(call->in, bytes, length);
    if (sent == (ssize_t)length && ends) return close_stream(&call->in);
    call->input = malloc(STDIN_WINDOW);
    if (call->input == NULL) fail("out of memory");
    if (sent > 0) bytes += sent, length -= (size_t)sent;
    if (sent > 0 && !ends) SEND(INPUT_ROOM, call->id, (uint32_t)sent);
  }
  if (call->input_from + call->input_length + length > STDIN_WINDOW) {
    memmove(call->input, call->input + call->input_from, call->input_length);
    call->input_from = 0;
  }
  if (length > 0) memcpy(call->input + call->input_from + call->input_length, bytes, length);
  call->input_length += length;
  relay_input(call);
}

/* ---- the life of a call ---- */

static void forget_call(struct call *call) {
  struct call **link = &calls;
  while (*link != call) link = &(*link)->next;
  *link = call->next;
  by_id[call->id] = NULL;
  close_stream(&call->in);
  close_stream(&call->out[0]);
  close_stream(&call->out[1]);
  free(call->input);
  free(call);
}

static void report_end(struct call *call, uint8_t kind) {
  const struct rusage *usage = &call->usage;
  uint64_t cpu = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
                 (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
  bool exited = call->reaped && WIFEXITED(call->status);
  bool signalled = call->reaped && WIFSIGNALED(call->status);
  SEND(kind, call->id, exited ? (uint32_t)WEXITSTATUS(call->status) : UINT32_MAX,
       signalled ? (uint32_t)WTERMSIG(call->status) : 0, (uint32_t)cpu, (uint32_t)(cpu >> 32),
       (uint32_t)usage->ru_maxrss);
}

/* The program itself has ended, its end may take a moment longer. When it does not, EXIT says both. */
static void report_gone(struct call *call) {
  if (!call->told) report_end(call, GONE);
  call->told = true;
}

static void finish(struct call *call) {
  report_end(call, EXIT);
  call->phase = OVER;
  call->deadline = call->retry = 0;
  if (!call->direct || call->taken) forget_call(call);
}

/* Nothing of it lives, so its outputs end after what is in the pipes, unless it handed one to a stranger. */
static void drain(struct call *call) {
  for (int stream = 1; stream <= 2 && !call->direct; stream++)
    while (!server_is_slow() && relay_output(call, stream)) continue;
  int64_t now = now_ms();
  bool ended = call->direct || (call->out[0] < 0 && call->out[1] < 0);
  bool slow = server_is_slow();
  bool silent = is_due(call->retry, now) || is_due(call->deadline, now);
  if (ended || (silent && !slow)) return finish(call);
  report_gone(call);
  /* The clock does not run while it is the server that is waited for. */
  if (call->retry == 0 || slow) {
    call->retry = now + SILENCE_MS;
    call->deadline = now + KILL_PATIENCE_MS;
  }
  watch_outputs(call);
}

static void begin_draining(struct call *call) {
  call->phase = DRAINING;
  call->deadline = call->retry = 0;
  drain(call);
}

static void begin_killing(struct call *call) {
  call->phase = KILLING;
  call->deadline = now_ms() + KILL_PATIENCE_MS;
  call->retry = now_ms() + KILL_AGAIN_MS;
}

/* Needs a fresh list of children. */
static void advance(struct call *call) {
  if (call->phase == RUNNING && call->reaped) {
    if (!signal_orphans(call, SIGKILL)) return begin_draining(call);
    report_gone(call);
    begin_killing(call);
    signal_tree(call, SIGKILL);
  } else if (call->phase == ENDING && call->reaped) {
    if (!signal_orphans(call, 0)) return begin_draining(call);
    report_gone(call);
  } else if (call->phase == KILLING) {
    bool found = signal_orphans(call, SIGKILL);
    if (call->reaped && !found) begin_draining(call);
  }
}

static void reap(void) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) continue;
  pid_t pid;
  int status;
  struct rusage usage;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    for (struct call *call = calls; call != NULL; call = call->next) {
      if (call->pid != pid || call->reaped) continue;
      call->reaped = true;
      call->status = status;
      call->usage = usage;
      break;
    }
  }
  /* After the reaping: what the reaped left behind has become ours by then. */
  if (pid < 0 && errno == ECHILD) list_no_children();
  else list_children();
  for (struct call *call = calls, *next; call != NULL; call = next) {
    next = call->next;
    if (call->phase <= KILLING) advance(call);
  }
}

static void tick(struct call *call, int64_t now) {
  switch (call->phase) {
    case RUNNING:
      if (is_due(call->retry, now)) {
        call->retry = 0;
        watch_outputs(call);
      }
      break;
    case ENDING:
      watch_outputs(call);
      if (!is_due(call->deadline, now)) break;
      begin_killing(call);
      signal_tree(call, SIGKILL);
      break;
    case KILLING:
      watch_outputs(call);
      if (is_due(call->deadline, now)) {
        begin_draining(call);
      } else if (is_due(call->retry, now)) {
        call->retry = now + KILL_AGAIN_MS;
        signal_tree(call, SIGKILL);
        list_children();
        advance(call);
      }
      break;
    case DRAINING:
      if (is_due(call->retry, now) || is_due(call->deadline, now)) drain(call);
      break;
    case OVER:
      break;
  }
}

/* Milliseconds until something is due; -1: nothing. */
static int patience(void) {
  int64_t nearest = 0;
  for (struct call *call = calls; call != NULL; call = call->next) {
    int64_t times[] = {call->deadline, call->retry};
    for (int i = 0; i < 2; i++)
      if (times[i] > 0 && (nearest == 0 || times[i] < nearest)) nearest = times[i];
  }
  if (nearest == 0) return -1;
  int64_t left = nearest - now_ms();
  return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* ---- requests ---- */

static void define(uint32_t id, struct reader *frame) {
  if (id == 0 || id >= TEMPLATES_MAX || templates[id].entries != NULL) fail("a bad number for an environment");
  size_t length = (size_t)(frame->end - frame->at);
  uint8_t *bytes = malloc(length + 1);
  if (bytes == NULL) fail("out of memory");
  memcpy(bytes, frame->at, length);
  struct reader reader = {bytes, bytes + length, false};
  uint32_t count = read_u32(&reader);
  templates[id].bytes = bytes;
  if (reader.bad || count > length / 5) fail("a bad environment");
  templates[id].entries = calloc(count + 1, sizeof(char *));
  if (templates[id].entries == NULL) fail("out of memory");
  templates[id].count = count;
  for (uint32_t i = 0; i < count; i++) templates[id].entries[i] = read_string(&reader, NULL);
  if (reader.bad) fail("a bad environment");
}

static void forget(uint32_t id) {
  if (id == 0 || id >= TEMPLATES_MAX) fail("a bad number for an environment");
  free(templates[id].bytes);
  free(templates[id].entries);
  templates[id] = (struct template){0};
}

static void start(uint32_t id, struct reader *frame) {
  if (id >= CALLS_MAX || by_id[id] != NULL) fail("a bad number for a call");
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL) fail("out of memory");
  call->id = id;
  call->in = call->out[0] = call->out[1] = -1;
  call->next = calls;
  calls = call;
  by_id[id] = call;
  uint32_t flags = read_u32(frame);
  call->direct = flags & START_DIRECT;
  struct failure failure = start_program(call, flags, frame, templates);
  if (failure.stage != 0) {
    SEND(FAILED, id, failure.stage, (uint32_t)failure.error);
    forget_call(call);
  } else if (call->direct) {
    SEND(STARTED, id, (uint32_t)call->pid, (uint32_t)call->in, (uint32_t)call->out[0], (uint32_t)call->out[1]);
  } else {
    call->retry = now_ms() + WATCH_AFTER_MS;
  }
}

static void end_call(struct call *call, struct reader *frame) {
  uint32_t grace = read_u32(frame);
  uint32_t flags = read_u32(frame);
  if (frame->bad) fail("a bad request to end a program");
  if ((flags & KILL_HANG_UP) && !call->direct) {
    close_stream(&call->out[0]);
    close_stream(&call->out[1]);
  }
  int64_t deadline = now_ms() + grace;
  if (call->phase == RUNNING) {
    call->phase = ENDING;
    call->deadline = deadline;
    call->retry = 0;
    signal_tree(call, SIGTERM);
  } else if (call->phase == ENDING && deadline < call->deadline) {
    call->deadline = deadline;
  }
}

static void obey(uint8_t kind, uint32_t id, struct reader *frame) {
  switch (kind) {
    case DEFINE: return define(id, frame);
    case FORGET: return forget(id);
    case START: return start(id, frame);
    default: break;
  }
  if (kind < INPUT || kind > TAKEN) fail("a frame of an unknown kind");
  if (id >= CALLS_MAX) fail("a bad number for a call");
  /* It may have ended while the frame was on its way. */
  struct call *call = by_id[id];
  if (call == NULL) return;
  if (kind == INPUT) take_input(call, frame->at, (size_t)(frame->end - frame->at), false);
  if (kind == INPUT_END) take_input(call, frame->at, (size_t)(frame->end - frame->at), true);
  if (kind == KILL) end_call(call, frame);
  if (kind != TAKEN) return;
  if (!call->direct || call->taken) fail("descriptors taken that were not given");
  call->taken = true;
  close_stream(&call->in);
  close_stream(&call->out[0]);
  close_stream(&call->out[1]);
  if (call->phase == OVER) forget_call(call);
}

static void receive(void) {
  size_t missing = 64 << 10;
  if (in.to - in.from >= 4) {
    size_t whole = (size_t)get_u32(in.bytes + in.from) + 4;
    size_t here = in.to - in.from;
    if (whole > here + missing) missing = whole - here;
  }
  uint8_t *at = reserve(&in, missing);
  ssize_t length = recv(SERVER, at, missing, MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) {
    if (length == 0 && in.from != in.to) fail("the last frame is not complete");
    leave(0);
  }
  in.to += (size_t)length;
  while (in.to - in.from >= 4) {
    uint8_t *frame = in.bytes + in.from;
    uint32_t size = get_u32(frame);
    if (size < HEADER - 4 || size > FRAME_MAX) fail("a frame of a wrong length");
    if (in.to - in.from - 4 < size) break;
    in.from += (size_t)size + 4;
    struct reader payload = {frame + HEADER, frame + 4 + size, false};
    obey(frame[4], get_u32(frame + 5), &payload);
  }
  /* A frame of megabytes is rare and its room not worth keeping. */
  if (in.from == in.to && in.room > (1 << 20)) {
    free(in.bytes);
    in = (struct buffer){0};
  }
}

/* ---- the loop ---- */

static void relay(void) {
  struct epoll_event events[64];
  int count = epoll_wait(pipes, events, 64, 0);
  for (int i = 0; i < count; i++) {
    if (server_is_slow()) return;
    struct call *call = by_id[events[i].data.u64 >> 2];
    int stream = (int)(events[i].data.u64 & 3);
    if (call == NULL || call->phase == OVER) continue;
    if (stream == 0) relay_input(call);
    else if (call->phase == DRAINING) drain(call);
    else relay_output(call, stream);
  }
}

static void prepare(void) {
  launcher_pid = getpid();
  int type;
  socklen_t size = sizeof type;
  if (getsockopt(SERVER, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
    fail("this program is started by orla, with a socket as descriptor 3");
  fcntl(SERVER, F_SETFD, FD_CLOEXEC);
  if (syscall(SYS_CLOSE_RANGE, 4u, ~0u, 0u) != 0)
    for (int descriptor = 4; descriptor < 65536; descriptor++) close(descriptor);
  /* No pipe of a program may get one of these numbers. */
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) fail("there is no /dev/null");
  if (chdir("/") != 0) fail("there is no root folder");

  /*
   * Programs get every signal as the system has it. Here they are held back, TERM too: whoever stops a server with
   * all its processes means the server to end its tools, and the launcher ends with the server.
   */
  for (int signal = 1; signal < NSIG; signal++)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  sigset_t held, wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  held = wanted;
  int ignored[] = {SIGTERM, SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) sigaddset(&held, ignored[i]);
  sigprocmask(SIG_SETMASK, &held, NULL);
  signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  pipes = epoll_create1(EPOLL_CLOEXEC);
  if (signals < 0 || pipes < 0) fail("cannot wait for events");
  prepare_tree();
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--protocol") == 0) {
    printf("%d\n", PROTOCOL);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--audience") == 0) return watch_audience();
  if (argc > 2 && strcmp(argv[1], "--addresses") == 0) return run_with_addresses(argv + 2);
  prepare();
  long landlock = syscall(SYS_CREATE_RULESET, NULL, 0, 1 /* ask for the version */);
  SEND(HELLO, 0, PROTOCOL, (uint32_t)launcher_pid, landlock > 0 ? (uint32_t)landlock : 0);
  flush();
  for (;;) {
    bool slow = server_is_slow();
    struct pollfd events[] = {
        {SERVER, (short)((slow ? 0 : POLLIN) | (out.from < out.to ? POLLOUT : 0)), 0},
        {signals, POLLIN, 0},
        {slow ? -1 : pipes, POLLIN, 0},
    };
    if (poll(events, 3, patience()) < 0 && errno != EINTR) fail("cannot wait for events");
    if (events[2].revents) relay();
    if (events[1].revents) reap();
    if (events[0].revents & ~POLLOUT) receive();
    int64_t now = now_ms();
    for (struct call *call = calls, *next; call != NULL; call = next) {
      next = call->next;
      tick(call, now);
    }
    flush();
  }
}
