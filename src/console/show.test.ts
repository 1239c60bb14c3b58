// What pages are made of: text that is never HTML, exact amounts, and the calls behind a page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../values/text/html.ts'
import { timelineOf } from './account/timeline.ts'
import { callsOf } from './frame.ts'
import { digits, members } from './show.ts'
import type { Visit } from './visit.ts'

const HOSTILE = `</td><script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`

test('html, inserted values: escaped, except HTML objects', () => {
  const text = html`<p title="${HOSTILE}">${[HOSTILE, html`<b>${1n}</b>`]}${null}${false}</p>`.text
  assert.equal(text.includes('<script>'), false)
  assert.equal(text.includes('<img'), false)
  assert.match(text, /<b>1<\/b><\/p>$/)
})

test("digits, amount and currency: grouped, with the currency's decimals, exact to the minor unit", () => {
  const rows = [
    ['123456789', 'USD', '1,234,567.89'],
    ['-5', 'USD', '-0.05'],
    ['1000', 'JPY', '1,000'],
    ['1234567', 'KWD', '1,234.567'],
    ['9007199254740993', 'USD', '90,071,992,547,409.93'],
    ['12', 'XXX', '12'],
  ] as const
  for (const [amount, currency, shown] of rows) assert.equal(digits(amount, currency), shown)
})

test('member labels: abbreviations in upper case, address lines numbered', () => {
  const bank = { iban: 'DE89', bank_codes: { aba_code: '091000019' } }
  const { text } = members('', { address: { line1: 'Ring 1' }, bank })
  const labels = [...text.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, label]) => label)
  assert.deepEqual(labels, ['address line 1', 'bank IBAN', 'bank codes ABA code'])
})

test("payout timeline page, payout under review: the API's sentence, no details of the exception", async () => {
  const review = { at: '2026-11-29T05:52:46.000000Z', kind: 'review', attempt: 1, ended_at: null }
  const items = [{ ...review, reason: 'Under review by the operator.' }]
  const api = { get: async () => ({ items, truncated: false }) }
  const { text } = await timelineOf({ root: '', api } as unknown as Visit, 'pot_1', new Map())
  assert.match(text, /<div>Under review by the operator\.<\/div>/)
})

test('page source: a curl request, and an SDK call where one exists', () => {
  const made = (path: string, body?: object) => {
    const method = body === undefined ? 'GET' : 'POST'
    const call = { method, path, body, account_id: 'acc_1', answer: '' } as const
    return String(callsOf([call], 'http://localhost'))
  }
  const paid = made('/v3/payout', { amount: 9007199254740993n })
  assert.match(paid, /-d &#39;{&quot;amount&quot;:9007199254740993}&#39;/)
  assert.match(paid, /corridor\.payouts\.create\({ amount: 9007199254740993n }\)/)
  assert.match(made('/v3/payout?limit=50'), /corridor\.payouts\.list\({ limit: 50 }\)/)
  assert.match(made('/v3/operator/account'), /curl/)
  assert.doesNotMatch(made('/v3/operator/account'), /corridor\./)
})
