// The days of wallets as statements: what left for payees, came from strangers, or appeared without a
// transfer, and how it agrees with the books.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { stateChains } from '../../src/app/worker/state-chains.ts'
import type { MatchSuggestions as Suggestions } from '../../src/console/objects.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { insertNostro, listNostros } from '../../src/treasury/nostro-store.ts'
import { readReport } from '../../src/treasury/report.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { verify } from '../../src/verify/run.ts'
import { type ChainWorld, type Made, openChainWorld, RAIL } from '../support/chain/world.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'

/** Minor units that each wallet has at first. */
const FUNDED = 1_000_000_000_000n
const TODAY = new Date().toISOString().slice(0, 10)

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ wallets: 2 })
  await insertNostro(world.service.database.owner, {
    ...{
      name: 'chain_usdc',
      kind: 'chain',
      currency: 'USDC',
      institution: '',
      account: '',
      bic: '',
    },
    ...{ purpose: 'own', pool: 'none', rails: [RAIL], closed_at: null, settings: {} },
    ...{ opening_balance: 2n * FUNDED, opening_on: TODAY },
  })
})
after(() => world?.close())

/** The next block of the chain is of this day of UTC. */
async function goTo(day: string): Promise<void> {
  await world.anvil.ask('evm_setNextBlockTimestamp', [Date.parse(`${day}T06:00:00Z`) / 1000])
  await world.anvil.mine(world.book.finality + 1)
}

/** The payee of a payout sends tokens to the first wallet. */
async function sendBack({ payee }: Pick<Made, 'payee'>, units: bigint): Promise<void> {
  const { anvil, tokens, wallet } = world
  await anvil.give(payee, 10n ** 18n)
  await anvil.sendAs(payee, tokens.USDC.address, tokens.USDC.transferData(wallet.address, units))
  await anvil.mine()
}

/** The open line of this amount, as `corridor nostro suggest` shows it. */
async function suggestedFor(cli: Cli, amount: bigint): Promise<Suggestions> {
  const [line] = await world.service.database.owner<{ id: bigint }[]>`
    select id from bank_lines where amount = ${amount} and match is null`
  return JSON.parse(await succeed(cli, 'nostro', 'suggest', `line_${line?.id}`, '--json'))
}

/** Runs a command as it is shown. */
async function type(cli: Cli, command: string): Promise<void> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare)
  await succeed(cli, ...(words.slice(1) as string[]))
}

async function deriveAndMatch(): Promise<void> {
  while ((await deriveSome(world.service.deps)).journals > 0n);
  for (const nostro of await listNostros(world.service.deps.sql)) {
    await matchNostro(world.service.deps.sql, nostro)
  }
}

/** Mines until the balances of all wallets are known behind the day. */
async function untilKnown(day: string): Promise<void> {
  await world.whileMining(`balances behind ${day}`, async () => {
    const [row] = await world.service.database.owner<{ known: number }[]>`
      select count(*)::integer as known from evm_balances
      where at >= ${plusDays(day, 1)}::date and token = ${world.tokens.USDC.address}`
    return row?.known === world.wallets.length
  })
}

async function statements() {
  return world.service.database.owner<
    { day: string; state: string; lines: number; amount: bigint }[]
  >`
    select closed_on::text as day, state, lines, amount from bank_statements
    where nostro = 'chain_usdc' order by closed_on`
}

/** What payees have sent back is told apart from a stranger's money, and explained by a person. */
async function giveBack(t: TestContext, whole: Made, part: Made): Promise<void> {
  const cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: 'ada' })
  t.after(cli.close)
  assert.deepEqual((await suggestedFor(cli, 7_500_000n)).refund_of, [], 'a stranger’s money')
  const [of_part, ...others] = (await suggestedFor(cli, 400_000n)).refund_of
  assert.deepEqual([of_part?.payout, others], [part.id, []])
  assert.match(of_part?.next ?? '', /^corridor nostro credit line_\d+ acc_\w+ --reason "Refund of/)

  const { line, refund_of } = await suggestedFor(cli, whole.amount)
  assert.deepEqual(
    refund_of.map(({ payout }) => payout),
    [whole.id],
  )
  assert.match(refund_of[0]?.next ?? '', / reversed --at-wish /, 'a payee gains by no rate')
  await type(cli, refund_of[0]?.next ?? '')
  assert.equal(await world.statusOf(whole), 'reversed')
  await deriveAndMatch()
  const { candidates, refund_of: left } = await suggestedFor(cli, whole.amount)
  assert.deepEqual(left, [], 'a reversed payout is given back once')
  const [item] = candidates[0]?.items ?? []
  assert.equal(item?.payout, whole.id)
  await succeed(cli, 'nostro', 'match', '--lines', line.id, '--items', item?.id ?? '')
}

test('days with payments, money from a stranger and a unit from nowhere: proved, matched, and the unit named', async t => {
  const service = await world.start()
  t.after(service.close)
  const [first, second, third] = [1, 2, 3].map(days => plusDays(TODAY, days)) as [
    string,
    string,
    string,
  ]
  await world.whileMining('wallets begin', async () => {
    const [row] = await world.service.database.owner<{ begun: number }[]>`
      select count(*)::integer as begun from evm_wallets`
    return row?.begun === world.wallets.length
  })

  await goTo(first)
  const made = await world.pay(5)
  await world.untilStatus('succeeded', made)
  await world.tokens.USDC.mint(world.wallet.address, 7_500_000n)
  const [whole, part] = made as [Made, Made, ...Made[]]
  await sendBack(whole, whole.amount)
  await sendBack(part, 400_000n)
  await goTo(second)
  await untilKnown(first)
  assert.equal(await stateChains(world.service.deps), 1)
  assert.equal(await stateChains(world.service.deps), 0, 'a day is stated once')
  assert.deepEqual(await statements(), [
    { day: first, state: 'proved', lines: 8, amount: 3_900_000n },
  ])

  await deriveAndMatch()
  const open = await world.service.database.owner`
    select amount, counterparty from bank_lines where match is null order by amount`
  assert.deepEqual(
    open.map(({ amount }) => amount),
    [400_000n, whole.amount, 7_500_000n],
    'what came in is open',
  )
  await giveBack(t, whole, part)
  const items = await world.service.database.owner`
    select from nostro_items where nostro = 'chain_usdc' and match is null`
  assert.equal(items.length, 0)

  const { address } = world.wallet
  await world.tokens.USDC.setBalance(address, (await world.tokens.USDC.balanceOf(address)) + 1n)
  await goTo(third)
  await untilKnown(second)
  assert.equal(await stateChains(world.service.deps), 1)
  assert.deepEqual((await statements()).at(-1), {
    ...{ day: second, state: 'sum_differs', lines: 0, amount: 0n },
  })
  const [gas] = await world.service.database.owner<{ wei: string }[]>`
    select sum(cost_wei)::text as wei from evm_transactions where block is not null`
  const from_to = {
    from: '2020-01-01',
    to: '2100-01-01',
    at: '',
    month: '',
    quarter: '',
    today: '',
  }
  const { rows } = await readReport(world.service.database.owner, 'gas', from_to as never)
  const reported = rows.map(({ cost = '' }) => BigInt(cost.replace('.', '')))
  assert.equal(
    reported.reduce((a, b) => a + b, 0n),
    BigInt(gas?.wei ?? '0'),
  )
  const verdict = await verify(world.service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})
