// The documents say what the code does: every setting is in the operations manual as it is read.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { SETTINGS } from '../src/settings.ts'

test('docs/operations.md, settings: one row for each variable, with its default and meaning', async () => {
  const manual = await readFile('docs/operations.md', 'utf8')
  for (const { name, fallback, meaning } of SETTINGS) {
    const row = manual.split('\n').find(line => line.startsWith(`| \`${name}\` |`))
    assert.ok(row, `${name} is missing`)
    assert.ok(row.includes(meaning), `${name}: ${meaning}`)
    const [first = ''] = fallback.split(' ')
    assert.ok(row.includes(first === '' ? 'none' : `\`${first}\``), `${name}: default ${fallback}`)
  }
})

test('a setting that cannot be read: the error names it', () => {
  const rows: readonly [name: string, value: string][] = [
    ['PORT', '70000'],
    ['PORT', '1e3'],
    ['DATABASE_URL', 'nonsense'],
    ['DATABASE_URL', 'mysql://h/d'],
    ['LOG_LEVEL', 'loud'],
    ['CORRIDOR_RATE_PIVOT', 'ZZZ'],
    ['CORRIDOR_QUOTE_VALIDITY_S', '0'],
    ['CORRIDOR_RATE_SPREAD_BPS', '10000'],
    ['CORRIDOR_SETTLE', 'yes'],
  ]
  for (const [name, value] of rows) {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^ConfigError: ${name} must be`))
  }
})

test('rates by default: any age on the embedded database, three days on your own', () => {
  assert.equal(readConfig({}).rate_max_age_s, 0)
  assert.equal(readConfig({ DATABASE_URL: 'postgres://h/d' }).rate_max_age_s, 259_200)
  const own = { DATABASE_URL: 'postgres://h/d', CORRIDOR_RATE_MAX_AGE_S: '0' }
  assert.equal(readConfig(own).rate_max_age_s, 0)
})
