// What somebody with the database's password could do to hide that data was changed: blank a row, pretend
// an erasure, write into an erased row. corridor verify names each. And an erasure that is broken off
// leaves everything as it was.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { rowVersions } from '../support/assert/check.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let ada: Awaited<ReturnType<typeof openContext>>
let account: Client
/** Erased, with a payout; and one that is not. */
let erased: { id: string; payout: string }
let whole: { id: string; payout: string }

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ payout_type: 'local' }])
  ada = await openContext(service, 'ada')
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 8n } })
  erased = await paidAndChanged()
  whole = await paidAndChanged()
  await erase(erased.id)
})
after(async () => {
  await ada.close()
  await service.close()
})

const erase = (id: string) => eraseBy(ada.context, id)

async function paidAndChanged() {
  const { json } = await account.post('/v3/payout', { ...localPayout, amount: 200_000 })
  const { id: payout, beneficiary: id } = json.data
  while ((await settleOnce(service.deps)) > 0);
  assert.equal((await account.put(`/v3/beneficiary/${id}`, { name: 'Zwick' })).status, 200)
  return { id: id as string, payout: payout as string }
}

type Forge = (tx: TransactionSql) => Promise<unknown>

const details = JSON.stringify({ ...bankBeneficiary, name: 'Eve' })

const FORGERIES: readonly (readonly [what: string, table: string, forge: Forge])[] = [
  [
    'a beneficiary blanked by hand',
    'beneficiaries',
    tx => tx`update beneficiaries
      set details = erased_beneficiary(details::jsonb)::json, found_by = ''
      where id = ${whole.id}`,
  ],
  [
    'a beneficiary blanked, and an erasure written for it',
    'beneficiaries',
    async tx => {
      await tx`insert into erasures (account_id, party_id, erased_at, table_name, key, erased_by,
        reason) select account_id, id, now(), 'beneficiaries', id, 'ada', 'x'
        from beneficiaries where id = ${whole.id}`
      await tx`update beneficiaries
        set details = erased_beneficiary(details::jsonb)::json, found_by = ''
        where id = ${whole.id}`
    },
  ],
  [
    'another payee in an erased beneficiary',
    'beneficiaries',
    tx => tx`update beneficiaries set details = ${details}::text::json where id = ${erased.id}`,
  ],
  [
    'an approval that an erased beneficiary never had',
    'beneficiaries',
    tx => tx`update beneficiaries set approval = 'approved' where id = ${erased.id}`,
  ],
  [
    'another payee in an erased payout',
    'payouts',
    tx => tx`update payouts set beneficiary_details = ${details}::text::json
      where id = ${erased.payout}`,
  ],
  [
    'another amount in an erased payout',
    'payouts',
    tx => tx`update payouts set amount = amount + 1 where id = ${erased.payout}`,
  ],
  [
    'other words in an erased event',
    'events',
    tx => tx`update events set data = '[{"previous":{"name":"Eve"}}]'
      where object_id = ${erased.id} and type = 'beneficiary.updated'`,
  ],
  [
    'another time of an erased event',
    'events',
    tx => tx`update events set created_at = created_at + interval '1 second'
      where object_id = ${erased.id} and type = 'beneficiary.updated'`,
  ],
  [
    'an event blanked by hand, named by an erasure',
    'erasures',
    tx => tx`insert into erasures (account_id, party_id, erased_at, table_name, key, was, becomes,
        erased_by, reason)
      select account_id, object_id, now(), 'events', sequence::text, hash, hash, 'ada', 'x'
      from events where object_id = ${whole.id} and type = 'beneficiary.updated'`,
  ],
  [
    'an erasure by another person',
    'erasures',
    tx => tx`update erasures set erased_by = 'eve' where party_id = ${erased.id}`,
  ],
  [
    'an erasure without its rows',
    'erasures',
    tx => tx`delete from erasures where party_id = ${erased.id} and table_name = 'payouts'`,
  ],
  [
    'an erasure without its act',
    'erasures',
    tx => tx`delete from audit_log where after ->> 'id' = ${erased.id}`,
  ],
]

/** What verify names when `forge` has been at the rows, past the triggers. */
const namedAfter = (forge: Forge): Promise<string[]> =>
  undone(service.database.owner, async tx => {
    for (const name of ['beneficiaries', 'payouts', 'events', 'erasures', 'audit_log']) {
      await tx.unsafe(`alter table ${name} disable trigger user`)
    }
    await forge(tx)
    return problemsOf(await verdictIn(tx, true))
  })

test('corridor verify, each forgery of erased and unerased data: named', async () => {
  assert.deepEqual(await namedAfter(async () => {}), [])
  for (const [what, table, forge] of FORGERIES) {
    const found = await namedAfter(forge)
    assert.ok(found.includes(table), `${what}: ${table} in ${found.join(', ')}`)
  }
})

function problemsOf(verdict: Awaited<ReturnType<typeof verdictIn>>): string[] {
  return verdict.ok ? [] : verdict.problems.map(problem => problem.table)
}

/** What an erasure writes, in its order. */
const WRITTEN = 'books events erasures audit_log beneficiaries payouts payout_outcomes'.split(' ')

test('erasure interrupted at any table: nothing erased', async () => {
  const { owner } = service.database
  const before = await rowVersions(owner)
  await owner.unsafe(`
    create function break_off() returns trigger language plpgsql as
      $$ begin raise exception 'broken off' using errcode = 'check_violation'; end $$`)
  for (const table of WRITTEN) {
    await owner.unsafe(`
      create trigger zz_broken after insert or update on ${table}
        for each row execute function break_off()`)
    await assert.rejects(erase(whole.id), /broken off/, table)
    await owner.unsafe(`drop trigger zz_broken on ${table}`)
    assert.deepEqual(await rowVersions(owner), before, table)
  }
  await owner.unsafe('drop function break_off()')
})
