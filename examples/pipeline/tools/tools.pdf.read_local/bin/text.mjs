const TOKEN =
  /\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>|\[|\]|-?\d*\.?\d+|[A-Za-z'"*]+|\/[^\s/[\]()<>]+/g

/** A gap inside a word list of TJ that is as wide as a space, in thousandths of the font's size. */
const SPACE = -200

/** What the operators of a content stream show, a line for each line. */
export function textOf(content) {
  const lines = ['']
  const operands = []
  const write = (text) => {
    lines[lines.length - 1] += text
  }
  const newLine = () => {
    if (lines.at(-1) !== '') lines.push('')
  }
  for (const [token] of content.matchAll(TOKEN)) {
    if (!/^[A-Za-z'"*]+$/.test(token)) {
      operands.push(token)
      continue
    }
    if (token === "'" || token === '"') newLine()
    if (["'", '"', 'Tj', 'TJ'].includes(token)) for (const operand of operands) write(shown(operand))
    const movesDown = (token === 'Td' || token === 'TD') && Number(operands.at(-1)) !== 0
    if (movesDown || token === 'T*' || token === 'Tm' || token === 'ET') newLine()
    operands.length = 0
  }
  return lines.join('\n').trimEnd()
}

function shown(operand) {
  if (operand.startsWith('(')) return unescape(operand.slice(1, -1))
  if (operand.startsWith('<')) return fromHex(operand.slice(1, -1))
  return Number(operand) < SPACE ? ' ' : ''
}

const ESCAPES = { n: '\n', r: '\n', t: '\t', b: '', f: '' }

function unescape(text) {
  return text.replace(/\\(\r\n|[0-7]{1,3}|[\s\S])/g, (_, what) => {
    if (/^[0-7]/.test(what)) return String.fromCharCode(Number.parseInt(what, 8) & 0xff)
    if (/^[\r\n]/.test(what)) return ''
    return ESCAPES[what] ?? what
  })
}

/** A last digit without a partner is followed by a zero. */
function fromHex(written) {
  const digits = written.replace(/\s/g, '')
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex').toString('latin1')
}
