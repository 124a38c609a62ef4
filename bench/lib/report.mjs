import { median, quantile, ratios } from './stats.mjs'

/** A figure and its floor, measured in turns. `most` and `least` judge the ratio, `mostValue` the figure itself. */
export function ratio(row) {
  return { ...row, ratios: ratios(row.value, row.floor) }
}

/** A figure without a floor. */
export function value(row) {
  return row
}

/** True, false, or undefined where there is no budget. */
export function isMet({ most, least, mostValue, ratios, value }) {
  if (least !== undefined) return median(ratios) >= least
  if (most !== undefined) return median(ratios) <= most
  if (mostValue !== undefined) return median(value) <= mostValue
  return undefined
}

const COLUMNS = ['figure', 'against', 'ratio', 'p10–p90', 'budget', '', 'Orla', 'floor']

export function toMarkdown(groups) {
  return groups.map(section).join('\n')
}

function section({ title, about, rows = [], failure }) {
  const lines = [`## ${title}`, '']
  if (about) lines.push(about, '')
  if (failure) lines.push(`Not measured: ${failure}`, '')
  if (rows.length > 0) {
    lines.push(tableLine(COLUMNS), tableLine(['---', '---', '--:', '--:', '--:', '---', '--:', '--:']))
    lines.push(...rows.map((row) => tableLine(cells(row))), '')
  }
  for (const { figure, note } of rows) if (note) lines.push(`- ${figure}: ${note}`)
  if (lines.at(-1) !== '') lines.push('')
  return lines.join('\n')
}

function cells(row) {
  const sample = row.ratios ?? row.value
  const spread = sample.length > 1 ? `${short(quantile(sample, 0.1))}–${short(quantile(sample, 0.9))}` : '–'
  return [
    row.figure,
    row.against ?? '–',
    row.ratios ? `${short(median(row.ratios))}×` : '–',
    row.ratios || sample.length === 1 ? spread : `${spread} ${row.unit}`,
    budget(row),
    verdict(row),
    `${short(median(row.value))} ${row.unit}`,
    row.floor ? `${short(median(row.floor))} ${row.unit}` : '–',
  ]
}

function budget({ most, least, mostValue, unit }) {
  if (least !== undefined) return `≥ ${least}×`
  if (most !== undefined) return `≤ ${most}×`
  return mostValue === undefined ? '–' : `≤ ${mostValue} ${unit}`
}

function verdict(row) {
  const met = isMet(row)
  if (met === undefined) return ''
  return met ? 'met' : '**over**'
}

/** Three digits that mean something. */
function short(number) {
  const size = Math.abs(number)
  if (size >= 100) return Math.round(number).toLocaleString('en')
  if (size >= 10) return number.toFixed(1)
  return number.toFixed(size >= 0.1 ? 2 : 3)
}

function tableLine(columns) {
  return `| ${columns.join(' | ')} |`
}
