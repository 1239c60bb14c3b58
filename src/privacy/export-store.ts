// Reads all stored data of a party, from every table, and finds parties by a known fact.
import { comparable } from '../parties/entity/comparable.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { type Party, partyKind } from './privacy.ts'
import { findPayoutsOf } from './store.ts'

interface Section {
  readonly table: string
  readonly term: Term
  readonly note: string
  readonly rows: readonly object[]
}

/** In one snapshot, without empty sections. */
export function readExport(audit: Sql, party: Party): Promise<Section[]> {
  return audit.begin('isolation level repeatable read read only', async tx => {
    const payouts = await findPayoutsOf(tx, party)
    const sections: Section[] = []
    for (const source of SOURCES) {
      const rows = await readSource(tx, source, party, payouts)
      const { table, term = 'retention', note = '' } = source
      if (rows.length > 0) sections.push({ table, term, note, rows })
    }
    return sections
  })
}

async function readSource(
  tx: TransactionSql,
  { table, where, without = [], of_payees = [], of_payer = [] }: Source,
  { account_id, id }: Party,
  payouts: readonly string[],
): Promise<object[]> {
  const is_entity = partyKind(id) === 'entity'
  const left_out = [...without, ...(is_entity ? of_payees : [])]
  const [names, path] = [left_out, is_entity ? [] : of_payer].map(words =>
    words.map(word => `'${word}'`).join(', '),
  )
  // The last condition is always true. It gives types to parameters that `where` does not use.
  const rows = await tx.unsafe<{ row: object }[]>(
    `select to_jsonb(t) - array[${names}]::text[] #- array[${path}]::text[] as row from ${table} t
      where (${where}) and ($1::text, $2::text, $3::text[]) is not null`,
    [account_id, id, [...payouts]],
  )
  return rows.map(({ row }) => row)
}

/** The facts by which a person can be found. */
export const KNOWN = ['email', 'name', 'iban'] as const
export type Known = (typeof KNOWN)[number]

/** The members that hold each fact. */
const MEMBERS: Readonly<Record<Known, readonly string[]>> = {
  email: ['email'],
  name: ['name', 'name_local'],
  iban: ['iban', 'account_number'],
}

/** In any letter case, now or in a payout. */
export async function findParties(
  audit: Sql,
  account_id: string,
  known: Known,
  text: string,
): Promise<string[]> {
  const wanted = known === 'iban' ? text.replace(/\s/g, '') : text
  const part = JSON.stringify(wanted).slice(1, -1)
  const rows = await audit<{ id: string; details: unknown }[]>`
    select id, details from beneficiaries
    where account_id = ${account_id} and strpos(lower(details::text), lower(${part})) > 0
    union all
    select id, details from entities
    where account_id = ${account_id} and strpos(lower(details::text), lower(${part})) > 0
    union all
    select beneficiary_id, beneficiary_details from payouts
    where account_id = ${account_id}
      and strpos(lower(beneficiary_details::text), lower(${part})) > 0`
  const matching = rows.filter(({ details }) =>
    hasMember(details, MEMBERS[known], comparable(wanted)),
  )
  return [...new Set(matching.map(({ id }) => id))].sort()
}

function hasMember(value: unknown, names: readonly string[], wanted: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) =>
    typeof member === 'string'
      ? names.includes(name) && comparable(member) === wanted
      : hasMember(member, names, wanted),
  )
}

/** How long a row is kept. */
export const TERMS = {
  retention: 'as long as the law of payments asks: the retention, from the last payout on',
  hours: '24 hours from the request, for its repetition',
  month: '30 days, for people who look into deliveries',
  book: 'as long as the book: it says nothing but ids, amounts and times',
} as const

type Term = keyof typeof TERMS

interface Source {
  readonly table: string
  readonly where: string
  /** Absent: `retention`. */
  readonly term?: Term
  /** Columns that the export leaves out, because they are about others too or useless. */
  readonly without?: readonly string[]
  /** Columns that the export of an entity leaves out, because they are about its payees. */
  readonly of_payees?: readonly string[]
  /** The path in a column that the export of a beneficiary leaves out: it is about the payer. */
  readonly of_payer?: readonly string[]
  /** Why columns are left out, for the reader of the export. */
  readonly note?: string
}

const OF_PARTY = 't.account_id = $1 and t.id = $2'
const OF_PAYOUT = 't.account_id = $1 and t.payout_id = any ($3)'
const OF_BENEFICIARY = 't.account_id = $1 and t.beneficiary_id = $2'
const OF_OBJECT = 't.account_id = $1 and (t.object_id = $2 or t.object_id = any ($3))'
const BY_ID = 't.account_id = $1 and t.id = any ($3)'

const ITEMS = `select i.end_to_end_id from rail_items i
  where i.account_id = $1 and i.payout_id = any ($3)`
const FILES = `select unnest(i.earlier_files || i.msg_id) from rail_items i
  where i.account_id = $1 and i.payout_id = any ($3)`
const SLOTS = `select s.chain_id, s.wallet, s.nonce from evm_slots s
  where s.account_id = $1 and s.payout_id = any ($3)`
/** Of the debits of the payouts with lines of a bank, which may have no key of ours. */
const MATCHES = `select i.match from nostro_items i
  where i.account_id = $1 and i.payout_id = any ($3) and i.match is not null`

export const SOURCES: readonly Source[] = [
  { table: 'beneficiaries', where: OF_PARTY },
  { table: 'entities', where: OF_PARTY },
  {
    table: 'events',
    where: `${OF_OBJECT} and t.object_id <> ''`,
    without: ['content', 'kept', 'hash'],
  },
  {
    table: 'idempotency_keys',
    where: `t.account_id = $1 and (strpos(t.body, $2) > 0
      or exists (select from unnest($3::text[]) as p (id) where strpos(t.body, p.id) > 0))`,
    term: 'hours',
  },
  {
    table: 'payouts',
    where: BY_ID,
    of_payees: ['beneficiary_details', 'mt103'],
    of_payer: ['particulars', 'ultimate_debtor'],
  },
  { table: 'open_payouts', where: BY_ID },
  { table: 'payout_outcomes', where: BY_ID },
  { table: 'payout_batch_items', where: OF_PAYOUT },
  { table: 'payout_imports', where: OF_PAYOUT },
  {
    table: 'payout_metadata',
    where: `t.account_id = $1 and exists (
      select from unnest($3::text[]) id where id between t.first_id and t.last_id)`,
    without: ['hashes'],
    note: 'The hashes are left out: they are of other payouts too. payouts has the metadata.',
  },
  {
    table: 'search_blocks',
    where: `t.account_id = $1 and t.after_id < $2 and t.last_id >= $2
      and t.listed = case when $2 like 'bnf%' then 'beneficiaries' else 'entities' end`,
    without: ['bits'],
    note: 'The bits are left out: they are of a thousand parties together.',
  },
  { table: 'payout_fingerprints', where: OF_PAYOUT, term: 'month' },
  {
    table: 'quotes',
    where: "t.account_id = $1 and t.entity_id = $2 and t.entity_id <> ''",
    term: 'book',
  },
  { table: 'journals', where: 't.account_id = $1 and t.source = any ($3)', term: 'book' },
  { table: 'payout_attempts', where: OF_PAYOUT },
  { table: 'rail_evidence', where: OF_PAYOUT },
  { table: 'rail_exceptions', where: OF_PAYOUT },
  { table: 'rail_items', where: OF_PAYOUT, of_payees: ['payment'] },
  { table: 'rail_item_evidence', where: OF_PAYOUT },
  { table: 'evm_slots', where: OF_PAYOUT, of_payees: ['payee', 'calldata'] },
  {
    table: 'evm_transactions',
    where: `(t.chain_id, t.wallet, t.nonce) in (${SLOTS})`,
    of_payees: ['raw'],
  },
  {
    table: 'evm_transfers',
    where: `(t.tx_hash, t.sender) in (select x.hash, x.wallet from evm_transactions x
      where (x.chain_id, x.wallet, x.nonce) in (${SLOTS}))`,
    of_payees: ['receiver'],
  },
  {
    table: 'rail_files',
    where: `t.msg_id in (${FILES})`,
    without: ['bytes', 'envelope'],
    note: 'The bytes are left out: the file has other payees too. rail_items has this one.',
  },
  { table: 'rail_inbox_lines', where: `t.payment in (${ITEMS})` },
  {
    table: 'bank_lines',
    where: `(t.end_to_end_id <> '' and t.end_to_end_id in (${ITEMS})) or t.match in (${MATCHES})`,
    without: ['details', 'same'],
  },
  { table: 'screening_matches', where: OF_OBJECT },
  { table: 'screening_clears', where: OF_OBJECT },
  { table: 'beneficiary_approvals', where: OF_BENEFICIARY },
  { table: 'beneficiary_decisions', where: OF_BENEFICIARY },
  { table: 'payout_approvals', where: OF_PAYOUT },
  { table: 'approval_decisions', where: OF_PAYOUT },
  { table: 'approved_payees', where: OF_PAYOUT },
  { table: 'limit_uses', where: OF_PAYOUT, term: 'month' },
  { table: 'webhook_deliveries', where: OF_OBJECT, term: 'month' },
  {
    table: 'webhook_attempts',
    where: `t.account_id = $1 and t.delivery_id in (select d.id from webhook_deliveries d
      where d.account_id = $1 and (d.object_id = $2 or d.object_id = any ($3)))`,
    term: 'month',
  },
  { table: 'erasures', where: 't.account_id = $1 and t.party_id = $2', term: 'book' },
  {
    table: 'audit_log',
    where: `coalesce(t.after, t.before) ->> 'account_id' = $1
      and (coalesce(t.after, t.before) ->> 'id' = $2
        or coalesce(t.after, t.before) ->> 'id' = any ($3))`,
    term: 'book',
  },
]
