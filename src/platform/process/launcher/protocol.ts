/**
 * The frames between server and launcher; `native/launcher.h` is the other side. A frame is: length of what
 * follows (u32), kind (u8), call or environment (u32), payload. Numbers are little-endian.
 */
export const PROTOCOL = 2
export const HEADER = 9
export const FRAME_MAX = 8 * 1024 * 1024
export const CALLS_MAX = 4096
export const TEMPLATES_MAX = 256
/** Input of one call that may be on its way to the program. */
export const INPUT_WINDOW = 256 * 1024

/** What the server sends. */
export const TO = { DEFINE: 1, FORGET: 2, START: 3, INPUT: 4, INPUT_END: 5, KILL: 6, TAKEN: 7 } as const
/** What it gets. */
export const FROM = {
  HELLO: 129,
  STARTED: 130,
  FAILED: 131,
  STDOUT: 132,
  STDERR: 133,
  INPUT_ROOM: 134,
  GONE: 135,
  EXIT: 136,
} as const

export const START_FLAGS = { DIRECT: 1, MORE_INPUT: 2, UMASK: 4, CONFINED: 8, GROUP: 16 } as const
export const KILL_HANG_UP = 1
export const RULE_OPTIONAL = 1
