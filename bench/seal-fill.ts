// Seals the events that a filling has copied: the digest of the row that each tells of, and the chain
// up to the head of the book, by the recipes of the service.
import type { Sql, TransactionSql } from '../src/db/connect.ts'
import { EVENT_SEAL, ROW_KINDS } from '../src/event/rules.ts'
import { storedRows } from '../src/verify/seals.ts'

/** What a link is made of besides the one before it, as columns of events and their types. */
const LINKED = { ...ROW_KINDS, content: 'bytea', kept: 'bytea' }

/**
 * Events of the account after this number, which nobody writes to meanwhile. Every event of an object
 * gets the digest that its row has now, as its newest one must.
 */
export async function sealEvents(
  owner: Sql | TransactionSql,
  account_id: string,
  after: string,
): Promise<void> {
  const mine = `account_id = '${account_id}'`
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
  await owner.unsafe(
    `update events e set content = c.content, hash = c.hash
    from (
      select sequence, content,
        pg_temp.chain(${Object.keys(LINKED).join(', ')}) over (order by sequence) as hash
      from (
        select ${Object.keys(LINKED).map(name => (name === 'content' ? 'd.content' : `e.${name}`))}
        from events e left join (
          select t.row_sequence,
            string_agg(coalesce(m.content, c.content), ''::bytea order by t.sequence) as content
          from (
            select row_sequence, sequence, created_at, mark, ending,
              case when mark in ('-', 'S') then object_id end as id
            from each_event where account_id = $1
          ) t
          left join (${storedRows(account_id)}) m
            on m.created_at = t.created_at and left(m.mark, 1) = t.mark and m.ending = t.ending
          left join (${storedRows(account_id)}) c on c.id = t.id
          group by 1
        ) d on d.row_sequence = e.sequence
        where e.account_id = $1 and e.sequence > ${after}
      ) told
    ) c
    where e.account_id = $1 and e.sequence = c.sequence`,
    [account_id],
  )
  await owner.unsafe('alter table events enable trigger append_only')
  await owner.unsafe(`
    update books set event_head = (
      select hash from events where ${mine} order by sequence desc limit 1)
    where ${mine}`)
}
