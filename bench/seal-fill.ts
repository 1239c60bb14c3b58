// Seals the events that a filling has copied: the digest of the row that each tells of, and the chain
// up to the head of the book, by the recipes of the service.
import { BENEFICIARY_SEAL } from '../src/beneficiary/columns.ts'
import type { Sql, TransactionSql } from '../src/db/connect.ts'
import { EVENT_KINDS, EVENT_SEAL } from '../src/event/rules.ts'
import { PAYOUT_SEAL } from '../src/payout/columns.ts'
import { QUOTE_SEAL } from '../src/quote/columns.ts'
import { STATED_PAYOUTS } from '../src/verify/rows.ts'

const SEALED = [
  [STATED_PAYOUTS, PAYOUT_SEAL],
  ['quotes', QUOTE_SEAL],
  ['beneficiaries', BENEFICIARY_SEAL],
] as const

/** What a link is made of besides the one before it, as columns of events and their types. */
const LINKED = { ...EVENT_KINDS, content: 'bytea', kept: 'bytea' }

/**
 * Events of the account after this number, which nobody writes to meanwhile. Every event of a row
 * gets the digest that the row has now, as its newest one must.
 */
export async function sealEvents(
  owner: Sql | TransactionSql,
  account_id: string,
  after: string,
): Promise<void> {
  const mine = `account_id = '${account_id}'`
  const rows = SEALED.map(
    ([table, seal]) => `select id, ${seal.sql('t')} as content from ${table} t where ${mine}`,
  )
  const [book] = await owner.unsafe<{ head: string }[]>(
    `select encode(event_head, 'hex') as head from books where ${mine}`,
  )
  if (book === undefined) throw new Error(`account ${account_id} has no book`)
  const parameters = Object.entries(LINKED).map(([name, type]) => `${name} ${type}`)
  await owner.unsafe(`
    create or replace function pg_temp.link(previous bytea, ${parameters.join(', ')}) returns bytea
      language sql as $$ select ${EVENT_SEAL.sql('link')} $$;
    create or replace aggregate pg_temp.chain(${Object.values(LINKED).join(', ')}) (
      sfunc = pg_temp.link, stype = bytea, initcond = '\\x${book.head}')`)
  await owner.unsafe('alter table events disable trigger append_only')
  await owner.unsafe(`
    update events e set content = c.content, hash = c.hash
    from (
      select sequence, content,
        pg_temp.chain(${Object.keys(LINKED).join(', ')}) over (order by sequence) as hash
      from (
        select e.account_id, sequence, e.id, type, object_id, data, created_at, kept, r.content
        from events e left join (${rows.join(' union all ')}) r on r.id = e.object_id
        where ${mine} and sequence > ${after}
      ) told
    ) c
    where e.${mine} and e.sequence = c.sequence`)
  await owner.unsafe('alter table events enable trigger append_only')
  await owner.unsafe(`
    update books set event_head = (
      select hash from events where ${mine} order by sequence desc limit 1)
    where ${mine}`)
}
