import { expect, it } from 'vitest'
import { createProgress } from './progress.ts'

it('has one line for each subject, which goes when there is nothing more to tell', () => {
  let written = ''
  const write = (text: string | Uint8Array) => {
    written += String(text)
  }
  const progress = createProgress({ write, rows: 24, columns: 80 }, true)
  progress.update('./fs', 'checking')
  progress.update('./fs', '')
  progress.update('fs', 'testing')
  progress.clear()
  expect(written).toBe('./fs: checking\n\u001b[1A\u001b[0Jfs: testing\n\u001b[1A\u001b[0J')
})
