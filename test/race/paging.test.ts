// Long lists read page by page while more are added through the API all the time: what was
// there is seen once, in order, and who follows the newest misses nothing.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sql } from '../../src/sql/connect.ts'
import { idTimeSql, microsSql, numberedIdSql } from '../../src/sql/id-sql.ts'
import { type Item, list } from '../support/assert/listing.ts'
import { localPayout } from '../support/given/bodies.ts'
import { pickSeed, seeded, until } from '../support/service/process.ts'
import { startTestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const ROWS = share(1_500, 100_000)
/** Rows of one transaction share their time; this many did. */
const SHARED = 37

const service = await startTestService()
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000_000n } })
const first = await account.post('/v3/payout', localPayout)
assert.equal(first.status, 200, first.text)
await fill(service.database.owner, account.account.account_id, first.json.data.id)
after(() => service.close())

/** A history as it would be after so many payouts of one transaction for every 37. */
async function fill(owner: Sql, account_id: string, first: string) {
  const [book] = await owner<{ journals: number; events: number; at: string }[]>`
    select journal_count::integer as journals, event_count::integer as events,
      last_written_at::text as at
    from books where account_id = ${account_id}`
  const { journals, events, at } = book ?? assert.fail('no book')
  // Computed once a row.
  const numbers = owner`(select i, at, ${owner.unsafe(microsSql('at'))} as micros from (
    select i, ${at}::timestamptz + (1 + i / ${SHARED}) * interval '10 microseconds' as at
    from generate_series(1::bigint, ${ROWS}) i offset 0) i offset 0) i`
  // As a book gives them: the time, the number at that time, and chance.
  const id = owner`${owner.unsafe(idTimeSql('micros'))} || lpad((i % ${SHARED})::text, 4, '0') || '00000'`
  const numbered = (prefix: string, before: number) =>
    owner.unsafe(
      numberedIdSql(prefix, {
        account_id: `'${account_id}'`,
        created_at: 'at',
        number: `(${before} + i)`,
      }),
    )
  const line = numbered('btr', journals)
  await owner`
    insert into payouts (made_by, account_id, id, quote_id, type, amount, currency, holding_currency,
      holding_amount, fixed_fee, variable_fee, destination_currency, destination_amount,
      holding_to_payout, payout_to_destination, holding_fx_id, payout_fx_id,
      balance_transaction_id, beneficiary_id, beneficiary_details, particulars, reference_id,
      on_behalf_of,
      fund_transfer_network, charge_type, first_rail, created_at)
    select 'key_1', p.account_id, 'pot_' || ${id}, 'poq_' || ${id}, p.type, p.amount, p.currency,
      p.holding_currency, p.holding_amount, 0, 0, p.destination_currency, p.destination_amount, 1, 1,
      '', '', ${line}, p.beneficiary_id, p.beneficiary_details, p.particulars, p.reference_id, p.on_behalf_of, '', '', p.first_rail,
      at
    from payouts p, ${numbers}
    where p.account_id = ${account_id} and p.id = ${first}`
  await owner`
    insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status, rail,
      status_description, rail_reference, taken_by, answers)
    select ${account_id}, 'pot_' || ${id}, at, 1, 1, 'succeeded', 'simulator', '', '', '', '[]'
    from ${numbers}`
  await owner`
    insert into journals (account_id, number, kind, source, codes, currencies, amounts, created_at,
      hash, currency, amount, fixed_fee, variable_fee, balance_after)
    select ${account_id}, ${journals} + i, 'payout', 'pot_' || ${id}, 'available in_transit',
      'USD USD', '{-1,1}', at, sha256(''), 'USD', -1, 0, 0, 1
    from ${numbers}`
  await owner`
    insert into events (account_id, sequence, created_at, told, type, object_id, hash)
    select ${account_id}, ${events} + i, at, 'P' || substr(${id}, 12), '', '', sha256('')
    from ${numbers}`
  await owner`
    update books set journal_count = journal_count + ${ROWS}, event_count = event_count + ${ROWS},
      last_written_at = (select max(created_at) from payouts where account_id = ${account_id})
    where account_id = ${account_id}`
  await owner`vacuum analyze payouts, journals, events`
}

interface Paged {
  readonly path: string
  readonly table: string
  /** The id in SQL, faster than the view's. */
  readonly id?: string
  /** The order of the list, newest first. */
  readonly order: string
  /** What an answer to POST /v3/payout and an object of the list have in common, if they do. */
  readonly made: (payout: Item) => string
  readonly listed: (item: Item) => string
}

const LISTS: readonly Paged[] = [
  {
    path: '/v3/payout',
    table: 'payouts',
    order: 'id desc',
    made: payout => payout.id,
    listed: item => item.id,
  },
  {
    path: '/v3/event',
    table: 'each_event',
    id: numberedIdSql('evt', {
      account_id: 'account_id',
      created_at: 'created_at',
      number: 'sequence',
    }),
    order: 'sequence desc',
    made: payout => `payout.created ${payout.id}`,
    listed: item => `${item.type} ${item.object_id}`,
  },
  {
    path: '/v3/balance_transaction',
    table: 'balance_transactions',
    order: 'journal_number desc',
    made: payout => payout.balance_transaction,
    listed: item => item.id,
  },
]

/** All ids of a list, newest first, by another way than the list. */
async function idsNow({ table, id = 'id', order }: Paged): Promise<string[]> {
  const rows = await service.database.owner.unsafe<{ id: string }[]>(
    `select ${id} as id from ${table} where account_id = '${account.account.account_id}' order by ${order}`,
  )
  return rows.map(({ id }) => id)
}

/** Adds payouts, some at once, until it is stopped; what was answered is in `made`. */
function startWriter(beneficiary: string) {
  const { beneficiary_details: _, ...body } = localPayout
  const made: Item[] = []
  let stopped = false
  let count = 0
  // Of its own reference each, or they would be taken for the same payout sent again.
  const pay = () => {
    count += 1
    const reference_id = `${beneficiary} ${performance.now()} ${count}`
    return account.post('/v3/payout', { ...body, amount: 1, beneficiary, reference_id })
  }
  const work = async () => {
    for (let i = 0; !stopped; i++) {
      const answers = await Promise.all(Array.from({ length: 1 + (i % 4) }, pay))
      for (const answer of answers) {
        assert.equal(answer.status, 200, answer.text)
        made.push(answer.json.data)
      }
      // Lets readers in.
      for (let turn = 0; turn < 20; turn++) await nextTurn()
    }
  }
  const working = work()
  return {
    made,
    stop() {
      stopped = true
      return working
    },
  }
}

/** Pages of 100 in one direction until there are no more; `onPage` is told before each and after. */
async function walk(
  path: string,
  cursor: 'starting_after' | 'ending_before',
  from: string | undefined,
  onPage: { before?(): Promise<void>; after(results: readonly Item[]): void },
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let last = from
  for (let pages = 1; ; pages++) {
    await onPage.before?.()
    const page = await list(account, path, { limit: '100', ...(last && { [cursor]: last }) })
    onPage.after(page.results)
    // Read upwards, a page is newest first all the same.
    ids.push(...(cursor === 'starting_after' ? page.ids : page.ids.toReversed()))
    last = ids.at(-1) ?? last
    if (!page.has_more) return { ids, pages }
    assert.equal(page.ids.length, 100)
  }
}

/** Two lists of ids, compared without printing a hundred thousand of them. */
function assertSame(actual: readonly string[], expected: readonly string[], what: string): void {
  const at = expected.findIndex((id, i) => actual[i] !== id)
  const differ = at === -1 ? '' : `${actual[at]} stands where ${expected[at]} does, at ${at}`
  assert.deepEqual([actual.length, differ], [expected.length, ''], what)
  assert.equal(new Set(actual).size, actual.length, `${what}: some twice`)
}

for (const paged of LISTS) {
  test(`GET ${paged.path}, ${ROWS} rows while more are added: none missing, none twice, in order`, async t => {
    await assertPagedWhileWritten(t, paged)
  })
}

async function assertPagedWhileWritten(t: TestContext, paged: Paged): Promise<void> {
  const { path } = paged
  const before = await idsNow(paged)
  assert.ok(before.length > ROWS)
  const oldest = before.at(-1) ?? ''
  const [{ beneficiary }] = (await list(account, '/v3/payout', { limit: '1' })).results as [Item]
  const writer = startWriter(beneficiary)
  const started = performance.now()
  const seen = new Set<string>()
  const note = (results: readonly Item[]) => {
    for (const item of results) seen.add(paged.listed(item))
  }
  /** Payouts that had been answered when the page was asked for. */
  let known = 0
  const [down, up] = await Promise.all([
    walk(path, 'starting_after', undefined, { after: () => {} }),
    walk(path, 'ending_before', oldest, {
      // Something is added between each page and the next, however fast pages are.
      before: async () => {
        await until('another payout is made', () => writer.made.length > known)
        known = writer.made.length
      },
      after: note,
    }),
  ])
  const seconds = (performance.now() - started) / 1000
  // Whoever follows the newest has at the end all that was there when the last page was asked for.
  for (const payout of writer.made.slice(0, known)) assert.ok(seen.has(paged.made(payout)))
  await writer.stop()
  const rest = await walk(path, 'ending_before', up.ids.at(-1), { after: note })
  for (const payout of writer.made) assert.ok(seen.has(paged.made(payout)))

  const all = await idsNow(paged)
  assertSame([...up.ids, ...rest.ids], all.slice(0, -1).toReversed(), 'upwards')
  // From where the first page began, which some may have come before.
  const first = all.indexOf(down.ids[0] ?? '')
  assert.ok(first >= 0 && first <= all.length - before.length)
  assertSame(down.ids, all.slice(first), 'downwards')
  assertSame(down.ids.slice(-before.length), before, 'what was there')
  const added = all.length - before.length
  assert.ok(writer.made.length > 20, `only ${writer.made.length} payouts were made meanwhile`)
  const rate = Math.round((down.pages + up.pages) / seconds)
  t.diagnostic(`${rate} pages/s of 100, ${added} rows added meanwhile (${seconds.toFixed(1)} s)`)
}

/** A filter is judged when the page is read: neither when the walk began nor when the row came. */
test('GET /v3/payout?status=, statuses change between pages: each page correct when it is read', async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const posted = Array.from({ length: 200 }, (_, i) =>
    client.post('/v3/payout', { ...localPayout, amount: 1 + i }),
  )
  for (const answer of await Promise.all(posted)) assert.equal(answer.status, 200, answer.text)
  const rows = await service.database.owner<{ id: string }[]>`
    select id from payouts where account_id = ${client.account.account_id}
    order by created_at desc, id desc`
  const ids = rows.map(({ id }) => id)
  const statuses = new Map(ids.map(id => [id, 'processing']))
  const change = async (id: string) => {
    const status = statuses.get(id) === 'processing' ? 'compliance_hold' : 'processing'
    statuses.set(id, status)
    await service.database.owner`
      update open_payouts set status = ${status} where id = ${id}`
  }
  for (const cursor of ['starting_after', 'ending_before'] as const) {
    const inOrder = cursor === 'starting_after' ? ids : ids.toReversed()
    for (const status of ['processing', 'compliance_hold']) {
      let last = inOrder[0] ?? ''
      for (let more = true; more; ) {
        const query = { status, limit: '10', [cursor]: last }
        const page = await list(client, '/v3/payout', query)
        const beyond = inOrder.slice(inOrder.indexOf(last) + 1)
        const matching = beyond.filter(id => statuses.get(id) === status)
        const expected = matching.slice(0, 10)
        const read = cursor === 'starting_after' ? page.ids : page.ids.toReversed()
        assert.deepEqual([read, page.has_more], [expected, matching.length > 10])
        last = read.at(-1) ?? last
        more = page.has_more
        // The cursor's own row may stop matching: its place stays.
        const chosen = new Set(Array.from({ length: 20 }, () => Math.floor(random() * 200)))
        await Promise.all(
          [last, ...[...chosen].map(i => ids[i] ?? '').filter(id => id !== last)].map(change),
        )
      }
    }
  }
})
