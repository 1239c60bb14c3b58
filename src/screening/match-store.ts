// The SQL statements of matches and clears.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { selectByKeys } from '../sql/keys.ts'
import { sql, type Tag } from '../sql/sql.ts'
import type { Key } from '../values/id.ts'
import { clearName, ERASED_HASH, type Match, type StoredMatch } from './match.ts'

/** The key of a payout, an entity or a beneficiary. */
interface OfObject {
  readonly account_id: string
  readonly object_id: string
}

/**
 * Inserts open matches of payouts or parties. A match that was cleared before becomes open again; a
 * confirmed one stays.
 */
export async function keepMatches(
  tx: TransactionSql,
  found: readonly (OfObject & { readonly matches: readonly Match[] })[],
): Promise<void> {
  const rows = found.flatMap(({ account_id, object_id, matches }) =>
    matches.map(match => ({ ...match, account_id, object_id })),
  )
  if (rows.length === 0) return
  await tx`
    insert into screening_matches as m (account_id, object_id, party, party_hash, list, entry_id,
      entry_digest, score, pieces, listed_name)
    select account_id, object_id, party, decode(party_hash, 'hex'), list, entry_id,
      decode(entry_digest, 'hex'), score, pieces, listed_name
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(account_id text,
      object_id text, party text, party_hash text, list text, entry_id text, entry_digest text,
      score integer, pieces json, listed_name text)
    on conflict (account_id, object_id, party, list, entry_id) do update
      set party_hash = excluded.party_hash, entry_digest = excluded.entry_digest,
        score = excluded.score, pieces = excluded.pieces, listed_name = excluded.listed_name,
        found_at = excluded.found_at,
        state = 'open', decided_by = '', reason = '', decided_at = null
      where m.state <> 'confirmed'`.execute()
}

/** The cleared matches among these, as `account_id/clearName`. */
export async function findCleared(
  tx: TransactionSql,
  found: readonly { readonly account_id: string; readonly matches: readonly Match[] }[],
): Promise<ReadonlySet<string>> {
  const keys = found.flatMap(({ account_id, matches }) =>
    matches.map(({ party_hash, list, entry_id, entry_digest }) => {
      return { account_id, party_hash, list, entry_id, entry_digest }
    }),
  )
  if (keys.length === 0) return new Set()
  const rows = await tx<
    (Omit<Match, 'party' | 'score' | 'pieces' | 'listed_name'> & { account_id: string })[]
  >`
    select c.account_id, encode(c.party_hash, 'hex') as party_hash, c.list, c.entry_id,
      encode(c.entry_digest, 'hex') as entry_digest
    from screening_clears c
    join json_to_recordset(${JSON.stringify(keys)}::text::json) as k(account_id text,
      party_hash text, list text, entry_id text, entry_digest text)
      on c.account_id = k.account_id and c.party_hash = decode(k.party_hash, 'hex')
        and c.list = k.list and c.entry_id = k.entry_id
        and c.entry_digest = decode(k.entry_digest, 'hex')`
  return new Set(rows.map(row => `${row.account_id}/${clearName(row)}`))
}

/** The matches of a payout or party, highest score first. */
export async function findMatches(sql: Tag, { account_id, object_id }: OfObject) {
  return sql<StoredMatch[]>`
    select ${COLUMNS} from screening_matches
    where account_id = ${account_id} and object_id = ${object_id}
    order by score desc, party, list, entry_id`
}

/** The matches of these payouts or parties, in no order. `which` is a condition on matches `t`. */
export function findMatchesOf(
  sql: Tag,
  objects: readonly Key[],
  which = sql``,
): Promise<StoredMatch[]> {
  return selectByKeys(
    sql,
    'object_id',
    objects,
    ofKey => sql`
      select ${COLUMNS} from screening_matches t where ${ofKey} ${which}`,
  )
}

/** One confirmed match blocks a payout, so that a few are enough. */
const MOST_CONFIRMED = 20

export function findConfirmed(sql: Tag, parties: readonly Key[]): Promise<StoredMatch[]> {
  return findMatchesOf(sql, parties, sql`and t.state = 'confirmed' limit ${MOST_CONFIRMED}`)
}

/** Matches of these parties that nobody has cleared. */
export function findWaiting(sql: Tag, parties: readonly Key[]): Promise<StoredMatch[]> {
  return findMatchesOf(sql, parties, sql`and t.state <> 'cleared' limit ${MOST_CONFIRMED}`)
}

/** An entry that a payout or party matches, and that nobody has cleared. */
type Undecided = Pick<
  StoredMatch,
  'object_id' | 'list' | 'entry_id' | 'party' | 'listed_name' | 'score'
> & { readonly account_id: string }

/** The entries that these payouts and parties match and nobody has cleared. */
export function findUndecided(sql: Sql, objects: readonly Key[]): Promise<Undecided[]> {
  return selectByKeys(
    sql,
    'object_id',
    objects,
    ofKey => sql`
      select account_id, object_id, list, entry_id, party, listed_name, score
      from screening_matches t
      where ${ofKey} and t.state <> 'cleared'`,
  )
}

const COLUMNS = sql`account_id, object_id, party, encode(party_hash, 'hex') as party_hash, list,
  entry_id, encode(entry_digest, 'hex') as entry_digest, score, pieces, listed_name, state,
  found_at, decided_at, decided_by, reason`

/** A decision about another payout or party, whose data were the same. */
export type EarlierDecision = Pick<
  StoredMatch,
  | 'object_id'
  | 'party_hash'
  | 'list'
  | 'entry_id'
  | 'state'
  | 'decided_by'
  | 'decided_at'
  | 'reason'
>

/** The most earlier decisions of each match. */
const MOST_EARLIER = 20

/**
 * The decisions about the same parties and entries elsewhere in the account, the newest first.
 * Nobody knows whether two erased parties were the same.
 */
export async function findEarlier(
  sql: Tag,
  { account_id, object_id }: OfObject,
  matches: readonly Match[],
): Promise<EarlierDecision[]> {
  const known = matches.filter(match => match.party_hash !== ERASED_HASH)
  if (known.length === 0) return []
  const columns = ['party_hash', 'list', 'entry_id'] as const
  const [hashes = [], lists = [], ids = []] = columns.map(name => known.map(one => one[name]))
  return sql<EarlierDecision[]>`
    select m.* from (
      select distinct * from unnest(${hashes}::text[], ${lists}::text[], ${ids}::text[])
    ) as k(party_hash, list, entry_id)
    cross join lateral (
      select object_id, encode(party_hash, 'hex') as party_hash, list, entry_id, state, decided_by,
        decided_at, reason
      from screening_matches
      where account_id = ${account_id} and party_hash = decode(k.party_hash, 'hex')
        and list = k.list and entry_id = k.entry_id
        and object_id <> ${object_id} and state <> 'open'
      order by decided_at desc limit ${MOST_EARLIER}
    ) m`
}

/**
 * Writes a person's decision about these matches. A clear also inserts rows that later payouts and
 * parties of the account find. A confirmation deletes such rows of the same party and entry.
 */
export async function storeDecision(
  tx: TransactionSql,
  matches: readonly StoredMatch[],
  { state, decided_by, reason }: Pick<StoredMatch, 'state' | 'decided_by' | 'reason'>,
): Promise<void> {
  for (const match of matches) {
    const { account_id, object_id, party, party_hash, list, entry_id, entry_digest } = match
    void tx`
      update screening_matches set state = ${state}, decided_by = ${decided_by},
        reason = ${reason}, decided_at = statement_timestamp()
      where account_id = ${account_id} and object_id = ${object_id} and party = ${party}
        and list = ${list} and entry_id = ${entry_id}`.execute()
    if (state === 'cleared') {
      void tx`
        insert into screening_clears (account_id, party_hash, list, entry_id, entry_digest,
          object_id, cleared_by, reason)
        values (${account_id}, decode(${party_hash}, 'hex'), ${list}, ${entry_id},
          decode(${entry_digest}, 'hex'), ${object_id}, ${decided_by}, ${reason})
        on conflict do nothing`.execute()
    } else {
      void tx`
        delete from screening_clears where account_id = ${account_id}
          and party_hash = decode(${party_hash}, 'hex') and list = ${list}
          and entry_id = ${entry_id}`.execute()
    }
  }
}
