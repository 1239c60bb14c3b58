// A payout that goes out after a backup: in the restored database it has the same ids, so that the
// bank can tell a repetition; and its rails are paused, by whatever means the database came back.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { openPool } from '../../src/sql/pool.ts'
import { FILE_PAYOUT, folderConfig } from '../support/bank/folder-bank.ts'
import { createDatabase } from '../support/database/database.ts'
import { type CommandResult, openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { httpClient, openAccountOn, until } from '../support/service/process.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-restored-'))
await chmod(folder, 0o711)
after(() => rm(folder, { recursive: true, force: true }))

const path = (name: string) => join(folder, name)
const dataOf = (name: string) => ({ CORRIDOR_DATA: path(name) })

async function onData<T>(name: string, work: (sql: Sql, url: string) => Promise<T>): Promise<T> {
  const server = await openEmbedded({ data_dir: path(name) })
  const sql = connect(server.url, { max: 1, as: 'owner' })
  try {
    return await work(sql, server.url)
  } finally {
    await sql.end({ timeout: 1 })
    await server.release()
  }
}

async function run(name: string, ...args: readonly string[]): Promise<CommandResult> {
  const cli = await openCli('', { ...dataOf(name), CORRIDOR_USER: 'ann' }, true)
  return cli.run(...args).finally(cli.close)
}

const pausedIn = (name: string) =>
  onData(name, async sql => {
    const [row] = await sql<{ paused_reason: string }[]>`
      select paused_reason from rails where name = 'bank'`
    return row?.paused_reason ?? ''
  })

/** The name of the only file in the outbox, and the ids of its payments. The bank then takes it. */
async function takeFile(): Promise<{ name: string; ids: string[] }> {
  const box = path('out')
  let names: string[] = []
  await until('a file is sent', async () => {
    names = (await readdir(box)).filter(name => !name.endsWith('.tmp'))
    return names.length > 0
  })
  assert.equal(names.length, 1)
  const [name = ''] = names
  const text = await readFile(join(box, name), 'utf8')
  await rename(join(box, name), path(`taken-${Date.now()}`))
  return {
    name,
    ids: [...text.matchAll(/<(?:EndToEndId|InstrId)>(\w+)</g)].map(([, id = '']) => id),
  }
}

const CONFIG = folderConfig({
  outbox: path('out'),
  inbox: path('in'),
  archive: path('archive'),
})

async function startIn(name: string) {
  return startListening({
    ...dataOf(name),
    CORRIDOR_RAIL_TIMEOUT_MS: '5000',
    CORRIDOR_DRAIN_MS: '0',
  })
}

test('backup, payout sent after it, restore: rails paused, payout listed; after rail resume: sent under the same ids', async () => {
  for (const box of ['out', 'in', 'archive']) await mkdir(path(box))
  const first = await startIn('original')
  const account = await onData('original', async (sql, url) => {
    const opened = await openAccountOn(url, { USD: 1_000_000n }, ['USD'], false)
    await sql`insert into fees (payout_type, fee_currency) values ('local', 'USD')`
    await sql`insert into rails (name, kind, config, paused_reason)
      values ('bank', 'iso20022', ${JSON.stringify(CONFIG)}::text::jsonb, 'not yet')`
    await sql`insert into routes (account_id, rail) values (${opened.account.account_id}, 'bank')`
    return opened
  })
  await run(
    'original',
    'screening',
    'require',
    'none',
    '--reason',
    'Screened before it comes here.',
  )
  const client = httpClient(account)
  await until('the account has a route', async () => {
    const { status } = await client.post(first.address, '/v3/payout', FILE_PAYOUT)
    return status === 200
  })
  const backup = await run('original', 'backup', path('backup.tar.zst'))
  assert.equal(backup.code, 0, backup.stderr)
  await first.close()
  // With the owners of the files, which Node's own copy does not keep.
  execFileSync('cp', ['-a', path('original'), path('snapshot')])

  const second = await startIn('original')
  assert.equal(await pausedIn('original'), 'not yet', 'an ordinary restart pauses nothing')
  await run('original', 'rail', 'resume', 'bank')
  const sent = await takeFile()
  await second.close()

  const restored = await run('copy', 'restore', path('backup.tar.zst'), '--json')
  assert.equal(restored.code, 0, restored.stderr)
  assert.equal(restored.json.unsent, 1)
  assert.match(await pausedIn('copy'), /not yet|restored/)
  const unsent = await run('copy', 'rail', 'unsent', '--json')
  assert.equal(unsent.json[0].end_to_end_id, sent.ids[0])
  const resumed = await run('copy', 'rail', 'resume', 'bank')
  assert.equal(resumed.code, 0, resumed.stderr)
  const third = await startIn('copy')
  assert.deepEqual(await takeFile(), sent)
  assert.equal(await pausedIn('copy'), '')
  await third.close()

  await onData('snapshot', sql => sql`update rails set paused_reason = '' where name = 'bank'`)
  const fourth = await startIn('snapshot')
  assert.match(await pausedIn('snapshot'), /restored \(copied files of a cluster\)/)
  assert.deepEqual(await readdir(path('out')), [])
  await fourth.close()
})

test('database restored by pg_restore beside the original: rails paused at start', async () => {
  const database = await createDatabase()
  const { owner, url } = database
  await owner`insert into rails (name, kind, config)
    values ('bank', 'iso20022', ${JSON.stringify(CONFIG)}::text::jsonb)`
  const start = (to: string) => startListening({ DATABASE_URL: to, CORRIDOR_DRAIN_MS: '0' })
  await (await start(url)).close()
  await owner.end({ timeout: 5 })
  const at = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  const name = new URL(url).pathname.slice(1)
  const admin = openPool(at('postgres'), { max: 1 })
  await admin.unsafe(`create database ${name}_copy template ${name}`)
  const copy = connect(at(`${name}_copy`), { max: 1, as: 'owner' })
  try {
    await (await start(at(`${name}_copy`))).close()
    const [row] = await copy<{ paused_reason: string }[]>`
      select paused_reason from rails where name = 'bank'`
    assert.match(row?.paused_reason ?? '', /restored \(another database of the cluster\)/)
  } finally {
    await copy.end({ timeout: 5 })
    await admin.unsafe(`drop database ${name}_copy with (force)`)
    await admin.end({ timeout: 5 })
    await database.drop()
  }
})
