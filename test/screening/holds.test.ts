// Payouts that screening holds: of whom is listed, of live accounts without current lists, and while
// lists change. The rails are scripts; the worker, the lanes and the rows are the product's.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { claimDuePayouts } from '../../src/payout/claim-store.ts'
import type { Rail, RailPayout } from '../../src/rail/rail.ts'
import { insertRail } from '../../src/rail/row-store.ts'
import type { ListName } from '../../src/screening/screening.ts'
import { verify } from '../../src/verify/run.ts'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { balancesOf } from '../support/assert/check.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { makeDue, railOf, report } from '../support/service/settling.ts'
import { readUnList, requireLists, takeUnList } from '../support/service/un-list.ts'

const REASON = 'Born in another year.'
/** On a cluster there are sandboxes alone. */
const RAIL = onCluster ? 'simulator' : 'bank'

let service: TestService
let live: Client
let cli: Cli
/** The UN's list as it is published today: Eric Badege is on it. */
let un: string
before(async () => {
  un = await readUnList()
  service = await startTestService({ rail_timeout_ms: 20_000 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
  await service.setFees([{}, { payout_type: 'service_account' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  const rail = {
    name: 'bank',
    kind: 'connector',
    config: {},
    secret: '',
    paused_reason: '',
  } as const
  await insertRail(service.deps.sql, rail)
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

const takeList = (text: string, is_sample = false, reason = 'A test.') =>
  takeUnList(service, text, { is_sample, reason })

function without(name: string): string {
  assert.ok(un.includes(name))
  return un.replace(name, 'NOBODY')
}

const require = (...required: readonly ListName[]) => requireLists(service, ...required)

/** The UN's list is there and must be current, and this process has it. */
async function screenWith(text: string): Promise<void> {
  await takeList(text)
  await require('un')
  await readLists()
}

/** What is read already may have begun before the list came. */
async function readLists(): Promise<void> {
  for (let i = 0; i < 2; i++) await service.deps.lists.read()
}

async function pay(name: string, client = live, more: object = {}) {
  const beneficiary_details = { ...localPayout.beneficiary_details, type: 'individual', name }
  const body = { ...localPayout, amount: 1000, beneficiary_details, ...more }
  const answer = await client.post('/v3/payout', body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data as { id: string; status: string; status_description: string }
}

async function statusOf(id: string, client = live): Promise<string> {
  return (await client.get(`/v3/payout/${id}`)).json.data.status
}

/** A rail that pays, and keeps whom it was handed of the account. */
function paying() {
  const got: string[] = []
  const submit = async ({ id, account_id }: RailPayout) => {
    if (account_id === live.account.account_id) got.push(id)
    return { ...report('succeeded'), ask_again_in_ms: null }
  }
  return { got, rail: railOf({ submit, inquire: async () => undefined }) }
}

/** One round of a worker; what waits for lists is due. */
async function settle(rail: Rail, deps = service.deps): Promise<void> {
  deps.screening.again()
  await settleOnce({ ...deps, rails: new Map([[RAIL, rail]]) })
}

async function holdOf(id: string) {
  const [row] = await service.database.owner<{ screening: string; screened: bigint | null }[]>`
    select screening, screened from open_payouts where id = ${id}`
  return row
}

async function runs(...args: readonly string[]) {
  const ran = await cli.run(...args)
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

// First, while no list has ever been there.
test('no list, a stale one, a sample: live payouts wait, others do not, and it is counted', async () => {
  const { got, rail } = paying()
  await require('un')
  const { id, status } = await pay('Lucia Chen')
  assert.equal(status, 'processing')
  await settle(rail)
  await takeList(un, true)
  await settle(rail)
  assert.deepEqual(got, [], 'only a sample')
  const sandbox = await service.openAccount({ fund: { USD: 100_000n } })
  assert.equal((await pay('Eric Badege', sandbox)).status, 'compliance_hold')
  const listed = await runs('screening', 'list', '--state', 'waits', '--json')
  assert.deepEqual(
    listed.json.results.map((found: { id: string }) => found.id),
    [id],
  )
  await takeList(un)
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id])
  const { owner } = service.database
  await owner`alter table screening_imports disable trigger user`
  await owner`update screening_imports set imported_at = now() - interval '8 days'`
  await owner`alter table screening_imports enable trigger user`
  await readLists()
  const late = await pay('Lucia Chen')
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id], 'the list is stale')
  await runs('screening', 'require', 'none', '--reason', 'Screened before it comes here.')
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id, late.id])
})

test('who is listed is held when the payout is made, without a word why; others go out', async () => {
  await screenWith(un)
  const held = await pay('Eric Badege')
  assert.equal(held.status, 'compliance_hold')
  assert.equal(held.status_description, 'Held for review.')
  const free = await pay('Lucia Chen')
  assert.equal(free.status, 'processing')
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [free.id])
  assert.equal(await statusOf(held.id), 'compliance_hold')
  const refused = await live.post(`/v3/payout/${held.id}/cancel`, {})
  assert.equal(refused.status, 409, refused.text)
  assert.equal(refused.json.errors[0].reason, 'payout_not_cancellable')
  const shown = await runs('screening', 'show', held.id, '--json')
  const [match] = shown.json.matches
  assert.equal(match.party, 'beneficiary')
  assert.equal(match.entry_id, 'CDi.001')
  assert.equal(match.state, 'open')
  assert.equal(match.score, match.pieces.at(-1).score)
  const listed = await runs('screening', 'list', '--json')
  const of = (id: string) => listed.json.results.find((found: { id: string }) => found.id === id)
  assert.deepEqual([of(held.id).screening, of(free.id)], ['open', undefined])
})

test('cleared by a person: it goes out, and the same party is not held again', async () => {
  await screenWith(un)
  const { id } = await pay('Eric Badege')
  await runs('screening', 'clear', id, '--reason', REASON)
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id])
  assert.equal((await pay('Eric Badege')).status, 'processing')
  assert.equal((await pay('Eric Badége')).status, 'compliance_hold', 'another party')
  const acts = await runs('audit', 'list', '--json')
  const [act] = acts.json.filter(
    (change: { table_name: string }) => change.table_name === 'screening_matches',
  )
  assert.deepEqual(
    [act.changed_by, act.reason, act.after.id, act.after.screening, act.after.matches],
    ['anna', REASON, id, 'waits', 'beneficiary un CDi.001 cleared'],
  )
})

test('cleared, and the entry has changed since: held again', async () => {
  await screenWith(un)
  const { id } = await pay('Eric Badege')
  await runs('screening', 'clear', id, '--reason', REASON)
  await takeList(un.replace('<YEAR>1971</YEAR>', '<YEAR>1972</YEAR>'))
  await readLists()
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [])
  assert.equal((await holdOf(id))?.screening, 'open')
})

test('delisted: held until a person clears it, and shown as such; then it goes out', async () => {
  await screenWith(un)
  const { id } = await pay('Eric Badege')
  assert.doesNotMatch((await runs('screening', 'list')).stdout, /delisted/)
  const shown = async () => (await runs('screening', 'show', id, '--json')).json.matches
  assert.deepEqual(
    (await shown()).map((match: { listed: boolean }) => match.listed),
    [true],
  )
  const other = without('BADEGE').replace('CDi.001', 'CDi.901')
  await takeList(other, false, 'A person was taken off it.')
  await readLists()
  const { got, rail } = paying()
  await settle(rail)
  assert.deepEqual(
    (await shown()).map((match: { listed: boolean }) => match.listed),
    [false],
  )
  assert.match((await runs('screening', 'show', id)).stdout, /CDi\.001 \(delisted\): open/)
  assert.match((await runs('screening', 'list')).stdout, /open, delisted/)
  assert.deepEqual([got, (await holdOf(id))?.screening], [[], 'open'])
  await runs('screening', 'clear', id, '--reason', 'Taken off the list.')
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id])
})

test('confirmed: blocked and its money kept, until a person fails it', async () => {
  await screenWith(un)
  const before = await balancesOf(live)
  const { id } = await pay('Eric Badege')
  const reason = ['--reason', 'The passport agrees.']
  const early = await cli.run('payout', 'transition', id, 'failed', ...reason)
  assert.equal(early.code, 1, 'nobody has looked at it')
  await runs('screening', 'confirm', id, ...reason)
  const { got, rail } = paying()
  await settle(rail)
  assert.deepEqual(got, [])
  for (const status of ['processing', 'succeeded']) {
    const ran = await cli.run('payout', 'transition', id, status)
    assert.equal(ran.code, 1, ran.stdout)
  }
  const refused = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(refused.json.errors[0].reason, 'payout_not_cancellable')
  assert.notDeepEqual(await balancesOf(live), before)
  await runs('payout', 'transition', id, 'failed', ...reason)
  assert.deepEqual(await balancesOf(live), before)
})

test('nobody decides: a log-in, no reason, a statement without a name', async () => {
  await screenWith(un)
  const { id } = await pay('Eric Badege')
  const nobody = await openCli(service.database.url, {})
  const ran = await nobody.run('screening', 'clear', id, '--reason', REASON)
  await nobody.close()
  assert.equal(ran.code, 2, ran.stderr)
  assert.match(ran.stderr, /CORRIDOR_USER/)
  assert.equal((await cli.run('screening', 'clear', id)).code, 2)
  const { account_id } = live.account
  const cleared = service.database.owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      update screening_matches set state = 'cleared', decided_at = now(), reason = 'x'
      where account_id = ${account_id} and object_id = ${id}`
  })
  await assert.rejects(cleared, /decided_by_a_person/)
  assert.equal((await holdOf(id))?.screening, 'open')
})

test('whatever code does: a payout that is held gets no attempt', async () => {
  await screenWith(un)
  const { id } = await pay('Eric Badege')
  const { account_id } = live.account
  const insert = (asked_at: string | null) =>
    service.database.owner.begin(async tx => {
      await tx`select set_config('corridor.maintenance', 'on', true)`
      await tx`
        insert into payout_attempts (account_id, payout_id, number, opened_at, asked_at, rail, uetr)
        values (${account_id}, ${id}, 1, now(), ${asked_at}::timestamptz, ${RAIL},
          gen_random_uuid()::text)`
      if (asked_at === null) {
        await tx`update payout_attempts set asked_at = now() where payout_id = ${id}`
      }
    })
  await assert.rejects(insert(new Date().toISOString()), /held by screening/)
  await assert.rejects(insert(null), /held by screening/)
})

test('a new installation: every list must be current until a person says otherwise', async () => {
  const { owner } = service.database
  const defaults = owner`update screening_settings set required = '{un}', set_by = '', reason = ''`
  await assert.rejects(defaults, /set_by_a_person/)
  const ran = await cli.run('screening', 'require', 'none')
  assert.equal(ran.code, 2)
})

test('a list that comes between creation and hand-over stops who is on it', async () => {
  await screenWith(without('BADEGE'))
  const listed = await pay('Eric Badege')
  const free = await pay('Lucia Chen')
  assert.equal(listed.status, 'processing')
  await takeList(un)
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [free.id])
  assert.equal(await statusOf(listed.id), 'compliance_hold')
})

test('a claim right after an import, by a process that has not seen it: takes nothing', async () => {
  await screenWith(without('BADEGE'))
  const { id } = await pay('Eric Badege')
  const key = { account_id: live.account.account_id, id }
  await takeList(un)
  assert.deepEqual(await claimDuePayouts(service.deps.sql, [key], 1_000), [])
  const [row] = await service.database
    .owner`select claimed_until from open_payouts where id = ${id}`
  assert.equal(row?.claimed_until, null)
})

test('a list that comes while payouts are made, in another process: nobody on it is paid', async () => {
  await screenWith(without('BADEGE'))
  const other = await service.anotherProcess()
  try {
    const { got, rail } = paying()
    const client = live
    const made = Promise.all(Array.from({ length: 20 }, () => pay('Eric Badege', client)))
    // From here on, whoever pays Eric Badege before this is done may be paid, and nobody after it.
    await Promise.all([made, takeList(un)])
    const before_it = new Set(got)
    for (let round = 0; round < 3; round++) {
      await Promise.all([settle(rail), settle(rail, other.deps)])
    }
    assert.deepEqual(
      got.filter(id => !before_it.has(id)),
      [],
    )
    for (const { id } of await made) assert.equal(await statusOf(id), 'compliance_hold')
  } finally {
    await other.close()
  }
})

test('a payout that its rail may have: asked about, and not handed over again', async () => {
  await screenWith(without('BADEGE'))
  const { id } = await pay('Eric Badege')
  const cut = () => Promise.reject(new Error('cut off'))
  const silent = railOf({ submit: cut, inquire: async () => undefined })
  await settle(silent)
  await takeList(un)
  const { got, rail } = paying()
  await makeDue(service, id)
  await settle(rail)
  await makeDue(service, id)
  await settle(rail)
  assert.deepEqual(got, [])
  assert.equal((await holdOf(id))?.screening, 'open')
  assert.equal(await statusOf(id), 'processing')
  const knows = railOf({
    submit: async () => assert.fail('handed over'),
    inquire: async () => ({ ...report('succeeded'), ask_again_in_ms: null }),
  })
  await makeDue(service, id)
  await settle(knows)
  assert.equal(await statusOf(id), 'succeeded')
})

test('a person does not take what is not screened', async () => {
  await service.setRoutes([{ rail: 'manual', priority: 0 }])
  await screenWith(without('BADEGE'))
  const { id } = await pay('Eric Badege')
  await takeList(un)
  const early = await cli.run('payout', 'take', id)
  assert.equal(early.code, 1, early.stdout)
  assert.match(early.stderr, /not screened/)
  await settle(paying().rail)
  assert.equal((await holdOf(id))?.screening, 'open')
  assert.equal((await cli.run('payout', 'take', id)).code, 1)
})

test('a transfer to another account is credited only once it is cleared', async () => {
  await screenWith(un)
  const receiver = await service.openAccount({ sandbox: onCluster })
  const to = {
    type: 'service_account',
    service_account: { deposit_address: receiver.account.deposit_address },
  }
  const body = {
    amount: 1000,
    currency: 'USD',
    type: 'service_account',
    purpose: 'gift',
    transaction_description: 'Gift',
    beneficiary_details: { name: 'Eric Badege', type: 'individual', destination_details: to },
  }
  const made = await live.post('/v3/payout', body)
  assert.equal(made.status, 200, made.text)
  const { id, status } = made.json.data
  assert.equal(status, 'compliance_hold')
  const { rail } = paying()
  await settle(rail)
  assert.equal(await statusOf(id), 'compliance_hold')
  await runs('screening', 'clear', id, '--reason', REASON)
  await settle(rail)
  assert.equal(await statusOf(id), 'succeeded')
  assert.equal((await balancesOf(receiver)).USD, '1000')
})

test('held for an entity that is not reviewed, and for a match: both must end', async () => {
  await screenWith(un)
  const entity = await live.post('/v3/entity', { type: 'individual', name: 'Lucia Chen' })
  const { id: on_behalf_of } = entity.json.data
  const { id } = await pay('Eric Badege', live, { on_behalf_of })
  const { got, rail } = paying()
  await runs('entity', 'approve', on_behalf_of)
  await settle(rail)
  assert.equal(await statusOf(id), 'compliance_hold')
  await runs('screening', 'clear', id, '--reason', REASON)
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id])
})

/** A payout on behalf of an approved entity that nobody has listed. */
async function payForEntity() {
  const made = await live.post('/v3/entity', { type: 'individual', name: 'Lucia Chen' })
  const { id: entity_id } = made.json.data
  await runs('entity', 'approve', entity_id)
  const { id, status } = await pay('Maria Silva', live, { on_behalf_of: entity_id })
  assert.equal(status, 'processing')
  return { id, entity_id }
}

async function rename(entity_id: string, name: string): Promise<void> {
  const answer = await live.put(`/v3/entity/${entity_id}`, { name })
  assert.equal(answer.status, 200, answer.text)
}

test('its entity changes before the rail has it: screened again, and held if that is listed', async () => {
  await screenWith(un)
  const [listed, other] = [await payForEntity(), await pay('Maria Silva')]
  await rename(listed.entity_id, 'Eric Badege')
  assert.deepEqual(await holdOf(listed.id), { screening: '', screened: null })
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [other.id])
  assert.equal(await statusOf(listed.id), 'compliance_hold')
  const { json } = await runs('screening', 'show', listed.id, '--json')
  assert.deepEqual(
    json.matches.map((match: { party: string; state: string }) => [match.party, match.state]),
    [['entity', 'open']],
  )
})

test('its entity changes to another who is not listed: screened again, and it goes out', async () => {
  await screenWith(un)
  const { id, entity_id } = await payForEntity()
  await rename(entity_id, 'Lucia Chan')
  const key = { account_id: live.account.account_id, id }
  assert.deepEqual(await claimDuePayouts(service.deps.sql, [key], 1_000), [])
  const { got, rail } = paying()
  await settle(rail)
  await settle(rail)
  assert.deepEqual(got, [id])
})

test('its entity changes while the lists are asked: what was found before counts no more', async () => {
  await screenWith(without('BADEGE'))
  const { id, entity_id } = await payForEntity()
  const { account_id } = live.account
  const [before] = await service.database.owner<{ updated_at: string }[]>`
    select updated_at from entities where id = ${entity_id}`
  await takeList(un)
  await rename(entity_id, 'Eric Badege')
  await readLists()
  const version = service.deps.lists.latest()?.version ?? null
  const screened = { version, matches: [], entity_at: before?.updated_at ?? '' }
  const late = service.deps.lanes.advancePayout.run({
    account_id,
    payout_id: id,
    steps: [],
    by: 'review',
    ask_again_in_ms: null,
    screened,
  })
  await assert.rejects(late, /has changed since it was screened/)
  assert.deepEqual(await holdOf(id), { screening: '', screened: null })
})
