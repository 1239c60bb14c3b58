// What screening holds is compared again when the lists change: what is new is added to it, what was
// found stays, and nothing that a person has not seen is cleared, whatever comes at the same moment.
// What is to go out now comes first.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { screenPayouts } from '../../src/app/worker/screen-payouts.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import { Refusal } from '../../src/values/errors.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { addPerson, type TestService } from '../support/service/service.ts'
import { readLists, requireLists, takeUnList } from '../support/service/un-list.ts'
import { share } from '../support/share.ts'
import { Office, REASON } from './office.ts'

/** At once. Each clears by a process of its own, which a busy machine has no time for twelve of. */
const RACERS = share(6, 12)

/** More than a round of the worker takes. */
const SCHEDULED = 510

let office: Office
let service: TestService
/** Eric Badege is on the list twice. */
let twice: string
let id: string
before(async () => {
  office = await Office.open()
  service = office.service
  await requireLists(service, 'un')
  const [him = ''] = /<INDIVIDUAL>[\s\S]*?<\/INDIVIDUAL>/.exec(office.un) ?? []
  const other = him.replace('CDi.001', 'CDi.902').replace('6907993', '6907994')
  twice = office.un.replace(him, () => him + other)
  assert.ok(twice.includes('CDi.902'))
})
beforeEach(async () => {
  await office.renew()
  id = office.live.account.account_id
})
after(() => office.close())

const pay = async (amount = 1000) => (await office.pay('Eric Badege', { amount })).id

/** One round of the worker that compares. */
async function compare(): Promise<void> {
  service.deps.screening.again()
  await screenPayouts(service.deps)
}

async function entriesOf(payout: string): Promise<string[]> {
  const { matches } = await office.show(payout)
  return matches.map(({ entry_id, state }) => `${entry_id} ${state}`).sort()
}

test('held payout, import lists a second entry that matches: match added with its score, only a person who saw it clears the hold', async () => {
  await office.listIs(office.un)
  const payout = await pay()
  await compare()
  const [first] = (await office.show(payout)).matches
  await office.listIs(twice)
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 open', 'CDi.902 open'])
  const { matches, digest } = await office.show(payout)
  const was = matches.find(({ entry_id }) => entry_id === 'CDi.001')
  assert.deepEqual(was, first, 'what was found before stays as it was')
  for (const { score, pieces } of matches) assert.ok(score >= 890 && pieces.length > 0)
  const clear = ['screening', 'clear', payout, ...REASON]
  const blind = await office.fails(...clear)
  assert.match(blind, /There are new matches of Payout pot_\w+: look at it again/)
  const wrong = await office.fails(...clear, '--digest', '0'.repeat(64))
  assert.match(wrong, /look at it again/)
  await office.settle()
  assert.deepEqual(office.got, [])
  await office.runs(...clear, '--digest', digest)
  await office.settle()
  assert.deepEqual(office.got, [payout])
})

test('payout with a confirmed match, import lists another matching entry: match added, payout stays blocked', async () => {
  await office.listIs(office.un)
  const payout = await pay()
  await office.decides('confirm', payout)
  await office.listIs(twice)
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 confirmed', 'CDi.902 open'])
  assert.equal((await office.show(payout)).screening, 'confirmed')
  await office.settle()
  assert.deepEqual(office.got, [])
})

test('held payout, import without new matches: no match added, hold kept', async () => {
  await office.listIs(office.un)
  const payout = await pay()
  await compare()
  const [was] = (await office.show(payout)).matches
  for (const text of [office.un, office.without('BADEGE').replace('CDi.001', 'CDi.903')]) {
    await office.listIs(text)
    await compare()
    const { matches, screening } = await office.show(payout)
    assert.deepEqual([matches[0]?.found_at, screening], [was?.found_at, 'open'])
  }
  await office.settle()
  assert.deepEqual(office.got, [])
})

test('payout held by a match on older lists: screened against the current lists too', async () => {
  await office.listIs(office.un)
  await takeUnList(service, twice)
  const payout = await pay()
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 open', 'CDi.902 open'])
})

test('PostgreSQL, hold with an uncleared match: cannot end', async () => {
  await office.listIs(office.un)
  const payout = await pay()
  const { owner } = service.database
  const end = `update open_payouts set screening = 'waits' where id = '${payout}'`
  await assert.rejects(
    transactConfined(service.deps.sql, [id], async tx => void (await tx.unsafe(end))),
    /nobody has cleared/,
  )
  await assert.rejects(owner.unsafe(end), /nobody has cleared/)
  await office.decides('confirm', payout)
  await assert.rejects(owner.unsafe(end), /nobody has cleared/)
})

test('lists changed, many scheduled payouts: payouts that are due screened first', async () => {
  const execute_at = new Date(Date.now() + 86_400_000).toISOString()
  const payouts = Array.from({ length: SCHEDULED }, (_, i) => {
    return { ...localPayout, amount: 1_000 + i, execute_at }
  })
  const made = await office.live.post('/v3/payout_batch', { payouts })
  assert.equal(made.status, 200, made.text)
  const due = (await office.pay('Lucia Chen')).id
  await takeUnList(service, office.un)
  await readLists(service)
  const present = async () => {
    const rows = await service.database.owner<{ id: string }[]>`
      select id from open_payouts where account_id = ${id}
        and screened = (select lists_version from reference_version)`
    return rows.map(row => row.id)
  }
  assert.deepEqual(await present(), [])
  await compare()
  const first = await present()
  assert.ok(first.includes(due))
  assert.ok(first.length <= SCHEDULED)
  service.deps.screening.again()
  while ((await screenPayouts(service.deps)) > 0) service.deps.screening.again()
  assert.equal((await present()).length, SCHEDULED + 1)
})

test(`${RACERS} payouts, a list import, clears and approvals in parallel: none paid with a match that nobody saw`, async () => {
  const roles = [[id, 'approver'] as const]
  const { user } = await addPerson(service, { user: 'anna', role: 'operator', roles })
  await addApprovalRule(service, { account_id: id })
  await office.listIs(office.un)
  const payouts: string[] = []
  for (let i = 0; i < RACERS; i += 1) payouts.push(await pay(1000 + i))
  const rounds = async () => {
    for (let i = 0; i < 4; i += 1) {
      await compare()
      await office.settle()
    }
  }
  const imported = office.listIs(twice)
  const approving = payouts.map(async payout_id => {
    // Before the list is there, one that is cleared may be paid.
    await imported
    return approve(service, { account_id: id, payout_id, user })
  })
  // When the import has added to what was found.
  const refused = (error: unknown) => assert.ok(error instanceof Refusal, String(error))
  const clearing = payouts.map(payout => office.decides('clear', payout).catch(refused))
  await Promise.all([rounds(), imported.then(rounds), ...clearing, ...approving])
  await rounds()
  assert.deepEqual(office.got, [])
  for (const payout of payouts) {
    const entries = await entriesOf(payout)
    assert.ok(entries.includes('CDi.902 open'), `${payout}: ${entries}`)
  }
  for (const payout of payouts) {
    await office.decides('clear', payout, (await office.show(payout)).digest)
  }
  await rounds()
  assert.deepEqual(office.got.toSorted(), payouts.toSorted(), 'each once')
})
