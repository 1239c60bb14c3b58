// A database of a former release: this version migrates it, proves it, and reads from it what that
// release read. `FORMER=write npm test -- ops/former-release` keeps the database of this version.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { asSuperuser } from '../../bench/database.ts'
import type { OpenedAccount } from '../../src/operator/account-operations.ts'
import { migrate, readMigrations } from '../../src/sql/migrate.ts'
import { exactJson } from '../../src/values/money/json.ts'
import { makeEverything } from '../ledger/everything.ts'
import { createDatabase } from '../support/database/database.ts'
import { type KeptRows, keepRows, putBackRows } from '../support/database/kept-rows.ts'
import { httpClient, runCommand, startProcess } from '../support/service/process.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/releases')
const WRITE = process.env.FORMER === 'write'

/** The newest rows of each kind. */
const PATHS = [
  '/v3/balance',
  ...['payout', 'balance_transaction', 'beneficiary', 'entity', 'event', 'payout_batch'].map(
    name => `/v3/${name}?limit=100`,
  ),
]

/** The database of a release, and what it read from it. */
interface Former {
  readonly version: string
  /** Hashes by name. */
  readonly migrations: Readonly<Record<string, string>>
  readonly opened: OpenedAccount
  readonly kept: KeptRows
  readonly answers: Readonly<Record<string, unknown>>
}

async function keepFormer(): Promise<void> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const { service, main } = await makeEverything()
  try {
    const answers: Record<string, unknown> = {}
    for (const path of PATHS) {
      const { status, text } = await main.get(path)
      assert.equal(status, 200, text)
      answers[path] = JSON.parse(text)
    }
    const kept = await asSuperuser(service.database.url, keepRows)
    const names = (await readMigrations()).map(({ name, hash }) => [name, hash])
    const { account, key_id, secret } = main
    const opened = { account, key_id, secret }
    const former = { version, migrations: Object.fromEntries(names), opened, kept, answers }
    const packed = await promisify(gzip)(exactJson(former), { level: 9 })
    await writeFile(join(FOLDER, `${version}.json.gz`), packed)
  } finally {
    await service.close()
  }
}

if (WRITE) await keepFormer()

for (const name of (await readdir(FOLDER)).filter(name => name.endsWith('.json.gz'))) {
  const packed = await readFile(join(FOLDER, name))
  const former: Former = JSON.parse(String(await promisify(gunzip)(packed)))

  test(`migrations of version ${former.version}: none edited, none removed`, async () => {
    const now = new Map((await readMigrations()).map(({ name, hash }) => [name, hash]))
    for (const [name, hash] of Object.entries(former.migrations)) {
      assert.equal(now.get(name), hash, `${name} was edited: put the change into a new migration`)
    }
  })

  test(`database of version ${former.version}: migrated, proved, each answer as it was`, async () => {
    const database = await createDatabase({ empty: true })
    after(() => database.drop())
    const wanted = (await readMigrations()).filter(({ name }) => name in former.migrations)
    await migrate(database.owner, wanted)
    await asSuperuser(database.url, superuser => putBackRows(superuser, former.kept))
    const [operator] = await database.owner<{ name: string }[]>`
      select name from users where role = 'operator'`
    const env = {
      DATABASE_URL: database.url,
      CORRIDOR_SETTLE: 'off',
      CORRIDOR_USER: operator?.name ?? '',
    }
    for (const command of ['migrate', 'verify']) {
      const { code, output } = await runCommand([command], env)
      assert.equal(code, 0, output)
    }
    const service = await startProcess(env)
    const client = httpClient(former.opened)
    after(async () => {
      client.close()
      await service.kill()
    })
    for (const [path, answer] of Object.entries(former.answers)) {
      const { status, text } = await client.get(service.address, path)
      assert.equal(status, 200, text)
      assertHas(JSON.parse(text), answer, path)
    }
  })
}

/** A later version may answer more members. */
function assertHas(actual: unknown, former: unknown, path: string): void {
  if (typeof former !== 'object' || former === null) {
    assert.deepEqual(actual, former, path)
    return
  }
  assert.ok(typeof actual === 'object' && actual !== null, path)
  if (Array.isArray(former)) assert.equal((actual as unknown[]).length, former.length, path)
  for (const [name, value] of Object.entries(former)) {
    assertHas((actual as Record<string, unknown>)[name], value, `${path}.${name}`)
  }
}
