// Truth in PostgreSQL, whatever code asks: what the database itself refuses to the service's role, and
// what it refuses even to the owner. No rule of the product stands between these tests and the tables.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { assertBalanced, type Posting } from '../../src/ledger/rules.ts'
import {
  OPEN_STATUSES,
  PAYOUT_STATUSES,
  PAYOUT_TRANSITIONS,
  type PayoutStatus,
} from '../../src/payouts/states.ts'
import {
  connect,
  literal,
  SERVICE_ROLE,
  type Sql,
  type TransactionSql,
} from '../../src/sql/connect.ts'
import type { Tag } from '../../src/sql/sql.ts'
import { numberedId } from '../../src/values/id.ts'
import { onCluster } from '../support/database/citus.ts'
import { share } from '../support/share.ts'
import { type History, makeHistory } from './history.ts'

const DENIED = '42501'
const CHECK = '23514'
const UNIQUE = '23505'
/** What the append-only triggers raise. */
const RESTRICTED = '23001'

const APPEND_ONLY = ['journals', 'events', 'payouts'] as const

let history: History
let owner: Sql
let service: Sql
let account_id: string

before(async () => {
  history = await makeHistory()
  const { url } = history.service.database
  owner = history.service.database.owner
  account_id = history.main.account.account_id
  // What is refused here is refused to who may see the account.
  const { main, sister } = history
  const names = [main, sister].map(client => client.account.account_id).join(',')
  // The role has the setting where Citus opens sessions of it, which a session does not pass on.
  const role = `role ${SERVICE_ROLE} in database ${new URL(url).pathname.slice(1)}`
  if (onCluster) await owner.unsafe(`alter ${role} set corridor.accounts = ${literal(names)}`)
  service = connect(url, { max: 1, as: 'service' })
  await service`select set_config('corridor.accounts', ${names}, false)`
})
after(async () => {
  await service.end({ timeout: 5 })
  await history.service.close()
})

const roles = () => [['service', service] as const, ['owner', owner] as const]

/** Fails unless the database refuses with this SQLSTATE; returns the error. */
async function refused(
  statement: PromiseLike<unknown>,
  code: string,
  what: string,
): Promise<{ message: string; constraint_name?: string }> {
  try {
    await statement
  } catch (thrown) {
    const error = thrown as Error & { code?: string; constraint_name?: string }
    assert.equal(error.code, code, `${what}: ${error}`)
    const { message } = error
    return onCluster ? { message, constraint_name: constraintIn(message) } : error
  }
  return assert.fail(`${what}: not refused`)
}

/** Citus passes on a machine's message alone; some constraints of shards have a number in the end. */
function constraintIn(message: string): string {
  return /constraint "(\w+?)(?:_\d{6})?"/.exec(message)?.[1] ?? ''
}

class RolledBack extends Error {}

/** Runs `work` in a transaction that leaves nothing behind. */
async function rolledBack(sql: Sql, work: (tx: TransactionSql) => Promise<void>): Promise<void> {
  const failing = sql.begin(async tx => {
    await work(tx)
    throw new RolledBack()
  })
  await assert.rejects(failing, RolledBack)
}

type Line = readonly [code: string, currency: string, amount: bigint]

/** An adjustment, which may go either way, with the line that is its first posting on `available`. */
function insertJournal(sql: Tag, lines: readonly Line[]): PromiseLike<unknown> {
  const [, currency = 'USD', amount = 0n] = lines.find(([code]) => code === 'available') ?? []
  return sql`
    insert into journals
      (account_id, number, kind, source, codes, currencies, amounts, created_at, hash, currency,
        amount, fixed_fee, variable_fee, balance_after, metadata)
    values (${account_id}, 1000000, 'adjustment', 'adj_x', ${lines.map(([code]) => code).join(' ')},
      ${lines.map(([, currency]) => currency).join(' ')},
      ${lines.map(([, , amount]) => String(amount))}::text[]::bigint[], now(), sha256('x'),
      ${currency}, ${String(amount)}::text::bigint, 0, 0, 0,
      '{"reference":"x","reason":"x","by":"x"}')`
}

const UNBALANCED: readonly [what: string, lines: readonly Line[]][] = [
  ['no posting', []],
  ['one posting', [['available', 'USD', 1n]]],
  [
    'a sum of one',
    [
      ['available', 'USD', -1n],
      ['fees', 'USD', 2n],
    ],
  ],
  [
    'two currencies that cancel only together',
    [
      ['available', 'USD', -5n],
      ['fx', 'EUR', 5n],
    ],
  ],
  [
    'one currency balanced, another not',
    [
      ['available', 'USD', -5n],
      ['fx', 'USD', 5n],
      ['fx', 'EUR', -4n],
      ['in_transit', 'EUR', 3n],
    ],
  ],
  [
    'a posting of zero',
    [
      ['available', 'USD', -5n],
      ['fees', 'USD', 0n],
      ['in_transit', 'USD', 5n],
    ],
  ],
  [
    'a sum that would wrap around 64 bits to zero',
    [
      ['available', 'USD', 9_223_372_036_854_775_807n],
      ['fees', 'USD', 9_223_372_036_854_775_807n],
      ['fx', 'USD', 2n],
    ],
  ],
]

test('journals, unbalanced, inserted by SQL: refused for service and owner', async () => {
  for (const [role, sql] of roles()) {
    for (const [what, lines] of UNBALANCED) {
      const error = await refused(insertJournal(sql, lines), CHECK, `${role}: ${what}`)
      assert.equal(error.constraint_name, 'journal_sums_to_zero')
    }
  }
})

test('journals, lists of different lengths: refused', async () => {
  for (const [codes, currencies, amounts] of [
    ['available', 'USD USD', '{1,-1}'],
    ['available fees fx', 'USD USD', '{1,-1}'],
    ['available fees', 'USD USD', '{1,-1,3}'],
    ['available fees', 'USD USD USD', '{1,-1}'],
    ['available fees', 'USD', '{1,-1}'],
    ['available fees', 'USD USD', '{1,NULL}'],
    ['available fees', 'USD USD', '[0:1]={1,-1}'],
    ['available fees fx', 'USD USD USD', '[0:2]={5,1,-1}'],
    ['available fx fx in_transit', 'USD USD EUR EUR', '[0:3]={-1,1,-4,4}'],
    ['available fx fx in_transit', 'USD USD EUR EUR', '{{-1,1},{-4,4}}'],
  ] as const) {
    const statement = service.unsafe(
      `insert into journals (account_id, number, kind, source, codes, currencies, amounts,
          created_at, hash, currency, amount, fixed_fee, variable_fee, balance_after)
        values ($1, 1000000, 'payout', 'pot_x', '${codes}', '${currencies}', '${amounts}', now(),
          sha256('x'), 'USD', -1, 0, 0, 0)`,
      [account_id],
    )
    await refused(statement, CHECK, `${codes} ${currencies} ${amounts}`)
  }
})

test('journals, balanced: accepted from the service', async () => {
  await rolledBack(service, async tx => {
    await insertJournal(tx, [
      ['available', 'USD', -5n],
      ['fx', 'USD', 5n],
      ['fx', 'EUR', -4n],
      ['in_transit', 'EUR', 4n],
    ])
  })
})

const postings = fc.array(
  fc.record({
    code: fc.constantFrom<Posting['code'][]>('available', 'fees', 'fx', 'in_transit'),
    currency: fc.constantFrom('USD', 'EUR', 'JPY'),
    amount: fc
      .oneof(
        fc.bigInt({ min: -3n, max: 3n }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      )
      .filter(amount => amount !== 0n),
  }),
  { minLength: 1, maxLength: 8 },
)

function isBalanced(lines: readonly Posting[]): boolean {
  try {
    assertBalanced(lines)
    return true
  } catch {
    return false
  }
}

const SETS = share(200, 1_000)

test(`journals, ${SETS} random unbalanced sets: every one refused`, async () => {
  const unbalanced = postings.filter(lines => !isBalanced(lines))
  for (const lines of fc.sample(unbalanced, { numRuns: SETS, seed: 20_260_131 })) {
    const columns = lines.map(({ code, currency, amount }): Line => [code, currency, amount])
    const words = columns.map(line => line.join(' ')).join(', ')
    await refused(insertJournal(service, columns), CHECK, words)
  }
})

/** Whether journal_is_sound accepts settlements with these postings. */
const SUMS_TO_ZERO = `
  create function pg_temp.sums_to_zero(currencies text[], amounts bigint[]) returns boolean
  language plpgsql as $$
  begin
    return public.journal_is_sound('settlement', trim(repeat('fees ', cardinality(amounts))),
      array_to_string(currencies, ' '), amounts, null, null, null, null, null, null, null, null);
  exception when check_violation then return false;
  end $$`

test('journal_is_sound without a search path, random sets of postings: true exactly if they follow the rules of the book', async () => {
  // Half of the sets are made to balance by turning a copy of them round.
  const sets = fc
    .tuple(postings, fc.boolean())
    .map(([lines, balance]) =>
      balance
        ? [...lines, ...lines.filter(p => p.amount > -(2n ** 63n)).map(turned)].filter(fits)
        : lines,
    )
  const drawn = fc.sample(sets, { numRuns: 1_000, seed: 20_260_201 })
  const asked = drawn.map(lines => ({
    currencies: lines.map(({ currency }) => currency),
    amounts: lines.map(({ amount }) => String(amount)),
  }))
  let found: readonly { ok: boolean }[] = []
  await rolledBack(owner, async tx => {
    // A restore of a dump has none.
    await tx`set local search_path = ''`
    await tx.unsafe(SUMS_TO_ZERO)
    found = await tx<{ ok: boolean }[]>`
      select pg_temp.sums_to_zero(currencies, amounts) as ok
      from json_to_recordset(${JSON.stringify(asked)}::text::json)
        as drawn(currencies text[], amounts bigint[])`
  })
  let balanced = 0
  for (const [i, lines] of drawn.entries()) {
    const ok = found[i]?.ok
    assert.equal(ok, isBalanced(lines), JSON.stringify(asked[i]))
    if (ok === true) balanced += 1
  }
  assert.ok(balanced > 300, `only ${balanced} of the sets were balanced`)
})

function turned(posting: Posting): Posting {
  return { ...posting, amount: -posting.amount }
}

/** The one amount of 64 bits that has no opposite. */
function fits({ amount }: Posting): boolean {
  return amount !== -(2n ** 63n)
}

for (const table of APPEND_ONLY) {
  test(`${table}, update, delete or truncate by the service: refused for lack of rights`, async () => {
    for (const statement of rewrites(table)) {
      await refused(service.unsafe(statement), DENIED, statement)
    }
  })

  test(`${table}, update, delete or truncate by the owner: refused by a trigger`, async () => {
    // Of what can be erased, each row is judged; of all else the statement. Citus asks no shard
    // where no row would be touched.
    const judged =
      onCluster || ERASABLE.has(table)
        ? rewrites(table).filter(statement => !statement.endsWith('where false'))
        : rewrites(table)
    for (const statement of judged) {
      const error = await refused(owner.unsafe(statement), RESTRICTED, statement)
      assert.match(error.message, /is append-only/)
    }
  })
}

/** Tables whose rows an erasure rewrites in their erased form, and nothing else does. */
const ERASABLE: ReadonlySet<string> = new Set(['payouts', 'events'])

function rewrites(table: string): string[] {
  return [
    `update ${table} set created_at = created_at`,
    // Refused even where no row would be touched.
    `update ${table} set created_at = created_at where false`,
    `delete from ${table}`,
    `truncate ${table}`,
  ]
}

test('append-only triggers, disabled by the service: refused', async () => {
  for (const statement of [
    'alter table journals disable trigger append_only',
    'drop trigger append_only on journals',
    'alter table journals drop constraint sound_journal',
    'drop table journals',
  ]) {
    await refused(service.unsafe(statement), DENIED, statement)
  }
})

test('balances below zero: refused for service and owner', async () => {
  for (const [role, sql] of roles()) {
    const statement = sql`
      update balances set available = -1 where account_id = ${account_id} and currency = 'USD'`
    const error = await refused(statement, CHECK, role)
    assert.equal(error.constraint_name, 'balance_not_negative')
  }
})

/** A copy of a row of the account, with these columns changed. */
async function copyRow(
  sql: Tag,
  table: 'journals' | 'payouts',
  key: readonly [column: string, value: string],
  changes: object,
): Promise<unknown> {
  const columns = await owner<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
  const [row] = await owner.unsafe<Record<string, string | null>[]>(
    `select ${columns.map(({ name }) => `${name}::text`).join(', ')} from ${table}
      where account_id = $1 and ${key[0]}::text = $2`,
    [account_id, key[1]],
  )
  assert.ok(row !== undefined)
  // One row of values, which Citus sends to its shard as it is.
  const copy = { ...row, ...changes } as Record<string, unknown>
  const values = columns.map(({ type }, i) => `$${i + 1}::text::${type}`)
  return sql.unsafe(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
      values (${values.join(', ')})`,
    columns.map(({ name }) => asText(copy[name])),
  )
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? `{${value.join(',')}}` : String(value)
}

/** A copy of journal 1, a funding of US dollars, with these columns changed. */
function copyFunding(sql: Tag, changes: object): PromiseLike<unknown> {
  const copy = { number: 1_000_000, source: 'esc_x', ...changes }
  return copyRow(sql, 'journals', ['number', '1'], copy)
}

const FUNDED = { codes: 'available funding', currencies: 'USD USD', amounts: [10, -10] }
const LINE = { ...FUNDED, amount: 12, fixed_fee: -1, variable_fee: -1, balance_after: 9 }
const BACK = { ...LINE, amount: -10, fixed_fee: 0, variable_fee: 0, amounts: [-10, 10] }
const NO_LINE = {
  ...{ currency: null, amount: null, fixed_fee: null, variable_fee: null, balance_after: null },
  ...{ undoes: null, metadata: null },
}
const SETTLED = { ...FUNDED, ...NO_LINE, kind: 'settlement', codes: 'in_transit settled' }

const MISFITS: readonly (readonly [what: string, changes: object, constraint: string])[] = [
  ['more than the posting', { ...LINE, amount: 13 }, 'line_is_what_moved'],
  ['a fee too much', { ...LINE, fixed_fee: -2 }, 'line_is_what_moved'],
  ['another currency', { ...LINE, currency: 'EUR' }, 'line_is_what_moved'],
  ['no posting on the balance', { ...LINE, codes: 'fees funding' }, 'line_is_what_moved'],
  [
    'two postings on the balance',
    {
      ...LINE,
      codes: 'available funding available funding',
      currencies: 'USD USD USD USD',
      amounts: [10, -10, 1, -1],
    },
    'line_is_what_moved',
  ],
  ['a balance moved without a line', { ...SETTLED, ...FUNDED }, 'line_is_what_moved'],
  ['a line for a settlement', { ...LINE, kind: 'settlement' }, 'line_unless_settlement'],
  ['an incomplete line', { ...SETTLED, amount: 1 }, 'line_unless_settlement'],
  ['a funding without a line', { ...SETTLED, kind: 'funding' }, 'line_unless_settlement'],
  ['a negative funding', BACK, 'direction_matches_kind'],
  ['a payout that credits', { ...LINE, kind: 'payout' }, 'direction_matches_kind'],
  ['a negative balance after', { ...LINE, balance_after: -1 }, 'not_negative_check'],
  ['a funding that undoes a journal', { ...LINE, undoes: 'btr_x' }, 'undoes_if_it_gives_back'],
  ['a failure that undoes no journal', { ...LINE, kind: 'failure' }, 'undoes_if_it_gives_back'],
]

for (const [what, changes, constraint] of MISFITS) {
  test(`journals, ${what}: refused for service and owner`, async () => {
    for (const [role, sql] of roles()) {
      const error = await refused(copyFunding(sql, changes), CHECK, role)
      assert.equal(error.constraint_name, constraint)
    }
  })
}

test('state of an account, money moving at once: changed only by an update of the account', async () => {
  for (const [role, sql] of roles()) {
    await refused(sql`update books set state = 'closed'`, CHECK, `${role}: books`)
    await refused(sql`update balances set account_state = 'closed'`, CHECK, `${role}: balances`)
  }
})

test('journals, with a matching line or without one: accepted from the service', async () => {
  for (const changes of [LINE, SETTLED, { ...BACK, kind: 'payout' }]) {
    await rolledBack(service, async tx => {
      await copyFunding(tx, changes)
    })
  }
})

test('journals, one payout booked or credited back twice: refused', async () => {
  const [first] = await owner<{ source: string }[]>`
    select source from journals where account_id = ${account_id} and number = 1`
  const again = await refused(copyFunding(service, { source: first?.source }), UNIQUE, 'funding')
  assert.equal(again.constraint_name, 'booked_once')
  const failure = { ...LINE, kind: 'failure', undoes: 'btr_x' }
  // Another trigger compares what is given back with what was taken.
  await owner`alter table journals disable trigger gives_back_what_was_taken`
  await rolledBack(service, async tx => {
    await copyFunding(tx, failure)
    const twice = { ...failure, number: 1_000_001, kind: 'reversal' }
    const error = await refused(
      tx.savepoint(sp => copyFunding(sp, twice)),
      UNIQUE,
      'a reversal',
    )
    assert.equal(error.constraint_name, 'undone_once')
  }).finally(() => owner`alter table journals enable trigger gives_back_what_was_taken`.execute())
})

test('balance_transactions: lines of journals, with the ids that the service computes', async () => {
  const rows = await owner<{ id: string; account_id: string; number: bigint; at: string }[]>`
    select id, account_id, journal_number as number, created_at as at from balance_transactions`
  assert.ok(rows.length > 10)
  for (const { id, account_id, number, at } of rows) {
    assert.equal(id, numberedId('btr', { account_id, created_at: at }, number))
  }
  await refused(service`select from balance_transactions`, DENIED, 'the service')
})

/** A copy of the payout that succeeded, under another id. */
function copyPayout(
  sql: Tag,
  copy: { readonly id: string; readonly quote_id?: string },
  fate: 'succeeded' | 'fx' = 'succeeded',
): PromiseLike<unknown> {
  return copyRow(sql, 'payouts', ['id', history.payouts[fate]], copy)
}

test('payouts, a second one on one quote: refused for service and owner', async () => {
  for (const [role, sql] of roles()) {
    const error = await refused(copyPayout(sql, { id: 'pot_x' }, 'fx'), UNIQUE, role)
    assert.equal(error.constraint_name, 'quote_used_once')
  }
})

test('payouts, with both quote and terms, or neither: refused for service and owner', async () => {
  for (const [role, sql] of roles()) {
    for (const [fate, quote_id] of [
      ['succeeded', 'poq_x'],
      ['fx', ''],
    ] as const) {
      const error = await refused(copyPayout(sql, { id: 'pot_x', quote_id }, fate), CHECK, role)
      assert.equal(error.constraint_name, 'quote_or_terms', `${role}, ${fate}`)
    }
  }
})

/** A payout of this status, as far as its status is judged. */
function standing(tx: TransactionSql, status: PayoutStatus): PromiseLike<unknown> {
  const row = [account_id, 'pot_x', status]
  return tx.unsafe(OPEN_STATUSES.includes(status) ? OPEN_ROW : OUTCOME_ROW, row)
}

const OPEN_ROW = `insert into open_payouts (account_id, id, status, updated_at, rail)
  values ($1, $2, $3, now(), 'simulator')`
const OUTCOME_ROW = `insert into payout_outcomes (account_id, id, status, updated_at, rail_steps,
    rail_attempts, rail, status_description, rail_reference, taken_by, answers, succeeded_at)
  values ($1, $2, $3, now(), 0, 0, 'simulator', '', '', '', '[]',
    case when $3 = 'reversed' then now() end)`

/** As the service takes it: a payout that is over gets its outcome, and is open no more. */
async function step(tx: TransactionSql, from: PayoutStatus, to: string): Promise<void> {
  const key = [account_id, 'pot_x']
  const where = 'where account_id = $1 and id = $2'
  if (!OPEN_STATUSES.includes(from)) {
    const succeeded_at = `case when $3 = 'reversed' then updated_at end`
    const set = `status = $3, succeeded_at = ${succeeded_at}`
    await tx.unsafe(`update payout_outcomes set ${set} ${where}`, [...key, to])
  } else if (PAYOUT_STATUSES.some(status => status === to && !OPEN_STATUSES.includes(status))) {
    await tx.unsafe(OUTCOME_ROW, [...key, to])
    await tx.unsafe(`delete from open_payouts ${where}`, key)
  } else await tx.unsafe(`update open_payouts set status = $3 ${where}`, [...key, to])
}

test('payouts, every pair of statuses: accepted exactly as the table of states allows', async () => {
  for (const from of PAYOUT_STATUSES) {
    for (const to of [...PAYOUT_STATUSES, 'paid']) {
      await rolledBack(service, async tx => {
        await standing(tx, from === 'reversed' ? 'succeeded' : from)
        if (from === 'reversed') await step(tx, 'succeeded', from)
        // Nobody has approved it.
        const waits = from === 'pending_approval' && to !== 'failed' && to !== from
        // The service alone keeps that rule there (docs/distributed.md).
        if (waits && onCluster) return
        const follows = PAYOUT_TRANSITIONS[from].some(status => status === to)
        const legal = from === to || (follows && !waits)
        if (legal && from === to && !OPEN_STATUSES.includes(from)) return
        if (legal) await step(tx, from, to)
        else {
          const refusal = refused(
            tx.savepoint(sp => step(sp, from, to)),
            CHECK,
            `${from} to ${to}`,
          )
          const words = `is not approved|cannot (go from ${from} to ${to}|be reversed: it has not succeeded)|value for domain open_payout_status`
          assert.match((await refusal).message, new RegExp(words))
        }
      })
    }
  }
})

test('payouts, a second outcome of one payout: refused for service and owner', async () => {
  for (const [role, sql] of roles()) {
    const { payouts } = history
    for (const fate of ['succeeded', 'failed', 'reversed'] as const) {
      const row = [account_id, payouts[fate], 'succeeded']
      const error = await refused(sql.unsafe(OUTCOME_ROW, row), UNIQUE, `${role}, ${fate}`)
      assert.equal(error.constraint_name, 'payout_outcomes_pkey')
    }
  }
})

/** The only columns of each table that the service may change; a table not listed here has none. */
const CHANGEABLE = {
  // An erasure alone changes these, as triggers hold.
  payouts: ['beneficiary_details', 'particulars', 'mt103'],
  open_payouts: [
    'updated_at',
    'ask_rail_at',
    'claimed_until',
    'taken_at',
    'taken_over_at',
    'expected_at',
    'rail_steps',
    'rail_attempts',
    'status',
    'status_description',
    'held_for',
    'rail',
    'rail_reference',
    'taken_by',
    'answers',
    'compared',
    'failure',
    'screened',
    'screening',
    'metadata',
    'awaits_funds_of',
    'awaits_funds_since',
  ],
  payout_outcomes: [
    'updated_at',
    'taken_over_at',
    'rail_steps',
    'rail_attempts',
    'status',
    'status_description',
    'rail_reference',
    'failure',
    'succeeded_at',
    'answers',
    'metadata',
  ],
  quotes: ['status', 'updated_at', 'renewed_as'],
  conversions: [],
  beneficiaries: ['approval', 'details', 'found_by', 'updated_at', 'archived_at', 'screening'],
  entities: [
    'on_behalf_of',
    'reference_id',
    'details',
    'email_key',
    'national_identification_key',
    'name_address_key',
    'registration_key',
    'approval_status',
    'approval_status_description',
    'approval_history',
    'found_by',
    'updated_at',
    'screening',
  ],
  books: [
    'journal_count',
    'head_hash',
    'event_count',
    'event_head',
    'last_written_at',
    'written_day',
    'written_rows',
    'written_bytes',
    'clock_ahead',
    'state',
    'has_limit_uses',
  ],
  // The states come with a change of the account, by its trigger.
  balances: ['available', 'updated_at', 'account_state'],
  journals: [],
  events: ['data'],
  accounts: [
    'name',
    'currencies',
    'primary_currency',
    'duplicate_window_s',
    'daily_rows',
    'daily_mb',
    'us_state',
    'state',
    'state_reason',
  ],
} as const

for (const [table, changeable] of Object.entries(CHANGEABLE)) {
  test(`${table}, each column updated by the service: accepted only for mutable columns`, async () => {
    const columns = await owner<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
        and attgenerated = '' order by attnum`
    assert.ok(columns.length > 2, table)
    for (const { name } of columns) {
      const statement = `update ${table} set ${name} = ${name} where false`
      if (changeable.some(column => column === name)) await service.unsafe(statement)
      else await refused(service.unsafe(statement), DENIED, statement)
    }
    const remove = service.unsafe(`delete from ${table} where false`)
    // Unused quotes are deleted once they are old, which a trigger sees to.
    if (table === 'open_payouts' || table === 'quotes') await remove
    else await refused(remove, DENIED, `delete from ${table}`)
    await refused(service.unsafe(`truncate ${table}`), DENIED, `truncate ${table}`)
  })
}
