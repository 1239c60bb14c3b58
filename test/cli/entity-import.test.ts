// corridor entity import: what becomes of each row, in the words of the API; that a file may be run
// again after refusals, a stop or a kill without doubling anything; and that a dry run tells what a
// real one does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MAX_WAIT_MS } from '../../src/engine/late.ts'
import { rowVersions } from '../support/assert/check.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { slowDown } from '../support/database/slow-down.ts'
import { startProxy } from '../support/network/proxy.ts'
import { openCli } from '../support/service/cli.ts'
import { runImport as importing, jsonLines, startAndCatch } from '../support/service/importing.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService } from '../support/service/service.ts'

const service = await startTestService()
const cli = await openCli(service.database.url)
after(async () => {
  await cli.close()
  await service.close()
})

const idOf = ({ account }: Client) => account.account_id
/** Runs an import with a report; what it printed as JSON, and the lines of the report. */
async function runImport(path: string, of: Client, ...more: readonly string[]) {
  const ran = await importing(cli, 'entity', path, of, more)
  assert.equal(ran.stderr, '')
  return ran
}

function countsOf({ json }: { json: Record<string, unknown> }) {
  const { rows, created, matched, matched_by, imported_before, refused } = json
  return { rows, created, matched, matched_by, imported_before, refused }
}

async function countEntities(of: Client): Promise<number> {
  const [row] = await service.database.owner<{ count: bigint }[]>`
    select count(*) as count from entities where account_id = ${idOf(of)}`
  return Number(row?.count)
}

const person = (name: string, members: object = {}) => ({ name, type: 'individual', ...members })

const MIXED = [
  person('Anna', { email: 'anna@example.com' }),
  person('Anna again', { email: ' ANNA@example.com ' }),
  person('Bob', { email: 'not an address' }),
  person('Known', { email: 'known@example.com' }),
  person('Carl'),
  person('Carl'),
  person('For nobody', { on_behalf_of: 'ent_00000000000000000000' }),
  {
    name: 'Harbour',
    type: 'business',
    registration_number: '1',
    registration_address: { country: 'hk' },
  },
  {
    name: 'Port',
    type: 'business',
    registration_number: '1',
    registration_address: { country: 'HK ' },
  },
]

test('entity import, rows of every kind: a result for each, exit code 1 if one is refused', async () => {
  const client = await service.openAccount()
  const known = await client.post('/v3/entity', person('K', { email: 'KNOWN@example.com' }))
  const path = await cli.file('mixed.jsonl', jsonLines(MIXED))
  const { code, json, report } = await runImport(path, client)
  assert.equal(code, 1)
  assert.deepEqual(countsOf({ json }), {
    rows: 9,
    created: 4,
    matched: 3,
    matched_by: { email: 2, registration_number: 1 },
    imported_before: 0,
    refused: 2,
  })
  assert.deepEqual(
    report.map(({ line, result, rule }) => [line, result, rule]),
    [
      [1, 'created', null],
      [2, 'matched', 'email'],
      [3, 'refused', null],
      [4, 'matched', 'email'],
      [5, 'created', null],
      [6, 'created', null],
      [7, 'refused', null],
      [8, 'created', null],
      [9, 'matched', 'registration_number'],
    ],
  )
  assert.equal(report[1].entity, report[0].entity)
  assert.equal(report[3].entity, known.json.data.id)
  assert.deepEqual(
    json.refused_rows.map((row: { line: number }) => row.line),
    [3, 7],
  )
  const stored = await client.get(`/v3/entity/${report[7].entity}`)
  assert.equal(stored.json.data.registration_address.country, 'HK')
  assert.equal(await countEntities(client), 5)
})

test('entity import, sample file, text output: counts, rules, refused rows with their lines', async () => {
  const client = await service.openAccount()
  const path = fileURLToPath(new URL('../fixtures/entities.csv', import.meta.url))
  const args = ['entity', 'import', path, '--account', idOf(client)]
  const dry = await cli.run(...args, '--dry-run')
  assert.match(dry.stdout, /\nwhat would become of them +rows\n/)
  const { code, stdout } = await cli.run(...args)
  assert.equal(code, 1)
  assert.match(stdout, /^entities\.csv into acc_\S+, as the import "entities\.csv"\n\n/)
  assert.match(stdout, /\nwhat became of them +rows\ncreated +3\nmatched +1\n {2}by email +1\n/)
  assert.match(stdout, /\nimported before +0\nrefused +1\nin all +5\n/)
  assert.match(stdout, /\n\d+ rows\/s, \d+ s\n/)
  assert.match(stdout, /\n {2}line 6: email: Not an e-mail address\.$/m)
})

const REFUSED: readonly (string | object)[] = [
  '{"name":"A","type":"individual",}',
  '{"name":"A","name":"B","type":"individual"}',
  '{"name":"A\\u0000","type":"individual"}',
  '[]',
  'null',
  '"text"',
  '{}',
  person('A', { age: 3, email: 'x', phone: { code: 1 } }),
  person('\u200b', { registration_date: '2026-02-30' }),
  person('A', { registration_address: { country: 'ZZ' }, operating_address: [] }),
  person('A', { type: 'company', metadata: { '': 'x', y: 1 } }),
  person('A'.repeat(256), { representatives: [{ ownership_percentage: 1 }, 3] }),
  person('A', { representatives: [{ ownership_percentage: '60' }, { ownership_percentage: 50 }] }),
  person('A', { documents: [{ url: 'u'.repeat(2049) }], tax_id: null }),
  person('A', { on_behalf_of: 'ent_00000000000000000000' }),
  person('A', { description: 'x'.repeat(256 * 1024) }),
  Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`field_${i}`, i])),
]

test('entity import, rows that the API refuses: the same messages, word for word', async () => {
  const client = await service.openAccount()
  const path = await cli.file('refused.jsonl', jsonLines(REFUSED))
  const { report, json } = await runImport(path, client)
  assert.deepEqual([json.rows, json.refused], [REFUSED.length, REFUSED.length])
  for (const [i, body] of REFUSED.entries()) {
    const answer = await client.post('/v3/entity', body)
    assert.notEqual(answer.status, 200)
    // The line of a text of one line would stand beside the file's.
    for (const error of answer.json.errors) {
      error.message = error.message.replace(' at line 1, column ', ' at column ')
    }
    assert.deepEqual(report[i].problems, answer.json.errors, `line ${i + 1}`)
    assert.doesNotMatch(report[i].problems[0].message, / line /)
  }
  assert.equal(await countEntities(client), 0)
})

test('entity import --dry-run: nothing written, same counts as the real run', async () => {
  const client = await service.openAccount()
  await client.post('/v3/entity', person('K', { email: 'KNOWN@example.com' }))
  const group = await client.post('/v3/entity', person('Group'))
  const rejected = await client.post('/v3/entity', person('R', { email: 'r@example.com' }))
  await review(service, client, rejected.json.data.id, 'rejected')
  const address = { line1: '1 Road', city: 'Town', country: 'GB' }
  const rows = [
    ...MIXED,
    person('R', { email: 'r@example.com' }),
    person('Of the group', { on_behalf_of: group.json.data.id, registration_address: address }),
    person('of the GROUP', { on_behalf_of: group.json.data.id, registration_address: address }),
    person('Of the group', { registration_address: address }),
    person('Of a rejected one', { on_behalf_of: rejected.json.data.id }),
    // Matched by the rule that comes first, though another line matches by the second.
    person('X', { national_identification_number: { type: 'passport', number: '1' } }),
    person('Y', {
      email: 'anna@example.com',
      national_identification_number: { type: 'passport', number: '1' },
    }),
    ...Array.from({ length: 700 }, (_, i) => person('Many', { email: `m${i % 300}@example.com` })),
  ]
  const path = await cli.file('dry.jsonl', jsonLines(rows))
  const before = await rowVersions(service.database.owner)
  const dry = await runImport(path, client, '--dry-run')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const real = await runImport(path, client)
  assert.deepEqual([dry.code, dry.json.dry_run, real.json.dry_run], [1, true, false])
  assert.deepEqual(countsOf(dry), countsOf(real))
  const lineOf = new Map(real.report.map(row => [row.entity, row.line] as const).reverse())
  for (const [i, row] of real.report.entries()) {
    const would = dry.report[i]
    assert.deepEqual(
      [would.line, would.result, would.rule, would.problems],
      [row.line, row.result, row.rule, row.problems],
    )
    // The entity that was there before, or the line that was to create it.
    if (would.entity !== null) {
      assert.deepEqual([would.entity, would.approval_status], [row.entity, row.approval_status])
    }
    if (would.matched_line !== null) assert.equal(would.matched_line, lineOf.get(row.entity))
  }
  const again = await runImport(path, client, '--dry-run')
  assert.deepEqual(countsOf(again), countsOf(await runImport(path, client)))
  assert.equal(again.json.created, 0)
  assert.equal(again.json.imported_before, real.json.created)
})

test('entity import, malformed CSV rows: refused by line number, others created', async () => {
  const client = await service.openAccount()
  const broken = [
    'name,type',
    'too,many,cells',
    'One,individual',
    'a 5" pipe,individual',
    '"Two" x "y,individual',
    'Three,individual',
    'NUL\0,individual',
    'few',
    'Four,individual',
    '"never closed,individual',
    'Five,individual',
  ].join('\n')
  const path = await cli.file('broken.csv', broken)
  const { report, json } = await runImport(path, client)
  assert.deepEqual(
    report.map(({ line, result, problems }) => [line, result, problems[0]?.message]),
    [
      [2, 'refused', 'The row has 3 cells where the header has 2.'],
      [3, 'created', undefined],
      [4, 'refused', 'A quote stands where CSV has none.'],
      [5, 'refused', 'A quote stands where CSV has none.'],
      [6, 'created', undefined],
      [7, 'refused', 'The row holds the character U+0000.'],
      [8, 'refused', 'The row has 1 cell where the header has 2.'],
      [9, 'created', undefined],
      [10, 'refused', 'The row opens a quote that is not closed.'],
      [11, 'created', undefined],
    ],
  )
  assert.equal(json.created, 4)
})

test('entity import, entity of a row rejected since: not created again, reported; with another name: created', async () => {
  const client = await service.openAccount()
  const rows = [person('A', { email: 'a@example.com' }), person('B'), person('C')]
  const path = await cli.file('rejected.jsonl', jsonLines(rows))
  const first = await runImport(path, client)
  const ids = first.report.map(row => row.entity)
  assert.deepEqual(
    first.report.map(row => row.approval_status),
    [null, null, null],
  )
  for (const id of ids.slice(0, 2)) assert.equal((await cli.run('entity', 'reject', id)).code, 0)
  const [dry, again] = [await runImport(path, client, '--dry-run'), await runImport(path, client)]
  for (const { code, json, report } of [dry, again]) {
    assert.deepEqual([code, json.imported_before, json.rejected_since], [0, 3, 2])
    assert.deepEqual(
      report.map(row => [row.result, row.entity, row.approval_status]),
      [
        ['imported_before', ids[0], 'rejected'],
        ['imported_before', ids[1], 'rejected'],
        ['imported_before', ids[2], 'pending'],
      ],
    )
  }
  const { stdout } = await cli.run('entity', 'import', path, '--account', idOf(client))
  assert.match(stdout, /\nimported before +3\n {2}of which rejected since +2\n/)
  assert.match(
    stdout.replaceAll('\n', ' '),
    / 2 rows were imported before and rejected since, and stay so\. To create them anew, import them alone, under another --name\. $/,
  )
  const alone = await cli.file('alone.jsonl', jsonLines(rows.slice(0, 2)))
  const anew = await runImport(alone, client)
  assert.deepEqual([anew.json.created, anew.json.rejected_since], [2, 0])
  const matched = await runImport(path, client, '--name', 'third')
  assert.deepEqual(
    [matched.report[0].result, matched.report[0].approval_status, matched.report[0].entity],
    ['matched', 'pending', anew.report[0].entity],
  )
})

test('entity import, wrong usage: exit code 2, file not read', async () => {
  const client = await service.openAccount()
  const path = await cli.file('call.jsonl', jsonLines([person('Anna')]))
  const text = await cli.file('call.txt', '')
  const to = ['--account', idOf(client)]
  const calls = [
    [path],
    [text, ...to],
    ['/no/such/file.csv', ...to],
    [path, ...to, '--name', ' '],
    [path, ...to, '--report', path],
    [path, ...to, '--report', '/no/such/folder/report'],
  ]
  for (const args of calls) {
    const { code, stdout, stderr } = await cli.run('entity', 'import', ...args)
    assert.deepEqual([args, code, stdout], [args, 2, ''])
    assert.match(stderr, /^(corridor: |error: ).+\n/)
  }
  assert.equal(await readFile(path, 'utf8'), JSON.stringify(person('Anna')))
})

test('entity import, two equal rows without an identity: two entities, also after another run', async () => {
  const client = await service.openAccount()
  const path = await cli.file('twins.jsonl', jsonLines([person('Twin'), person('Twin')]))
  const first = await runImport(path, client)
  const second = await runImport(path, client)
  assert.deepEqual([first.json.created, second.json.created], [2, 0])
  assert.equal(second.json.imported_before, 2)
  assert.deepEqual(
    second.report.map(row => row.entity),
    first.report.map(row => row.entity),
  )
  const three = jsonLines([{ type: 'individual', name: 'Twin' }, person('Twin'), person('Twin')])
  const third = await runImport(await cli.file('twins.jsonl', three), client)
  assert.deepEqual([third.json.created, third.json.imported_before], [1, 2])
  const other = await runImport(path, client, '--name', 'another list')
  assert.equal(other.json.created, 3)
})

test('entity import, refused rows corrected: a second run creates only these', async () => {
  const client = await service.openAccount()
  const rows = (email: string) => jsonLines([person('A'), person('B', { email }), person('C')])
  const first = await runImport(await cli.file('fix.jsonl', rows('b')), client)
  const second = await runImport(await cli.file('fix.jsonl', rows('b@example.com')), client)
  assert.deepEqual([first.code, first.json.created, first.json.refused], [1, 2, 1])
  assert.deepEqual([second.code, second.json.created, second.json.imported_before], [0, 1, 2])
  assert.equal(await countEntities(client), 3)
})

/** More than a batch. */
const MANY = 600

/** Rows without an identity, which nothing but their import keys keeps from doubling. */
const manyRows = () => jsonLines(Array.from({ length: MANY }, (_, i) => person(`P${i % 450}`)))

test('entity import, book locked longer than a command waits: retried, each row written once', async () => {
  const client = await service.openAccount()
  const path = await cli.file('waits.jsonl', jsonLines([person('A'), person('A'), person('B')]))
  const { owner } = service.database
  const { running } = await owner.begin(async tx => {
    await tx`select from books where account_id = ${idOf(client)} for update`
    const running = runImport(path, client)
    await untilBlocked(owner)
    // By then its rows have been answered that they could not be written in time.
    await delay(MAX_WAIT_MS + 500)
    return { running }
  })
  const { code, json } = await running
  assert.deepEqual([code, json.created, json.unanswered], [0, 3, 0])
  assert.equal(await countEntities(client), 3)
})

test('entity import, database lost midway: prints the command that continues it, which completes the import', async t => {
  const client = await service.openAccount()
  const path = await cli.file('gone.jsonl', manyRows())
  const proxy = await startProxy(service.database.url)
  try {
    const speedUp = await slowDown(t, service.database.owner, 'entities', 1)
    const args = ['entity', 'import', path, '--account', idOf(client)]
    const begun = async () => (await countEntities(client)) > 0
    const child = await startAndCatch(args, proxy.url, begun)
    await proxy.down()
    const [code] = await once(child, 'close')
    await speedUp()
    assert.equal(code, 1)
    const said = child.output().replaceAll('\n', ' ')
    assert.match(said, / The database does not answer; what became of the last \d+ rows /)
    assert.match(said, / Run the same command again to go on: .* "gone\.jsonl" /)
  } finally {
    await proxy.close()
  }
  const { json } = await runImport(path, client)
  assert.equal(json.created + json.imported_before, MANY)
  assert.equal(await countEntities(client), MANY)
})
