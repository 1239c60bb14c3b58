// Every column of text, JSON, bytes or lists of integers is declared to have data of people or not, so that
// no new one is forgotten by export and erasure; and docs/privacy.md names each that has.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { SOURCES } from '../../src/privacy/export-store.ts'
import { COLUMNS } from './personal-columns.ts'

const KINDS = ['personal', 'digest', 'staff', 'none'] as const

/** By table: its columns that can hold a name. docs/schema.sql is as PostgreSQL has it. */
async function columnsOfSchema(): Promise<Record<string, string[]>> {
  const schema = await readFile('docs/schema.sql', 'utf8')
  const domains = schema.matchAll(/^CREATE DOMAIN (\w+) AS (?:text|json|jsonb|bytea)\b/gm)
  const types = ['text', 'json', 'jsonb', 'bytea', ...Array.from(domains, ([, name]) => name)]
  const column = new RegExp(`^ {2}(\\w+) (?:(?:${types.join('|')})\\b|integer\\[\\])`, 'gm')
  const tables = schema.matchAll(/^CREATE TABLE (\w+) \(\n(.*?)\n\)/gms)
  return Object.fromEntries(
    Array.from(tables, ([, table = '', body = '']) => [
      table,
      Array.from(body.matchAll(column), ([, name = '']) => name)
        .filter(name => name !== 'CONSTRAINT')
        .sort(),
    ]),
  )
}

const wordsOf = (text = '') => text.split(' ').filter(word => word !== '')

test('privacy columns of text, JSON, bytes or integer lists: each declared once, no other declared', async () => {
  const schema = await columnsOfSchema()
  assert.ok(Object.keys(schema).length > 40)
  const named = Object.entries(schema).filter(([, columns]) => columns.length > 0)
  const declared = Object.entries(COLUMNS).map(([table, kinds]) => [
    table,
    KINDS.flatMap(kind => wordsOf(kinds[kind])).sort(),
  ])
  assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(named))
})

/** Personal, and in no export: of other people besides, or of no one row. */
const NOT_EXPORTED = new Set(['payout_batches', 'rail_inbox_bytes'])

test('privacy export: has every table with data of parties', () => {
  const exported = new Set(SOURCES.map(({ table }) => table))
  const missing = Object.entries(COLUMNS)
    .filter(([table, { personal }]) => personal && !exported.has(table))
    .map(([table]) => table)
  assert.deepEqual(new Set(missing), NOT_EXPORTED)
})

test('docs/privacy.md: names each column with data of parties', async () => {
  const text = await readFile('docs/privacy.md', 'utf8')
  const missing = Object.entries(COLUMNS).flatMap(([table, { personal = '', digest = '' }]) =>
    wordsOf(`${personal} ${digest}`)
      .map(column => `\`${table}.${column}\``)
      .filter(name => !text.includes(name)),
  )
  assert.deepEqual(missing, [])
})
