// Codes of the second factor: the vectors of RFC 6238, the steps around the present one, each once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32nopad } from '@scure/base'
import {
  codeOf,
  hashRecoveryCode,
  newFactorSecret,
  newRecoveryCodes,
  otpauthLink,
  plainCode,
  stepOf,
} from './second-factor.ts'

/** RFC 6238, appendix B: the key of SHA-1, and each time with its code of eight digits. */
const RFC_SECRET = base32nopad.encode(Buffer.from('12345678901234567890'))
const RFC_CODES: readonly (readonly [seconds: bigint, code: string])[] = [
  [59n, '94287082'],
  [1_111_111_109n, '07081804'],
  [1_111_111_111n, '14050471'],
  [1_234_567_890n, '89005924'],
  [2_000_000_000n, '69279037'],
  [20_000_000_000n, '65353130'],
]

for (const [seconds, code] of RFC_CODES) {
  test(`code of the second factor, ${seconds} seconds after 1970: as RFC 6238 has it`, () => {
    assert.equal(codeOf(RFC_SECRET, seconds / 30n, 8), code)
    assert.equal(codeOf(RFC_SECRET, seconds / 30n), code.slice(2))
  })
}

const STEP = 41_152_263n
const factor = { secret: RFC_SECRET, last_step: 0n, step: STEP }
const at = (step: bigint) => codeOf(RFC_SECRET, step)

test('code of the second factor, one step early or late: taken; two steps: not', () => {
  for (const step of [STEP - 1n, STEP, STEP + 1n]) assert.equal(stepOf(factor, at(step)), step)
  for (const step of [STEP - 2n, STEP + 2n]) assert.equal(stepOf(factor, at(step)), undefined)
})

test('code of the second factor, taken before, or older than one taken: not taken', () => {
  const used = { ...factor, last_step: STEP }
  assert.equal(stepOf(used, at(STEP)), undefined)
  assert.equal(stepOf(used, at(STEP - 1n)), undefined)
  assert.equal(stepOf(used, at(STEP + 1n)), STEP + 1n)
})

test('code of the second factor, other texts: not taken', () => {
  const code = at(STEP)
  for (const text of ['', code.slice(1), `${code}0`, `0${code}`, '１２３４５６', '000000\u0000']) {
    assert.equal(stepOf(factor, text), undefined, text)
  }
})

test('recovery codes: ten different ones, read with and without dashes, small or large', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `
    assert.deepEqual(hashRecoveryCode(typed), hashRecoveryCode(code))
  }
  for (const text of ['', '123456', 'ABCD-EFGH-IJKL-MNO1']) {
    assert.equal(hashRecoveryCode(text), undefined)
  }
  assert.equal(plainCode(' 123 456 '), '123456')
})

test('link of the second factor: issuer, user and secret, as devices read them', () => {
  const secret = newFactorSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const [head, query] = otpauthLink('ada', 'pay.example.com', secret).split('?')
  assert.equal(head, 'otpauth://totp/Corridor%20pay.example.com%3Aada')
  assert.equal(query, `secret=${secret}&issuer=Corridor%20pay.example.com&period=30`)
})
