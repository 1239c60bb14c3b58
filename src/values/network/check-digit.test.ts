// Tests check digits with numbers that their issuers, banks and companies have published. Any other
// last digit is wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCbu, isCnpj, isCpf, isNuban, isRut } from './check-digit.ts'

type Holds = (number: string) => boolean

const VALID: readonly (readonly [what: string, holds: Holds, ...numbers: string[]])[] = [
  ['CPF', isCpf, '52998224725', '11144477735', '12345678909'],
  // Petrobras, Banco do Brasil, and the example of Receita Federal with letters.
  ['CNPJ', isCnpj, '33000167000101', '00000000000191', '12ABC34501DE35'],
  ['RUT', isRut, '123456785', '970040005', '10000013K'],
  ['CBU', isCbu, '2850590940090418135201', '0000003100010000000009'],
  ['NUBAN', number => isNuban('011', number), '0000014579'],
]

for (const [what, holds, ...numbers] of VALID) {
  test(`${what} check digit, published numbers: valid; any other last digit: invalid`, () => {
    for (const number of numbers) {
      assert.ok(holds(number), number)
      for (const last of '0123456789K') {
        if (last === number.at(-1)) continue
        assert.ok(!holds(number.slice(0, -1) + last), `${number} with ${last}`)
      }
    }
  })
}

test('CPF and CNPJ made of one digit: invalid, despite correct check digits', () => {
  assert.ok(!isCpf('11111111111'))
  assert.ok(!isCnpj('00000000000000'))
})

test('CBU, one digit of the bank part changed: invalid', () => {
  assert.ok(!isCbu('2850591940090418135201'))
})
