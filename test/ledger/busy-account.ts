// A year of a busy account, written by SQL as the owner and yet books that `corridor verify` finds in
// order: journals numbered, chained and summing to zero, a statement line for each movement,
// payouts that carry their quotes, events that are chained and seal all of it. Payouts are copies of ones
// the service has made for another account.
import assert from 'node:assert/strict'
import { sealEvents } from '../../bench/payout-fill.ts'
import { EMPTY_HASH, hashJournal } from '../../src/ledger/rules.ts'
import { listJournals } from '../../src/ledger/store.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { idTimeSql, microsSql, numberedIdSql } from '../../src/sql/id-sql.ts'
import { idBound } from '../../src/values/id.ts'
import { localPayout } from '../support/given/bodies.ts'
import type { Client, TestService } from '../support/service/service.ts'

export interface BusyAccount {
  readonly client: Client
  /** The first line is later than this, the last one earlier than now. */
  readonly from: string
  /** Lines by currency. */
  readonly lines: Readonly<Record<string, number>>
}

const timeOf = (i: string) =>
  `($2::timestamptz + (${i} * (interval '364 days' / $3::double precision)))`
/** Of an id, as a book gives it. */
const bodyOf = (i: string) => `${idTimeSql(microsSql(timeOf(i)))} || lpad(${i}::text, 9, '0')`

/** The id of the line of journal `i`. */
const lineOf = (i: string) =>
  numberedIdSql('btr', { account_id: '$1', created_at: timeOf(i), number: `${i}::bigint` })

/** Of five lines two are money coming in, two are payouts, one is a payout given back. */
const DRAFTS = `
  create temp table drafts on commit drop as
  select i, case when i % 5 in (1, 4) then 'funding' when i % 5 = 0 then 'failure' else 'payout' end
      as kind,
    case when i % 50 = 6 then 'JPY' else 'USD' end as currency,
    -- Every other payout is converted, at the figures of the sample; the others differ.
    i % 5 = 3 as converted,
    case when i % 5 in (1, 4) then 900000 + i % 1000 when i % 5 = 3 then -s.converted_amount
      when i % 5 = 2 then -(10000 + i % 5000) else s.converted_amount end as amount,
    case when i % 5 in (1, 4) then 0 when i % 5 = 0 then s.converted_fixed
      when i % 5 = 3 then -s.converted_fixed else -s.fixed end as fixed_fee,
    case when i % 5 in (1, 4) then 0 when i % 5 = 0 then s.converted_variable
      when i % 5 = 3 then -s.converted_variable else 0 end as variable_fee,
    -- The last digits count on, so that the line given back finds its payout two lines before.
    ${bodyOf('i')} as n, ${bodyOf('(i - 2)')} as earlier, ${timeOf('i')} as created_at,
    ${lineOf('i')} as line, ${lineOf('(i - 2)')} as earlier_line
  from generate_series(1, $3::integer) i, (select
      (select holding_amount from payouts where id = $4) as converted_amount,
      (select fixed_fee from payouts where id = $4) as converted_fixed,
      (select variable_fee from payouts where id = $4) as converted_variable,
      (select fixed_fee from payouts where id = $5) as fixed) s
  where $1::text is not null`

/**
 * What the service tells of each: of a payout its quote, itself and its line, in this order. They are
 * sealed later.
 */
const EVENTS = `
  insert into events (account_id, sequence, created_at, told, type, object_id, data, hash)
  select $1, sum(cardinality(string_to_array(told, ' '))) over (order by i, told rows unbounded preceding),
    created_at, told, type,
    object_id, data, sha256('')
  from (
    select 0 as i, created_at, 'B' || right(id, 9) as told, 'beneficiary.created' as type,
      '' as object_id, null::json as data
    from beneficiaries where account_id = $1
    union all
    select i, created_at,
      case kind when 'payout' then 'Q P' || right(n, 9) || ' ' when 'failure' then '- ' else '' end
        || 'L' || i,
      case kind when 'failure' then 'payout.failed' else '' end,
      case kind when 'failure' then 'pot_' || earlier else '' end,
      case kind when 'failure' then json_build_array(json_build_object('status', 'failed',
        'previous_status', 'processing', 'failure', $2::text::json, 'by', 'operator',
        'journals', array[i]), null) end
    from drafts
  ) told`

const FAILURE = JSON.stringify({ code: 'PF000900', category: 'bank', message: 'Returned.' })

type Changes = Readonly<Record<string, string>>

const NAMED: Changes = { account_id: '$1', created_at: 'd.created_at' }
const PAYOUT: Changes = {
  ...NAMED,
  id: "'pot_' || d.n",
  balance_transaction_id: 'd.line',
}

/** As large as its draft says, where nothing is converted. */
const sized = (...columns: readonly string[]): Changes =>
  Object.fromEntries(columns.map(column => [column, '-d.amount']))

/** Copies of a sample's row for drafts of payouts, whatever other columns the table has. */
async function copyRows(
  tx: TransactionSql,
  table: 'payouts' | 'beneficiaries',
  parameters: readonly [account_id: string, sample: string],
  changes: Changes,
  drafts: string,
): Promise<void> {
  const columns = await tx<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0 and not attisdropped
      and attgenerated = ''`
  const names = columns.map(({ name }) => name)
  const values = names.map(name => changes[name] ?? `s.${name}`)
  await tx.unsafe(
    `insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
      from ${table} s ${drafts}`,
    [...parameters],
  )
}

const ofPayout = sized('amount', 'holding_amount', 'destination_amount')
const COPIED = `join drafts d on s.id = $2 and d.kind = 'payout'`

/** The converted payouts are given back two lines later, where there are such; others are open. */
const STATES = `
  with states as (
    select 'pot_' || d.n as id, d.created_at, f.created_at as failed_at from drafts d
    left join drafts f on f.i = d.i + 2 and f.kind = 'failure' and d.converted
    where d.kind = 'payout'
  ), given_back as (
    insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status, rail,
      status_description, rail_reference, taken_by, answers, failure)
    select $1, id, failed_at, 0, 1, 'failed', 'simulator', '', '', '', '[]', $2::text::json
    from states where failed_at is not null
  )
  insert into open_payouts (account_id, id, updated_at, rail_attempts, status, rail)
  select $1, id, created_at, 1, 'processing', 'simulator' from states where failed_at is null`

/**
 * `lines` lines over the year before now; `fields` are those of each payout. Needs a service without
 * rates or fees of its own.
 */
export async function makeBusyAccount(
  service: TestService,
  lines: number,
  fields: object = {},
): Promise<BusyAccount> {
  await service.setRates({ 'USD/EUR': '0.8' })
  await service.setFees([{ fixed_amount: 150n }])
  const sample = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const client = await service.openAccount({ currencies: ['USD', 'JPY'], primary: 'USD' })
  const plain = await pay(sample, { reference_id: 'PLAIN-1', ...fields })
  await service.setFees([{ fixed_amount: 150n, variable_bps: 20 }])
  const converted = await pay(sample, {
    amount: 8_000,
    currency: 'EUR',
    reference_id: 'FX "1", <2>',
    ...fields,
  })
  const { account_id } = client.account
  const from = new Date(Date.now() - 364.5 * 86_400_000).toISOString()
  const time = idBound('bnf', from.replace('Z', '000Z'), 'before')
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx.unsafe("set local jit = off; set local work_mem = '64MB'")
    await tx.unsafe(DRAFTS, [account_id, from, lines, converted.id, plain.id])
    await tx.unsafe('create unique index on drafts (i); analyze drafts')
    for (const [paid, is, changes] of [
      [converted, 'd.converted', {}],
      [plain, 'not d.converted', ofPayout],
    ] as const) {
      const drafts = `${COPIED} where ${is}`
      const row = {
        ...PAYOUT,
        beneficiary_id: `'${time}' || right(s.beneficiary_id, 9)`,
        ...changes,
      }
      await copyRows(tx, 'payouts', [account_id, paid.id], row, drafts)
    }
    const first = {
      account_id: '$1',
      id: `'${time}' || right(s.id, 9)`,
      created_at: `'${from}'`,
      updated_at: `'${from}'`,
    }
    await tx.unsafe(STATES, [account_id, FAILURE])
    const whose = 'where s.account_id = $2'
    await copyRows(tx, 'beneficiaries', [account_id, sample.account.account_id], first, whose)
    await tx.unsafe(EVENTS, [account_id, FAILURE])
    await tx.unsafe(CHAIN)
    await tx.unsafe(JOURNALS, [account_id, converted.id, converted.destination_amount])
    await tx.unsafe(
      `update balances b set available = l.balance_after, updated_at = l.created_at from (
        select distinct on (currency) currency, balance_after, created_at from journals
        where account_id = $1 order by currency, number desc
      ) l where b.account_id = $1 and b.currency = l.currency`,
      [account_id],
    )
    await tx.unsafe(
      `update books set last_written_at = e.created_at, event_count = e.sequence,
        journal_count = j.number, head_hash = j.hash
      from (
        select sequence, created_at from events where account_id = $1
        order by sequence desc limit 1
      ) e, (
        select number, hash from journals where account_id = $1 order by number desc limit 1
      ) j where account_id = $1`,
      [account_id],
    )
    await tx.unsafe('analyze payouts, payout_outcomes, journals, events')
    await sealEvents(tx, account_id, '0')
  })
  await assertHash(service, account_id)
  const counted = await owner<{ currency: string; count: bigint }[]>`
    select currency, count(*) as count from journals
    where account_id = ${account_id} group by currency`
  const byCurrency = counted.map(({ currency, count }) => [currency, Number(count)])
  return { client, from, lines: Object.fromEntries(byCurrency) }
}

async function pay(client: Client, body: object) {
  const answer = await client.post('/v3/payout', { ...localPayout, ...body })
  assert.equal(answer.status, 200, answer.text)
  const { id, destination_amount = 8_000 } = answer.json.data
  return { id, destination_amount: Number(destination_amount) }
}

/** The chain of hashes, by the recipe of ledger/rules.ts: each over the one before. */
const CHAIN = `
  create or replace function pg_temp.follow(previous text, journal text) returns text language sql
    as $$ select encode(sha256(convert_to('["' || previous || journal, 'UTF8')), 'hex') $$;
  create or replace aggregate pg_temp.chain_journals(text) (
    sfunc = pg_temp.follow, stype = text, initcond = '${EMPTY_HASH}')`

/** $1 is the account, $2 the sample of a converted payout, $3 what its receiver gets. */
const JOURNALS = `
  with lines as (
    select d.*, -(fixed_fee + variable_fee) as fee, sign(amount)::bigint * $3::bigint as received,
      sum(amount + fixed_fee + variable_fee) over (partition by currency order by i)
        as balance_after,
      case kind when 'funding' then 'esc_' || n when 'payout' then 'pot_' || n
        else 'pot_' || earlier end as source,
      case kind when 'funding' then 'funding' when 'failure' then 'converted'
        else case when converted then 'converted' else 'plain' end end as form,
      case kind when 'failure' then earlier_line end as undoes,
      case when kind = 'failure' or kind = 'payout' and converted then (
        select fx_conversions::text from journals j where j.kind = 'payout' and j.source = $2
      ) end as conversions
    from drafts d
  ), posted as (
    select *,
      case form when 'funding' then 'funding available'
        when 'plain' then 'available fees in_transit'
        else 'available fees fx fx in_transit' end as codes,
      case form when 'funding' then currency || ' ' || currency when 'plain' then 'USD USD USD'
        else 'USD USD USD EUR EUR' end as currencies,
      case form when 'funding' then array[-amount, amount]
        when 'plain' then array[amount - fee, fee, -amount]
        else array[amount - fee, fee, -amount, received, -received] end as amounts
    from lines
  ), hashed as (
    select *, pg_temp.chain_journals('","' || $1 || '","' || i || '","' || kind || '","' || source
      || '","' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '",['
      || (select string_agg('"' || code || ' ' || unit || ' ' || minor || '"', ',')
        from unnest(string_to_array(codes, ' '), string_to_array(currencies, ' '), amounts)
          as posting(code, unit, minor))
      || '],"' || concat_ws(' ', currency, amount, fixed_fee, variable_fee, balance_after) || '",'
      || coalesce(to_json(undoes)::text, 'null') || ','
      || coalesce(to_json(conversions)::text, 'null') || ',null]') over (order by i) as hash
    from posted
  )
  insert into journals (account_id, number, kind, source, codes, currencies, amounts, created_at,
    hash, currency, amount, fixed_fee, variable_fee, balance_after, undoes, fx_conversions)
  select $1, i, kind, source, codes, currencies, amounts, created_at, decode(hash, 'hex'), currency,
    amount, fixed_fee, variable_fee, balance_after, undoes, conversions::json
  from hashed order by i`

/** The recipe above is that of the product: the hashes of the first journals, recomputed. */
async function assertHash({ database }: TestService, account_id: string): Promise<void> {
  const journals = await listJournals(database.owner, account_id, { after: 0n, limit: 10 })
  let head = EMPTY_HASH
  for (const journal of journals) {
    head = hashJournal(head, journal)
    assert.equal(head, journal.hash)
  }
}
