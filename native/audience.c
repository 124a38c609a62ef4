/* For a server whose client has closed its end: whether anybody still reads what would be answered. */
#include "launcher.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int watch_audience(void) {
  for (;;) {
    /* Without any events asked for, only the end of the other side is told. */
    struct pollfd ends[] = {{STDIN_FILENO, 0, 0}, {4, 0, 0}};
    if (poll(ends, 2, -1) < 0 && errno != EINTR) return 1;
    if (ends[0].revents) return 1;
    if (ends[1].revents) return 0;
  }
}
