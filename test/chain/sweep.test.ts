// Money that leaves a wallet for the house: two people want it, the rail pays it once, to one address.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChainWorld, openChainWorld, RAIL } from '../support/chain/world.ts'
import { openCli, succeed } from '../support/service/cli.ts'

const HOUSE = `0x${'7e'.repeat(20)}` as const

let world: ChainWorld
before(async () => {
  world = await openChainWorld({ settings: { treasury_address: HOUSE } })
})
after(() => world?.close())

async function cliOf(user: string) {
  const cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: user })
  after(cli.close)
  return cli
}

const asked = () => [
  ...['rail', 'sweep', RAIL, '--wallet', world.wallet.address, '--currency', 'USDC'],
  ...['--amount', '250.00', '--reason', 'More than a week needs'],
]

test('sweep that another person agrees to: paid once to the house, between two payouts', async t => {
  const service = await world.start()
  t.after(service.close)
  const [anna, ben] = [await cliOf('anna'), await cliOf('ben')]
  await world.untilStatus('succeeded', await world.pay(1))
  const { id } = JSON.parse(await succeed(anna, ...asked(), '--json')) as { id: string }
  const own = await anna.run('rail', 'agree', id)
  assert.notEqual(own.code, 0)
  assert.match(own.stderr, /another person agrees/)
  await succeed(ben, 'rail', 'agree', id)
  const again = await ben.run('rail', 'agree', id)
  assert.match(again.stderr, /agreed to already/)
  const atHouse = async () => (await world.transfers()).filter(({ to }) => to === HOUSE)
  await world.whileMining('the house has it', async () => {
    const [row] = await world.service.database.owner<{ state: string }[]>`
      select state from evm_slots where purpose = 'house'`
    return row?.state === 'paid'
  })
  await world.untilStatus('succeeded', await world.pay(1))
  assert.deepEqual(
    (await atHouse()).map(({ units }) => units),
    [250_000_000n],
  )
  assert.match(await succeed(ben, 'rail', 'sweeps', RAIL), /paid 0x/)
  await world.checkPaidOnce()
})

test('sweep from a wallet of nobody, of a token that the rail has not, of a rail without an address: refused', async () => {
  const anna = await cliOf('anna')
  const wrong = async (...changed: readonly (readonly [string, string])[]) => {
    const words = asked()
    for (const [option, value] of changed) words[words.indexOf(option) + 1] = value
    return (await anna.run(...words)).stderr
  }
  assert.match(await wrong(['--wallet', HOUSE]), /--wallet/)
  assert.match(await wrong(['--currency', 'EUR']), /--currency/)
  await world.set({ treasury_address: undefined })
  assert.match(await wrong(), /treasury_address/)
})

test('slot of the house that nobody has agreed to, written by SQL: refused by PostgreSQL', async () => {
  const { owner } = world.service.database
  const slot = (sweep: bigint | null) => owner`
    insert into evm_slots (chain_id, wallet, nonce, rail, purpose, sweep, currency, amount, units,
      token, payee, calldata, state)
    values (31337, ${world.wallet.address}, 0, ${RAIL}, 'house', ${sweep}, 'USDC', 1, 1,
      ${world.tokens.USDC.address}, ${HOUSE}, ${`0x${'e'.repeat(136)}`}, 'signed')`
  await assert.rejects(slot(null), { constraint_name: 'house_by_two_people' })
  const [sweep] = await owner<{ id: bigint }[]>`
    insert into evm_sweeps (chain_id, amount, rail, wallet, payee, currency, asked_by, reason)
    values (31337, 1, ${RAIL}, ${world.wallet.address}, ${HOUSE}, 'USDC', 'anna', 'Why not')
    returning id`
  await assert.rejects(slot(sweep?.id ?? 0n), { constraint_name: 'house_by_two_people' })
  await assert.rejects(
    owner`update evm_sweeps set agreed_by = ' ANNA', agreed_at = now() where id = ${sweep?.id ?? 0n}`,
    { constraint_name: 'sweep_by_two' },
  )
})
