import { describe, it } from 'vitest'
import { LONG_GUIDES, typeGuide } from './guide-stage.ts'

// Beside the others in a file of their own, so that both halves run at once.
describe('the long guides, typed from top to bottom', () => {
  it.each(LONG_GUIDES)('%s', typeGuide)
})
