// The ids of payments and files follow from payouts and attempts alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endToEndIdOf, messageIdOf } from './ids.ts'

test('end-to-end ids: 15 characters, stable per attempt, unique per attempt', () => {
  const id = endToEndIdOf('pot_01m7xpm2m0c6hkd4r9ye-1')
  assert.match(id, /^[1-9][0-9A-Z]{14}$/)
  assert.equal(endToEndIdOf('pot_01m7xpm2m0c6hkd4r9ye-1'), id)
  const all = new Set(Array.from({ length: 20_000 }, (_, i) => endToEndIdOf(`pot_x-${i}`)))
  assert.equal(all.size, 20_000)
  // Each place of the text has every digit.
  const digits = new Set([...all].map(id => id.charAt(1)))
  assert.equal(digits.size, 32)
})

test('message id of a file: 16 characters, the same for any order of payments; a new id after a refusal', () => {
  const item = (end_to_end_id: string, ...earlier_files: string[]) => ({
    end_to_end_id,
    earlier_files,
  })
  const id = messageIdOf([item('A'), item('B')])
  assert.match(id, /^C[1-9][0-9A-Z]{14}$/)
  assert.equal(messageIdOf([item('B'), item('A')]), id)
  const others = [
    [item('A')],
    [item('A'), item('C')],
    [item('A', 'C1'), item('B', 'C1')],
    [item('AB')],
  ]
  assert.equal(new Set([id, ...others.map(messageIdOf)]).size, 5)
})
