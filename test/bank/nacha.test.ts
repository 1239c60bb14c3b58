// ACH credits through a running service: payouts in USD become NACHA files, which a bank takes, pays and
// answers by its own reader. Its ledger says what was paid, and our books what came back.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type AchEntry, readAch, writeReturns } from '../../examples/bank/ach.ts'
import { TestBank } from '../../examples/bank/bank.ts'
import { CALENDARS } from '../../src/values/calendar/tables.ts'
import { checkBooks } from '../support/assert/books.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { type HttpClient, httpClient, openAccountOn, until } from '../support/service/process.ts'

const FUNDED = 100_000_000_000n
const ROUTING = '021000021'

/** A rail, its bank, and an account whose payouts go there. */
interface World {
  readonly bank: TestBank
  readonly folder: string
  readonly client: HttpClient
}

const database = await createDatabase()
await database.owner`insert into fees (payout_type, fee_currency) values ('local', 'USD')`
const nextDay = await openWorld('ach', false)
const sameDay = await openWorld('ach_today', true)
const env = {
  DATABASE_URL: database.url,
  CORRIDOR_RAIL_TIMEOUT_MS: '5000',
  CORRIDOR_SETTLE_POLL_MS: '200',
}
const service = await startListening(env)
const cli = await openCli(database.url, { CORRIDOR_USER: 'ann' })
after(async () => {
  await cli.close()
  await service.close()
  for (const world of [nextDay, sameDay]) {
    world.client.close()
    world.bank.close()
    await rm(world.folder, { recursive: true, force: true })
  }
  await database.drop()
})

async function openWorld(rail: string, same_day: boolean): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-ach-'))
  const bank = new TestBank({ folder })
  const opened = await openAccountOn(database.url, { USD: FUNDED }, ['USD'], false)
  const config = {
    settlement_account: {
      ...{ name: 'Operating', holder: 'Example Payments Inc', account: '000123456789' },
      ...{ clearing_code: 'USABA091000019', currency: 'USD' },
    },
    profile: {
      name: 'test-bank',
      nacha: {
        ...{ immediate_destination: '091000019', immediate_destination_name: 'TEST BANK' },
        ...{ immediate_origin: '1234567890', immediate_origin_name: 'EXAMPLE PAYMENTS' },
        ...{ company_id: '1234567890', company_name: 'EXAMPLE', odfi: '091000019' },
        ...{ entry_description: 'PAYOUT', same_day },
      },
    },
    transport: {
      kind: 'folder',
      outbox: join(folder, 'to-bank'),
      inbox: join(folder, 'from-bank'),
      archive: join(folder, 'archive'),
    },
    timetable: 'always_open',
    fetch_every_s: 1,
  }
  const { owner } = database
  await owner`insert into rails (name, kind, config)
    values (${rail}, 'nacha', ${JSON.stringify(config)}::text::jsonb)`
  await owner`insert into routes (account_id, rail) values (${opened.account.account_id}, ${rail})`
  return { bank, folder, client: httpClient(opened) }
}

interface Asked {
  readonly amount: number
  readonly name: string
  readonly type?: 'business' | 'individual'
  readonly purpose?: string
  readonly bank?: object
}

/** Pays a batch, so that all of it is in one file; returns the ids of the payouts, in order. */
async function pay({ client }: World, asked: readonly Asked[]): Promise<string[]> {
  const payouts = asked.map(({ amount, name, type = 'individual', purpose, bank }, i) => ({
    amount,
    currency: 'USD',
    type: 'local',
    local: { fund_transfer_network: 'ach' },
    purpose: purpose ?? 'supplier_payment',
    transaction_description: `Invoice ${i}`,
    beneficiary_details: {
      name,
      type,
      destination_details: {
        type: 'bank',
        bank: {
          account_number: `4400${String(i).padStart(6, '0')}`,
          bank_name: 'First Example Bank',
          country: 'US',
          bank_codes: { routing_number: ROUTING },
          ...bank,
        },
      },
      address: {
        ...{ line1: '1 Main St', city: 'Springfield', state: 'IL', country: 'US' },
        postal_code: '62701',
      },
    },
  }))
  const { status, text, json } = await client.post(service.address, '/v3/payout_batch', { payouts })
  assert.equal(status, 200, text)
  const items = await client.get(service.address, `/v3/payout_batch/${json.data.id}/item?limit=100`)
  const results: { payout: string | null }[] = items.json.data.results
  assert.ok(
    results.every(({ payout }) => payout !== null),
    items.text,
  )
  return results.map(({ payout }) => payout ?? '')
}

interface Payout {
  readonly status: string
  readonly code: string
}

async function payoutOf({ client }: World, id: string): Promise<Payout> {
  const { json, text } = await client.get(service.address, `/v3/payout/${id}`)
  assert.ok(json?.data, text)
  return { status: json.data.status, code: json.data.failure?.code ?? '' }
}

/** Waits for the file of these payouts, and reads it as the bank does. */
async function sealed(
  world: World,
  count: number,
): Promise<{ text: string; entries: readonly AchEntry[] }> {
  const box = join(world.folder, 'to-bank')
  let names: string[] = []
  await until('the file is there', async () => {
    names = (await readdir(box)).filter(name => !name.endsWith('.tmp'))
    return names.length > 0
  })
  assert.match(String(names), /^[0-9A-Z]{16}\.ach$/, 'one file, under its name')
  const bytes = await readFile(join(box, names[0] ?? ''))
  const { entries } = readAch(bytes)
  assert.equal(entries.length, count)
  return { text: bytes.toString('latin1'), entries }
}

/** The end-to-end ids of payouts. */
async function idsOf(payouts: readonly string[]): Promise<string[]> {
  const rows = await database.owner<{ payout_id: string; end_to_end_id: string }[]>`
    select payout_id, end_to_end_id from rail_items where payout_id = any (${payouts}::text[])`
  const ids = new Map(rows.map(row => [row.payout_id, row.end_to_end_id]))
  return payouts.map(id => ids.get(id) ?? '')
}

/** Everything that the bank has sent is read. */
async function heard({ folder }: World): Promise<void> {
  const inbox = join(folder, 'from-bank')
  await until('the inbox is empty', async () => (await readdir(inbox)).length === 0)
  await until('all of it is read', async () => {
    const [row] = await database.owner`select from rail_inbox where state = 'stored' limit 1`
    return row === undefined
  })
}

/**
 * As if the files had been sent so long ago, and the payouts were asked about again. A bank can have
 * read a file before its upload is known to have ended, which is when it counts as sent.
 */
async function passDays(days: number): Promise<void> {
  const past = `${days} days`
  await until('no upload is under way', async () => {
    const [row] = await database.owner`select from rail_files where state = 'uploading' limit 1`
    return row === undefined
  })
  await database.owner.begin(async tx => {
    await tx`alter table rail_files disable trigger legal_step`
    await tx`update rail_files set sealed_at = sealed_at - ${past}::interval,
      sent_at = sent_at - ${past}::interval, updated_at = updated_at - ${past}::interval,
      execution_date = execution_date - ${days}::integer`
    await tx`alter table rail_files enable trigger legal_step`
  })
}

/** Waits until these payouts have arrived: days that pass do not wake a payout before its time. */
async function untilArrived(world: World, ids: readonly string[]): Promise<void> {
  await until('all have arrived', async () => {
    // A question that was under way when the days passed puts off the next one by days that are over.
    await database.owner`
      update open_payouts set ask_rail_at = now() where ask_rail_at > now() + interval '1 minute'`
    const all = await Promise.all(ids.map(id => payoutOf(world, id)))
    return all.every(({ status }) => status === 'succeeded')
  })
}

test('ACH next day: PPD to persons, CCD to companies, payroll apart; succeeded after the return days', async () => {
  const payouts = await pay(nextDay, [
    { amount: 12_345, name: 'Ada Lovelace' },
    { amount: 99_999_999, name: 'Example Parts Inc', type: 'business' },
    { amount: 1, name: 'Bea Savings', bank: { account_type: 'savings' } },
    { amount: 250_000, name: 'Cy Worker', purpose: 'salary' },
  ])
  const { entries, text } = await sealed(nextDay, 4)
  const of = (id: string) => entries.find(({ individual_id }) => individual_id === id)
  const shown = (await idsOf(payouts))
    .map(of)
    .map(entry => [
      ...[entry?.entry_class, entry?.transaction_code, entry?.description, entry?.amount],
      ...[entry?.routing, entry?.account, entry?.name, String(entry?.addenda)],
    ])
  const to = (i: number, name: string) => [
    ...[ROUTING, `440000000${i}`, name, `NTE**Invoice ${i}\\`],
  ]
  assert.deepEqual(shown, [
    ['PPD', '22', 'PAYOUT', 12_345n, ...to(0, 'Ada Lovelace')],
    ['CCD', '22', 'PAYOUT', 99_999_999n, ...to(1, 'Example Parts Inc')],
    ['PPD', '32', 'PAYOUT', 1n, ...to(2, 'Bea Savings')],
    ['PPD', '22', 'PAYROLL', 250_000n, ...to(3, 'Cy Worker')],
  ])
  const made = text.slice(23, 29)
  for (const { effective, same_day } of entries) {
    assert.ok(effective > made && isBankingDay(effective), `${effective} after ${made}`)
    assert.equal(same_day, '')
  }
  await nextDay.bank.finish()
  for (const id of payouts) assert.equal((await payoutOf(nextDay, id)).status, 'processing')
  await passDays(30)
  await untilArrived(nextDay, payouts)
  assertPaidOnce(nextDay, await idsOf(payouts))
})

/** Whether YYMMDD is a day on which the Federal Reserve settles, by its table alone. */
function isBankingDay(day: string): boolean {
  const date = day.replace(/^(..)(..)(..)$/, '20$1-$2-$3')
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay()
  return weekday % 6 !== 0 && !CALENDARS.fed.holidays.some(holiday => holiday.date === date)
}

function assertPaidOnce({ bank }: World, ids: readonly string[]): void {
  const paid = bank.ledger.timesPaid()
  for (const id of ids) assert.equal(paid.get(id), 1, id)
}

test('ACH same day: settles today while a window is open, else on the next banking day', async () => {
  const payouts = await pay(sameDay, [
    { amount: 500, name: 'Ada Lovelace' },
    { amount: 700, name: 'Example Parts Inc', type: 'business' },
  ])
  const { text, entries } = await sealed(sameDay, 2)
  const [made, at] = [text.slice(23, 29), text.slice(29, 33)]
  for (const { effective, same_day } of entries) {
    const open = isBankingDay(made) && at < '1645'
    assert.equal(effective === made, open, `${effective}, made on ${made} at ${at}`)
    assert.match(same_day, open ? /^SD1[378]00$/ : /^$/)
    assert.ok(isBankingDay(effective))
  }
  await sameDay.bank.finish()
  assertPaidOnce(sameDay, await idsOf(payouts))
})

test('ACH return: payout fails with the reason, credited back; R24 (duplicate entry): a person decides', async () => {
  const before = await availableTo(nextDay)
  const payouts = await pay(nextDay, [
    { amount: 1_000, name: 'RETURN R02 Payee' },
    { amount: 1_001, name: 'RETURN R24 Payee' },
  ])
  const [closed = '', twice = ''] = payouts
  await sealed(nextDay, 2)
  await nextDay.bank.finish()
  await heard(nextDay)
  await until('the return has failed its payout', async () => {
    return (await payoutOf(nextDay, closed)).status === 'failed'
  })
  const { json } = await nextDay.client.get(service.address, `/v3/payout/${closed}`)
  const { code, message } = json.data.failure
  assert.deepEqual([code, message], ['PF000511', 'The account is closed (R02).'])
  await until('a person is asked', async () => (await exceptionsOf([twice])).length > 0)
  assert.deepEqual(await exceptionsOf([twice]), ['duplicate'])
  assert.equal((await payoutOf(nextDay, twice)).status, 'processing')
  assert.equal(before - (await availableTo(nextDay)), 1_001n, 'only the one in question is held')
})

async function availableTo({ client }: World): Promise<bigint> {
  const { json } = await client.get(service.address, '/v3/balance')
  return BigInt(json.data.available[0].amount)
}

async function exceptionsOf(payouts: readonly string[]): Promise<string[]> {
  const rows = await database.owner<{ kind: string }[]>`
    select kind from rail_exceptions where payout_id = any (${payouts}::text[])
    and closed_at is null`
  return rows.map(({ kind }) => kind)
}

test('ACH notification of change: notice for the account for six banking days, payout succeeds', async () => {
  const payouts = await pay(nextDay, [{ amount: 2_000, name: 'NOTE C01 Payee' }])
  await sealed(nextDay, 1)
  await nextDay.bank.finish()
  await heard(nextDay)
  const notes = await database.owner<{ code: string; level: string; text: string }[]>`
    select code, level, text from rail_item_evidence where payout_id = any (${payouts}::text[])`
  const text = 'to be changed: the account number is wrong: 1918171614'
  assert.deepEqual(
    notes.map(note => ({ ...note })),
    [{ level: 'note', code: 'C01', text }],
  )
  assert.deepEqual(await exceptionsOf(payouts), ['change_notified'])
  const [row] = await database.owner<{ message: string }[]>`
    select message from rail_exceptions where payout_id = any (${payouts}::text[])`
  assert.match(
    row?.message ?? '',
    /^Correct the payee by \d{4}-\d\d-\d\d, .* C01, to be changed: .*: 1918171614/,
  )
  const [id = ''] = payouts
  const read = (path: string) => nextDay.client.get(service.address, path)
  const { results } =
    (await read(`/v3/event?object_id=${id}&type=payout.notified`)).json?.data ?? {}
  assert.deepEqual(
    results.map((event: { change: { notice: object } }) => event.change.notice),
    [{ kind: 'change_notified', code: 'C01' }],
  )
  assert.equal(results[0].data.status, 'processing')
  const { items } = (await read(`/v3/payout/${id}/timeline`)).json?.data ?? {}
  const reviews = items.filter((item: { kind: string }) => item.kind === 'review')
  assert.deepEqual(
    reviews.map((item: { reason: string }) => item.reason),
    [row?.message],
  )
  await passDays(30)
  await untilArrived(nextDay, payouts)
  assert.deepEqual(await exceptionsOf(payouts), ['change_notified'])
})

test('ACH return after success: payout reversed, the same integers credited', async () => {
  const before = await availableTo(nextDay)
  const [id = ''] = await pay(nextDay, [{ amount: 4_242, name: 'Late Return' }])
  const { entries } = await sealed(nextDay, 1)
  await nextDay.bank.finish()
  await passDays(30)
  await untilArrived(nextDay, [id])
  const [entry] = entries as readonly [AchEntry]
  const back = writeReturns([{ entry, code: 'R23', amount: entry.amount }], '091000019', new Date())
  await writeFile(join(nextDay.folder, 'from-bank', 'late.ach'), back)
  await until('it is reversed', async () => (await payoutOf(nextDay, id)).status === 'reversed')
  assert.equal((await payoutOf(nextDay, id)).code, 'PR000530')
  assert.equal(await availableTo(nextDay), before)
})

test('ACH file resent: same bytes and name, the bank pays once', async () => {
  const payouts = await pay(nextDay, [
    { amount: 31, name: 'Ada Lovelace' },
    { amount: 32, name: 'Example Parts Inc', type: 'business' },
  ])
  const { text } = await sealed(nextDay, 2)
  const [msg_id = ''] = (await readdir(join(nextDay.folder, 'to-bank'))).map(name =>
    name.replace('.ach', ''),
  )
  await nextDay.bank.finish()
  const cautious = await cli.run('file', 'resend', msg_id, '--reason', 'No word of it')
  assert.equal(cautious.code, 1)
  assert.match(cautious.stderr, /may pay it twice/)
  const forced = await cli.run('file', 'resend', msg_id, '--force', '--reason', 'Asked Ms Ito')
  assert.equal(forced.code, 0, forced.stderr)
  assert.equal((await sealed(nextDay, 2)).text, text)
  await nextDay.bank.finish()
  assertPaidOnce(nextDay, await idsOf(payouts))
  const refused = nextDay.bank.ledger.lines.filter(({ what }) => what === 'refused')
  assert.deepEqual(
    refused.map(({ file }) => file),
    [`${msg_id}.ach`],
  )
})

test('payout that fits no ACH credit: in no file, failover tried, no route left', async () => {
  const [id = ''] = await pay(nextDay, [{ amount: 10_000_000_000, name: 'Too Much Inc' }])
  await until('it waits for a person', async () => {
    const [row] = await database.owner<{ ended_as: string }[]>`
      select ended_as from payout_attempts where payout_id = ${id}`
    return row?.ended_as === 'not_taken'
  })
  assert.deepEqual(await idsOf([id]), [''])
})

test('books after all tests of this file: balanced, no line of the bank set aside', async () => {
  const lines = await database.owner`select reason from rail_inbox_lines`
  assert.deepEqual([...lines], [])
  await checkBooks(database.owner, env)
})
