// Limits, by command and over HTTP: what a payout is refused for and with which figures, what counts
// and what does not, and that a payout gives its headroom back as it ends.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { deleteOldUses } from '../../src/controls/limit/use-store.ts'
import { leavesAt, stepAt } from '../../src/controls/limit/window.ts'
import { STATEMENTS, type StatementContext, stepChannel } from '../../src/values/diagnostics.ts'
import { plusMilliseconds } from '../../src/values/instant.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { internalPayout, localPayout, overChats } from '../support/given/bodies.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import type { AccountOptions, Answer, Client } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const PATH = '/v3/payout'

let account: Client
const olga = { CORRIDOR_USER: 'olga' }
const { service, cli, rows } = await openWithCli({ simulator_delay_ms: 0 }, olga, closeVerified)
await service.setRates({ 'EUR/USD': '1.1', 'USD/HKD': '8' })
beforeEach(async () => {
  account = await open()
})

const open = (options: AccountOptions = {}) =>
  service.openAccount({
    currencies: ['USD', 'EUR'],
    fund: { USD: 100_000_000n, EUR: 100_000_000n },
    ...options,
  })

const idOf = ({ account }: Client) => account.account_id

/** Sets a limit of the account, by options of corridor limit set, and returns its id. */
async function limit(options: Readonly<Record<string, string>>): Promise<string> {
  const words = Object.entries({ account: idOf(account), ...options }).flatMap(([name, text]) => [
    `--${name}`,
    text,
  ])
  const ran = await cli.run('limit', 'set', ...words, '--json')
  assert.equal(ran.code, 0, ran.stderr)
  await service.deps.reference.refresh()
  return ran.json.limit_id
}

/** A zone in which it is noon or so: the day does not end during a test. */
const ZONE = noonZone(new Date().getUTCHours())

function noonZone(hour: number): string {
  // Their sign is the other way round: Etc/GMT-3 is three hours ahead.
  return hour <= 12 ? `Etc/GMT${hour - 12 || '+0'}` : `Etc/GMT+${hour - 12}`
}

const A_DAY = { per: 'day', zone: ZONE }

const pay = (fields: object = {}, client = account) =>
  client.post(PATH, { ...localPayout, ...fields })

const paid = (fields: object = {}, client = account) => payFrom(client, fields)

/** The figures that the message ends in. */
function figuresOf(answer: Answer): Record<string, string> {
  const message: string = answer.json.errors[0].message
  const figures = message.slice(message.indexOf('In minor units: ') + 16).split(' ')
  return Object.fromEntries(figures.map(figure => figure.split('=')))
}

async function assertExceeded(answering: Promise<Answer>, figures: object, remarks = 'amount') {
  const answer = await answering
  assertRefused(answer, 422, 'limit_exceeded', remarks)
  assert.equal(answer.json.errors[0].code, 20315)
  const found = figuresOf(answer)
  assert.deepEqual({ ...found, ...figures }, found)
  return found
}

test('POST /v3/payout, daily limit on the amount: refused above it, naming limit, used, asked and window, nothing written', async () => {
  const limit_id = await limit({ amount: '250.00', currency: 'USD', ...A_DAY })
  await paid()
  const { created_at } = await paid()
  const before = await rows()
  const window = { per: 'day', zone: ZONE, hours: null } as const
  await assertExceeded(pay(), {
    limit: limit_id,
    window: `day:${ZONE}`,
    cap: '25000',
    used: '20000',
    asked: '10000',
    currency: 'USD',
    frees_at: leavesAt(window, stepAt(window, created_at)),
  })
  assert.deepEqual(await rows(), before)
  await paid({ amount: 5_000 })
  await assertExceeded(pay({ amount: 1 }), { used: '25000', asked: '1' })
})

test('POST /v3/payout, limit on the number in 24 hours: refused above it, accepted as old payouts leave the window', async () => {
  await limit({ hours: '24', count: '2' })
  const { created_at } = await paid()
  await paid({ currency: 'EUR' })
  const { frees_at = '' } = await assertExceeded(
    pay(),
    { window: '24h', cap: '2', used: '2', asked: '1', currency: 'none' },
    '',
  )
  const window = { per: 'hours', zone: null, hours: 24 } as const
  assert.equal(frees_at, leavesAt(window, stepAt(window, created_at)))
  await advance(23 * HOUR)
  await assertExceeded(pay(), { used: '2' }, '')
  await advance(HOUR + 5 * 60)
  await paid()
})

/** Moves the clock of the account. */
async function advance(seconds: number): Promise<void> {
  const moved = await account.post('/v3/sandbox/clock/advance', { seconds })
  assert.equal(moved.status, 200, moved.text)
}

test('POST /v3/payout, limit per payout in another currency: converted at mid, rounded up', async () => {
  await limit({ per: 'payout', amount: '100.00', currency: 'USD' })
  await paid({ currency: 'EUR', amount: 9_090 })
  await assertExceeded(pay({ currency: 'EUR', amount: 9_091 }), {
    cap: '10000',
    used: '0',
    asked: '10001',
    frees_at: 'null',
  })
})

test('POST /v3/payout, limit for a key, network or rail: payouts of other keys, networks and rails unaffected', async () => {
  const other = await service.addKey(account, 'write')
  const key = { key: account.key_id }
  await limit({ ...key, hours: '1', count: '1' })
  await paid()
  await assertExceeded(pay(), { used: '1' }, '')
  await paid({}, other)
  await limit({ network: 'CHATS', hours: '1', count: '0' })
  await assertExceeded(pay(overChats, other), { cap: '0', used: '0' }, '')
  await paid({}, other)
  await limit({ rail: 'simulator', hours: '1', count: '2' })
  await assertExceeded(pay({}, other), { cap: '2', used: '3' }, '')
  const sister = await open()
  const transfer = internalPayout(sister.account.deposit_address)
  assert.equal((await other.post(PATH, transfer)).status, 200)
})

/** A payout to the bank account of this number. */
const toAccount = (account_number: string) => {
  const { beneficiary_details } = localPayout
  const { destination_details } = beneficiary_details
  const bank = { ...destination_details.bank, account_number }
  return {
    beneficiary_details: {
      ...beneficiary_details,
      destination_details: { ...destination_details, bank },
    },
  }
}

const HOUR = 3_600

test("POST /v3/payout, limit for new payees: refused until the payee's first payout or beneficiary is old enough", async () => {
  await limit({ 'new-for-hours': '72', per: 'payout', amount: '50.00', currency: 'USD' })
  const to_stranger = toAccount('555-1')
  const { frees_at } = await assertExceeded(pay(to_stranger), { window: 'payout', cap: '5000' })
  assert.equal(frees_at, 'null')
  const { created_at } = await paid({ ...to_stranger, amount: 5_000 })
  const { frees_at: known_at } = await assertExceeded(pay(to_stranger), { used: '0' })
  assert.equal(known_at, plusMilliseconds(created_at, 72 * HOUR * 1_000))
  const details = toAccount('555-2').beneficiary_details
  const { json } = await account.post('/v3/beneficiary', details)
  const named = { beneficiary_details: undefined, beneficiary: json.data.id }
  await assertExceeded(pay(named), { used: '0' })
  await advance(72 * HOUR + 60)
  await paid(toAccount('5551'))
  await paid(named)
  await paid(toAccount('555-2'))
  await assertExceeded(pay(toAccount('555-3')), { frees_at: 'null' })
})

test('POST /v3/payout, beneficiary with a new destination: counts as a new payee again', async () => {
  await limit({ 'new-for-hours': '1', per: 'payout', amount: '0', currency: 'USD' })
  const { json } = await account.post('/v3/beneficiary', toAccount('1').beneficiary_details)
  const { id } = json.data
  const named = { beneficiary_details: undefined, beneficiary: id }
  await advance(HOUR + 60)
  await paid(named)
  const { destination_details } = toAccount('2').beneficiary_details
  const changed = await account.put(`/v3/beneficiary/${id}`, { destination_details })
  assert.equal(changed.status, 200, changed.text)
  await assertExceeded(pay(named), { cap: '0' })
  await paid(toAccount('1'))
})

test('corridor limit set --new-for-hours, payouts exist: payees known since their first payout', async () => {
  await paid(toAccount('1'))
  await advance(2 * HOUR)
  await paid(toAccount('2'))
  await paid(toAccount('1'))
  await limit({ 'new-for-hours': '1', per: 'payout', amount: '0', currency: 'USD' })
  await paid(toAccount('1'))
  await assertExceeded(pay(toAccount('2')), { cap: '0' })
  await advance(HOUR)
  await paid(toAccount('2'))
})

test('POST /v3/payout_batch, limit on new payees a day: payouts counted together and per payee', async () => {
  await limit({ 'new-for-hours': '24', count: '2', ...A_DAY })
  await limit({ 'new-for-hours': '24', each: 'payee', count: '1', ...A_DAY })
  const payouts = ['1', '1', '2', '3'].map(number => ({ ...localPayout, ...toAccount(number) }))
  const made = await account.post('/v3/payout_batch', { mode: 'best_effort', payouts })
  const positions = made.json.data.refused.map(({ position }: { position: number }) => position)
  assert.deepEqual(positions, [1, 3], made.text)
})

test('settling, payout fails or is reversed: its headroom is restored; payout succeeds: still counted', async () => {
  const limit_id = await limit({ hours: '24', amount: '7100.01', currency: 'USD' })
  // The amounts by which the simulator lets payouts succeed, fail and be reversed.
  for (const amount of [10_000, 200_000, 500_001]) await paid({ amount })
  await assertExceeded(pay({ amount: 1 }), { used: '710001' })
  await settleAll(service)
  assert.equal(await usedOf(limit_id), 10_000n)
  await assertExceeded(pay({ amount: 700_002 }), { used: '10000' })
  await paid({ amount: 700_001 })
})

/** What `corridor limit show` says is used. */
async function usedOf(limit_id: string): Promise<bigint> {
  const shown = await cli.run('limit', 'show', limit_id, '--json')
  assert.equal(shown.code, 0, shown.stderr)
  return BigInt(shown.json.used[0]?.used ?? 0)
}

test('POST /v3/payout/{id}/cancel: headroom restored at once; held payouts are counted until then', async () => {
  const limit_id = await limit({ hours: '24', count: '1' })
  const entity = { type: 'individual', name: 'Ana', email: 'ana@example.com', reference_id: 'a' }
  const { json } = await account.post('/v3/entity', entity)
  const { id, status } = await paid({ on_behalf_of: json.data.id })
  assert.equal(status, 'compliance_hold')
  await assertExceeded(pay(), { used: '1' }, '')
  const cancelled = await account.post(`${PATH}/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  assert.equal(await usedOf(limit_id), 0n)
  await paid()
  await assertExceeded(pay(), { used: '1' }, '')
})

test('POST /v3/payout_batch, limit reached midway: payouts counted in order, refused ones named', async () => {
  await limit({ hours: '24', amount: '300.00', currency: 'USD' })
  await paid()
  const payouts = [10_000, 15_000, 9_000, 1_000].map((amount, i) => {
    return { ...localPayout, amount, reference_id: `${i}` }
  })
  const whole = await account.post('/v3/payout_batch', { payouts })
  assertRefused(whole, 422, 'limit_exceeded', 'payouts[1].amount')
  const { used, asked } = figuresOf(whole)
  assert.deepEqual([used, asked], ['20000', '15000'])
  const tried = { mode: 'best_effort', payouts }
  const dry = await account.post('/v3/payout_batch', { ...tried, dry_run: true })
  assert.equal(dry.json.data.counts.refused, 1, dry.text)
  const made = await account.post('/v3/payout_batch', tried)
  const { created, refused } = made.json.data.counts
  assert.deepEqual([created, refused], [3, 1], made.text)
  await assertExceeded(pay({ amount: 1 }), { used: '30000' })
})

test('dry run, quote and replay: not counted against limits; the dry run reports limit refusals', async () => {
  const limit_id = await limit({ hours: '24', count: '1' })
  const quote = { payout_info: { currency: 'USD', amount: 10_000 } }
  for (let i = 0; i < 2; i++) {
    assert.equal((await account.post('/v3/payout/quote', quote)).status, 200)
    const dry = await account.post(`${PATH}?dry_run=true`, localPayout)
    assert.deepEqual(dry.json.data.errors, [])
  }
  const key = { 'idempotency-key': 'the-one' }
  const first = await account.post(PATH, localPayout, key)
  assert.equal(first.status, 200, first.text)
  assert.equal((await account.post(PATH, localPayout, key)).text, first.text)
  assert.equal(await usedOf(limit_id), 1n)
  const dry = await account.post(`${PATH}?dry_run=true`, localPayout)
  assert.equal(dry.json.data.errors[0].reason, 'limit_exceeded')
  assert.equal((await account.post('/v3/payout/quote', quote)).status, 200)
})

test("corridor limit set, payouts exist: counted from the window's start, except those credited back", async () => {
  await paid()
  await paid({ currency: 'EUR', amount: 10_000 })
  await paid({ amount: 200_000 })
  const { id } = await paid()
  await account.post(`${PATH}/${id}/cancel`, {})
  await settleAll(service)
  await paid({ amount: 7 })
  const ran = await cli.run(
    ...['limit', 'set', '--account', idOf(account), '--hours', '24'],
    ...['--amount', '1.00', '--currency', 'USD'],
  )
  assert.equal(ran.code, 0, ran.stderr)
  assert.match(ran.stdout, /USD 1\.00 in 24 hours \(before: no limit\); 3 payouts count already/)
  await assertExceeded(pay({ amount: 1 }), { used: '21007', cap: '100', asked: '1' })
  const raised = await limit({ hours: '24', amount: '210.08', currency: 'USD' })
  assert.ok(ran.stdout.startsWith(raised))
  await paid({ amount: 1 })
  await assertExceeded(pay({ amount: 1 }), { used: '21008' })
})

test('corridor limit set, per network, rail or payee: existing payouts counted separately', async () => {
  await paid(overChats)
  await paid({ ...overChats, ...toAccount('7') })
  await paid()
  const sister = await open()
  assert.equal(
    (await account.post(PATH, internalPayout(sister.account.deposit_address))).status,
    200,
  )
  const set = (...options: readonly string[]) =>
    cli.run('limit', 'set', '--account', idOf(account), '--hours', '24', '--count', '9', ...options)
  assert.match((await set('--network', 'chats')).stdout, /; 2 payouts count already/)
  assert.match((await set('--rail', 'simulator')).stdout, /; 3 payouts count already/)
  const payees = await set('--each', 'payee')
  assert.match(payees.stdout, /; 4 payouts count already/)
  const shown = await cli.run('limit', 'show', payees.stdout.slice(0, 24), '--json')
  assert.deepEqual(
    shown.json.used.map(({ used }: { used: number }) => used),
    [2, 1, 1],
  )
})

test('corridor limit set for all accounts, more payouts than one read: each account has its own headroom', async () => {
  const [many, few] = [await open(), await open()]
  const portion = Array.from({ length: 501 }, (_, i) => ({ ...localPayout, reference_id: `${i}` }))
  for (const payouts of [portion, portion]) {
    const made = await many.post('/v3/payout_batch', { payouts })
    assert.equal(made.status, 200, made.text)
  }
  await paid({}, few)
  const set = ['limit', 'set', '--hours', '24', '--count', '1002', '--rail', 'simulator']
  const ran = await cli.run(...set, '--json')
  assert.equal(ran.code, 0, ran.stderr)
  await assertExceeded(pay({}, many), { used: '1002' }, '')
  await paid({}, few)
  const { limit_id } = ran.json
  assert.equal((await cli.run('limit', 'remove', limit_id)).code, 0)
  await paid({}, many)
})

test('corridor limit list and show: the limit and the used amount', async () => {
  const limit_id = await limit({ each: 'payee', per: 'day', zone: 'UTC', count: '3' })
  const kind_of_it = ['--each', 'payee', '--per', 'day', '--zone', 'UTC']
  await cli.run('limit', 'set', '--account', idOf(account), ...kind_of_it, '--count', '4')
  const listed = await cli.run('limit', 'list', '--account', idOf(account))
  const kind = `payouts of account ${idOf(account)} to each payee`
  assert.match(listed.stdout, new RegExp(`${limit_id}.*${kind}.*4 payouts a day of UTC`))
  const log = await cli.run('audit', 'list', '--act', 'limit', '--limit', '2', '--json')
  const [change, made] = log.json
  assert.deepEqual([change.changed_by, change.before.cap, change.after.cap], ['olga', '3', '4'])
  assert.deepEqual([made.before, made.after.limit_id], [null, limit_id])
  const unknown = await cli.run('limit', 'show', 'lim_none')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /there is no limit lim_none; corridor limit list shows/)
})

test('corridor limit set, invalid limit: exit code 2 with every fault, nothing set', async () => {
  const all = () => service.database.owner`
    select l::text, xmin::text from limits l order by limit_id`
  const before = [...(await all())]
  const wrong: readonly (readonly [options: readonly string[], words: RegExp])[] = [
    [['--count', '-1', '--hours', '745'], /--count "-1" is not .*; --hours "745" is not .* to 744/],
    [['--count', '1', '--rail', 'simulater'], /--rail: There is no rail.*simulator.*; --per: Say /],
    [['--amount', '1', '--hours', '1'], /--amount needs the --currency that it is in/],
    [['--amount', '1.001', '--currency', 'USD', '--hours', '1'], /is not an amount in USD: .* 2 /],
  ]
  for (const [options, words] of wrong) {
    const ran = await cli.run('limit', 'set', ...options)
    assert.equal(ran.code, 2, ran.stdout)
    assert.match(ran.stderr, words)
  }
  assert.deepEqual([...(await all())], before)
})

test('payout import, limit set: dry run and import both count its rows', async () => {
  await limit({ hours: '24', count: '2' })
  const { bank } = localPayout.beneficiary_details.destination_details
  const rows = [1, 2, 3].map(n => {
    return `${n}000,USD,supplier_payment,Invoice ${n},INV-${n},Payee ${n},business,0${n},HK,${bank.bank_codes.swift_code},local`
  })
  const head =
    'amount,currency,purpose,transaction_description,reference_id,beneficiary.name,beneficiary.type,beneficiary.account_number,beneficiary.country,beneficiary.bank_codes.swift_code,type'
  const path = await cli.file('limited.csv', [head, ...rows, ''].join('\n'))
  const run = (...options: string[]) =>
    cli.run('payout', 'import', path, '--account', idOf(account), '--json', ...options)
  const report = ['--report', `${path}.jsonl`]
  const tried = await run('--dry-run')
  assert.deepEqual(tried.json.refused_by, { limit_exceeded: 1 }, tried.stdout + tried.stderr)
  const made = await run(...report)
  assert.deepEqual(made.json.refused_by, { limit_exceeded: 1 }, made.stdout + made.stderr)
})

test('deleteOldUses: deletes uses older than every window, keeps younger ones', async () => {
  const limit_id = await limit({ hours: '744', count: '10' })
  await paid()
  await paid()
  const { owner } = service.database
  const count = async () => {
    const [row] = await owner<{ n: number }[]>`
      select (select count(*) from limit_uses where account_id = ${idOf(account)})::integer
        + (select count(*) from limit_sums where account_id = ${idOf(account)})::integer as n`
    return row?.n
  }
  assert.equal(await deleteOldUses(service.deps), 0)
  assert.equal(await count(), 3)
  await owner.begin(async tx => {
    await tx`set local corridor.maintenance = 'on'`
    for (const table of ['limit_uses', 'limit_sums']) {
      await tx`update ${tx(table)} set starts_at = starts_at - interval '34 days'
        where account_id = ${idOf(account)}`
    }
  })
  assert.equal(await deleteOldUses(service.deps), 3)
  assert.equal(await count(), 0)
  // Its payouts are young, in truth, and would be missed.
  assert.equal((await cli.run('limit', 'remove', limit_id)).code, 0)
})

test('PostgreSQL, limits: window above its cap, unknown kind, rail, key or zone refused', async () => {
  const limit_id = await limit({ hours: '24', count: '5' })
  await paid()
  const { owner } = service.database
  const refused = (statement: string, said: RegExp) =>
    assert.rejects(
      owner.begin(async tx => {
        await tx`set local corridor.maintenance = 'on'`
        await tx.unsafe(statement)
      }),
      said,
    )
  await refused(
    `update limit_sums set reached = 6 where limit_id = '${limit_id}'`,
    /within_its_cap/,
  )
  await refused(
    `update limit_sums set used = 6 where limit_id = '${limit_id}'`,
    /part_of_the_window/,
  )
  await refused(`update limits set hours = 1 where limit_id = '${limit_id}'`, /its cap alone/)
  const insert = (columns: string, values: string) =>
    `insert into limits (limit_id, each, cap, ${columns})
      values ('lim_00000000000000000000', 'account', 1, ${values})`
  await refused(insert('per, hours, rail', `'hours', 1, 'nowhere'`), /there is no rail nowhere/)
  await refused(insert('per, zone', `'day', 'Nowhere'`), /time zone Nowhere is not known/)
  await refused(
    insert('per, hours, account_id, key_id', `'hours', 1, '${idOf(account)}', 'key_none'`),
    /key key_none is not of account/,
  )
  await refused(insert('per', `'payout'`), /amount_of_a_payout/)
})

const listen = () => {}

test('POST /v3/payout until it ends, account without limits: no statement reads or writes limits', async () => {
  await limit({ hours: '24', count: '5' })
  const other = await open()
  const sent: string[] = []
  const keep = (message: unknown) => sent.push((message as StatementContext).text)
  const asked = async (client: Client) => {
    sent.length = 0
    await paid({ amount: 200_000 }, client)
    await settleAll(service)
    const { id } = await paid({}, client)
    await client.post(`${PATH}/${id}/cancel`, {})
    assert.ok(sent.length > 10)
    return new Set(sent.filter(text => /\blimit_(sums|uses|payees)/.test(text))).size
  }
  // Statements are published inside of steps alone, and steps to whoever listens.
  const steps = (['load', 'store'] as const).map(step => stepChannel(step))
  for (const step of steps) step.start.subscribe(listen)
  STATEMENTS.asyncEnd.subscribe(keep)
  try {
    await asked(account)
    assert.ok((await asked(account)) > 3)
    assert.equal(await asked(other), 0)
  } finally {
    STATEMENTS.asyncEnd.unsubscribe(keep)
    for (const step of steps) step.start.unsubscribe(listen)
  }
})

test('corridor verify, window above its cap, payout not counted, or credited-back payout counted: named', async () => {
  const limit_id = await limit({ hours: '24', amount: '300.00', currency: 'USD' })
  const { id: first } = await paid({ currency: 'EUR' })
  await advance(HOUR)
  await paid({ currency: 'EUR' })
  const { id: last } = await paid({ amount: 1 })
  const { owner } = service.database
  const named = (...statements: readonly string[]) =>
    undone(owner, async tx => {
      await tx`set local corridor.maintenance = 'on'`
      for (const statement of statements) await tx.unsafe(statement)
      const verdict = await verdictIn(tx, true)
      return verdict.ok ? [] : verdict.problems.map(({ table, key }) => `${table} ${key}`)
    })
  assert.deepEqual(await named(), [])
  const of = `where account_id = '${idOf(account)}' and limit_id = '${limit_id}'`
  const over = await named(
    `update limit_uses set amount = amount + 30000 ${of} and payout_id = '${first}'`,
    `update limit_sums set used = used + 30000, reached = reached + 30000, cap = cap + 30000
      ${of} and starts_at = (select min(starts_at) from limit_sums ${of})`,
  )
  assert.equal(over.length, 1)
  assert.match(over[0] ?? '', new RegExp(`^limit_sums ${limit_id} `))
  const uncounted = await named(
    `update limit_sums set used = used - 1 ${of} and starts_at =
      (select starts_at from limit_uses ${of} and payout_id = '${last}')`,
    `delete from limit_uses ${of} and payout_id = '${last}'`,
  )
  assert.deepEqual(uncounted, [`limit_uses ${last} ${limit_id}`])
  const unmarked = await named(
    `update books set has_limit_uses = false where account_id = '${idOf(account)}'`,
  )
  assert.deepEqual(unmarked, ['books '])
  const given_back = await named(
    `insert into limit_uses (account_id, payout_id, limit_id, subject, starts_at, amount)
      select account_id, payout_id || 'x', limit_id, subject, starts_at, amount
      from limit_uses ${of} and payout_id = '${last}'`,
    `update limit_sums set used = used + 1, reached = reached + 1, cap = cap + 1 ${of} and starts_at =
      (select starts_at from limit_uses ${of} and payout_id = '${last}')`,
  )
  assert.deepEqual(given_back, [`limit_uses ${last}x ${limit_id}`])
})
