// The image of a release, built by buildah and run by podman: with a read-only file system, as
// an ordinary user without rights, on a PostgreSQL outside. A build takes most of a minute, so it
// belongs to the long run.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { freePort } from '../support/network/port.ts'
import { until } from '../support/service/process.ts'
import { basic } from '../support/service/service.ts'
import { LONG } from '../support/share.ts'
import { buildImage, IMAGE, type Images, noImages } from './image.ts'

const skip = LONG ? noImages() : 'NOT RUN: npm run test:long builds the image'

let images: Images
let database: TestDatabase
let folder: string
before(async () => {
  if (skip !== false) return
  images = await buildImage()
  database = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'corridor-secret-'))
  await chmod(folder, 0o755)
  // The server's Unix socket is not in the container.
  const url = new URL(database.url)
  url.search = ''
  await writeFile(join(folder, 'database-url'), `${url}\n`)
})
after(async () => {
  if (skip !== false) return
  await images.close()
  await database.drop()
  await rm(folder, { recursive: true })
})

// Of limits, this machine may not raise its own.
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
/** As deploy/compose.yaml runs it. */
const SAFE = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
const HERE = [...LIMITS, ...SAFE, '--network', 'host']

const runOnce = (...words: readonly string[]) =>
  images.podman('run', '--rm', ...HERE, ...words).then(
    stdout => ({ code: 0, stdout, stderr: '' }),
    error => error as { code: number; stdout: string; stderr: string },
  )

test('image, no database chosen: every command refused, and nothing written', {
  skip,
}, async () => {
  for (const command of ['start', 'verify']) {
    const { code, stderr } = await runOnce(IMAGE, command)
    assert.equal(code, 2)
    assert.match(stderr, /^corridor: no database is chosen: set DATABASE_URL .* CORRIDOR_DATA /m)
  }
})

test('image: has its user, signal, health check and labels; adds less than 280 MB to its base', {
  skip,
}, async t => {
  const [{ Config: config }] = JSON.parse(await images.podman('image', 'inspect', IMAGE))
  assert.equal(config.User, '10001:10001')
  assert.equal(config.StopSignal, 'SIGTERM')
  assert.deepEqual([config.Entrypoint, config.Cmd], [['corridor'], ['start']])
  assert.equal(config.Labels['org.opencontainers.image.title'], 'Corridor')
  const added = images.size.image - images.size.base
  t.diagnostic(`the image adds ${Math.round(added / 1e6)} MB to its base`)
  assert.ok(added < 280e6, String(added))
})

test('container, read-only and without rights: healthy, pays, is verified; podman stop: drains and ends with 0', {
  skip,
}, async () => {
  const [port, ops_port] = [await freePort(), await freePort()]
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    CORRIDOR_OPS_PORT: String(ops_port),
    CORRIDOR_DRAIN_MS: '3000',
    DATABASE_URL_FILE: '/run/secrets/database-url',
  }
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const secret = ['--volume', `${folder}/database-url:/run/secrets/database-url:ro`]
  await images.podman('run', '--detach', '--name', 'paying', ...HERE, ...env, ...secret, IMAGE)
  const { podman } = images
  const health = () =>
    podman('healthcheck', 'run', 'paying').then(
      () => true,
      () => false,
    )
  await until('healthy', health)

  const made = await podman('exec', 'paying', 'corridor', 'sandbox', 'create', '--json')
  const { key_id, secret: key } = JSON.parse(made)
  const headers = { authorization: basic(key_id, key), 'content-type': 'application/json' }
  const on = `http://127.0.0.1:${port}/v3`
  // The service looks for new keys twice a second.
  await until('the key is known', async () => {
    return (await fetch(`${on}/balance`, { headers })).status === 200
  })
  const body = JSON.stringify(localPayout)
  const paid = await fetch(`${on}/payout`, { method: 'POST', headers, body })
  assert.equal(paid.status, 200, await paid.text())
  assert.match(await podman('exec', 'paying', 'corridor', 'verify'), /The books are in order\./)
  // Who breaks in can write nowhere but into memory.
  assert.match(await podman('exec', 'paying', 'id'), /^uid=10001\(corridor\) gid=10001\(corridor\)/)
  for (const place of ['/', '/data', '/opt/corridor']) {
    await assert.rejects(podman('exec', 'paying', 'sh', '-c', `: > ${place}/new`), /Read-only/)
  }

  const stopping = podman('stop', '--time', '75', 'paying')
  const at = `http://127.0.0.1:${ops_port}/readyz`
  await until('not ready', async () => (await fetch(at)).status === 503)
  assert.equal(await health(), false)
  await stopping
  const [{ State: state }] = JSON.parse(await podman('inspect', 'paying'))
  assert.equal(state.ExitCode, 0)
  assert.match(await podman('logs', 'paying'), /"msg":"stopped"/)
})

test('container, CORRIDOR_DATA a volume: an embedded database, which a second container finds again', {
  skip,
}, async () => {
  const { podman } = images
  const words = ['--env', 'CORRIDOR_DATA=/data', '--volume', 'books:/data', IMAGE]
  const first = await runOnce(...words, 'migrate')
  assert.equal(first.code, 0, first.stdout + first.stderr)
  const made = await runOnce(
    ...words,
    'account',
    'create',
    '--sandbox',
    '--name',
    'Acme',
    '--currencies',
    'USD',
    '--primary-currency',
    'USD',
  )
  assert.equal(made.code, 0, made.stderr)
  assert.match((await runOnce(...words, 'account', 'list')).stdout, /Acme/)
  await podman('volume', 'rm', 'books')
})
