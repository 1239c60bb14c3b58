// The documents say what the code does: every setting is in the operations manual as it is read.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { describeSchema } from '../scripts/schema.ts'
import { readConfig } from '../src/config/config.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { CATALOGUE } from '../src/values/errors.ts'
import { createDatabase } from './support/database/database.ts'

test('docs/operations.md, settings: one row per variable, with default and meaning', async () => {
  const manual = await readFile('docs/operations.md', 'utf8')
  for (const { name, fallback, meaning } of SETTINGS) {
    const row = manual.split('\n').find(line => line.startsWith(`| \`${name}\` |`))
    assert.ok(row, `${name} is missing`)
    assert.ok(row.includes(meaning), `${name}: ${meaning}`)
    const [first = ''] = fallback.split(' ')
    assert.ok(row.includes(first === '' ? 'none' : `\`${first}\``), `${name}: default ${fallback}`)
  }
  const secrets = SETTINGS.flatMap(one => ('secret' in one ? [`\`${one.name}\``] : []))
  const list = `${secrets.slice(0, -1).join(', ')} and ${secrets.at(-1)}`
  assert.ok(manual.replaceAll('\n', ' ').includes(list), `secrets by file: ${list}`)
})

test('docs/schema.sql: equals the schema made by the migrations', async () => {
  const database = await createDatabase()
  try {
    const made = await describeSchema(database.owner)
    assert.equal(await readFile('docs/schema.sql', 'utf8'), made, 'run: npm run schema')
  } finally {
    await database.drop()
  }
})

test('setting with an invalid value: refused, naming the setting', () => {
  const rows: readonly [name: string, value: string][] = [
    ['PORT', '70000'],
    ['PORT', '1e3'],
    ['DATABASE_URL', 'nonsense'],
    ['DATABASE_URL', 'mysql://h/d'],
    ['LOG_LEVEL', 'loud'],
    ['CORRIDOR_LANES', '0'],
    ['CORRIDOR_SETTLE', 'yes'],
  ]
  for (const [name, value] of rows) {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^ConfigError: ${name} must be`))
  }
})

const STRANGE: readonly (readonly [name: string, message: string])[] = [
  ['CORRIDOR_PROT', 'CORRIDOR_PROT is unknown; did you mean PORT?'],
  ['CORRIDOR_LANE', 'CORRIDOR_LANE is unknown; did you mean CORRIDOR_LANES?'],
  ['CORRIDOR_SETLTE', 'CORRIDOR_SETLTE is unknown; did you mean CORRIDOR_SETTLE?'],
  ['CORRIDOR_DATABASE_URL', 'CORRIDOR_DATABASE_URL is unknown; did you mean DATABASE_URL?'],
  [
    'CORRIDOR_RATE_SPREAD_BPS',
    'CORRIDOR_RATE_SPREAD_BPS is in the database now: unset it and run: ' +
      'corridor pricing set --spread-bps 50',
  ],
]

for (const [name, message] of STRANGE) {
  test(`environment variable ${name}, not read by Corridor: refused, naming the replacement, also when empty`, () => {
    for (const value of ['1', '']) {
      assert.throws(() => readConfig({ [name]: value }), { name: 'ConfigError', message })
    }
  })
}

test('environment variable PGOPTIONS, own database: refused, naming the replacement', () => {
  const DATABASE_URL = 'postgres://ada:secret@db.example/books'
  const PGOPTIONS = '-c search_path=b'
  const message = /^PGOPTIONS is not read: unset it; DATABASE_URL takes such options/
  assert.throws(() => readConfig({ DATABASE_URL, PGOPTIONS }), { name: 'ConfigError', message })
  assert.equal(readConfig({ DATABASE_URL, PGOPTIONS: '' }).database_url, DATABASE_URL)
  // The embedded database never sees it.
  assert.equal(readConfig({ PGOPTIONS }).database_url, undefined)
})

test('environment variable of another program: ignored', () => {
  assert.equal(readConfig({ PORTS: '1', MY_CORRIDOR_LANES: '7' }).lanes, 2)
})

test('error catalogue: each reason has a unique code, except three reasons of quotes', () => {
  const byCode = Map.groupBy(Object.entries(CATALOGUE), ([, { code }]) => code)
  const shared = [...byCode.values()].filter(entries => entries.length > 1)
  assert.deepEqual(
    shared.map(entries => entries.map(([reason]) => reason).sort()),
    [['quote_expired', 'quote_mismatch', 'quote_used']],
  )
})

const PAGES = await Array.fromAsync(glob(['*.md', 'docs/**/*.md', 'bench/*.md']))

/** As the places that show Markdown make an anchor of a heading. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('documents, each link within the repository: reaches a file and a heading', async () => {
  for (const page of PAGES) {
    const text = await readFile(page, 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      // test/docs/pages.test.ts follows those between pages that the service makes.
      if (/^([a-z]+:|\/docs\/)/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      assert.ok(existsSync(target), `${page}: ${link} is not there`)
      if (anchor === undefined) continue
      const anchors = anchorsOf(await readFile(target, 'utf8'))
      assert.ok(anchors.includes(anchor), `${page}: ${link} is no heading`)
    }
  }
})

test('docs/README.md: lists every page of docs with its reader; README.md: short', async () => {
  const index = await readFile('docs/README.md', 'utf8')
  for await (const page of glob('docs/*')) {
    const name = page.slice('docs/'.length)
    assert.ok(name === 'README.md' || index.includes(`](${name}`), `${page} is not in the index`)
  }
  assert.ok((await readFile('README.md', 'utf8')).split('\n').length < 120)
})
