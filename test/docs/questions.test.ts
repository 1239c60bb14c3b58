// The documentation answers questions as people type them: the search of /docs, the pages of
// countries and networks, and the pages of failure codes.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { type Library, llmsText, readLibrary } from '../../src/docs-site/library.ts'
import { type Index, searching } from '../../src/docs-site/search.ts'
import { stemOf, wordsOf } from '../../src/docs-site/words.ts'
import { bankingCountry } from '../../src/parties/beneficiary/country.ts'
import { codesOf } from '../../src/values/bank-format/reason.ts'
import { runAtOnce } from '../../src/values/event-loop.ts'
import { FAILURE_CODES, FAILURES } from '../../src/values/failures.ts'
import { CHAINS } from '../../src/values/network/chain.ts'
import { COUNTRIES } from '../../src/values/network/country.ts'
import { NETWORKS } from '../../src/values/network/local.ts'
import { PAYMENT_NETWORKS } from '../../src/values/network/payment.ts'

let library: Library
let index: Index
before(async () => {
  library = await readLibrary()
  index = await library.index()
})

const find = (query: string) => runAtOnce(searching(index, query))

/** Each question with the places that answer it. */
const QUESTIONS: readonly (readonly [question: string, answers: RegExp])[] = [
  ['pay to PIX', /^(countries\/br|networks#brl-pix)/],
  ['fields for India', /^countries\/in(#fields|$)/],
  ['PF000330', /^failure-codes#pf000330$/],
  ['rotate a key', /^operations#rotate-a-key$/],
  ['pay exactly 1,000 USD', /^quotes-and-fees#pay-an-exact-amount$/],
  ['what does R03 mean?', /^bank-codes#r03$/],
  ['how do I cancel a payout?', /^api\/payouts#cancel-a-payout/],
  ['why was my payout returned', /^(failure-codes#returned|life-of-a-payout$)/],
  ['how to verify the signature of a webhook', /^webhooks#verify-a-signature$/],
  ['can I retry a request without paying twice?', /^(idempotency|operations#paying-twice)/],
  ['IBAN for a bank account in Germany', /^countries\/de/],
  ['send money to Kenya with M-Pesa', /^(countries\/ke|networks#kes-mpesa)/],
  [
    'what is the daily limit of an account?',
    /^(limits(#|$)|handling-errors#limits-of-the-account$)/,
  ],
  ['import a sanctions list', /^screening(#|$)/],
  ['who can approve a payment', /^approvals#who-approves$/],
  ['restore from backup', /^operations#backups$/],
  ['log in to the dashboard', /^console(#|$)/],
  ['test a failing payout', /^testing(#|$)/],
  ['quote expired', /^(errors#quote_expired|quotes-and-fees#when-a-quote-expires-first)$/],
  ['what do I need before going live?', /^going-live$/],
]

test('/docs/search, 20 questions as typed: 18 answered by the first three results', () => {
  const missed = QUESTIONS.flatMap(([question, answers]) => {
    const first = find(question).hits.slice(0, 3)
    const answered = first.some(({ place }) => answers.test(place))
    return answered ? [] : [`${question}: ${first.map(({ place }) => place).join(', ')}`]
  })
  assert.equal(QUESTIONS.length, 20)
  assert.ok(missed.length <= 2, missed.join('\n'))
})

test('/docs/search, each failure code, reason of a bank and country by name: its own page first', () => {
  const firstOf = (query: string) => find(query).hits[0]?.place
  for (const code of FAILURE_CODES) {
    assert.equal(firstOf(code), `failure-codes#${code.toLowerCase()}`)
  }
  for (const code of codesOf('nacha')) {
    assert.equal(firstOf(code), `bank-codes#${code.toLowerCase()}`)
  }
  for (const { name, title } of library.pages) {
    if (name.startsWith('countries/')) assert.equal(firstOf(title)?.split('#')[0], name, title)
  }
})

test('words of a search: no endings, no accents, digits of a number together', () => {
  const same = [
    ['cancel', 'cancels', 'cancelled', 'cancelling', 'cancellation'],
    ['approve', 'approved', 'approval', 'approvals'],
    ['fee', 'fees'],
    ['verify', 'verifies', 'verified', 'verifying'],
    ['country', 'countries'],
    ['address', 'addresses'],
    ['reverse', 'reversed', 'reversal'],
    ['expire', 'expires', 'expired', 'expiration'],
    ['status'],
  ]
  const stems = same.map(words => [...new Set(words.map(stemOf))])
  for (const [i, found] of stems.entries()) assert.equal(found.length, 1, `${same[i]}: ${found}`)
  assert.equal(new Set(stems.flat()).size, same.length)
  const words = ['cote', '1000', 'quote_used', 'quote', 'used']
  assert.deepEqual(wordsOf('Côte: 1,000 quote_used'), words)
})

test('/docs/failure-codes: every failure code with category, meaning and remedy', async () => {
  const page = (await library.find('failure-codes'))?.page.markdown ?? ''
  for (const [code, { category, meaning, fix }] of FAILURES) {
    const [, said = ''] = page.split(`### ${code}\n`)
    const text = `\n*Category ${category}.* ${meaning}\n\n**What to do.** ${fix}`
    assert.ok(said.startsWith(text), code)
  }
  const banks = (await library.find('bank-codes'))?.page.markdown ?? ''
  for (const scheme of ['iso20022', 'nacha'] as const) {
    for (const code of codesOf(scheme)) {
      assert.match(banks, new RegExp(`^### ${code}\n\n[A-Z].+\\.$`, 'm'))
    }
  }
})

test('failure codes in the source: all in the catalogue', async () => {
  for await (const path of glob('src/**/*.ts')) {
    if (path.endsWith('.test.ts')) continue
    for (const [code] of (await readFile(path, 'utf8')).matchAll(/\b(?:PF|PR|OP)\d{6}\b/g)) {
      assert.ok(FAILURES.has(code), `${path}: ${code}`)
    }
  }
})

test('clients, type FailureCode: every code of the catalogue, and any other text', async () => {
  const typescript = await readFile('packages/sdk/src/emitted/schemas.ts', 'utf8')
  const [, union = ''] = /^export type FailureCode = (.*)$/m.exec(typescript) ?? []
  const written = FAILURE_CODES.map(code => `'${code}'`)
  assert.deepEqual(union.split(' | '), [...written, '(string & {})'])
  const python = await readFile('packages/python/corridor/emitted.py', 'utf8')
  const [, literals = ''] = /^FailureCode = Union\[Literal\[(.*)\], str\]$/m.exec(python) ?? []
  assert.deepEqual(JSON.parse(`[${literals}]`), FAILURE_CODES)
})

test('/docs/countries: a page for every country with its networks and an example for each way', async () => {
  const list = (await library.find('countries'))?.page.markdown ?? ''
  for (const code of COUNTRIES) {
    const own = bankingCountry(code).toLowerCase()
    assert.ok(list.includes(`](/docs/countries/${own}) ${code} · `), code)
    const text = (await library.find(`countries/${own}`))?.page.markdown ?? ''
    assert.match(text, /## Fields for a payout by SWIFT\n[^#]+"bank_codes": \{/, code)
    const local = NETWORKS.filter(({ countries }) => countries.includes(code))
    const byKey = PAYMENT_NETWORKS.filter(({ countries }) => countries.includes(code))
    for (const { title, name } of [...local, ...byKey]) {
      assert.ok(text.includes(`| ${title} | \`${name}\` |`), `${code}: ${name}`)
    }
    const ways = text.match(/^##+ (Fields for .* \(|[A-Z]{3} by )/gm)?.length ?? 0
    const examples = text.match(/^```json beneficiary_details$/gm)?.length ?? 0
    assert.ok(examples > ways && ways >= byKey.length, `${code}: ${examples} examples`)
  }
  const india = (await library.find('countries/in'))?.page.markdown ?? ''
  assert.match(india, /`destination_details.bank.bank_codes.ifsc` · .* Example: `HDFC0000001`/)
})

test('/docs/networks: every network with its countries; /llms.txt lists the page', async () => {
  const text = (await library.find('networks'))?.page.markdown ?? ''
  for (const { currency, name, title } of NETWORKS) {
    assert.ok(text.includes(`### ${currency} ${name}: ${title}\n`), name)
  }
  for (const { currency, name, title } of PAYMENT_NETWORKS) {
    assert.ok(text.includes(`### ${currency} ${name} by key: ${title}\n`), name)
  }
  for (const { type } of CHAINS) assert.ok(text.includes(`### ${type}: `), type)
  assert.match(llmsText(library), /\(\/docs\/networks\.md\)/)
})
