// Two people who change one nostro at the same moment: what one has changed stays, whatever the other
// changes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addNostro, closeEmpty, setNostro } from '../../src/operator/nostro-changes.ts'
import { addRule, removeRule } from '../../src/operator/nostro-rules.ts'
import { setMapping } from '../../src/operator/nostro-statements.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import type { NostroSettings } from '../../src/treasury/nostro.ts'
import { listNostros } from '../../src/treasury/nostro-store.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { giveItems, openNostro } from '../support/treasury/open-rows.ts'

let database: TestDatabase
let owner: Sql
let sql: Sql
before(async () => {
  database = await createDatabase()
  owner = database.owner
  sql = connect(database.url, { max: 3, as: 'service', look_ups: true })
})
after(async () => {
  await sql.end()
  await database.drop()
})

const RULE = { text: '*FEE*', as: 'cost' } as const
const MAPPING = { booked_on: 'Date', amount: 'Amount', currency: 'Currency' }

/** As the API runs an action that changes reference data. */
const acting = () => ({ change: <T>(work: (on: Sql) => Promise<T>) => work(sql) }) as never

const CHANGES: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'nostro set': name => setNostro(sql, name, { low: 500 }),
  'nostro mapping': name => setMapping(sql, name, MAPPING),
  'nostro add-rule': name => addRule.run(acting(), { name, text: 'SWEEP', as: 'cost' } as never),
  'nostro remove-rule': name => removeRule.run(acting(), { name, number: 1 } as never),
}

for (const [place, [command, change]] of Object.entries(CHANGES).entries()) {
  test(`${command} while another change of the nostro commits: both changes stay`, async () => {
    const name = `eur_${place}`
    await openNostro(owner, name, { rules: [{ text: 'OLD RULE', as: 'interest' }] })
    const changing = await owner.begin(async tx => {
      await tx`
        update nostros set settings = settings || ${JSON.stringify({ rules: [RULE], critical: '7' })}::text::jsonb
        where name = ${name}`
      const started = change(name)
      await untilBlocked(owner)
      return { started }
    })
    await changing.started
    const stored = (await listNostros(owner)).find(one => one.name === name)?.settings ?? {}
    assert.equal(stored.critical, '7')
    const own =
      {
        'nostro set': [stored.low, '500'],
        'nostro mapping': [stored.statement?.format, 'csv'],
        'nostro add-rule': [stored.rules?.[1]?.text, 'SWEEP'],
        'nostro remove-rule': [stored.rules?.length, 0],
      }[command] ?? assert.fail()
    assert.equal(own[0], own[1])
    if (command !== 'nostro remove-rule') assert.equal(stored.rules?.[0]?.text, RULE.text)
  })
}

test('nostro in a currency that does not exist: refused', async () => {
  const asked = { name: 'eru_main', currency: 'ERU', opening_balance: 0 }
  await assert.rejects(addNostro(sql, asked), /There is no currency ERU/)
})

test('rail that a nostro names twice: refused in words, and by PostgreSQL', async () => {
  const { name } = await openNostro(owner, 'eur_twice')
  const rails = ['manual', 'manual']
  await assert.rejects(setNostro(sql, name, { rails }), /rails has manual twice/)
  await assert.rejects(owner`update nostros set rails = ${rails} where name = ${name}`, {
    constraint_name: 'rails_named_once',
  })
})

test('gate set while the derivation works for longer than a request may last: set once that ends', async () => {
  const { name } = await openNostro(owner, 'eur_gated')
  const setting = await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(hashtextextended('corridor treasury', 0))`
    const started = setNostro(sql, name, { gate: true })
    await untilBlocked(owner)
    await tx`select pg_sleep(6)`
    return { started }
  })
  assert.equal((await setting.started).settings.gate, true)
})

test('nostro close, two open items of opposite amounts: refused, as items are open', async () => {
  const nostro = await openNostro(owner, 'eur_opposite')
  await giveItems(owner, nostro, [{ amount: -100n }, { amount: 100n }])
  await assert.rejects(closeEmpty(sql, nostro.name), /and 2 are open/)
})

const SET = {
  ...{ low: 500, critical: 100, two_people_from: 900, match_by_account: true, gate: true },
  ...{ expected_days: 5, statement_due_by: '07:30' },
  calendar: 't2',
} as const
const TAKEN = {
  ...{ low: 'no_low', critical: 'no_critical', two_people_from: 'no_two_people' },
  ...{ match_by_account: 'no_match_by_account', gate: 'no_gate' },
  ...{ expected_days: 'no_expected_days', calendar: 'no_calendar' },
  statement_due_by: 'no_statement_due_by',
} as const

for (const [place, [setting, end]] of Object.entries(TAKEN).entries()) {
  test(`nostro set --${end.replaceAll('_', '-')}: takes this setting away, and no other; refused beside its opposite`, async () => {
    const name = `eur_set_${place}`
    await openNostro(owner, name)
    const full = flat((await setNostro(sql, name, SET)).settings)
    const kept = flat((await setNostro(sql, name, { [end]: true })).settings)
    const { [setting]: _, ...rest } = full
    assert.deepEqual(kept, rest)
    const both = { [end]: true, [setting]: SET[setting as keyof typeof SET] }
    await assert.rejects(setNostro(sql, name, both), new RegExp(`${setting} says the opposite`))
  })
}

function flat({ statement = {}, ...settings }: NostroSettings): Record<string, unknown> {
  const { due_by, ...others } = statement
  return { ...settings, ...others, ...(due_by !== undefined && { statement_due_by: due_by }) }
}
