// Loaded before the program (`node --expose-gc -r`): tells, when asked, what it holds once garbage is gone.
process.on('message', () => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  process.send({ heap: process.memoryUsage().heapUsed })
})
process.channel?.unref()
