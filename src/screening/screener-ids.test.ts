// Scores by numbers and by the payee's bank.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { THRESHOLD } from './evidence.ts'
import { Screener } from './screener.ts'
import type { ListedEntry, Party, PartyId } from './screening.ts'

const PERSON: ListedEntry = {
  entry_id: '1',
  kind: 'person',
  names: [{ text: 'Lena Sommerfeldt', weak: false }],
  births: [],
  countries: [],
  ids: [
    { kind: 'passport', number: '21N0532664', country: 'RU' },
    { kind: 'tax', number: '77-1234', country: 'RU' },
  ],
  programmes: [],
}

const BANK: ListedEntry = {
  ...PERSON,
  entry_id: '2',
  kind: 'organisation',
  names: [
    { text: 'Commercial Bank of Norwind', weak: false },
    { text: 'Norwind Bank', weak: false },
  ],
  countries: ['SY'],
  ids: [{ kind: 'bank', number: 'NRWDSYDA', country: '' }],
}

const screener = await Screener.of([{ list: 'ofac', entries: [PERSON, BANK] }])

function party(name: string, more: Partial<Party> = {}): Party {
  return { name, kind: 'person', birth_date: '', countries: [], ids: [], ...more }
}

const numbered = (name: string, kind: PartyId['kind'], number: string, country: string) =>
  screener.screen(party(name, { ids: [{ kind, number, country }] }))[0]

const bank = (name: string, ...bics: readonly string[]) =>
  screener.screen(
    party(name, {
      kind: 'bank',
      countries: ['DE'],
      ids: bics.map(number => ({ kind: 'bank', number, country: '' })),
    }),
  )

test("screener, listed id number stated with another country: a match, as the country is only the account's statement", () => {
  const hit = numbered('Somebody Else', 'passport', '21n 0532664', 'US')
  assert.equal(hit?.score, THRESHOLD)
  assert.match(hit?.pieces[0]?.text ?? '', /the account says that US has issued it$/)
  assert.equal(numbered('Somebody Else', 'national', '21N0532664', 'US')?.score, THRESHOLD)
  assert.equal(numbered('Somebody Else', 'passport', '21N0532665', 'US'), undefined)
})

test('screener, short listed number with another country: raises the score of a similar name, matches no other name', () => {
  assert.equal(numbered('Somebody Else', 'tax', '771234', 'US'), undefined)
  const near = 'Lena Somerfield'
  const [without] = screener.screen(party(near), 0)
  assert.ok((without?.score ?? 0) < THRESHOLD, String(without?.score))
  const hit = numbered(near, 'tax', '771234', 'US')
  assert.ok((hit?.score ?? 0) >= THRESHOLD, String(without?.score))
  assert.equal(hit?.pieces.at(-1)?.piece, 'id')
})

test('screener, bank with the first eight characters of a listed BIC: a match, with any branch and spelling', () => {
  for (const bic of ['NRWDSYDA', 'NRWDSYDAXXX', 'nrwd sy da 123']) {
    const [hit] = bank('', bic)
    assert.deepEqual([hit?.entry.entry_id, hit?.score], ['2', 1000], bic)
    assert.match(hit?.pieces[0]?.text ?? '', /^the same bank, /)
  }
  for (const bic of ['NRWDSYDB', 'NRWDSY', '']) assert.deepEqual(bank('', bic), [], bic)
})

test('screener, bank with a listed name and extra words, any country: a match', () => {
  for (const name of ['Norwind Bank', 'NORWIND BANK plc', 'Commercial Bank of Norwind, Berlin']) {
    assert.equal(bank(name, 'DEUTDEFF')[0]?.entry.entry_id, '2', name)
  }
})

test("screener, bank that shares some words, or a person's name: no match", () => {
  for (const name of [
    'Commercial Bank',
    'Commercial Bank of Dubai',
    'Norwind',
    'Bank of Norway',
    'Northwind Bank',
    'Lena Sommerfeldt',
  ]) {
    assert.deepEqual(bank(name), [], name)
  }
})
