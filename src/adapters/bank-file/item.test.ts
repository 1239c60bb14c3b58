// The purpose code that a bank gets for a payout's purpose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purposeCode } from './item.ts'

test('purpose of a payment, ISO code: written as Cd; known word: written as its code; other text: omitted', () => {
  const rows = [
    ['SALA', 'SALA'],
    ['supplier_payment', 'SUPP'],
    ['Supplier payment', 'SUPP'],
    ['salary', 'SALA'],
    ['for the new roof', ''],
    ['supp', ''],
    ['toString', ''],
    ['', ''],
  ] as const
  for (const [text, code] of rows) assert.equal(purposeCode(text), code, text)
})
