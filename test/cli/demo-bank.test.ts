// corridor demo --bank against a service of its own: two payouts through the rail of files and the
// test bank, each paid once by the bank's own ledger.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import type { BankDemoStep } from '../../src/cli/demo-bank.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { spawnCommand, until } from '../support/service/process.ts'

const database = await createDatabase()
const service = await startListening({ DATABASE_URL: database.url })
const cli = await openCli(database.url)
after(async () => {
  await service.close()
  await cli.close()
  await database.drop()
})

test('corridor demo --bank --json: one payout arrives, one is returned, every file printed', async () => {
  const args = ['demo', '--url', service.address, '--json', '--bank']
  const { code, json, stderr } = await cli.run(...args)
  assert.deepEqual([code, stderr], [0, ''])
  const steps = json as BankDemoStep[]
  const statuses = steps.flatMap(s => (s.step === 'status' ? [s.response.body.data.status] : []))
  assert.deepEqual(statuses, ['succeeded', 'succeeded', 'reversed'])
  const files = steps.flatMap(s => (s.step === 'file' ? [s] : []))
  const kinds = files.map(({ content }) => /xsd:([a-z]+\.\d{3})/.exec(content)?.[1])
  // One file, or two: the first payment may be sealed before the second one is there.
  const count = (kind: string) => kinds.filter(known => known === kind).length
  const sent = count('pain.001')
  assert.ok(sent === 1 || sent === 2, `${sent} files`)
  assert.deepEqual(
    [count('pain.002'), count('camt.054'), count('camt.053'), kinds.length],
    [sent, sent + 1, 1, 3 * sent + 2],
  )
  assert.deepEqual(files[0]?.by, 'corridor')
  const last = steps.at(-1)
  assert.ok(last?.step === 'paid' && last.payments === 2 && last.most === 1)
  const balance = steps.flatMap(s => (s.step === 'balance' ? [s] : []))[0]
  assert.equal(balance?.response.body.data.available[0].amount, String(100_000 - 10_000 - 35))
})

test('corridor demo --bank, Ctrl-C: its route and fee removed, its rail no longer asked', async () => {
  const { owner } = database
  const before = await owner`select payout_type, network from fees`
  const child = spawnCommand(['demo', '--url', service.address, '--bank'], {
    DATABASE_URL: database.url,
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said += text
  })
  const ended = once(child, 'close')
  await until('a payout was made', async () => {
    const rows = await owner`
      select from routes r join open_payouts using (account_id) where r.rail = 'demo_bank'`
    return rows.length > 0 || child.exitCode !== null
  })
  child.kill('SIGINT')
  const [code] = await ended
  assert.equal(code, 1, said)
  assert.match(said, /stopping: .*\n.*the demonstration was stopped/)
  assert.deepEqual([...(await owner`select rail from routes`)], [])
  assert.deepEqual([...(await owner`select payout_type, network from fees`)], [...before])
  const [rail] = await owner`select paused_reason from rails where name = 'demo_bank'`
  assert.equal(rail?.paused_reason, 'the demonstration is over')
})

test('corridor demo --bank, installation with a live account: refused, nothing booked', async () => {
  const live = ['account', 'create', '--name', 'In earnest', '--currencies', 'EUR']
  assert.equal((await cli.run(...live, '--primary-currency', 'EUR')).code, 0)
  const { code, stderr } = await cli.run('demo', '--url', service.address, '--bank')
  assert.equal(code, 1)
  assert.match(stderr, /demonstration books money that does not exist/)
})
