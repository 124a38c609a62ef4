// Asks an HTTP server as fast as it answers, for a bounded time. A job is one line of JSON:
// { url, headers, body: [before the id, behind it], width, ms }. Plain sockets and prepared bytes, because
// what a client costs stands on both sides of the ratio and would press it towards one.
import { connect } from 'node:net'
import { onLines } from '../lib/lines.mjs'
import { quantile } from '../lib/stats.mjs'

let nextId = 100_000_000

onLines(process.stdin, async (line) => {
  const job = JSON.parse(line)
  console.log(JSON.stringify(await run(job).catch((error) => ({ failure: error.message }))))
})
process.stdin.on('end', () => process.exit())

async function run({ url, headers, body, width, ms }) {
  const { host, hostname, port, pathname } = new URL(url)
  const sockets = await Promise.all(Array.from({ length: width }, () => open(hostname, port)))
  const length = Buffer.byteLength(body.join('')) + String(nextId).length
  const lines = Object.entries({ host, 'content-length': length, ...headers }).map((pair) => pair.join(': '))
  const head = `POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body[0]}`

  const times = []
  let errors = 0
  let failure
  const begun = performance.now()
  const end = begun + ms
  await Promise.all(
    sockets.map(async (socket) => {
      for (let at = performance.now(); at < end; ) {
        const id = nextId++
        const answer = await socket.ask(`${head}${id}${body[1]}`)
        const now = performance.now()
        times.push(now - at)
        at = now
        if (isResult(answer, id)) continue
        errors++
        failure ??= answer.slice(0, 500)
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1_000
  for (const socket of sockets) socket.close()
  return {
    rate: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    errors,
    failure,
  }
}

function isResult(answer, id) {
  return (
    answer.startsWith('HTTP/1.1 200') &&
    answer.includes(`"id":${id}`) &&
    answer.includes('"result":') &&
    !answer.includes('"isError":true')
  )
}

/** One kept-alive connection with one request on it at a time. */
function open(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    let received = ''
    let answered
    let refused = reject
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
      if (!isWhole(received)) return
      const answer = received
      received = ''
      answered(answer)
    })
    const gone = () => refused(new Error('the server closed a connection'))
    socket.once('error', gone).once('close', gone)
    socket.once('connect', () =>
      resolve({
        close: () => socket.destroy(),
        ask(request) {
          return new Promise((resolve, reject) => {
            answered = resolve
            refused = reject
            socket.write(request)
          })
        },
      }),
    )
  })
}

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, end))
  if (length) return answer.length >= end + 4 + Number(length[1])
  return answer.endsWith('\r\n0\r\n\r\n')
}
