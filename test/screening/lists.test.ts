// corridor lists and corridor screening check: lists in their versions, files that are refused, and
// whom a name may mean.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { listEntries } from '../../src/screening/list-store.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

const database = await createDatabase()
const cli = await openCli(database.url, { CORRIDOR_USER: 'kim' })
/** The UN's list as it is published today. */
const un = await readUnList()
after(async () => {
  await cli.close()
  await database.drop()
})
/** No list has been imported. */
beforeEach(() =>
  database.owner.begin(async tx => {
    for (const table of ['screening_entries', 'screening_imports']) {
      await tx.unsafe(`alter table ${table} disable trigger user`)
      await tx.unsafe(`delete from ${table}`)
      await tx.unsafe(`alter table ${table} enable trigger user`)
    }
  }),
)

async function runs(...args: readonly string[]) {
  const ran = await cli.run(...args)
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

/** Imports this text as the UN's list. */
async function take(text: string, ...more: readonly string[]) {
  return cli.run('lists', 'import', await cli.file('un.xml', text), '--list', 'un', ...more)
}

function imports() {
  return database.owner<{ list: string; version: number; added: number; removed: number }[]>`
    select list, version, added, removed from screening_imports order by list, version`
}

function listed() {
  return database.owner<{ entry_id: string; since: number; until: number | null }[]>`
    select entry_id, since_version as since, until_version as until from screening_entries
    order by entry_id, since_version`
}

test('corridor lists import, twice: writes only the differences, keeps former entries, a new version each time', async () => {
  const first = await take(un, '--json')
  assert.equal(first.code, 0, first.stderr)
  const [imported] = first.json.imported
  assert.deepEqual(
    [imported.list, imported.version, imported.entries, imported.added, imported.imported_by],
    ['un', 1, 3, 3, 'kim'],
  )
  assert.match(imported.sha256, /^[0-9a-f]{64}$/)
  const changed = un
    .replace('BADEGE', 'BADEGUE')
    .replace('<REFERENCE_NUMBER>KPe.001', '<REFERENCE_NUMBER>KPe.002')
  const refused = await take(changed)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /lacks 1 of the 3 entries .* nothing was imported; --reason /)
  assert.equal((await imports()).length, 1)
  const second = await take(changed, '--reason', 'renumbered, says their notice of today')
  assert.match(second.stdout, /version 2, .* 1 added, 1 changed, 1 removed\n/)
  assert.deepEqual(
    (await listed()).map(({ entry_id, since, until }) => [entry_id, since, until]),
    [
      ['CDi.001', 1, 2],
      ['CDi.001', 2, null],
      ['KPe.001', 1, 2],
      ['KPe.002', 2, null],
      ['QDi.006', 1, null],
    ],
  )
  const [reason] = await database.owner`
    select reason, imported_by from screening_imports where version = 2`
  assert.deepEqual(reason, {
    reason: 'renumbered, says their notice of today',
    imported_by: 'kim',
  })
  // Somebody has looked.
  assert.match((await take(changed)).stdout, /version 3, .* 0 added, 0 changed, 0 removed\n/)
  assert.equal((await listed()).length, 5)
})

test('corridor lists import, record without a name or with a duplicate id: skipped and reported, others imported', async () => {
  const nameless = '<INDIVIDUAL><REFERENCE_NUMBER>TSi.9</REFERENCE_NUMBER></INDIVIDUAL>'
  const file = un.replace('<INDIVIDUAL>', `${nameless}<INDIVIDUAL>`).replace('QDi.006', 'CDi.001')
  assert.match((await take(file)).stdout, /3 entries .*; 1 left out:\n {2}record 1, entry TSi\.9: /)
  const ids = (await listed()).map(({ entry_id }) => entry_id)
  assert.deepEqual(ids, ['CDi.001', 'CDi.001 #2', 'KPe.001'])
  const { lists } = (await runs('lists', 'status', '--json')).json
  const { left_out_count, left_out } = lists.find((row: { list: string }) => row.list === 'un')
  assert.deepEqual([left_out_count, left_out], [1, ['record 1, entry TSi.9: no name']])
  // The same file again changes nothing: both entries keep their ids.
  assert.match((await take(file)).stdout, / 0 added, 0 changed, 0 removed; 1 left out/)
})

test('corridor lists import, three in parallel: one after the other', async () => {
  const deps = { sql: database.owner }
  await Promise.all(
    ['ERIC', 'ERIK', 'ERICH'].map(name => takeUnList({ deps }, un.replace('ERIC', name))),
  )
  assert.deepEqual(
    (await imports()).map(({ version }) => version),
    [1, 2, 3],
  )
  const [{ entries = [] } = {}] = await listEntries(database.owner)
  assert.equal(entries.length, 3)
})

test('corridor lists import, file refused: nothing written', async () => {
  const old = un.replace(/dateGenerated="[\d-]+/, 'dateGenerated="2024-01-01')
  const rows: readonly (readonly [text: string, message: RegExp])[] = [
    [un.slice(0, 900), /un\.xml: line \d+: .*; nothing was imported\n/],
    [un.replace('<CONS', '<!DOCTYPE x><CONS'), /a DOCTYPE is not read/],
    [old, /published on 2024-01-01, \d+ days ago: there is a newer one; .*--reason/],
  ]
  for (const [text, message] of rows) {
    const refused = await take(text)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, message)
  }
  assert.equal((await imports()).length, 0)
})

test('corridor lists import, wrong usage: exit code 2 before the file is read, naming the missing option', async () => {
  const rows: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['un.xml'], /say which list the file is: --list ofac\|ofac-cons\|un\|eu\|uk/],
    [['un.xml', '--list', 'nobody'], /unknown list nobody; it is one of ofac, /],
    [['--list', 'un'], /a file is missing/],
    [['un.xml', '--sample'], /--sample imports what is shipped/],
  ]
  for (const [args, message] of rows) {
    const refused = await cli.run('lists', 'import', ...args)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, message)
  }
  const away = await cli.run('lists', 'import', 'not-there.xml', '--list', 'un')
  assert.equal(away.code, 1)
  assert.match(away.stderr, /not-there\.xml/)
})

test('corridor lists status: missing, sample, current for a week; required lists marked', async () => {
  const states = async () => {
    const { json } = await runs('lists', 'status', '--json')
    return json.lists.map(({ list, state }: { list: string; state: string }) => `${list} ${state}`)
  }
  assert.deepEqual(await states(), [
    'ofac missing',
    'ofac-cons missing',
    'un missing',
    'eu missing',
    'uk missing',
  ])
  await runs('lists', 'import', '--sample')
  await take(un)
  assert.deepEqual(await states(), [
    'ofac sample',
    'ofac-cons missing',
    'un current',
    'eu sample',
    'uk sample',
  ])
  const words = async () => (await runs('lists', 'status')).stdout
  assert.match(await words(), /\nofac-cons: never imported: nobody on it is found\n/)
  assert.match(await words(), /\nofac, eu, uk: only the shipped sample: it says nothing of /)
  const require = (...lists: string[]) => runs('screening', 'require', ...lists, '--reason', 'Ours')
  await require('un', 'eu')
  assert.match(await words(), /\npayouts of live accounts wait until these are current: eu$/m)
  await require('un')
  assert.match(await words(), /\npayouts of live accounts are screened$/m)
  const { json } = await runs('lists', 'status', '--json')
  assert.deepEqual(json.required, ['un'])
  const required = json.lists.map((row: { required: boolean }) => row.required)
  assert.deepEqual(required, [false, false, true, false, false])
  const { current_until, imported_at } = json.lists[2]
  assert.equal(Date.parse(current_until) - Date.parse(imported_at), 7 * 86_400_000)
  await require('none')
  assert.match(await words(), /\npayouts of live accounts are not screened$/m)
  await database.owner.begin(async tx => {
    await tx`alter table screening_imports disable trigger append_only`
    await tx`update screening_imports set imported_at = imported_at - interval '8 days'`
    await tx`alter table screening_imports enable trigger append_only`
  })
  assert.match(await words(), /\nun: imported more than 7d 0h ago: /)
})

test('corridor lists import, sample over a real list: refused', async () => {
  await takeUnList({ deps: { sql: database.owner } }, un)
  const refused = await cli.run('lists', 'import', '--sample')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /list un is here: the sample does not replace it/)
  await assert.rejects(
    database.owner`
      insert into screening_imports (list, version, sha256, file_name, format, published_on,
        is_sample, entry_count, name_count, added, changed, removed, reason, imported_by)
      select list, 2, sha256, file_name, format, published_on, true, entry_count, name_count, 0, 0,
        0, '', 'kim' from screening_imports where list = 'un'`,
    /a sample does not replace list un/,
  )
})

test('PostgreSQL, list entries: append-only, each with the digest of its content', async () => {
  const { owner } = database
  await takeUnList({ deps: { sql: owner } }, un)
  await assert.rejects(owner`delete from screening_entries`, /append-only/)
  await assert.rejects(owner`delete from screening_imports`, /append-only/)
  await assert.rejects(owner`update screening_imports set reason = 'x'`, /append-only/)
  await assert.rejects(
    owner`update screening_entries set content = '{"names": []}'`,
    /stays as it was|digest_of_the_content/,
  )
  await assert.rejects(
    owner`update screening_entries set until_version = since_version`,
    /ends_after_it_began/,
  )
  await assert.rejects(
    owner`insert into screening_entries (list, entry_id, since_version, digest, content)
      values ('un', 'forged', 1, sha256('x'), '{}')`,
    /digest_of_the_content/,
  )
})

test('corridor screening check: likely entries with the pieces of their score; none for an ordinary name', async () => {
  const none = await cli.run('screening', 'check', 'Viktor Bout')
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no list is imported: corridor lists import says how/)
  await runs('lists', 'import', '--sample')
  const { json } = await runs('screening', 'check', 'Viktor Bout', '--born', '1967-01-13', '--json')
  const [hit] = json.hits
  assert.deepEqual([hit.list, hit.entry_id, hit.entry.programmes], ['ofac', '8279', ['DRCONGO']])
  assert.deepEqual(
    hit.pieces.map(({ piece }: { piece: string }) => piece),
    ['words', 'not_named', 'birth'],
  )
  assert.equal(hit.score, hit.pieces.at(-1).score)
  const words = await runs('screening', 'check', 'محمد حسن آخوند')
  assert.match(words.stdout, /^1000 {2}uk AFG0006 {2}MOHAMMAD HASSAN AKHUND, by "محمد حسن آخوند"/)
  assert.match(words.stdout, /\nlists: eu of 2026-11-23, ofac of 2026-11-23, /)
  const ordinary = await runs('screening', 'check', 'Maria Hoffmann')
  assert.match(ordinary.stdout, /^nobody from 890 of 1000 on\n/)
  const byId = await runs('screening', 'check', 'Nobody', '--id', '78310-00122', '--json')
  assert.deepEqual(byId.json.hits[0].name, 'BANK ROSSIYA')
})

test('corridor screening check, wrong options: exit code 2, naming them', async () => {
  const rows: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['A', '--born', '1967-02-30'], /--born "1967-02-30" is not a date/],
    [['A', '--country', 'Atlantis'], /unknown country Atlantis/],
    [['A', '--least', '1001'], /--least is a whole number from 1 to 1000/],
    [[' '], /the name must not be blank/],
  ]
  for (const [args, message] of rows) {
    const refused = await cli.run('screening', 'check', ...args)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, message)
  }
})
