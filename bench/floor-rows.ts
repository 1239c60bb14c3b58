// Prepares the minimal program of floor.ts: its accounts, and the one statement by which it stores a
// batch. Columns that the body of a request decides are parameters; the others have the values of a
// payout that the service made.
import { SUPERUSER } from '../src/postgres/cluster.ts'
import type { Sql } from '../src/sql/connect.ts'
import { asOwner } from './database.ts'
import { accountNamed, rowsOfPayout } from './payout-baseline.ts'
import type { Payer } from './payouts.ts'
import { literal, readRows, type StoredRow } from './row-copy.ts'

export interface FloorPlan {
  /** For the superuser, as pgbench's. */
  readonly database_url: string
  /** Account ids by the Authorization header of their payers. */
  readonly accounts: Readonly<Record<string, string>>
  /** The statement that stores a batch. */
  readonly store: string
  /** The answer to the copied payout. */
  readonly answer: string
  /** What the copied payout cost. */
  readonly fee: number
}

/** `payers` pay from pgbench's accounts with the numbers 0, 1, 2 and so on. */
export function prepareFloor(
  database_url: string,
  payout_id: string,
  payers: readonly Payer[],
): Promise<FloorPlan> {
  return asOwner(database_url, async sql => {
    const rows = new Map<string, StoredRow>()
    for (const [table, condition] of Object.entries(rowsOfPayout(payout_id))) {
      const [row] = await readRows(sql, table, condition)
      if (row === undefined) throw new Error(`the sample left no row in ${table}`)
      rows.set(table, row)
    }
    await copyBeneficiaries(sql, payers)
    const { fixed_fee, variable_fee } = rows.get('payouts') as StoredRow
    const url = new URL(database_url)
    url.username = SUPERUSER
    return {
      database_url: url.href,
      accounts: Object.fromEntries(payers.map((p, n) => [p.authorization, accountNamed(n)])),
      store: storeStatement(rows),
      answer: rows.get('idempotency_keys')?.body ?? '',
      fee: Number(fixed_fee) + Number(variable_fee),
    }
  })
}

async function copyBeneficiaries(sql: Sql, payers: readonly Payer[]): Promise<void> {
  await sql`
    insert into beneficiaries
      (account_id, id, created_at, updated_at, details, found_by, screened, made_by)
    select r.copy, f.id, f.created_at, f.updated_at, f.details, f.found_by, f.screened, f.made_by
    from unnest(
      ${payers.map((_, n) => accountNamed(n))}::text[],
      ${payers.map(({ account_id }) => account_id)}::text[],
      ${payers.map(({ beneficiary }) => beneficiary)}::text[]
    ) as r (copy, account_id, id)
    join beneficiaries f on f.account_id = r.account_id and f.id = r.id`
}

/** The parameters of payouts, one array each, in the order of floor.ts. */
const PAYOUT = {
  account_id: 'text',
  number: 'bigint',
  sequence: 'bigint',
  id: 'text',
  balance_transaction: 'text',
  amount: 'bigint',
  currency: 'text',
  type: 'text',
  beneficiary: 'text',
  details: 'text',
  particulars: 'text',
  reference: 'text',
  available: 'bigint',
  hash: 'text',
  told: 'text',
  key: 'text',
  answer: 'text',
}

/** The parameters of books. */
const BOOK = {
  account_id: 'text',
  journals: 'bigint',
  events: 'bigint',
  available: 'bigint',
  head: 'text',
}

const HASH = "decode(r.hash, 'hex')"

/** SQL of the columns that differ from the sample's, by table. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payouts: {
    id: 'r.id',
    type: 'r.type',
    amount: 'r.amount',
    holding_amount: 'r.amount',
    destination_amount: 'r.amount',
    currency: 'r.currency',
    holding_currency: 'r.currency',
    destination_currency: 'r.currency',
    balance_transaction_id: 'r.balance_transaction',
    beneficiary_id: 'r.beneficiary',
    beneficiary_details: 'r.details::json',
    particulars: 'r.particulars::json',
    reference_id: 'r.reference',
  },
  open_payouts: { id: 'r.id' },
  journals: {
    number: 'r.number',
    source: 'r.id',
    currency: 'r.currency',
    amount: '-r.amount',
    balance_after: 'r.available',
    hash: HASH,
  },
  events: { sequence: 'r.sequence', told: 'r.told', hash: HASH },
  idempotency_keys: { key: 'r.key', body: 'r.answer' },
}

/**
 * One statement, so that PostgreSQL reads and answers one message for all rows of a batch. It finds
 * books and balances by their place, so that every plan uses their primary keys.
 */
function storeStatement(rows: ReadonlyMap<string, StoredRow>): string {
  const inserts = [...rows].map(([table, row]) => {
    const own: Readonly<Record<string, string>> = { ...OWN[table], account_id: 'r.account_id' }
    const values = Object.entries(row).map(([name, value]) => {
      const is_time = name.endsWith('_at') && value !== null
      return own[name] ?? (is_time ? '$1::timestamptz' : literal(value))
    })
    const names = Object.keys(row).join(', ')
    return `${table}_in as (insert into ${table} (${names}) select ${values.join(', ')} from r)`
  })
  const first_of_books = 2 + Object.keys(PAYOUT).length
  return `
    with r as materialized (select * from ${source(PAYOUT, 2)} as r (${namesOf(PAYOUT)})),
    h as materialized (select * from ${source(BOOK, first_of_books)} as h (${namesOf(BOOK)})),
    ${inserts.join(',\n    ')},
    metadata_in as (
      insert into payout_metadata as t (account_id, part, first_id, last_id, hashes)
      select account_id, number >> 6, min(id), max(id), array_agg(hash_of_pair)
      from r cross join unnest('{1444410546,-1212433141}'::integer[]) as hash_of_pair
      group by 1, 2
      on conflict (account_id, part) do update set
        first_id = least(t.first_id, excluded.first_id),
        last_id = greatest(t.last_id, excluded.last_id), hashes = t.hashes || excluded.hashes
    ),
    balances_in as (
      update balances b set available = h.available, updated_at = $1::timestamptz
      from h cross join lateral (
        select ctid from balances t
        where t.account_id = h.account_id and t.currency = 'USD' limit 1
      ) t
      where b.ctid = t.ctid
    )
    update books b set journal_count = h.journals, event_count = h.events,
      last_written_at = $1::timestamptz, head_hash = decode(h.head, 'hex'),
      event_head = decode(h.head, 'hex')
    from h cross join lateral (
      select ctid from books t where t.account_id = h.account_id limit 1
    ) t
    where b.ctid = t.ctid`
}

function source(columns: Readonly<Record<string, string>>, first: number): string {
  const arrays = Object.values(columns).map((type, i) => `$${first + i}::${type}[]`)
  return `unnest(${arrays.join(', ')})`
}

function namesOf(columns: Readonly<Record<string, string>>): string {
  return Object.keys(columns).join(', ')
}
