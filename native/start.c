/* One program from request to exec. */
#define _GNU_SOURCE
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RULE_PATH_BENEATH 1
/* What a rule on a file may contain: execute, write, read, truncate, ioctl on a device. */
#define FILE_RIGHTS ((1u << 0) | (1u << 1) | (1u << 2) | (1u << 14) | (1u << 15))
#define RULE_OPTIONAL 1

struct ruleset {
  uint64_t filesystem;
  uint64_t network;
  uint64_t scoped;
};
struct path_rule {
  uint64_t rights;
  int32_t parent;
} __attribute__((packed));

/* A seccomp filter, eight bytes an instruction. */
enum { INSTRUCTION = 8 };
struct filter {
  unsigned short count;
  void *instructions;
};

struct limit {
  uint32_t resource;
  struct rlimit value;
};
struct rule {
  uint64_t rights;
  uint32_t flags;
  const char *path;
};

/* All the child needs, prepared before it exists: it shares our memory and may not allocate. */
struct plan {
  const char *file;
  const char *cwd;
  const char *path;
  char **argv; /* with one free slot before it */
  char **envp;
  int streams[3];
  bool has_umask;
  mode_t umask;
  const char *group; /* cgroup.procs of the group it joins; NULL for none */
  uint64_t mark;
  uint32_t limit_count;
  struct limit limits[LIMITS_MAX];
  bool confined;
  struct ruleset ruleset;
  uint32_t rule_count;
  struct rule *rules;
  struct filter filter;
  struct failure failure; /* written by the child */
};

/*
 * The functions of the child run on a stack of their own that is left behind at exec: AddressSanitizer would
 * keep its marks on it for the next child.
 */
#define CHILD_SIDE __attribute__((no_sanitize("address")))

CHILD_SIDE static _Noreturn void give_up(struct plan *plan, uint32_t stage) {
  plan->failure = (struct failure){stage, errno};
  _exit(127);
}

/* An unprivileged process cannot go above its hard limit: what asks for more gets that. */
CHILD_SIDE static bool apply_limit(uint32_t resource, struct rlimit wanted) {
  struct rlimit current;
  if (getrlimit(resource, &current) != 0) return false;
  if (wanted.rlim_max > current.rlim_max) wanted.rlim_max = current.rlim_max;
  if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
  return setrlimit(resource, &wanted) == 0;
}

/* Rights the ruleset does not handle are everyone's anyway, and rights of folders mean nothing on a file. */
CHILD_SIDE static bool add_rule(int ruleset, uint64_t handled, const struct rule *rule) {
  int parent = open(rule->path, O_PATH | O_CLOEXEC);
  if (parent < 0) return (rule->flags & RULE_OPTIONAL) && (errno == ENOENT || errno == ENOTDIR);
  struct stat info;
  struct path_rule path_rule = {.rights = rule->rights & handled, .parent = parent};
  bool ok = fstat(parent, &info) == 0;
  if (ok && !S_ISDIR(info.st_mode)) path_rule.rights &= FILE_RIGHTS;
  /* The kernel refuses a rule without rights; one that grants nothing is already in force. */
  if (ok && path_rule.rights != 0) ok = syscall(SYS_ADD_RULE, ruleset, RULE_PATH_BENEATH, &path_rule, 0) == 0;
  int error = errno;
  close(parent);
  errno = error;
  return ok;
}

CHILD_SIDE static bool confine(struct plan *plan) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const struct ruleset *wanted = &plan->ruleset;
  if (wanted->filesystem || wanted->network || wanted->scoped) {
    /* Older kernels take the longer structure as long as what they do not know is zero. */
    int ruleset = (int)syscall(SYS_CREATE_RULESET, wanted, sizeof *wanted, 0);
    if (ruleset < 0) return false;
    for (uint32_t i = 0; i < plan->rule_count; i++)
      if (!add_rule(ruleset, wanted->filesystem, &plan->rules[i])) return false;
    if (syscall(SYS_RESTRICT_SELF, ruleset, 0) != 0) return false;
    close(ruleset);
  }
  return plan->filter.count == 0 || prctl(PR_SET_SECCOMP, 2 /* filter */, &plan->filter) == 0;
}

/* A file without a first line that names an interpreter is one for the shell, as execvp has it. */
CHILD_SIDE static void execute(struct plan *plan, const char *file) {
  execve(file, plan->argv, plan->envp);
  if (errno != ENOEXEC) return;
  char *first = plan->argv[0];
  plan->argv[-1] = "/bin/sh";
  plan->argv[0] = (char *)file;
  execve("/bin/sh", plan->argv - 1, plan->envp);
  plan->argv[0] = first;
  errno = ENOEXEC;
}

/* A name without a slash is looked up in the PATH of the program's own environment. */
CHILD_SIDE static void search(struct plan *plan) {
  size_t length = strlen(plan->file);
  char candidate[PATH_MAX];
  int kept = ENOENT;
  for (const char *at = plan->path;; at++) {
    const char *end = strchrnul(at, ':');
    size_t folder = (size_t)(end - at);
    if (folder + length + 2 <= sizeof candidate) {
      memcpy(candidate, at, folder);
      if (folder > 0) candidate[folder++] = '/';
      memcpy(candidate + folder, plan->file, length + 1);
      execute(plan, candidate);
      if (errno == EACCES) kept = EACCES;
      else if (errno != ENOENT && errno != ENOTDIR) return;
    }
    at = end;
    if (*at == '\0') break;
  }
  errno = kept;
}

/* 0 is whoever writes. What it starts from here on is counted in the group. */
CHILD_SIDE static bool join_group(const char *procs) {
  int file = open(procs, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  bool ok = write(file, "0", 1) == 1;
  int error = errno;
  close(file);
  errno = error;
  return ok;
}

CHILD_SIDE static int run_child(void *argument) {
  struct plan *plan = argument;
  setsid();
  /* Dies with the launcher, also when that went before this line. */
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != launcher_pid) _exit(127);
  for (int i = 0; i < 3; i++)
    if (dup2(plan->streams[i], i) < 0) give_up(plan, STAGE_PIPE);
  if (plan->has_umask) umask(plan->umask);
  if (plan->group != NULL && !join_group(plan->group)) give_up(plan, STAGE_GROUP);
  if (chdir(plan->cwd) != 0) give_up(plan, STAGE_CWD);
  /* A host may forbid it; the call is then known by its session and marker alone. */
  apply_limit(RLIMIT_LOCKS, (struct rlimit){plan->mark, plan->mark});
  for (uint32_t i = 0; i < plan->limit_count; i++)
    if (!apply_limit(plan->limits[i].resource, plan->limits[i].value)) give_up(plan, STAGE_LIMITS);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (plan->confined && !confine(plan)) give_up(plan, STAGE_CONFINE);
  if (*plan->file == '\0') errno = ENOENT;
  else if (strchr(plan->file, '/') != NULL) execute(plan, plan->file);
  else search(plan);
  give_up(plan, STAGE_EXEC);
}

/* Below: our side. */

static void read_limits(struct plan *plan, struct reader *request) {
  plan->limit_count = read_u32(request);
  if (plan->limit_count > LIMITS_MAX) fail("too many limits");
  for (uint32_t i = 0; i < plan->limit_count; i++) {
    uint32_t resource = read_u32(request);
    uint64_t soft = read_u64(request);
    uint64_t hard = read_u64(request);
    if (resource >= RLIM_NLIMITS || resource == RLIMIT_LOCKS) fail("unknown limit");
    plan->limits[i] = (struct limit){resource, {soft, hard}};
  }
}

static void read_confinement(struct plan *plan, struct reader *request) {
  plan->ruleset.filesystem = read_u64(request);
  plan->ruleset.network = read_u64(request);
  plan->ruleset.scoped = read_u64(request);
  plan->rule_count = read_u32(request);
  if (plan->rule_count > RULES_MAX) fail("too many rules");
  plan->rules = calloc(plan->rule_count + 1, sizeof *plan->rules);
  if (plan->rules == NULL) fail("out of memory");
  for (uint32_t i = 0; i < plan->rule_count; i++) {
    plan->rules[i].rights = read_u64(request);
    plan->rules[i].flags = read_u32(request);
    plan->rules[i].path = read_string(request, NULL);
  }
  uint32_t bytes = read_u32(request);
  if (bytes % INSTRUCTION != 0 || bytes / INSTRUCTION > FILTER_MAX) fail("a filter of a wrong length");
  plan->filter.count = (unsigned short)(bytes / INSTRUCTION);
  /* Only the kernel reads it, and copies it whole, so it may lie unaligned. */
  plan->filter.instructions = read_bytes(request, bytes);
}

/* Words of the frame, behind `spare` empty slots and `more` entries known already, ended by NULL. */
static char **read_words(struct reader *request, uint32_t spare, const struct template *known) {
  uint32_t count = read_u32(request);
  uint32_t more = known == NULL ? 0 : known->count;
  /* A word takes five bytes at least: a count that the frame cannot hold does not become an allocation. */
  if (request->bad || count > (size_t)(request->end - request->at) / 5) fail("a bad list of words");
  char **words = malloc(((size_t)spare + more + count + 1) * sizeof *words);
  if (words == NULL) fail("out of memory");
  char **at = words;
  for (uint32_t i = 0; i < spare; i++) *at++ = NULL;
  for (uint32_t i = 0; i < more; i++) *at++ = known->entries[i];
  for (uint32_t i = 0; i < count; i++) *at++ = read_string(request, NULL);
  *at = NULL;
  return words;
}

static const char *path_of(char **envp) {
  for (; *envp != NULL; envp++)
    if (strncmp(*envp, "PATH=", 5) == 0) return *envp + 5;
  return "/usr/local/bin:/usr/bin:/bin";
}

static void close_all(int *descriptors, int count) {
  for (int i = 0; i < count; i++)
    if (descriptors[i] >= 0) close(descriptors[i]);
}

/* Theirs block, ours do not. */
static bool open_streams(struct call *call, int *theirs) {
  int ends[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  for (int i = 0; i < 3; i++) {
    if (pipe2(ends[i], O_CLOEXEC) == 0 && fcntl(ends[i][i == 0], F_SETFL, O_NONBLOCK) == 0) continue;
    int error = errno;
    close_all(ends[0], 6);
    errno = error;
    return false;
  }
  theirs[0] = ends[0][0], call->in = ends[0][1];
  call->out[0] = ends[1][0], theirs[1] = ends[1][1];
  call->out[1] = ends[2][0], theirs[2] = ends[2][1];
  return true;
}

/* vfork: we stand still until it has its own memory, so nothing of ours is copied and the failure is just there. */
static void spawn(struct call *call, struct plan *plan) {
  static uint8_t stack[64 << 10] __attribute__((aligned(16)));
  int pid = clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, plan);
  if (pid < 0) plan->failure = (struct failure){STAGE_CLONE, errno};
  else if (plan->failure.stage != 0) waitpid(pid, NULL, 0);
  else call->pid = pid;
}

struct failure start_program(struct call *call, uint32_t flags, struct reader *request, struct template *templates) {
  struct plan plan = {.confined = flags & START_CONFINED, .has_umask = flags & START_UMASK};
  uint32_t template = read_u32(request);
  if (template >= TEMPLATES_MAX || (template > 0 && templates[template].entries == NULL))
    fail("an environment that was not defined");
  plan.umask = read_u32(request) & 0777;
  if (flags & START_GROUP) plan.group = read_string(request, NULL);
  read_limits(&plan, request);
  if (plan.confined) read_confinement(&plan, request);
  size_t marker_length = 0;
  const char *marker = read_string(request, &marker_length);
  if (marker_length >= MARKER_MAX) fail("a marker that is too long");
  plan.cwd = read_string(request, NULL);
  plan.file = read_string(request, NULL);
  char **words = read_words(request, 1, NULL);
  plan.envp = read_words(request, 0, template > 0 ? &templates[template] : NULL);
  if (request->bad) fail("a bad request to start a program");
  plan.argv = words + 1;
  plan.path = path_of(plan.envp);
  plan.mark = call->mark = next_mark();
  memcpy(call->marker, marker, marker_length + 1);

  if (!open_streams(call, plan.streams)) {
    plan.failure = (struct failure){STAGE_PIPE, errno};
  } else {
    /* Before it runs: one that ends at once would leave us with a broken pipe. */
    if (!call->direct)
      take_input(call, request->at, (size_t)(request->end - request->at), !(flags & START_MORE_INPUT));
    spawn(call, &plan);
    close_all(plan.streams, 3);
  }
  free(words);
  free(plan.envp);
  free(plan.rules);
  return plan.failure;
}
