// The service verifies its books while it runs: what somebody has changed by SQL is found, told and
// stops its account, once. A book that grows meanwhile is no fault.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { notifyPeople } from '../../src/app/worker/notify-people.ts'
import { countProofs, proveDue, startProving } from '../../src/app/worker/prove-books.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { Message } from '../../src/notifications/notification.ts'
import { claimDuePayouts } from '../../src/payouts/advance/claim-store.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { claimTurn, endTurn } from '../../src/verify/proof-store.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let owner: Sql
before(async () => {
  service = await startTestService({ verify_percent: 50 })
  owner = service.database.owner
  await service.setFees([{ payout_type: 'local' }])
  await service.setRoutes([{}])
  // Whoever changes rows in secret takes the guards off first.
  for (const table of ['journals', 'payouts', 'payout_outcomes', 'balances']) {
    await owner.unsafe(`alter table ${table} disable trigger user`)
  }
})
after(() => service.close())

const open = (sandbox = true) =>
  service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n }, sandbox })

const PAYOUT = { ...localPayout, amount: 1_000, currency: 'USD', holding_currency: 'USD' }

async function pay(account: Client, amount = PAYOUT.amount): Promise<string> {
  const { status, json } = await account.post('/v3/payout', { ...PAYOUT, amount })
  assert.equal(status, 200, JSON.stringify(json))
  return json.data.id
}

/** Verifies until no journal is left. Returns how many there were. */
async function prove(): Promise<number> {
  let journals = 0
  for (let more = 1; more > 0; journals += more) more = await proveDue(service.deps)
  return journals
}

const stateOf = async ({ account }: Client) => {
  const [row] = await owner<{ state: string }[]>`
    select state from accounts where account_id = ${account.account_id}`
  return row?.state
}

const faultsOf = ({ account }: Client) => owner<{ table_name: string; key: string }[]>`
  select table_name, key from verify_faults where account_id = ${account.account_id} order by 1, 2`

/** As if an hour had passed: the heads of books are compared again. */
const anHourLater = () => owner`update book_proofs set ended_at = now() - interval '2 hours'`

/** As if the days of CORRIDOR_VERIFY_AGAIN_DAYS had passed. */
const aWeekLater = () =>
  owner`update book_proofs set began_at = now() - interval '8 days' where walk = 'again'`

async function unfreeze({ account }: Client): Promise<void> {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const { code, stderr } = await cli.run(
    ...['account', 'unfreeze', account.account_id, '--reason', 'Known since the migration'],
  )
  assert.equal(code, 0, stderr)
  await cli.close()
  await service.deps.reference.refresh()
}

async function told(): Promise<string[]> {
  const messages: Message[] = []
  const send = async (message: Message) => void messages.push(message)
  await owner`update notifications set due_at = now() - interval '1 second'`
  await notifyPeople(service.deps, [{ name: 'webhook', send }], 0)
  return messages.map(({ subject }) => subject)
}

test('books that grow while they are verified: each journal is read, and none is a fault', async () => {
  const account = await open()
  let made = 0
  const paying = (async () => {
    for (; made < 60; made += 1) await pay(account)
  })()
  while (made < 60) {
    await proveDue(service.deps)
    await settleOnce(service.deps)
  }
  await paying
  await prove()
  const [left] = await owner<{ count: bigint }[]>`
    select sum(b.journal_count - p.number) as count
    from books b join book_proofs p on p.account_id = b.account_id and p.walk = 'new'`
  assert.equal(String(left?.count), '0')
  await aWeekLater()
  assert.ok((await prove()) > 60, 'the walk from the start reads all of them again')
  assert.deepEqual(await faultsOf(account), [])
  assert.equal(await stateOf(account), 'active')
})

test('balance changed by SQL: account frozen and people told once; unfrozen by a person, it stays so until the row changes', async () => {
  const account = await open(false)
  const { account_id } = account.account
  await prove()
  await told()
  const change = (by: number) => owner`
    update balances set available = available + ${by}::bigint where account_id = ${account_id}`
  await change(5)
  await anHourLater()
  await prove()
  assert.equal(await stateOf(account), 'frozen')
  assert.deepEqual([...(await faultsOf(account))], [{ table_name: 'balances', key: 'USD' }])
  const [change_of_state] = await owner`
    select changed_by, act, after ->> 'state_reason' as reason from audit_log where table_name = 'accounts'
      and after ->> 'account_id' = ${account_id} order by change_id desc limit 1`
  assert.deepEqual(
    [change_of_state?.changed_by, change_of_state?.act, change_of_state?.reason],
    [
      'corridor',
      'account freeze',
      `balances USD differs from the books: corridor verify --account ${account_id} --all`,
    ],
  )
  await countProofs(service.deps)
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  assert.match(text, /^corridor_verify_faults 1$/m)
  assert.deepEqual(await told(), ['Corridor: 1 row differs from the books: its account is frozen'])

  await unfreeze(account)
  await pay(account)
  await anHourLater()
  await prove()
  assert.equal(await stateOf(account), 'active')
  assert.deepEqual(await told(), [])

  await change(-2)
  await anHourLater()
  await prove()
  assert.equal(await stateOf(account), 'frozen', 'another change is another fault')
})

test('old journal changed by SQL: found by the walk from the start, and mended it is forgotten by the next', async () => {
  const account = await open()
  const { account_id } = account.account
  await pay(account)
  await prove()
  const shift = (by: string) => owner`
    update journals set created_at = created_at + ${by}::interval
    where account_id = ${account_id} and number = 1`
  await shift('-1 second')
  await anHourLater()
  await prove()
  assert.deepEqual([...(await faultsOf(account))], [], 'its number is behind the position')
  await aWeekLater()
  await prove()
  assert.deepEqual([...(await faultsOf(account))], [{ table_name: 'journals', key: 'number 1' }])
  assert.equal(await stateOf(account), 'frozen')
  await shift('1 second')
  await aWeekLater()
  await prove()
  assert.deepEqual([...(await faultsOf(account))], [])
})

test('payout changed by SQL: found with its next journal, and its account is frozen', async () => {
  const account = await open()
  const id = await pay(account)
  await owner`update payouts set holding_amount = holding_amount + 1 where id = ${id}`
  await prove()
  const faults = await faultsOf(account)
  assert.equal(faults.length, 1)
  assert.equal(await stateOf(account), 'frozen')
})

test('reversal of a payout that stays settled, proved after its settlement: found, and its account is frozen', async () => {
  const account = await open()
  const id = await pay(account, 500_001)
  const comesTo = (status: string) =>
    until(status, async () => {
      await owner`update open_payouts set ask_rail_at = now() where id = ${id}`
      await settleOnce(service.deps)
      const { json } = await account.get(`/v3/payout/${id}`)
      return json.data.status === status
    })
  await comesTo('succeeded')
  await prove()
  await comesTo('reversed')
  await owner`
    update payout_outcomes set status = 'succeeded', succeeded_at = null where id = ${id}`
  await prove()
  assert.deepEqual([...(await faultsOf(account))], [{ table_name: 'payouts', key: id }])
  assert.equal(await stateOf(account), 'frozen')
})

test('payout that waits for its rail, account frozen for a fault: not handed over until a person unfreezes the account', async () => {
  const account = await open()
  const id = await pay(account)
  await prove()
  await owner`
    update balances set available = available + 1
    where account_id = ${account.account.account_id}`
  await anHourLater()
  await prove()
  const { account_id } = account.account
  const claimed = await claimDuePayouts(service.deps.sql, [{ account_id, id }], 1_000)
  assert.deepEqual(claimed, [], 'nor if it was listed before the freeze')
  const asked = async () => {
    await settleOnce(service.deps)
    const [row] = await owner<{ rail_attempts: bigint }[]>`
      select coalesce(o.rail_attempts, s.rail_attempts)::bigint as rail_attempts
      from payouts p
      left join open_payouts o on o.account_id = p.account_id and o.id = p.id
      left join payout_outcomes s on s.account_id = p.account_id and s.id = p.id
      where p.id = ${id}`
    return Number(row?.rail_attempts)
  }
  assert.equal(await asked(), 0)
  await unfreeze(account)
  assert.ok((await asked()) > 0)
})

test('books at a fault, process killed before the position is stored: the next turn finds it again', async () => {
  const account = await open()
  await pay(account)
  await owner`
    update journals set created_at = created_at + interval '1 ms'
    where account_id = ${account.account.account_id} and number = 2`
  await owner`revoke insert on verify_faults from corridor_service`
  await proveDue(service.deps)
  const [position] = await owner`
    select number from book_proofs where account_id = ${account.account.account_id}`
  assert.equal(position, undefined, 'no position without its faults')
  await owner`grant insert on verify_faults to corridor_service`
  await prove()
  assert.ok((await faultsOf(account)).some(({ key }) => key === 'number 2'))
})

test('position that cannot be stored: its faults are, so no payout goes out of the frozen account', async () => {
  const account = await open()
  const { account_id } = account.account
  await owner`update balances set available = available + 1 where account_id = ${account_id}`
  await owner`revoke insert on book_proofs from corridor_service`
  await proveDue(service.deps)
  await owner`grant insert on book_proofs to corridor_service`
  assert.equal((await faultsOf(account)).length, 1)
  assert.equal(await stateOf(account), 'frozen')
  await prove()
})

test('process killed between a stored fault and the freeze: the next turn freezes the account', async () => {
  const account = await open()
  const { account_id } = account.account
  await prove()
  await owner`update balances set available = available + 1 where account_id = ${account_id}`
  await anHourLater()
  const run = () => Promise.reject(new Error('killed'))
  const operators = Object.assign(Object.create(service.deps.operators), { run })
  await proveDue({ ...service.deps, operators })
  assert.equal((await faultsOf(account)).length, 1)
  assert.equal(await stateOf(account), 'active')
  await prove()
  assert.equal(await stateOf(account), 'frozen')
})

test('account with the most faults that are kept: another fault does not freeze it again', async () => {
  const account = await open()
  const { account_id } = account.account
  await prove()
  await owner`
    insert into verify_faults (account_id, table_name, key, mark)
    select ${account_id}, 'journals', 'number ' || n, sha256('known')
    from generate_series(1001, 1100) n`
  await owner`update balances set available = available + 1 where account_id = ${account_id}`
  await anHourLater()
  await prove()
  assert.equal((await faultsOf(account)).length, 100)
  assert.equal(await stateOf(account), 'active')
})

test('book that cannot be read: a fault that freezes its account', async () => {
  const account = await open()
  await prove()
  await owner`
    update book_proofs set balances = '{"USD": "x"}'
    where account_id = ${account.account.account_id}`
  await anHourLater()
  await prove()
  assert.deepEqual([...(await faultsOf(account))], [{ table_name: 'books', key: '' }])
  assert.equal(await stateOf(account), 'frozen')
})

test('corridor verify, books in order: forgets the faults of before', async () => {
  const account = await open()
  const { account_id } = account.account
  await prove()
  await owner`update balances set available = available + 1 where account_id = ${account_id}`
  await anHourLater()
  await prove()
  await owner`update balances set available = available - 1 where account_id = ${account_id}`
  assert.equal((await faultsOf(account)).length, 1)
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const { code, stderr } = await cli.run('verify', '--account', account_id)
  await cli.close()
  assert.equal(code, 0, stderr)
  assert.deepEqual([...(await faultsOf(account))], [])
})

test('more busy books than a turn takes: a quiet head and a walk from the start are proved in the same turn', async () => {
  const [quiet, walked] = [await open(), await open()]
  await prove()
  await owner`
    update balances set available = available + 1
    where account_id = ${quiet.account.account_id}`
  await owner`
    update book_proofs set ended_at = now() - interval '2 hours'
    where account_id = ${quiet.account.account_id} and walk = 'new'`
  await owner`
    update journals set created_at = created_at - interval '1 second'
    where account_id = ${walked.account.account_id} and number = 1`
  await owner`
    update book_proofs set began_at = now() - interval '8 days'
    where account_id = ${walked.account.account_id} and walk = 'again'`
  for (let i = 0; i < 110; i += 1) await open()
  await proveDue(service.deps)
  const [left] = await owner<{ count: bigint }[]>`
    select count(*) from books b left join book_proofs p
      on p.account_id = b.account_id and p.walk = 'new' where p.account_id is null`
  assert.ok(Number(left?.count) > 0, 'the turn could not take all')
  assert.equal((await faultsOf(quiet)).length, 1)
  assert.equal((await faultsOf(walked)).length, 1)
})

test('two processes: one verifies at a time, and the other after its turn has ended or its claim has run out', async () => {
  await owner`update verify_turn set due_at = now()`
  const turn = await claimTurn(service.deps.sql, 60_000)
  assert.ok(turn !== undefined)
  assert.equal(await claimTurn(service.deps.sql, 60_000), undefined)
  await endTurn(service.deps.sql, turn, 0)
  assert.notEqual(await claimTurn(service.deps.sql, 60_000), undefined)
  await owner`update verify_turn set due_at = now()`
  const account = await open()
  const worker = startProving(service.deps)
  await until('verified by the worker', async () => {
    const [row] = await owner<{ number: bigint }[]>`
      select number from book_proofs
      where account_id = ${account.account.account_id} and walk = 'new'`
    return row?.number === 1n
  })
  await worker.stop()
})
