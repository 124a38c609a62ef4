/**
 * Runs inside, so all it can do is what the program could do itself. It ends as the program ends. TERM comes to every
 * process by itself; this one stays for those who say goodbye over the network.
 *
 * Names of a pattern are not known beforehand: they are asked for here, get an address of the loopback each, and are
 * said at the door behind which their pattern lies.
 */
export const RELAY = `
const { createServer, connect } = require('node:net')
const { createSocket } = require('node:dgram')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const { argv, exit, stderr } = require('node:process')
const [ways, file, ...words] = argv.slice(1)
const { listeners, patterns } = JSON.parse(ways)
process.on('SIGTERM', () => {})
const listen = ({ address, port, socket, name }) => new Promise((ready, failed) => {
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ path: socket, allowHalfOpen: true })
    if (name !== undefined) outer.write(name + '\\n')
    inner.on('error', () => outer.destroy()).pipe(outer)
    outer.on('error', () => inner.destroy()).pipe(inner)
    outer.on('close', () => inner.destroy())
  })
  server.on('error', failed).listen(port, address, ready)
})
const MOST_NAMES = 1000
const known = new Map()
async function open(name, doors) {
  const address = '127.78.' + (known.size >> 8) + '.' + ((known.size & 255) + 1)
  const ports = new Map(doors.map((door) => [door.port, door]))
  await Promise.all([...ports.values()].map(({ port, socket }) => listen({ address, port, socket, name })))
  return address
}
function addressOf(name) {
  const doors = patterns.filter(({ host }) => name.endsWith(host.slice(1)) && name.length >= host.length)
  if (doors.length === 0) return undefined
  if (!known.has(name) && known.size < MOST_NAMES) known.set(name, open(name, doors))
  return known.get(name)
}
async function reply(query) {
  if (query.length < 17 || query[2] & 0x80 || query.readUInt16BE(4) !== 1) return undefined
  const labels = []
  let at = 12
  for (; query[at] > 0 && query[at] < 64; at += query[at] + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
  }
  const end = at + 5
  if (query[at] !== 0 || end > query.length) return undefined
  const address = await addressOf(labels.join('.').toLowerCase())
  const isAnswer = address !== undefined && query.readUInt16BE(at + 1) === 1
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(isAnswer ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const answer = isAnswer ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)] : []
  return Buffer.concat([head, query.subarray(12, end), Buffer.from(answer)])
}
const answerNames = () => new Promise((ready, failed) => {
  if (patterns.length === 0) return ready()
  const socket = createSocket('udp4').on('error', failed)
  socket.on('message', (query, { address, port }) => {
    reply(query).then((answer) => answer && socket.send(answer, port, address), () => {})
  })
  socket.bind(53, '127.0.0.1', ready)
})
Promise.all([...listeners.map(listen), answerNames()]).then(() => {
  const program = spawn(file, words, { stdio: 'inherit' })
  program.on('error', (error) => {
    stderr.write(error.message + '\\n')
    exit(127)
  })
  program.on('exit', (status, signal) => exit(signal ? 128 + constants.signals[signal] : status))
}, (error) => {
  stderr.write('bwrap: the way to its hosts: ' + error.message + '\\n')
  exit(1)
})
`
