// Which commands make a database, and what the others say where there is none. One row a command:
// what is called, where, what it answers; and nothing is written.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asOwner } from '../../src/cli/context.ts'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { DatabaseProblem } from '../../src/sql/failure.ts'
import { createDatabase } from '../support/database/database.ts'
import { type Cli, openCli } from '../support/service/cli.ts'

/** Every command that works with a database, but for start, migrate and restore. */
const COMMANDS: readonly (readonly string[])[] = [
  ['account', 'create', '--name', 'Acme', '--currencies', 'USD', '--primary-currency', 'USD'],
  ['account', 'list'],
  ['account', 'set', 'acc_7k2m9x4q', '--duplicate-window-s', '0'],
  ['key', 'create', 'acc_7k2m9x4q', '--scope', 'write'],
  ['key', 'list', 'acc_7k2m9x4q'],
  ['key', 'revoke', 'key_01m7xpm2kz8t3vqw5n0r'],
  ['fund', 'acc_7k2m9x4q', 'USD', '1.00'],
  ['rates', 'list'],
  ['fees', 'list'],
  ['payout', 'transition', 'pot_01m7xpm2kyj94bggdx1c', 'succeeded'],
  ['statement', 'acc_7k2m9x4q', '--from', '2026-01-01', '--to', '2026-02-01'],
  ['entity', 'list'],
  ['events', 'replay', 'whe_01m7xpm2kz8t3vqw5n0r', '--dead'],
  ['verify'],
  ['verify', '--json'],
  ['backup', 'copy.tar.zst'],
]

const empty = await createDatabase({ empty: true })
const folder = await mkdtemp(join(tmpdir(), 'corridor-none-'))
const inFolder = await openCli('', { CORRIDOR_DATA: join(folder, 'data') }, true)
const onEmpty = await openCli(empty.url)
after(async () => {
  await inFolder.close()
  await onEmpty.close()
  await empty.drop()
  await rm(folder, { recursive: true, force: true })
})

async function runAll(cli: Cli, commands: readonly (readonly string[])[]) {
  const runs: { name: string; code: number | null; stdout: string; stderr: string }[] = []
  for (const args of commands) runs.push({ name: args.join(' '), ...(await cli.run(...args)) })
  return runs
}

test('every command but three, data folder without a database: exit code 1, names the command to run, creates nothing', async () => {
  for (const { name, code, stdout, stderr } of await runAll(inFolder, COMMANDS)) {
    assert.deepEqual([name, code, stdout], [name, 1, ''])
    assert.match(stderr, /there is no database in .*data: run \\?"corridor start\\?" to make/)
    assert.equal(stderr.trimEnd().split('\n').length, 1)
  }
  assert.deepEqual(await readdir(folder), [])
})

test('every command but two, own database without tables: exit code 1, names the command to run, creates nothing', async () => {
  const some = COMMANDS.filter(([name]) => name !== 'backup')
  for (const { name, code, stdout, stderr } of await runAll(onEmpty, some)) {
    assert.deepEqual([name, code, stdout], [name, 1, ''])
    assert.match(stderr, /has no tables of Corridor: run .*corridor migrate/)
    assert.equal(stderr.trimEnd().split('\n').length, 1)
  }
  const tables = await empty.owner`
    select relname from pg_class where relnamespace = 'public'::regnamespace`
  assert.deepEqual([...tables], [])
})

test('corridor migrate, folder without a database: creates one; verify and backup then find it, or name missing tables', async () => {
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  const home = await mkdtemp(join(tmpdir(), 'corridor-made-'))
  await chmod(home, 0o711)
  const data_dir = join(home, 'data')
  const own = await openCli('', { CORRIDOR_DATA: data_dir })
  const migrated = await own.run('migrate')
  assert.equal(migrated.code, 0, migrated.stderr)
  assert.match(migrated.stdout, /^applied 0001-roles-and-history\.sql, /)
  await own.close()
  const server = await openEmbedded({ data_dir })
  const cli = await openCli('', { CORRIDOR_DATA: data_dir }, true)
  try {
    assert.equal((await cli.run('verify')).code, 0)
    assert.equal((await cli.run('backup', join(home, 'copy.tar.zst'))).code, 0)
    // As a start leaves it that was stopped before it made them.
    await asOwner(server.url, owner => owner`drop schema public cascade`)
    await asOwner(server.url, owner => owner`create schema public`)
    for (const args of [['verify'], ['backup', join(home, 'next.tar.zst')]]) {
      const { code, stdout, stderr } = await cli.run(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^corridor: the database has no tables of Corridor: run .*\n$/)
    }
    assert.deepEqual((await readdir(home)).sort(), ['copy.tar.zst', 'data'])
  } finally {
    await cli.close()
    await server.release()
    await rm(home, { recursive: true, force: true })
  }
})

/** A data folder that cannot be: what makes it so, the command, and what is said. */
const FOLDERS: readonly (readonly [
  what: string,
  make: (path: string) => Promise<string>,
  says: RegExp,
])[] = [
  [
    "a file in the folder's place",
    async path => {
      await writeFile(path, '')
      return path
    },
    /^the data folder .* is a file, or lies below one: move it away, or set CORRIDOR_DATA/,
  ],
  ['on a read-only disk', async () => '/sys/corridor', /^the data folder \/sys\/corridor /],
  [
    'below a folder where the system allows none',
    async () => '/proc/corridor/data',
    /^the data folder \/proc\/corridor\/data cannot be (made|used)/,
  ],
  [
    'a name that is too long',
    async path => join(path, 'x'.repeat(300)),
    /^the data folder .* cannot be made \(ENAMETOOLONG\): set CORRIDOR_DATA/,
  ],
  [
    'a link to itself',
    async path => {
      await symlink(path, path)
      return join(path, 'data')
    },
    /^the data folder .* cannot be made \(ELOOP\): set CORRIDOR_DATA/,
  ],
  [
    'a folder that is no cluster',
    async path => {
      await mkdir(join(path, 'postgres'), { recursive: true })
      return path
    },
    /postgres is not a PostgreSQL data folder: move it away$/,
  ],
  [
    'a name that no shell can carry',
    async path => `${path}"`,
    /^the data folder .* may not contain any of " \$ ` \\ or a line break$/,
  ],
]
for (const [what, make, says] of FOLDERS) {
  test(`the embedded database, data folder ${what}: refused in one sentence`, async t => {
    const home = await mkdtemp(join(tmpdir(), 'corridor-folder-'))
    t.after(() => rm(home, { recursive: true, force: true }))
    const data_dir = await make(join(home, 'data'))
    await assert.rejects(openEmbedded({ data_dir }), error => {
      assert.ok(error instanceof DatabaseProblem, String(error))
      assert.match(error.message, says)
      assert.equal(error.message.split('\n').length, 1)
      return true
    })
  })
}

test('corridor start, data folder that cannot be used: exit code 1 and the same sentence', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const cli = await openCli('', { CORRIDOR_DATA: file, PORT: '0' })
  const { code, stdout, stderr } = await cli.run('start')
  await cli.close()
  await rm(file)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^corridor: the data folder .* is a file, or lies below one: move it away, .*\n$/,
  )
})
