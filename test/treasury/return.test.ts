// Money in suspense that goes back to its payer: paid once, credited to nobody, and taken back only
// while the bank has not paid.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { trialBalance } from '../../src/treasury/balance-store.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { listNostros } from '../../src/treasury/nostro-store.ts'
import { listSuspense } from '../../src/treasury/report-store.ts'
import { verify } from '../../src/verify/run.ts'
import { balancesOf } from '../support/assert/check.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines, identityOf } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
const NOSTRO = { name: 'eur_main', currency: 'EUR' }

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  await run('nostro', 'add', 'eur_main', 'EUR', '0', '--account', 'DE89 3704 0044 0532 0130 00')
  account = await service.openAccount({ currencies: ['EUR'], sandbox: false })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await cli.run(...words)
  assert.equal(code, 1, stderr)
  return stderr
}

async function comesIn(amount: bigint) {
  const payer = { counterparty_name: 'Zoe Park', counterparty: 'DE02120300000000202051' }
  const [id = 0n] = await giveLines(owner, NOSTRO, [{ amount, text: 'whose?', ...payer }])
  return `line_${id}`
}

const sendBack = async (line: string) =>
  JSON.parse(await run('nostro', 'return', line, '--reason', 'No such customer', '--json'))
const credit = (line: string) =>
  ['nostro', 'credit', line, account.account.account_id, '--reason', 'Theirs'] as const
const suspense = async () => (await listSuspense(owner, 100)).map(({ line }) => `line_${line}`)

const nostroOf = async () =>
  (await listNostros(owner)).find(({ name }) => name === NOSTRO.name) ?? assert.fail()

async function agree() {
  while ((await deriveSome(service.deps)).journals > 0n);
  const found = await nostroOf()
  await matchNostro(service.deps.sql, found)
  const { difference, open } = await identityOf(owner, found)
  assert.equal(difference, open)
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
}

test('line in suspense, returned: to be paid to its payer, credited to nobody, matched by the debit', async () => {
  const line = await comesIn(50_000n)
  const made = await sendBack(line)
  const { amount, payer_name, payer_account, nostro, end_to_end_id } = made
  assert.deepEqual([nostro, amount, payer_name], ['eur_main', '50000', 'Zoe Park'])
  assert.deepEqual([payer_account, end_to_end_id.length], ['DE02120300000000202051', 12])
  assert.deepEqual(await suspense(), [])
  assert.match(await refused(...credit(line)), /funds no account: it is in match_\d+/)
  assert.match(await refused('nostro', 'return', line, '--reason', 'again'), /undo it first/)
  assert.match(await run('nostro', 'items', 'eur_main'), new RegExp(`-500\\.00.*${end_to_end_id}`))
  await agree()
  await giveLines(owner, NOSTRO, [{ amount: -50_000n, end_to_end_id }])
  await agree()
  assert.match(await run('nostro', 'items', 'eur_main'), /no item/)
  const sums = await trialBalance(owner, '2999-01-01T00:00:00Z')
  assert.deepEqual(
    sums.filter(({ code }) => code === 'returns'),
    [],
  )
  const undone = ['nostro', 'undo', made.match, '--note', 'No']
  assert.match(
    await refused(...undone),
    /The other side on eur_main is in match_\d+: undo it first/,
  )
})

test('return, undone before the bank has paid: in suspense again, and credited then', async () => {
  const line = await comesIn(7_000n)
  const { match } = await sendBack(line)
  const journals = JSON.parse(await run('house', 'list', '--json'))
  for (const { id, kind } of journals.filter((one: { kind: string }) => one.kind === 'return')) {
    assert.match(await refused('house', 'reverse', id, '--reason', 'x'), /undo the match/, kind)
  }
  await run('nostro', 'undo', match, '--note', 'It is a customer')
  assert.deepEqual(await suspense(), [line])
  await agree()
  await run(...credit(line))
  await agree()
  assert.deepEqual(await suspense(), [])
})

test('line whose funding is not derived yet, and no credit: not returned', async () => {
  const line = await comesIn(6_000n)
  await run(...credit(line))
  const again = ['nostro', 'return', line, '--reason', 'No'] as const
  assert.match(await refused(...again), /is credited to an account: reverse that first/)
  const debit = await comesIn(-100n)
  assert.match(await refused('nostro', 'return', debit, '--reason', 'No'), /is no credit in EUR/)
  await run('nostro', 'book', debit, '--as', 'cost')
  await agree()
})

test('return and credit of one line at the same moment: the first alone', async () => {
  const line = await comesIn(4_000n)
  const before = (await balancesOf(account)).EUR
  const { returned, credited } = await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(hashtextextended('corridor match eur_main', 0))`
    const returned = cli.run('nostro', 'return', line, '--reason', 'No such customer')
    await untilBlocked(owner)
    const credited = cli.run(...credit(line))
    await Promise.race([credited, untilTwo()])
    return { returned, credited }
  })
  assert.equal((await returned).code, 0)
  const late = await credited
  assert.match(late.stderr, /is matched since/)
  assert.equal((await balancesOf(account)).EUR, before)
  await agree()
})

/** Both commands wait for the turn of the nostro. */
async function untilTwo(): Promise<void> {
  while ((await untilBlocked(owner)).length < 2);
}

test('line credited to an account: booked, matched and ruled by nothing else, derived or not', async () => {
  const line = await comesIn(2_500n)
  await run(...credit(line))
  await run('nostro', 'add-rule', 'eur_main', '--text', 'whose?', '--as', 'interest')
  await matchNostro(service.deps.sql, await nostroOf())
  await run('nostro', 'remove-rule', 'eur_main', '1')
  const debit = await comesIn(-2_500n)
  const others = [
    ['nostro', 'book', line, '--as', 'own_funds'],
    ['nostro', 'match', '--lines', `${line},${debit}`],
  ] as const
  const refusal = /is credited to an account: match that item/
  for (const words of others) assert.match(await refused(...words), refusal)
  while ((await deriveSome(service.deps)).journals > 0n);
  for (const words of others) assert.match(await refused(...words), refusal)
  const [item] = await owner<{ id: bigint }[]>`
    select id from nostro_items where instruction = ${line}`
  await run('nostro', 'match', '--lines', line, '--items', `item_${item?.id}`)
  await agree()
})

test('line with the key of an open item: not returned', async () => {
  const [id] = await giveLines(owner, NOSTRO, [{ amount: 900n, end_to_end_id: 'E2E-RETURN-1' }])
  const { account_id } = account.account
  await run('fund', account_id, 'EUR', '9.00', '--reference', 'e2e-return-1')
  while ((await deriveSome(service.deps)).journals > 0n);
  const again = await refused('nostro', 'return', `line_${id}`, '--reason', 'No')
  assert.match(again, /has the key of an open item: match it with that/)
  await agree()
})

test('undo, match, book and return at the same moment: none waits for another for ever', async () => {
  const clis = await Promise.all(
    ['ada', 'ben', 'cleo', 'dan'].map(name =>
      openCli(service.database.url, { CORRIDOR_USER: name }),
    ),
  )
  try {
    for (let round = 0; round < 12; round += 1) {
      const booked = await comesIn(100n)
      const { match } = JSON.parse(
        await run('nostro', 'book', booked, '--as', 'interest', '--json'),
      )
      const [one, two, three, four] = await Promise.all(
        [300n, -200n, 400n, 500n].map(amount => comesIn(amount)),
      )
      const acts = [
        ['nostro', 'undo', match, '--note', 'No'],
        ['nostro', 'match', '--lines', `${one},${two}`, '--rest-as', 'interest'],
        ['nostro', 'book', three ?? '', '--as', 'own_funds'],
        ['nostro', 'return', four ?? '', '--reason', 'No'],
      ]
      const done = await Promise.all(acts.map((words, i) => clis[i]?.run(...words)))
      assert.deepEqual(
        done.map(one => one?.stderr),
        ['', '', '', ''],
      )
    }
  } finally {
    await Promise.all(clis.map(one => one.close()))
  }
  await agree()
})

test('money that an account has: PostgreSQL refuses its match with anything else, and verify names one', async () => {
  const line = await comesIn(3_000n)
  const { match } = await sendBack(line)
  await run('nostro', 'undo', match, '--note', 'Theirs')
  await run(...credit(line))
  const number = BigInt(line.slice('line_'.length))
  const matching = (kind: string, code: string, before = '') =>
    owner.begin(async tx => {
      if (before !== '') await tx.unsafe(before)
      await tx`
      insert into house_journals (value_on, kind, codes, currencies, nostros, amounts, by)
      values (current_date, ${kind}, ${`bank ${code}`}, 'EUR EUR', 'eur_main -', '{-3000,3000}', 'x')`
      const [item] = await tx<{ id: bigint; house_number: bigint }[]>`
      select id, house_number from nostro_items where kind = 'house' order by id desc limit 1`
      const { id = 0n, house_number = 0n } = item ?? {}
      const [row] = await tx<{ match: bigint }[]>`select nextval('match_ids') as match`
      await tx`update bank_lines set match = ${row?.match ?? 0n} where id = ${number}`
      await tx`update nostro_items set match = ${row?.match ?? 0n} where id = ${id}`
      await tx`
      insert into matches (id, nostro, rule, by, lines, items, lines_sum, items_sum, house_number)
      values (${row?.match ?? 0n}, 'eur_main', 'person', 'x', ${[String(number)]}::text[]::bigint[],
        ${[String(id)]}::text[]::bigint[], 3000, 3000, ${house_number})`
    })
  const refusal = /is credited to an account, and its match has no item of that/
  await assert.rejects(matching('return', 'returns'), refusal)
  await assert.rejects(matching('own_funds', 'own_funds'), refusal)
  while ((await deriveSome(service.deps)).journals > 0n);
  await assert.rejects(matching('own_funds', 'own_funds'), refusal)
  await matching(
    'own_funds',
    'own_funds',
    'alter table matches disable trigger matched_or_credited',
  )
  const verdict = await verify(owner, { account_id: null, all: true })
  const found = verdict.ok ? [] : verdict.problems
  assert.deepEqual(
    found.map(({ expected }) => expected),
    [`${line} on no account`],
  )
})
