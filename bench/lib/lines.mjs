/** Calls `onLine` for every line of a stream. A long line arrives in many chunks and is joined once. */
export function onLines(stream, onLine) {
  let parts = []
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    let begin = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', begin)) {
      parts.push(chunk.slice(begin, end))
      onLine(parts.join(''))
      parts = []
      begin = end + 1
    }
    if (begin < chunk.length) parts.push(chunk.slice(begin))
  })
}
