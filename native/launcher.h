/*
 * The launcher starts programs for an Orla server, ends them with everything they started, and reports how they
 * ended. It stays small, so starting a program costs the same however large the server has grown.
 *
 *   launcher.c  frames in and out, the loop
 *   start.c     one program from request to exec
 *   tree.c      which process belongs to which call; ending them
 *   audience.c  a thing of its own: whether anybody reads what a server writes
 *   addresses.c another one: addresses for a sandbox whose network is only its own
 */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Raised with every change of a frame; the server refuses another number. */
#define PROTOCOL 2

/* Kernel interfaces that may be newer than the headers; the numbers are the same on every machine. */
#define SYS_PIDFD_SEND_SIGNAL 424
#define SYS_PIDFD_OPEN 434
#define SYS_CLOSE_RANGE 436
#define SYS_CREATE_RULESET 444
#define SYS_ADD_RULE 445
#define SYS_RESTRICT_SELF 446

enum {
  FRAME_MAX = 8 << 20,       /* longer ones are refused unread */
  CALLS_MAX = 4096,          /* call ids are below this */
  TEMPLATES_MAX = 256,       /* so are ids of environments, which begin at 1 */
  STDIN_WINDOW = 256 << 10,  /* input that may wait here for one call */
  READ_MAX = 64 << 10,       /* of one output at one time */
  OUT_HIGH = 512 << 10,      /* with this much unsent nothing more is read from anywhere */
  RULES_MAX = 1024,          /* Landlock rules of a request */
  FILTER_MAX = 4096,         /* instructions of a seccomp filter */
  LIMITS_MAX = 16,
  MARKER_MAX = 256,
};

/* What the server sends. */
enum { DEFINE = 1, FORGET = 2, START = 3, INPUT = 4, INPUT_END = 5, KILL = 6, TAKEN = 7 };
/* What it gets. */
enum { HELLO = 129, STARTED = 130, FAILED = 131, STDOUT = 132, STDERR = 133, INPUT_ROOM = 134, GONE = 135, EXIT = 136 };
/* Flags of START. */
enum { START_DIRECT = 1, START_MORE_INPUT = 2, START_UMASK = 4, START_CONFINED = 8, START_GROUP = 16 };
/* Flag of KILL. */
enum { KILL_HANG_UP = 1 };
/* Where a start failed. */
enum {
  STAGE_PIPE = 1, STAGE_CLONE = 2, STAGE_CWD = 3, STAGE_LIMITS = 4, STAGE_CONFINE = 5, STAGE_EXEC = 6, STAGE_GROUP = 7,
};

enum phase {
  RUNNING,
  ENDING,   /* TERM was sent; KILL follows at the deadline */
  KILLING,  /* KILL goes to whatever shows up; given up at the deadline */
  DRAINING, /* nothing of it lives; outputs are read to their end */
  OVER,     /* EXIT was sent; the server has yet to take the descriptors */
};

struct call {
  struct call *next;
  uint32_t id;
  pid_t pid;
  uint64_t mark; /* see tree.c */
  char marker[MARKER_MAX];
  bool direct; /* the server opens the other ends of the streams itself */
  bool taken;
  bool reaped;
  bool watched; /* the outputs are in the epoll set */
  bool told;    /* GONE was sent */
  int status;
  struct rusage usage;
  enum phase phase;
  int64_t deadline; /* when the phase must change; 0: never */
  int64_t retry;    /* when to look again; 0: never */
  int in;           /* our ends, -1 when closed */
  int out[2];
  uint8_t *input; /* what the pipe has not taken yet */
  size_t input_from;
  size_t input_length;
  bool input_ends;
};

/* A cursor over one frame. Past the end, or after anything odd, `bad` is set and all reads give nothing. */
struct reader {
  uint8_t *at;
  uint8_t *end;
  bool bad;
};
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
uint8_t *read_bytes(struct reader *reader, size_t length);
/* Length, bytes, NUL; no NUL within. Points into the frame. */
char *read_string(struct reader *reader, size_t *length);

/* An environment the server named. */
struct template {
  uint8_t *bytes;
  char **entries;
  uint32_t count;
};

extern pid_t launcher_pid;
extern struct call *calls;
int64_t now_ms(void);
_Noreturn void fail(const char *message);

/* Input for the program: into its pipe, and what that does not take into our buffer. */
void take_input(struct call *call, const uint8_t *bytes, size_t length, bool ends);

/* start.c: fills the call, or says which stage failed and how. */
struct failure {
  uint32_t stage;
  int error;
};
struct failure start_program(struct call *call, uint32_t flags, struct reader *request, struct template *templates);

/* audience.c: 0 once nobody reads what is written to descriptor 4, 1 once nobody wants to know. */
int watch_audience(void);

/* addresses.c: ADDRESS... -- NAME=VALUE... -- PROGRAM ARGUMENT... Returns only when that is not possible. */
int run_with_addresses(char **words);

/* tree.c */
void prepare_tree(void);
uint64_t next_mark(void);
/* Direct children as of now, the programs of calls included. */
void list_children(void);
void list_no_children(void);
/* Of the listed children: sends `signal` (0 for none) to those of the call. True when there is one. */
bool signal_orphans(struct call *call, int signal);
/* The group of the program and all that is found in /proc. */
void signal_tree(struct call *call, int signal);
/* Kills every child and theirs until none is left. */
void kill_everything(void);

#endif
