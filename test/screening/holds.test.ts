// Payouts that screening holds: of whom is listed, of live accounts without current lists, and while
// lists change.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import type { RailPayout } from '../../src/rails/rail.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { onCluster } from '../support/database/citus.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { review } from '../support/service/review.ts'
import type { TestService } from '../support/service/service.ts'
import { makeDue, railOf, report } from '../support/service/settling.ts'
import { readLists, requireLists, takeUnList } from '../support/service/un-list.ts'
import { Office, payee, RAIL, REASON } from './office.ts'

const HELD = 'compliance_hold'

let office: Office
let service: TestService
before(async () => {
  office = await Office.open()
  service = office.service
})
beforeEach(() => office.renew())
after(() => office.close())

/** The UN's list is there and must be current, and this process has it. */
async function screenWith(text: string): Promise<void> {
  await requireLists(service, 'un')
  await office.listIs(text)
}

async function holdOf(id: string) {
  const [row] = await service.database.owner<{ screening: string; screened: bigint | null }[]>`
    select screening, screened from open_payouts where id = ${id}`
  return row
}

/** What a worker claims of a payout, whatever lists its process knows. */
const claim = (id: string) =>
  claimDuePayouts(service.deps.sql, [{ account_id: office.live.account.account_id, id }], 1_000)

const asOwner = (statement: (tx: TransactionSql) => PromiseLike<unknown>) =>
  service.database.owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await statement(tx)
  })

// First, while no list has ever been there.
test('screening list missing, stale or a sample: live payouts wait and are counted, sandbox payouts proceed', async () => {
  await requireLists(service, 'un')
  const { id, status } = await office.pay('Lucia Chen')
  assert.equal(status, 'processing')
  await office.settle()
  await takeUnList(service, office.un, { is_sample: true })
  await office.settle()
  assert.deepEqual(office.got, [], 'only a sample')
  await readLists(service)
  const sandbox = await service.openAccount({ fund: { USD: 100_000n } })
  assert.equal((await office.pay('Eric Badege', {}, sandbox)).status, HELD)
  const listed = await office.runs('screening', 'list', '--state', 'waits', '--json')
  assert.deepEqual(
    listed.json.results.map((found: { id: string }) => found.id),
    [id],
  )
  await takeUnList(service, office.un)
  await office.settle()
  assert.deepEqual(office.got, [id])
  const { owner } = service.database
  await owner`alter table screening_imports disable trigger user`
  await owner`update screening_imports set imported_at = now() - interval '8 days'`
  await owner`alter table screening_imports enable trigger user`
  await readLists(service)
  const late = await office.pay('Lucia Chen')
  await office.settle()
  assert.deepEqual(office.got, [id], 'the list is stale')
  await office.runs('screening', 'require', 'none', '--reason', 'Screened before it comes here.')
  await office.settle()
  assert.deepEqual(office.got, [id, late.id])
})

test('payee at a listed bank, by BIC or name: held, the match names the bank', async () => {
  const remarks = '<COMMENTS1>SWIFT/BIC NRWDHKHH; all offices worldwide.</COMMENTS1>'
  const listed = office.un
    .replace('KOMID', 'Norwind Bank')
    .replace('<ENTITY_ADDRESS>', `${remarks}<ENTITY_ADDRESS>`)
  await screenWith(listed)
  const detailsAt = (change: object) => {
    const { destination_details, ...person } = payee('Lucia Chen')
    const bank = { ...destination_details.bank, ...change }
    return { beneficiary_details: { ...person, destination_details: { type: 'bank', bank } } }
  }
  for (const bank of [
    { bank_codes: { swift_code: 'NRWDHKHH001' } },
    { bank_codes: { bic_code: 'nrwd hkhh' } },
    { bank_name: 'Norwind Bank Ltd' },
  ]) {
    const { id, status } = await office.pay('Lucia Chen', detailsAt(bank))
    assert.equal(status, HELD, JSON.stringify(bank))
    const { matches } = await office.show(id)
    const found = matches.map(({ party, entry_id }) => `${party} ${entry_id}`)
    assert.deepEqual(found, ['bank KPe.001'])
  }
  const free = await office.pay('Lucia Chen', detailsAt({ bank_name: 'Northwind Bank' }))
  assert.equal(free.status, 'processing')
  const long = { ...localPayout, ...detailsAt({ bank_name: 'Bank '.repeat(41).trim() }) }
  const path = 'beneficiary_details.destination_details.bank.bank_name'
  assertRefused(await office.live.post('/v3/payout', long), 400, 'invalid_field', path)
})

test('listed payee: payout held at creation, no reason shown to the account; other payouts sent', async () => {
  await screenWith(office.un)
  const held = await office.pay('Eric Badege')
  assert.deepEqual([held.status, held.status_description], [HELD, 'Held for review.'])
  const free = await office.pay('Lucia Chen')
  assert.equal(free.status, 'processing')
  await office.settle()
  assert.deepEqual(office.got, [free.id])
  assert.equal(await office.statusOf(held.id), HELD)
  const refused = await office.live.post(`/v3/payout/${held.id}/cancel`, {})
  assertRefused(refused, 409, 'payout_not_cancellable')
  const [match] = (await office.show(held.id)).matches
  const { party, entry_id, state, score, pieces, listed_name } = match ?? assert.fail()
  assert.deepEqual([party, entry_id, state], ['beneficiary', 'CDi.001', 'open'])
  assert.equal(score, pieces.at(-1)?.score)
  const { results } = (await office.runs('screening', 'list', '--json')).json
  const of = (id: string) => results.find((found: { id: string }) => found.id === id)
  assert.deepEqual([of(held.id).screening, of(free.id)], ['open', undefined])
  const { name, listed_name: found, score: best } = of(held.id)
  assert.deepEqual([name, found, best], ['Eric Badege', listed_name, score])
})

test('match cleared by a person: payout sent; same party held again only if the entry changes', async () => {
  await screenWith(office.un)
  const { id } = await office.pay('Eric Badege')
  await office.runs('screening', 'clear', id, ...REASON)
  await office.settle()
  assert.deepEqual(office.got, [id])
  assert.equal((await office.pay('Eric Badege')).status, 'processing')
  const other = await office.pay('Eric Badége')
  assert.equal(other.status, HELD, 'another party')
  const { json } = await office.runs('audit', 'list', '--json')
  const [act] = json.filter(
    ({ table_name }: { table_name: string }) => table_name === 'screening_matches',
  )
  assert.deepEqual(
    [act.changed_by, act.reason, act.after.id, act.after.screening, act.after.matches],
    ['anna', REASON[1], id, 'waits', 'beneficiary un CDi.001 cleared'],
  )
  await office.decides('clear', other.id)
  await office.listIs(office.un.replace('<YEAR>1971</YEAR>', '<YEAR>1972</YEAR>'))
  await office.settle()
  assert.deepEqual(office.got, [id])
  assert.equal((await holdOf(other.id))?.screening, 'open')
})

test('held payout, its list entry removed from the list: stays held, marked, until cleared; then sent', async () => {
  await screenWith(office.un)
  const { id } = await office.pay('Eric Badege')
  assert.doesNotMatch((await office.runs('screening', 'list')).stdout, /delisted/)
  const listed = async () => (await office.show(id)).matches.map(match => match.listed)
  assert.deepEqual(await listed(), [true])
  await office.listIs(office.without('BADEGE').replace('CDi.001', 'CDi.901'))
  await office.settle()
  assert.deepEqual(await listed(), [false])
  const shown = await office.runs('screening', 'show', id)
  assert.match(shown.stdout, /CDi\.001 \(delisted\): open/)
  assert.match((await office.runs('screening', 'list')).stdout, /open, delisted/)
  assert.deepEqual([office.got, (await holdOf(id))?.screening], [[], 'open'])
  await office.decides('clear', id)
  await office.settle()
  assert.deepEqual(office.got, [id])
})

test('match confirmed by a person: payout blocked, money kept, until a person fails it', async () => {
  await screenWith(office.un)
  const before = await balancesOf(office.live)
  const { id } = await office.pay('Eric Badege')
  const moves = (status: string) => ['payout', 'transition', id, status, ...REASON]
  await office.fails(...moves('failed'))
  await office.runs('screening', 'confirm', id, ...REASON)
  await office.settle()
  assert.deepEqual(office.got, [])
  for (const status of ['processing', 'succeeded']) await office.fails(...moves(status))
  const refused = await office.live.post(`/v3/payout/${id}/cancel`, {})
  assertRefused(refused, 409, 'payout_not_cancellable')
  assert.notDeepEqual(await balancesOf(office.live), before)
  await office.runs(...moves('failed'))
  assert.deepEqual(await balancesOf(office.live), before)
})

test('PostgreSQL, screening decision without a person, a reason or a user name: refused', async () => {
  await screenWith(office.un)
  const { id } = await office.pay('Eric Badege')
  const nobody = await openCli(service.database.url, {})
  const ran = await nobody.run('screening', 'clear', id, ...REASON)
  await nobody.close()
  assert.equal(ran.code, 2, ran.stderr)
  assert.match(ran.stderr, /CORRIDOR_USER/)
  for (const act of ['clear', 'confirm']) {
    assert.equal((await office.cli.run('screening', act, id)).code, 2, 'without a reason')
  }
  const cleared = asOwner(
    tx => tx`
      update screening_matches set state = 'cleared', decided_at = now(), reason = 'x'
      where account_id = ${office.live.account.account_id} and object_id = ${id}`,
  )
  await assert.rejects(cleared, /decided_by_a_person/)
  assert.equal((await holdOf(id))?.screening, 'open')
})

test('PostgreSQL, held payout: attempt refused', async () => {
  await screenWith(office.un)
  const { id } = await office.pay('Eric Badege')
  const insert = (asked_at: string | null) =>
    asOwner(async tx => {
      await tx`
        insert into payout_attempts (account_id, payout_id, number, opened_at, asked_at, rail, uetr)
        values (${office.live.account.account_id}, ${id}, 1, now(), ${asked_at}::timestamptz,
          ${RAIL}, gen_random_uuid()::text)`
      if (asked_at === null) {
        await tx`update payout_attempts set asked_at = now() where payout_id = ${id}`
      }
    })
  await assert.rejects(insert(new Date().toISOString()), /held by screening/)
  await assert.rejects(insert(null), /held by screening/)
})

test('new installation: every list required until a person decides otherwise', async () => {
  const { owner } = service.database
  const defaults = owner`update screening_settings set required = '{un}', set_by = '', reason = ''`
  await assert.rejects(defaults, /set_by_a_person/)
  assert.equal((await office.cli.run('screening', 'require', 'none')).code, 2)
  const both = await office.cli.run('screening', 'require', 'none', 'un', ...REASON)
  assert.deepEqual([both.code, /none alone/.test(both.stderr)], [2, true])
})

test('claim right after an import, process that still has the old lists: claims nothing; listed payees held', async () => {
  await screenWith(office.without('BADEGE'))
  const listed = await office.pay('Eric Badege')
  const free = await office.pay('Lucia Chen')
  assert.equal(listed.status, 'processing')
  await takeUnList(service, office.un)
  assert.deepEqual(await claim(listed.id), [])
  const [row] = await service.database.owner`
    select claimed_until from open_payouts where id = ${listed.id}`
  assert.equal(row?.claimed_until, null)
  await office.settle()
  assert.deepEqual(office.got, [free.id])
  assert.equal(await office.statusOf(listed.id), HELD)
})

test('import in another process while payouts are created: no listed payee paid', async () => {
  await screenWith(office.without('BADEGE'))
  const other = await service.anotherProcess()
  try {
    const made = Promise.all(Array.from({ length: 20 }, () => office.pay('Eric Badege')))
    // From here on, whoever pays Eric Badege before this is done may be paid, and nobody after it.
    await Promise.all([made, takeUnList(service, office.un)])
    const before_it = new Set(office.got)
    for (let round = 0; round < 3; round++) {
      await Promise.all([office.settle(), office.settle(office.rail, other.deps)])
    }
    assert.deepEqual(
      office.got.filter(id => !before_it.has(id)),
      [],
    )
    for (const { id } of await made) assert.equal(await office.statusOf(id), HELD)
  } finally {
    await other.close()
  }
})

test('listed payee, payout that its rail may have received: rail asked about it, not submitted again', async () => {
  await screenWith(office.without('BADEGE'))
  const { id } = await office.pay('Eric Badege')
  const asked = async (submit: (payout: RailPayout) => Promise<never>, knows: boolean) => {
    const paid = { ...report('succeeded'), ask_again_in_ms: null }
    await office.settle(railOf({ submit, inquire: async () => (knows ? paid : undefined) }))
  }
  await asked(() => Promise.reject(new Error('cut off')), false)
  await takeUnList(service, office.un)
  for (let i = 0; i < 2; i++) {
    await makeDue(service, id)
    await office.settle()
  }
  assert.deepEqual(office.got, [])
  assert.equal((await holdOf(id))?.screening, 'open')
  assert.equal(await office.statusOf(id), 'processing')
  await makeDue(service, id)
  await asked(async () => assert.fail('handed over'), true)
  assert.equal(await office.statusOf(id), 'succeeded')
})

test('manual rail, payout not yet screened: cannot be taken', async () => {
  await service.setRoutes([{ rail: 'manual', priority: 0 }])
  await screenWith(office.without('BADEGE'))
  const { id } = await office.pay('Eric Badege')
  await takeUnList(service, office.un)
  assert.match(await office.fails('payout', 'take', id), /not screened/)
  await office.settle()
  assert.equal((await holdOf(id))?.screening, 'open')
  await office.fails('payout', 'take', id)
})

test('transfer to another account, payee matched: credited after the clear, not before', async () => {
  await screenWith(office.un)
  const receiver = await service.openAccount({ sandbox: onCluster })
  const { beneficiary_details, ...body } = internalPayout(receiver.account.deposit_address)
  const { destination_details } = beneficiary_details
  const to = { ...payee('Eric Badege'), destination_details }
  const { id, status } = await office.pay('', { ...body, beneficiary_details: to })
  assert.equal(status, HELD)
  await office.settle()
  assert.equal(await office.statusOf(id), HELD)
  await office.decides('clear', id)
  await office.settle()
  assert.equal(await office.statusOf(id), 'succeeded')
  assert.equal((await balancesOf(receiver)).USD, '10000')
})

test('payout held for an entity in review and for a match: released only when both end', async () => {
  await screenWith(office.un)
  const on_behalf_of = await office.makeEntity('Lucia Chen')
  const { id } = await office.pay('Eric Badege', { on_behalf_of })
  await review(service, office.live, on_behalf_of, 'approved')
  await office.settle()
  assert.equal(await office.statusOf(id), HELD)
  await office.decides('clear', id)
  await office.settle()
  assert.deepEqual(office.got, [id])
})

/** A payout on behalf of an approved entity that nobody has listed. */
async function payForEntity() {
  const entity_id = await office.makeEntity('Lucia Chen')
  await review(service, office.live, entity_id, 'approved')
  const { id, status } = await office.pay('Maria Silva', { on_behalf_of: entity_id })
  assert.equal(status, 'processing')
  return { id, entity_id }
}

test('entity changed before submission: payout screened again, held if listed', async () => {
  await screenWith(office.un)
  const { id, entity_id } = await payForEntity()
  await office.rename(entity_id, 'Lucia Chan')
  assert.deepEqual(await claim(id), [])
  await office.settle()
  assert.deepEqual(office.got, [id], 'another who is not listed')
  await review(service, office.live, entity_id, 'approved')
  const next = await office.pay('Maria Silva', { on_behalf_of: entity_id })
  const other = await office.pay('Maria Silva')
  await office.rename(entity_id, 'Eric Badege')
  assert.deepEqual(await holdOf(next.id), { screening: '', screened: null })
  await office.settle()
  assert.deepEqual(office.got, [id, other.id])
  assert.equal(await office.statusOf(next.id), HELD)
  const { matches } = await office.show(next.id)
  assert.deepEqual(
    matches.map(({ party, state }) => [party, state]),
    [['entity', 'open']],
  )
})

test('entity changed during the screening: result discarded, screened again', async () => {
  await screenWith(office.without('BADEGE'))
  const { id, entity_id } = await payForEntity()
  const { account_id } = office.live.account
  const [before] = await service.database.owner<{ updated_at: string }[]>`
    select updated_at from entities where id = ${entity_id}`
  await takeUnList(service, office.un)
  await office.rename(entity_id, 'Eric Badege')
  await readLists(service)
  const version = service.deps.lists.latest()?.version ?? null
  const screened = { version, matches: [], entity_at: before?.updated_at ?? '' }
  const review = { account_id, payout_id: id, by: 'review', screened } as const
  const late = service.deps.lanes.advancePayout.run(review)
  await assert.rejects(late, /has changed since it was screened/)
  assert.deepEqual(await holdOf(id), { screening: '', screened: null })
})
