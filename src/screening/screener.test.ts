// The scores of parties against entries, with the pieces that explain the scores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Screener, THRESHOLD } from './screener.ts'
import type { ListedEntry, Party, PartyId } from './screening.ts'

const ENTRY: ListedEntry = {
  entry_id: '1',
  kind: 'person',
  names: [
    { text: 'Viktor Anatolyevich BOUT', weak: false },
    { text: 'Виктор Бут', weak: false },
    { text: 'Butt', weak: true },
  ],
  births: [{ from: '1967-01-13', to: '1967-01-13' }],
  countries: ['RU'],
  ids: [
    { kind: 'passport', number: '21N0532664', country: 'RU' },
    { kind: 'national', number: '77-1234-5', country: 'RU' },
  ],
  programmes: [],
}

const COMPANY: ListedEntry = {
  ...ENTRY,
  entry_id: '2',
  kind: 'organisation',
  names: [{ text: 'Power Anchor Limited', weak: false }],
  births: [],
  ids: [],
}

const screener = await Screener.of([{ list: 'ofac', entries: [ENTRY, COMPANY] }])

function party(name: string, more: Partial<Party> = {}): Party {
  return { name, kind: 'person', birth_date: '', countries: [], ids: [], ...more }
}

function scoreOf(asked: Party): number {
  return screener.screen(asked, 0)[0]?.score ?? 0
}

function piecesOf(asked: Party): string[] {
  const [hit] = screener.screen(asked, 500)
  return (hit?.pieces ?? []).map(({ piece, score }) => `${piece} ${score}`)
}

test('a listed name, in any order, script or spelling: found', () => {
  const names = [
    'Viktor Anatolyevich Bout',
    'BOUT, Viktor Anatolyevich',
    'Viktor Anatolievich Bout',
    'Victor Anatolyevich Bout',
    'Виктор Бут',
    'Viktor But',
    'Viktor Bout',
    'ViktorAnatolyevich Bout',
  ]
  for (const name of names) {
    const [hit] = screener.screen(party(name))
    assert.equal(hit?.entry.entry_id, '1', name)
  }
})

test('another name: not found', () => {
  for (const name of ['Viktor Petrov', 'Anna Smith', 'Anatolyevich', 'Viktor', '', ' ']) {
    assert.deepEqual(screener.screen(party(name)), [], name)
  }
})

test('first and last name, spelled as listed: found without the others; alone or misspelled not', async () => {
  const names = [{ text: 'Ahmad Karim Salem HADDAD', weak: false }]
  const long = await Screener.of([{ list: 'un', entries: [{ ...ENTRY, names }] }])
  const isFound = (name: string) => long.screen(party(name)).length > 0
  assert.deepEqual(['Ahmad Haddad', 'Haddad, Karim'].map(isFound), [true, true])
  assert.deepEqual(['Haddad', 'Ahmed Haddad', 'Ahmad Haddad Smith'].map(isFound), [
    false,
    false,
    false,
  ])
})

test('the legal form says little of a company, mistyped or run together as well', () => {
  const names = ['Power Anchor', 'Power Anchor Ltd', 'POWER ANCHORLIMITED', 'Power Anchor Limtied']
  for (const name of names) {
    const [hit] = screener.screen(party(name, { kind: 'organisation' }))
    assert.equal(hit?.entry.entry_id, '2', name)
  }
})

test('the score is explained piece by piece, and the last piece is the score', () => {
  const asked = party('Viktor Bout Trading', {
    kind: 'organisation',
    birth_date: '1980-05-05',
    countries: ['US'],
    ids: [{ kind: 'national', number: '99-1234-9', country: 'RU' }],
  })
  const [hit] = screener.screen(asked, 0)
  assert.deepEqual(
    hit?.pieces.map(({ piece, text }) => `${piece}: ${text}`),
    [
      'words: bout for but',
      'left_over: not in the listed name: trading',
      'kind: an organisation, listed as a person',
      'birth: born 1980-05-05, listed as born 1967-01-13',
      'country: of US, listed for RU',
      'id: national number 99-1234-9 is not the listed one',
    ],
  )
  const scores = hit?.pieces.map(({ score }) => score) ?? []
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  )
  assert.equal(hit?.score, scores.at(-1))
})

test('a birth date that agrees raises the score, one that differs lowers it, one nearby neither', () => {
  const name = scoreOf(party('Viktor Anatolyevich Bautt'))
  const born = (birth_date: string) => scoreOf(party('Viktor Anatolyevich Bautt', { birth_date }))
  assert.ok(born('1967-01-13') > name)
  assert.equal(born('1967-11-13'), name)
  assert.equal(born('1968-01-01'), name)
  assert.ok(born('1975-01-13') < name)
})

test('what either side does not say moves nothing', () => {
  assert.deepEqual(piecesOf(party('Power Ancher Limited', { birth_date: '1980-01-01' })), [
    'words 948',
    'kind 806',
  ])
  assert.deepEqual(piecesOf(party('Power Anchor Limited', { kind: 'unknown' })), ['words 1000'])
})

test('a listed person, paid as a business: found, as the kind is only what the account says', () => {
  for (const name of ['Viktor Anatolyevich Bout', 'Viktor Bout', 'ViktorAnatolyevich Bout']) {
    const [hit] = screener.screen(party(name, { kind: 'organisation' }))
    assert.equal(hit?.entry.entry_id, '1', name)
  }
  const [hit] = screener.screen(party('Power Anchor Limited'))
  assert.equal(hit?.entry.entry_id, '2')
})

test('a weak name alone scores less', () => {
  assert.deepEqual(piecesOf(party('Butt')), ['words 1000', 'weak 950'])
})

test('an equal id is a match, whatever the name; of another country it is not', () => {
  const id = (number: string, country: string): PartyId => ({ kind: 'passport', number, country })
  const scored = (one: PartyId) => scoreOf(party('Somebody Else', { ids: [one] }))
  assert.equal(scored(id('21n 0532664', 'RU')), 1000)
  assert.equal(scored(id('21N0532664', '')), 1000)
  assert.equal(scored(id('21N0532664', 'US')), 0)
  assert.equal(scored(id('21N0532665', 'RU')), 0)
})

test('another number: a conflict for what one has once, none for a passport', () => {
  const other = (kind: PartyId['kind'], country = 'RU') =>
    piecesOf(party('Viktor Anatolyevich Bout', { ids: [{ kind, number: '55555-6', country }] }))
  assert.deepEqual(other('national'), ['words 1000', 'id 700'])
  assert.deepEqual(other('passport'), ['words 1000'])
  assert.deepEqual(other('national', 'US'), ['words 1000'])
  assert.deepEqual(other('tax'), ['words 1000'])
})

test('numbers that say nothing match nobody', async () => {
  const ids: PartyId[] = ['00000', 'AAAAAA', '123', ''].map(number => ({
    kind: 'other',
    number,
    country: '',
  }))
  const empty = { ...ENTRY, names: [{ text: 'Someone', weak: false }], ids }
  const all = await Screener.of([{ list: 'un', entries: [empty] }])
  assert.deepEqual(all.screen(party('Nobody Known', { ids })), [])
})

test('an entry is one hit, by its best name; the best entry comes first', async () => {
  const near = { ...ENTRY, entry_id: '3', names: [{ text: 'Viktor Butt', weak: false }] }
  const both = await Screener.of([
    { list: 'un', entries: [near] },
    { list: 'eu', entries: [ENTRY] },
  ])
  const hits = both.screen(party('Виктор Бут'), 700)
  assert.deepEqual(
    hits.map(({ list, name }) => `${list} ${name}`),
    ['eu Виктор Бут', 'un Viktor Butt'],
  )
  assert.ok((hits[0]?.score ?? 0) > THRESHOLD)
})
