// Payouts of entities and beneficiaries that a person has confirmed to be listed: held, whatever the lists say by then.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { RailPayout } from '../../src/rail/rail.ts'
import { insertRail } from '../../src/rail/row-store.ts'
import { verify } from '../../src/verify/run.ts'
import { screenParties } from '../../src/worker/screen-parties.ts'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { railOf, report } from '../support/service/settling.ts'
import { readUnList, requireLists, takeUnList } from '../support/service/un-list.ts'

const HELD = 'compliance_hold'
const REASON = ['--reason', 'The passport agrees.']
/** On a cluster there are sandboxes alone. */
const RAIL = onCluster ? 'simulator' : 'bank'

let service: TestService
let live: Client
let cli: Cli
/** Eric Badege is on it. */
let un: string
/** He is not. */
let other: string
before(async () => {
  un = await readUnList()
  other = un.replace('BADEGE', 'NOBODY').replace('CDi.001', 'CDi.901')
  service = await startTestService({ rail_timeout_ms: 20_000 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
  await service.setFees([{}])
  await service.setRates({ 'USD/HKD': '7.8' })
  const rail = { name: 'bank', kind: 'connector', config: {}, secret: '' } as const
  await insertRail(service.deps.sql, { ...rail, paused_reason: '' })
})
beforeEach(async () => {
  live = await service.openAccount({ sandbox: onCluster, fund: { USD: 10_000_000n } })
  await service.setRoutes([{ rail: 'bank', priority: 1 }])
})
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
  await cli.close()
  await service.close()
})

async function takeList(text: string): Promise<void> {
  await takeUnList(service, text, { reason: 'As published.' })
  // What is read already may have begun before the list came.
  for (let i = 0; i < 2; i++) await service.deps.lists.read()
}

async function screenAll(): Promise<void> {
  while ((await screenParties(service.deps)) > 0);
}

async function runs(...args: readonly string[]) {
  const ran = await cli.run(...args)
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

/** An approved entity that was found on a list, which has dropped it since. */
async function foundOnce(): Promise<string> {
  await takeList(other)
  await requireLists(service, 'un')
  const made = await live.post('/v3/entity', { type: 'individual', name: 'Eric Badege' })
  const { id } = made.json.data
  await review(service, live, id, 'approved')
  await takeList(un)
  await screenAll()
  await takeList(other)
  await screenAll()
  assert.equal((await runs('screening', 'show', id, '--json')).json.screening, 'open')
  return id
}

const pay = (more: object) => payFrom(live, { amount: 1000, ...more })

const statusOf = (id: string) => readStatus(live, id)

const got: string[] = []
const bank = railOf({
  submit: async ({ id }: RailPayout) => {
    got.push(id)
    return { ...report('succeeded'), ask_again_in_ms: null }
  },
  inquire: async () => undefined,
})

async function settle(deps = service.deps): Promise<void> {
  deps.screening.again()
  await settleOnce({ ...deps, rails: new Map([[RAIL, bank]]) })
}

test('an entity that a person confirms: open payouts for it are held, and new ones', async () => {
  const on_behalf_of = await foundOnce()
  const [before, elsewhere] = [await pay({ on_behalf_of }), await pay({})]
  assert.equal(before.status, 'processing')
  await runs('screening', 'confirm', on_behalf_of, ...REASON)
  await settle()
  await settle()
  assert.ok(got.includes(elsewhere.id) && !got.includes(before.id))
  assert.equal(await statusOf(before.id), 'compliance_hold')
  const after = await pay({ on_behalf_of })
  assert.equal(after.status, 'compliance_hold')
  const { data } = (await live.get(`/v3/payout/${after.id}`)).json
  assert.equal(data.status_description, 'Held for review.')
  for (const { id } of [before, after]) {
    const { json } = await runs('screening', 'show', id, '--json')
    const [match] = json.matches
    assert.deepEqual([json.screening, match.party, match.listed], ['open', 'entity', false])
  }
})

test('a beneficiary that a person confirms: open payouts to it are held, and new ones', async () => {
  await takeList(other)
  await requireLists(service, 'un')
  const details = { ...localPayout.beneficiary_details, type: 'individual', name: 'Eric Badege' }
  const made = await live.post('/v3/beneficiary', details)
  const { id: beneficiary } = made.json.data
  const { beneficiary_details: _, ...without } = localPayout
  const to = { ...without, amount: 1000, beneficiary }
  const payTo = async () => (await live.post('/v3/payout', to)).json.data as { id: string }
  await takeList(un)
  await screenAll()
  await takeList(other)
  const before = await payTo()
  assert.equal(await statusOf(before.id), 'processing')
  await runs('screening', 'confirm', beneficiary, ...REASON)
  await settle()
  await settle()
  const after = await payTo()
  assert.deepEqual([await statusOf(before.id), await statusOf(after.id)], [HELD, HELD])
  assert.ok(!got.includes(before.id))
  await runs('screening', 'clear', beneficiary, ...REASON)
  for (const { id } of [before, after]) await runs('screening', 'clear', id, ...REASON)
  await settle()
  await settle()
  assert.ok(got.includes(before.id) && got.includes(after.id))
})

test('its payout is not cleared before the entity is; then it goes out', async () => {
  const on_behalf_of = await foundOnce()
  await runs('screening', 'confirm', on_behalf_of, ...REASON)
  const { id } = await pay({ on_behalf_of })
  const early = await cli.run('screening', 'clear', id, ...REASON)
  assert.equal(early.code, 1, early.stdout)
  assert.match(early.stderr, /held for ent_\w+, which is confirmed to be listed: clear ent_\w+/)
  await runs('screening', 'clear', on_behalf_of, ...REASON)
  await runs('screening', 'clear', id, ...REASON)
  await settle()
  await settle()
  assert.ok(got.includes(id))
})

test('an installation that does not screen: what a person has confirmed is held all the same', async () => {
  const on_behalf_of = await foundOnce()
  await runs('screening', 'confirm', on_behalf_of, ...REASON)
  await requireLists(service)
  await service.deps.lists.read()
  assert.equal((await pay({ on_behalf_of })).status, 'compliance_hold')
})

test('confirmed while the worker compares a payout for it: the payout is compared again', async () => {
  const on_behalf_of = await foundOnce()
  const { id } = await pay({ on_behalf_of })
  await takeList(other)
  const { lanes } = service.deps
  let confirmed = false
  type Advance = Parameters<typeof lanes.advancePayout.run>[0]
  const advancePayout = {
    run: async (advance: Advance) => {
      if (advance.screened !== undefined && !confirmed) {
        confirmed = true
        await runs('screening', 'confirm', on_behalf_of, ...REASON)
      }
      return lanes.advancePayout.run(advance)
    },
  } as unknown as typeof lanes.advancePayout
  await settle({ ...service.deps, lanes: { ...lanes, advancePayout } })
  await settle()
  await settle()
  assert.deepEqual([confirmed, got.includes(id)], [true, false])
  assert.equal(await statusOf(id), 'compliance_hold')
})
