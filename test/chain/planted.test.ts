// Faults planted into the books and on the chain: each is found and named, and nothing right is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { type ChainWorld, type Made, openChainWorld } from '../support/chain/world.ts'
import { type Cli, openCli } from '../support/service/cli.ts'

let world: ChainWorld
let cli: Cli
let paid: Made[]
before(async () => {
  world = await openChainWorld()
  cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: 'olga' })
  const service = await world.start()
  paid = await world.pay(3)
  await world.untilStatus('succeeded', paid)
  await world.anvil.mine(world.book.finality + 1)
  await service.close()
})
after(async () => {
  await cli?.close()
  await world?.close()
})

const verify = () => cli.run('verify')

/** Changes rows as nobody may, looks, and changes them back. */
async function planting(tables: readonly string[], plant: (sql: Sql) => Promise<unknown>) {
  const { owner } = world.service.database
  const kept = new Map<string, string>()
  for (const table of tables) {
    const rows = await owner<{ rows: string }[]>`
      select coalesce(json_agg(t), '[]')::text as rows from ${owner(table)} t`
    kept.set(table, rows[0]?.rows ?? '[]')
    await owner.unsafe(`alter table ${table} disable trigger user`)
  }
  try {
    await plant(owner)
    return await verify()
  } finally {
    for (const table of [...tables].reverse()) await owner.unsafe(`delete from ${table}`)
    for (const table of tables) {
      await owner`
        insert into ${owner(table)} overriding system value
        select * from json_populate_recordset(null::${owner(table)}, ${kept.get(table) ?? '[]'}::text::json)`
      await owner.unsafe(`alter table ${table} enable trigger user`)
    }
  }
}

test('books of payments on a chain, nothing planted: no fault', async () => {
  const { code, stdout, stderr } = await verify()
  assert.equal(code, 0, stdout + stderr)
})

const TABLES = ['evm_slots', 'evm_transactions', 'evm_transfers'] as const

const NOBODY = `0x${'9'.repeat(40)}`

const FAULTS: Readonly<Record<string, (sql: Sql, id: string) => Promise<unknown>>> = {
  'a deleted slot': async (sql, id) => {
    await sql`
      delete from evm_transactions t using evm_slots s where s.payout_id = ${id}
        and s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce`
    await sql`delete from evm_slots where payout_id = ${id}`
  },
  'a changed amount': (sql, id) =>
    sql`
      update evm_slots set amount = amount + 1, units = units + 1,
        calldata = transfer_call(payee, units + 1) where payout_id = ${id}`,
  'another payee': (sql, id) =>
    sql`
      update evm_slots set payee = ${NOBODY}, calldata = transfer_call(${NOBODY}, units)
      where payout_id = ${id}`,
  'a payment that never was': (sql, id) =>
    sql`update evm_slots set state = 'reverted' where payout_id = ${id}`,
}

for (const [what, plant] of Object.entries(FAULTS))
  test(`corridor verify, ${what} in the books of a paid payout: names the payout`, async () => {
    const [{ id } = assert.fail('none')] = paid
    const { code, stdout, stderr } = await planting(TABLES, sql => plant(sql, id))
    assert.notEqual(code, 0, 'a fault is found')
    assert.match(stdout + stderr, new RegExp(id))
  })

test('a transfer by hand from a wallet: the wallet is stopped, and what it was is told', async () => {
  const { wallet, tokens, anvil } = world
  const data = tokens.USDC.transferData(world.newPayee(), 7n)
  await anvil.sendAs(wallet.address, tokens.USDC.address, data)
  await anvil.mine(world.book.finality + 2)
  const service = await world.start()
  await world.pay(1)
  await world.whileMining('the wallet is stopped', async () => {
    return (await world.walletState()).startsWith('stopped')
  })
  const { stdout } = await cli.run('rail', 'exceptions')
  assert.match(stdout, /history_lost|foreign_transaction/)
  await service.close()
})
