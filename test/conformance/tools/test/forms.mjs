// What the tools that ask a person something ask for.
const person = { username: { type: 'string' }, email: { type: 'string' } }
export const PERSON = form(person, Object.keys(person))

export const DEFAULTS = form({
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
})

const OPTIONS = ['option1', 'option2', 'option3']
export const CHOICES = form({
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
})

function form(properties, required = []) {
  return { type: 'object', properties, required }
}

function titled(word) {
  return ['First', 'Second', 'Third'].map((rank, index) => ({
    const: `value${index + 1}`,
    title: `${rank} ${word}`,
  }))
}
