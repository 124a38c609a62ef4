import { bool, type ObjectOf, object, oneOf, type Shape } from './shape.ts'

const MODE = oneOf(
  'How packages are held to their permissions: as far as this host can and someone accepted, refused where it cannot, or not at all',
  ['auto', 'require', 'off'],
)

const FIELDS = {
  mode: MODE,
  loose: bool('Hold the tools of the tools folder as well, like a package that names no permissions'),
  tier: oneOf('Means of this host that hold them; the strongest unless told', [
    'auto',
    'bwrap',
    'landlock',
    'seatbelt',
  ]),
} as const

const whole = object('How packages are held to their permissions; a word alone is the mode', FIELDS)

/** `sandbox: require`, or a map of `mode` and the rest. */
export const SANDBOX: Shape<ObjectOf<typeof FIELDS>> & { readonly fields: typeof FIELDS } = {
  ...whole,
  schema: () => ({ anyOf: [MODE.schema(), whole.schema()], description: whole.about }),
  read(value, path, issues) {
    if (typeof value !== 'string') return whole.read(value, path, issues)
    const mode = MODE.read(value, path, issues)
    return mode === undefined ? undefined : { mode }
  },
}
