// The settling worker with two connectors over HTTP: one that takes requests and answers none, and a
// prompt one.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Faults } from '../../examples/connector/faults.ts'
import { startConnector } from '../../examples/connector/start.ts'
import { CONNECTOR } from '../../src/adapters/connector/kind.ts'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import type { Rail } from '../../src/rails/rail.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { addRails, pay, statusOf } from '../support/service/payouts.ts'
import { until } from '../support/service/process.ts'
import { startTestService } from '../support/service/service.ts'

/** As many as the rounds that a rail has in hand. */
const HANGING = 3

const secret = newSecret(new Uint8Array(32).fill(7))
const folder = await mkdtemp(join(tmpdir(), 'corridor-hanging-'))
const service = await startTestService({ settle_poll_ms: 20, rail_timeout_ms: 20_000 })
after(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** A server that reads each request and never answers. */
async function startHanging() {
  const sockets = new Set<Socket>()
  let given_up = 0
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('close', () => {
      given_up += 1
    })
    sockets.add(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    given_up: () => given_up,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function railTo(name: string, url: string): Rail {
  const config = { url, key_lifetime_s: null, at_once: 8, allow_private: true }
  return CONNECTOR.open({ name, config, secret } as never, service.deps as never) as Rail
}

test('connector that hangs, every request to it waiting: payouts of another connector still submitted', async () => {
  await service.setFees([{}])
  await addRails(service, 'hanging', 'prompt')
  const live = await service.openAccount({ sandbox: false, fund: { USD: 10_000_000n } })
  const hanging = await startHanging()
  const file = join(folder, 'prompt.jsonl')
  const prompt = await startConnector({ file, secret, faults: new Faults({}), delay_ms: 1 })
  const rail = railTo('hanging', hanging.url)
  let rounds = 0
  const counted: Rail = {
    name: 'hanging',
    key_lifetime_ms: null,
    inquire: payouts => rail.inquire(payouts),
    submit(payouts) {
      rounds += 1
      return rail.submit(payouts)
    },
  }
  const rails = new Map([
    ['hanging', counted],
    ['prompt', railTo('prompt', prompt.url)],
  ])
  const worker = startSettling({ ...service.deps, rails })
  try {
    await service.setRoutes([{ rail: 'hanging' }])
    for (let round = 1; round <= HANGING; round++) {
      await pay(live)
      await until('the connector is asked', () => rounds === round)
    }
    const waiting = await pay(live)
    await service.setRoutes([{ rail: 'prompt' }])
    await pay(live)
    await until('the prompt connector has its payment', () => prompt.book.entries.size === 1)
    assert.equal(hanging.given_up(), 0, 'no question to the hanging connector has ended')
    assert.equal(rounds, HANGING, 'a full rail is asked no more')
    assert.equal(await statusOf(live, waiting.id), 'processing')
  } finally {
    hanging.close()
    await worker.stop()
    await prompt.close()
  }
})
