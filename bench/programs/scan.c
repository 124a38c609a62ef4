/*
 * The floor under a scan: every file of one folder opened, its status and first bytes read.
 * Usage: scan FOLDER. Each number on stdin runs that many scans and is answered with the milliseconds for one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int scan(const char *path) {
  char bytes[4096];
  int files = 0;
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    struct stat status;
    if (fstat(fd, &status) == 0 && (status.st_mode & 0111) && read(fd, bytes, sizeof bytes) > 0) files++;
    close(fd);
  }
  closedir(folder);
  return files;
}

int main(int argc, char **argv) {
  int count;
  if (argc != 2) return 2;
  while (scanf("%d", &count) == 1) {
    if (count < 1) return 2;
    double begun = now_ms();
    for (int i = 0; i < count; i++)
      if (scan(argv[1]) == 0) return 1;
    printf("%f\n", (now_ms() - begun) / count);
    fflush(stdout);
  }
  return 0;
}
