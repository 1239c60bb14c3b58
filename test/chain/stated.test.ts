// The days of wallets as statements: what left for payees, came from strangers, or appeared without a
// transfer, and how it agrees with the books.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { stateChains } from '../../src/app/worker/state-chains.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { insertNostro, listNostros } from '../../src/treasury/nostro-store.ts'
import { readReport } from '../../src/treasury/report.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { verify } from '../../src/verify/run.ts'
import { type ChainWorld, openChainWorld, RAIL } from '../support/chain/world.ts'

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
  await goTo(second)
  await untilKnown(first)
  assert.equal(await stateChains(world.service.deps), 1)
  assert.equal(await stateChains(world.service.deps), 0, 'a day is stated once')
  assert.deepEqual(await statements(), [
    { day: first, state: 'proved', lines: 6, amount: 2_500_000n },
  ])

  while ((await deriveSome(world.service.deps)).journals > 0n);
  for (const nostro of await listNostros(world.service.deps.sql)) {
    await matchNostro(world.service.deps.sql, nostro)
  }
  const open = await world.service.database.owner`
    select amount, counterparty from bank_lines where match is null`
  assert.deepEqual(
    open.map(({ amount }) => amount),
    [7_500_000n],
    'the stranger’s money alone is open',
  )
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
