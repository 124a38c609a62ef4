// Loaded before the program (`node -r`): 500 MB that the process holds and has touched.
globalThis.ballast = Buffer.alloc(500 * 1024 * 1024, 1)
