// The tokens of the tests: the committed code is that of the sources, and each behaves as its issuer's.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type Anvil, startAnvil } from '../../examples/chain/anvil.ts'
import { type Token, tokenAt } from '../../examples/chain/token.ts'
import { COMPILED, compileTokens } from '../support/chain/compile.ts'

test('tokens of the tests, compiled again: the committed code', async () => {
  const compiled = `${JSON.stringify(await compileTokens(), null, 2)}\n`
  if (process.env.TOKENS === 'write') await writeFile(COMPILED, compiled)
  assert.equal(
    await readFile(COMPILED, 'utf8'),
    compiled,
    'run: TOKENS=write npm test -- chain/tokens',
  )
})

const [SENDER, PAYEE] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const

let anvil: Anvil
before(async () => {
  anvil = await startAnvil({ block_time_s: 0 })
  await anvil.give(SENDER, 10n ** 18n)
})
after(() => anvil.close())

let tokens = 0

/** A new token with 1,000 units of the sender. */
async function tokenOf(kind: Parameters<typeof tokenAt>[1]): Promise<Token> {
  tokens += 1
  const address = `0x${tokens.toString(16).padStart(40, 'c')}` as const
  const token = await tokenAt(anvil, kind, address)
  await token.mint(SENDER, 1_000n)
  return token
}

/** What a transfer of 100 units moves: the status of its receipt, and what the payee then has. */
async function moved(token: Token): Promise<readonly [status: string, units: bigint]> {
  const hash = await anvil.sendAs(SENDER, token.address, token.transferData(PAYEE, 100n))
  await anvil.mine()
  const receipt = (await anvil.ask('eth_getTransactionReceipt', [hash])) as { status: string }
  return [receipt.status, await token.balanceOf(PAYEE)]
}

const KINDS = [
  ['UsdcLike', '0x1', 100n],
  ['UsdtLike', '0x1', 100n],
  ['FalseToken', '0x1', 0n],
  ['FeeToken', '0x1', 99n],
] as const

for (const [kind, status, units] of KINDS)
  test(`${kind}, transfer of 100 units: status ${status}, payee has ${units}`, async () => {
    assert.deepEqual(await moved(await tokenOf(kind)), [status, units])
  })

test('UsdcLike, payee frozen or token paused: the transfer reverts', async () => {
  for (const stop of ['freeze', 'pause'] as const) {
    const token = await tokenOf('UsdcLike')
    await (stop === 'freeze' ? token.freeze(PAYEE, true) : token.pause(true))
    assert.deepEqual(await moved(token), ['0x0', 0n], stop)
  }
})

test('UsdtLike, payee frozen: the transfer moves the units all the same; sender frozen: it reverts', async () => {
  const token = await tokenOf('UsdtLike')
  await token.freeze(PAYEE, true)
  assert.deepEqual(await moved(token), ['0x1', 100n])
  await token.freeze(SENDER, true)
  assert.deepEqual(await moved(token), ['0x0', 100n])
})

test('UsdtLike with a fee of 10 basis points, transfer of 1,000 units: payee has 999', async () => {
  const token = await tokenOf('UsdtLike')
  await token.setFee(10n)
  const hash = await anvil.sendAs(SENDER, token.address, token.transferData(PAYEE, 1_000n))
  await anvil.mine()
  const receipt = (await anvil.ask('eth_getTransactionReceipt', [hash])) as { status: string }
  assert.deepEqual([receipt.status, await token.balanceOf(PAYEE)], ['0x1', 999n])
})
