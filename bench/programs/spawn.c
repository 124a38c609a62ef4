/*
 * The floor under starting a program: posix_spawn, three pipes, two bytes in, everything read, waited for.
 * Usage: spawn FILE. Each line `COUNT WIDTH` on stdin runs the file COUNT times, WIDTH at once, and is
 * answered with the milliseconds for one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WIDEST 64

extern char **environ;

struct run {
  pid_t pid;
  int out[2]; /* its stdout and stderr; -1 once closed */
};

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void begin(struct run *run, char *file) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) fail("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  char *argv[] = {file, NULL};
  errno = posix_spawn(&run->pid, file, &actions, NULL, argv, environ);
  if (errno) fail(file);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  if (write(in[1], "{}", 2) < 0 && errno != EPIPE) fail("write");
  close(in[1]);
  run->out[0] = out[0];
  run->out[1] = err[0];
}

/* Reads what there is; true when the run is over and reaped. */
static int advance(struct run *run, const struct pollfd *fds) {
  char bytes[4096];
  for (int i = 0; i < 2; i++) {
    if (run->out[i] < 0 || !fds[i].revents) continue;
    if (read(run->out[i], bytes, sizeof bytes) > 0) continue;
    close(run->out[i]);
    run->out[i] = -1;
  }
  if (run->out[0] >= 0 || run->out[1] >= 0) return 0;
  if (waitpid(run->pid, NULL, 0) < 0) fail("waitpid");
  return 1;
}

static void run_all(char *file, int count, int width) {
  struct run runs[WIDEST];
  struct pollfd fds[2 * WIDEST];
  int live = 0;
  while (count > 0 || live > 0) {
    for (; count > 0 && live < width; count--) begin(&runs[live++], file);
    for (int i = 0; i < 2 * live; i++) fds[i] = (struct pollfd){.fd = runs[i / 2].out[i % 2], .events = POLLIN};
    if (poll(fds, 2 * live, -1) < 0) fail("poll");
    for (int i = live - 1; i >= 0; i--)
      if (advance(&runs[i], &fds[2 * i])) runs[i] = runs[--live];
  }
}

int main(int argc, char **argv) {
  int count, width;
  if (argc != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  while (scanf("%d %d", &count, &width) == 2) {
    if (count < 1 || width < 1 || width > WIDEST) return 2;
    double begun = now_ms();
    run_all(argv[1], count, width);
    printf("%f\n", (now_ms() - begun) / count);
    fflush(stdout);
  }
  return 0;
}
