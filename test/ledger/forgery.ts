// What someone with the database's password could do to a book: change a row, and cover it by
// recomputing the chain. Used to plant the faults that verifying must find.

import { EMPTY_HASH, hashJournal, type Journal, type Posting } from '../../src/ledger/rules.ts'
import { listJournals } from '../../src/ledger/store.ts'
import type { Sql } from '../../src/sql/connect.ts'

/** Removes the rules of all domains. */
export async function dropDomainRules(owner: Sql): Promise<void> {
  const rules = await owner<{ domain: string; name: string }[]>`
    select contypid::regtype::text as domain, conname as name from pg_constraint
    where contypid <> 0 and connamespace = 'public'::regnamespace`
  for (const { domain, name } of rules) {
    await owner`alter domain ${owner(domain)} drop constraint ${owner(name)}`
  }
}

/** Takes every guard off: append-only, legal transitions, sums of zero. */
export async function disarm(owner: Sql): Promise<void> {
  const tables = ['journals', 'events', 'payouts', 'quotes', 'entities']
  for (const table of [...tables, 'payout_batch_items', 'open_payouts', 'payout_outcomes']) {
    await owner.unsafe(`alter table ${table} disable trigger user`)
  }
  const checks = await owner<{ name: string }[]>`
    select conname as name from pg_constraint
    where conrelid = 'journals'::regclass and contype = 'c'`
  for (const { name } of checks) await owner`alter table journals drop constraint ${owner(name)}`
  await dropDomainRules(owner)
  await owner`drop index booked_once`
}

export async function journalsOf(owner: Sql, account_id: string): Promise<Journal[]> {
  return listJournals(owner, account_id, { after: 0n, limit: 10_000 })
}

/** The one journal of this kind and source. */
export async function findJournal(
  owner: Sql,
  account_id: string,
  kind: string,
  source: string,
): Promise<Journal> {
  const found = (await journalsOf(owner, account_id)).find(
    journal => journal.kind === kind && journal.source === source,
  )
  if (found === undefined) throw new Error(`no ${kind} journal of ${source}`)
  return found
}

/** Overwrites the postings of a journal and leaves its hash. */
export async function setPostings(
  owner: Sql,
  { account_id, number }: Journal,
  postings: readonly Posting[],
): Promise<void> {
  await owner`
    update journals set codes = ${postings.map(p => p.code).join(' ')},
      currencies = ${postings.map(p => p.currency).join(' ')},
      amounts = ${postings.map(p => String(p.amount))}::text[]::bigint[]
    where account_id = ${account_id} and number = ${number}`
}

/** Recomputes every hash of the book, and its head: a chain that shows nothing. */
export async function rechain(owner: Sql, account_id: string): Promise<void> {
  let head = EMPTY_HASH
  const journals = await journalsOf(owner, account_id)
  const hashes = journals.map(journal => {
    head = hashJournal(head, journal)
    return head
  })
  await owner`
    update journals j set hash = decode(h.hash, 'hex')
    from unnest(${journals.map(({ number }) => String(number))}::text[]::bigint[],
      ${hashes}::text[]) h (number, hash)
    where j.account_id = ${account_id} and j.number = h.number`
  await owner`
    update books set head_hash = decode(${head}, 'hex') where account_id = ${account_id}`
}

/** Removes a journal, closes the gap and recomputes the chain. */
export async function removeJournal(owner: Sql, { account_id, number }: Journal): Promise<void> {
  await owner`delete from journals where account_id = ${account_id} and number = ${number}`
  // By a detour: the key is checked row by row.
  await owner`
    update journals set number = -number where account_id = ${account_id} and number > ${number}`
  await owner`
    update journals set number = -number - 1 where account_id = ${account_id} and number < 0`
  await owner`
    update books set journal_count = journal_count - 1 where account_id = ${account_id}`
  await rechain(owner, account_id)
}

/** Exchanges the numbers of two journals. */
export async function swapJournals(
  owner: Sql,
  account_id: string,
  [a, b]: readonly [bigint, bigint],
): Promise<void> {
  const spare = 1_000_000n
  for (const [from, to] of [
    [a, spare],
    [b, a],
    [spare, b],
  ] as const) {
    await owner`
      update journals set number = ${to} where account_id = ${account_id} and number = ${from}`
  }
}
