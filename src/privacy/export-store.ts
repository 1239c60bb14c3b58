// Reads all stored data of a party, from every table, and finds parties by a known fact.

import { comparable } from '../parties/entity/comparable.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { type Party, partyKind } from './privacy.ts'
import { SOURCES, type Source, type Term } from './sources.ts'
import { findPayoutsOf } from './store.ts'

/** The rows of one table that are about a party. */
export interface Section {
  readonly table: string
  readonly term: Term
  readonly note: string
  readonly rows: readonly object[]
}

/** All stored data of a party, in one snapshot. Leaves out sections without rows. */
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

/**
 * The ids of an account's parties with exactly this value, in any letter case, now or in a payout.
 */
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
