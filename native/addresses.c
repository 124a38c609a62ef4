/*
 * For a sandbox whose network is only its own: gives addresses to its loopback, so that whoever listens there answers
 * for them; gives up the right to do so; and becomes the program.
 */
#define _GNU_SOURCE
#include "launcher.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in linux/ipv6.h, which cannot be had beside arpa/inet.h. */
struct ipv6_request {
  struct in6_addr address;
  uint32_t prefix;
  int interface;
};

static bool add_ipv4(const char *text, int number) {
  struct ifreq request = {0};
  struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;
  snprintf(request.ifr_name, sizeof request.ifr_name, "lo:%d", number);
  address->sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &address->sin_addr) != 1) return false;
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return false;
  bool done = ioctl(control, SIOCSIFADDR, &request) == 0;
  /* Of its whole network it is only this one. */
  address->sin_addr.s_addr = INADDR_BROADCAST;
  done = done && ioctl(control, SIOCSIFNETMASK, &request) == 0;
  close(control);
  return done;
}

static bool add_ipv6(const char *text) {
  struct ipv6_request request = {.prefix = 128, .interface = (int)if_nametoindex("lo")};
  if (inet_pton(AF_INET6, text, &request.address) != 1) return false;
  int control = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return false;
  bool done = ioctl(control, SIOCSIFADDR, &request) == 0;
  close(control);
  return done;
}

/* Nothing that is started later gets it back either: bwrap has forbidden to gain rights. */
static bool give_up_right(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct rights[2];
  const uint32_t right = 1u << CAP_NET_ADMIN;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capget, &header, rights)) return false;
  rights[0].effective &= ~right;
  rights[0].permitted &= ~right;
  rights[0].inheritable &= ~right;
  return syscall(SYS_capset, &header, rights) == 0;
}

int run_with_addresses(char **words) {
  for (int number = 1; *words != NULL && strcmp(*words, "--"); words++, number++) {
    if (strchr(*words, ':') ? add_ipv6(*words) : add_ipv4(*words, number)) continue;
    fprintf(stderr, "bwrap: the sandbox cannot have the address %s\n", *words);
    return 1;
  }
  if (*words == NULL) return 1;
  if (!give_up_right()) {
    fprintf(stderr, "bwrap: the right over the network of the sandbox cannot be given up\n");
    return 1;
  }
  /* Only now: a variable can make the loader run what somebody else has written. */
  for (words++; *words != NULL && strcmp(*words, "--"); words++) {
    if (putenv(*words)) return 1;
  }
  if (*words == NULL || words[1] == NULL) return 1;
  execvp(words[1], words + 1);
  perror("bwrap: execvp");
  return 127;
}
