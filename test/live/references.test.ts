// What the database holds against itself when a bank's reference is booked: one live account is funded
// by it, however it is written, unless the payment is split or its booking was reversed.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { transactConfined } from '../../src/sql/confine.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { numberedId } from '../../src/values/id.ts'
import { plusMilliseconds } from '../../src/values/instant.ts'
import { createDatabase } from '../support/database/database.ts'
import { insertLines } from '../support/database/line-rows.ts'

const database = await createDatabase()
const owner = database.owner
const service = connect(database.url, { max: 1, as: 'service' })
for (const id of ['live_a', 'live_b', 'live_c', 'sandbox']) {
  await owner`
    insert into accounts (account_id, name, currencies, primary_currency, deposit_address, sandbox)
    values (${id}, 'A', '{USD}', 'USD', ${`dep_${id}`}, ${id === 'sandbox'})`
}
after(async () => {
  await service.end({ timeout: 5 })
  await database.drop()
})

type Line = readonly [account_id: string, id: string, type: string, metadata: object]

const LINES: readonly Line[] = [
  ['live_a', 'btr_1', 'escrow', { reference: 'BANK 1' }],
  ['live_b', 'btr_2', 'escrow', { reference: 'bank1', split: 'true' }],
  ['live_a', 'btr_4', 'escrow', { reference: 'BANK-2' }],
  ['live_a', 'btr_4', 'escrow_reversal', { by: 'x', reason: 'Wrong account' }],
  ['live_b', 'btr_5', 'escrow', { reference: 'BANK-2' }],
  ['live_a', 'btr_6', 'escrow', { reference: 'BANK-3' }],
  ['live_a', 'btr_6', 'escrow_reversal', { by: 'x', reason: 'Wrong account' }],
  ['live_a', 'btr_7', 'escrow', {}],
  ['live_a', 'btr_8', 'adjustment', { by: 'x', reason: 'y', reference: 'BANK-4' }],
  ['sandbox', 'btr_9', 'escrow', { reference: 'BANK-1' }],
]

let lines = 0
/** The names above by the ids that the lines have got. */
const names = new Map<string, string>()
const named = (id: string) => names.get(id) ?? id

function insertLine(sql: Pick<Sql, 'unsafe'>, [account_id, name, type, metadata]: Line) {
  lines += 1
  const created_at = plusMilliseconds('2026-01-01T00:00:00.000000Z', lines * 1000)
  const back = type === 'escrow_reversal'
  const [undone] = [...names].find(([, known]) => known === name) ?? []
  if (!back) names.set(numberedId('btr', { account_id, created_at }, BigInt(lines)), name)
  return insertLines(sql, {
    from: '(select) one',
    account_id: `'${account_id}'`,
    number: String(lines),
    kind: { escrow: `'funding'`, escrow_reversal: `'funding_reversal'` }[type] ?? `'${type}'`,
    amount: back ? '-1' : '1',
    source: `'esc_${lines}'`,
    ...(back && { undoes: `'${undone}'` }),
    metadata: `'${JSON.stringify(metadata)}'`,
    created_at: `timestamptz '${created_at}'`,
  })
}

const book = (line: Line) => transactConfined(service, [line[0]], tx => insertLine(tx, line))

test('funding_references of live accounts, existing bookings: references folded; split and reversed ones marked', async () => {
  for (const line of LINES) await book(line)
  const rows = await owner<{ account_id: string; id: string; row: string }[]>`
    select id, concat_ws(' ', reference, case when split then 'split' end,
      case when reversed then 'reversed' end) as row, account_id
    from funding_references order by id`
  assert.deepEqual(
    rows.map(({ account_id, id, row }) => `${account_id} ${named(id)} ${row}`),
    [
      'live_a btr_1 BANK1',
      'live_b btr_2 BANK1 split',
      'live_a btr_4 BANK-2 reversed',
      'live_b btr_5 BANK-2',
      'live_a btr_6 BANK-3 reversed',
    ],
  )
})

const POINTS: readonly (readonly [account_id: string, reference: string, funds: boolean])[] = [
  ['live_c', 'BANK 1', false],
  ['live_a', 'b a n k 1', false],
  ['live_b', 'BANK-1', true],
  ['live_c', 'b ank-2', false],
  ['live_a', 'bank-2', false],
  ['live_c', 'BANK-3', true],
  ['live_b', 'BANK-3', false],
  ['live_c', 'BANK-4', true],
  ['sandbox', 'BANK-2', true],
]

for (const [account_id, reference, funds] of POINTS) {
  test(`booking with reference ${reference} for ${account_id}: ${funds ? 'accepted' : 'refused for every writer'}`, async () => {
    const line: Line = [account_id, `btr_${lines}_new`, 'escrow', { reference }]
    if (funds) return void (await book(line))
    const refused = { constraint_name: 'one_live_account_a_reference' }
    await assert.rejects(book(line), refused)
    await assert.rejects(
      owner.begin(tx => insertLine(tx, line)),
      refused,
    )
  })
}

test('funded_elsewhere, called by the service: names other accounts that used the reference', async () => {
  const [elsewhere] = await service<{ account_id: string; id: string }[]>`
    select account_id, id from funded_elsewhere('{live_c}', '{bank 1}')`
  assert.deepEqual([elsewhere?.account_id, named(elsewhere?.id ?? '')], ['live_a', 'btr_1'])
  await owner.begin(async tx => {
    await tx`set local corridor.maintenance = 'on'`
    await tx`
      insert into payout_outcomes (account_id, id, updated_at, taken_at, rail_steps, rail_attempts,
        status, rail, status_description, rail_reference, taken_by, answers)
      values ('live_a', 'pot_1', now(), now(), 0, 0, 'succeeded', 'manual', '', 'HSBC 9', 'anna',
        '[]')`
  })
  const [paid] = await service<{ asked_id: string; id: string }[]>`
    select asked_id, id from paid_elsewhere('{pot_1,pot_2}', '{HSBC 9,hsbc9}')`
  assert.deepEqual({ ...paid }, { asked_id: 'pot_2', id: 'pot_1' })
  await assert.rejects(service`delete from funding_references`, /permission denied/)
  await assert.rejects(service`select from funding_references`, /permission denied/)
})
