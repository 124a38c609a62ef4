/* The smallest compiled tool: one line on standard output. */
#include <unistd.h>

int main(void) {
  return write(1, "ok\n", 3) == 3 ? 0 : 1;
}
