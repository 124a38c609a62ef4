// COUNT requests to URL, WIDTH of them at once, each answer parsed.
const [url, count, width] = process.argv.slice(2)
let left = Number(count)
const body = JSON.stringify({ message: 'hello' })
const headers = { 'content-type': 'application/json' }

async function lane() {
  while (left-- > 0) {
    const { message } = await (await fetch(url, { method: 'POST', headers, body })).json()
    if (message !== 'hello') throw new Error(`not an echo: ${message}`)
  }
}
await Promise.all(Array.from({ length: Number(width) }, lane))
