// Probes and metrics on a port of their own: the public port knows none of them, and they answer
// until the end of a stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../support/database/database.ts'
import { startProcess, until } from '../support/service/process.ts'

const PATHS = ['/healthz', '/readyz', '/metrics']

test('CORRIDOR_OPS_PORT set: probes and metrics there alone; public paths not there; SIGTERM: /readyz 503, /healthz 200 until the process ends with 0', async t => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const env = { DATABASE_URL: database.url, CORRIDOR_OPS_PORT: '0', CORRIDOR_DRAIN_MS: '1000' }
  const service = await startProcess(env)
  t.after(() => service.kill())
  const listening = service.log.find(({ msg }) => msg === 'corridor is listening')
  const ops = `http://127.0.0.1:${listening?.ops_port}`
  for (const path of PATHS) {
    assert.equal((await fetch(ops + path)).status, 200, path)
    assert.equal((await fetch(service.address + path)).status, 404, path)
  }
  assert.match(await (await fetch(`${ops}/metrics`)).text(), /^corridor_/m)
  assert.equal((await fetch(`${ops}/v3/balance`)).status, 404)
  assert.equal((await fetch(`${service.address}/v3/balance`)).status, 401)

  service.signal('SIGTERM')
  await until('not ready', async () => (await fetch(`${ops}/readyz`)).status === 503)
  assert.equal((await fetch(`${ops}/healthz`)).status, 200)
  const closed = () =>
    fetch(service.address).then(
      () => false,
      () => true,
    )
  await until('the public port is closed', closed)
  assert.equal(await service.ended, 0)
  await assert.rejects(fetch(`${ops}/healthz`))
})
