// One red pixel, and a sound without samples.
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const image = { type: 'image', data: PIXEL, mimeType: 'image/png' }
export const audio = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' }

export function text(words) {
  return { type: 'text', text: words }
}

export function resource(uri, mimeType, words) {
  return { type: 'resource', resource: { uri, mimeType, text: words } }
}
