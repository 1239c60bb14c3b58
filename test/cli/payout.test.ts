// corridor payout transition: the operator's step, its refusals, and money that goes back.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import { openCli } from '../support/service/cli.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
await service.setFees([{ payout_type: 'local', fixed_amount: 100n, variable_bps: 10 }])
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000n } })
const cli = await openCli(service.database.url)
after(async () => {
  await cli.close()
  await service.close()
})

const pay = async (): Promise<string> => (await payFrom(account)).id

async function balance(): Promise<string> {
  return (await account.get('/v3/balance')).json.data.available[0].amount
}

test('corridor payout transition to failed: principal and fees credited back, failure stored', async () => {
  const id = await pay()
  assert.equal(await balance(), '89890')
  const { code, json, stderr } = await cli.run('payout', 'transition', id, 'failed', '--json')
  assert.deepEqual([code, stderr], [0, ''])
  const failure = { code: 'OP000100', category: 'operator', message: 'Set by the operator.' }
  const { balance_transaction, ...rest } = json
  assert.deepEqual(rest, {
    payout: id,
    from: 'processing',
    to: 'failed',
    failure,
    reference: '',
  })
  assert.deepEqual(balance_transaction.net, { amount: 10_110, currency: 'USD' })
  assert.equal(balance_transaction.type, 'payout_failure')
  assert.equal(await balance(), '100000')
  const payout = (await account.get(`/v3/payout/${id}`)).json.data
  assert.deepEqual([payout.status, payout.failure], ['failed', failure])
})

test('corridor payout transition, over a hold to reversed: each step printed, money credited back at the end', async () => {
  const id = await pay()
  const held = await cli.run('payout', 'transition', id, 'compliance_hold')
  assert.deepEqual([held.code, held.stdout], [0, `${id}  processing → compliance_hold\n`])
  const done = await cli.run('payout', 'transition', id, 'succeeded')
  assert.deepEqual([done.code, done.stdout], [0, `${id}  compliance_hold → succeeded\n`])
  assert.equal(await balance(), '89890')
  const words = ['--failure-code', 'BANK1', '--failure-category', 'bank']
  words.push('--failure-message', 'Account closed')
  const back = await cli.run('payout', 'transition', id, 'reversed', ...words)
  assert.equal(back.code, 0)
  const [first, second] = back.stdout.split('\n')
  assert.equal(first, `${id}  succeeded → reversed`)
  assert.match(
    second ?? '',
    /^btr_\w+ {2}payout_reversal: USD 101\.10 back \(USD 100\.00 and USD 1\.10 of fees\); balance now USD 1000\.00$/,
  )
  const payout = (await account.get(`/v3/payout/${id}`)).json.data
  assert.deepEqual(payout.failure, { code: 'BANK1', category: 'bank', message: 'Account closed' })
  assert.equal(await balance(), '100000')
})

test('corridor payout transition, illegal step: exit code 1, one sentence, nothing changed', async () => {
  const id = await pay()
  const { code, stdout, stderr } = await cli.run('payout', 'transition', id, 'reversed')
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, `corridor: Payout ${id} cannot go from processing to reversed.\n`)
  assert.equal(await balance(), '89890')
  assert.equal((await account.get(`/v3/payout/${id}`)).json.data.status, 'processing')
})

test('corridor payout transition to failed, rail already asked: done, with a warning', async () => {
  const [asked, held, settled] = [await pay(), await pay(), await pay()]
  const { account_id } = account.account
  const keys = [asked, settled].map(id => ({ account_id, id }))
  const claims = await claimDuePayouts(service.deps.sql, keys, 60_000)
  assert.equal(claims.length, 2)
  const { code, json, stderr } = await cli.run('payout', 'transition', asked, 'failed', '--json')
  assert.deepEqual([code, json.to], [0, 'failed'])
  const words = `the rail was asked to pay ${asked} before; make sure that it does not`
  assert.equal(stderr, `corridor: warning: ${words}\n`)
  for (const [id, status] of [
    [held, 'compliance_hold'],
    [held, 'failed'],
    [settled, 'succeeded'],
    [settled, 'reversed'],
  ] as const) {
    const quiet = await cli.run('payout', 'transition', id, status)
    assert.deepEqual([quiet.code, quiet.stderr], [0, ''], status)
  }
})

test('corridor payout transition, unknown payout: exit code 1', async () => {
  const { code, stderr } = await cli.run('payout', 'transition', 'pot_0', 'failed')
  assert.deepEqual(
    [code, stderr],
    [1, 'corridor: there is no payout pot_0; corridor payout list shows the newest\n'],
  )
})
