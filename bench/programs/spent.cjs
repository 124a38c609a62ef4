// Loaded before the program: when it ends, the microseconds it spent on a processor are in the file SPENT names.
const { writeFileSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(process.env.SPENT, String(user + system))
})
