// `corridor rail check` of a rail on a chain: a right one passes every check, and each fault of its
// providers, tokens, wallets or signers fails the check that is about it.
import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type Checked, runEach } from '../../src/adapters/checks.ts'
import { readConfig } from '../../src/adapters/evm/config.ts'
import { openSigner } from '../../src/adapters/evm/open-signer.ts'
import { openChain } from '../../src/adapters/evm/quorum.ts'
import { chainChecks } from '../../src/adapters/evm/rail-checks.ts'
import type { Wallet } from '../../src/adapters/evm/wallet-store.ts'
import { type ChainWorld, openChainWorld, RAIL, settingsOf } from '../support/chain/world.ts'
import { type Cli, openCli } from '../support/service/cli.ts'

let world: ChainWorld
let cli: Cli
before(async () => {
  world = await openChainWorld({ providers: 3 })
  cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: 'olga' })
})
after(async () => {
  await cli?.close()
  await world?.close()
})

const secretOf = () => world.providers.map(({ name, key }) => `${name}=${key}`).join('\n')

/** The checks of the world's rail with other settings, and with these rows of wallets. */
async function check(change: object = {}, rows: readonly Wallet[] = []): Promise<Checked> {
  const { value: config } = readConfig({ ...settingsOf(world), ...change })
  assert.ok(config !== undefined)
  const chain = openChain(config, secretOf())
  const signers = config.wallets.map(
    wallet => [wallet.address, openSigner(wallet, config)] as const,
  )
  try {
    return await runEach(chainChecks(config), { config, chain, signers: new Map(signers), rows })
  } finally {
    await chain.close()
  }
}

const failedOf = ({ checks }: Checked) =>
  checks.flatMap(({ result, name, detail }) => (result === 'failed' ? [`${name}: ${detail}`] : []))

test('corridor rail check, right rail: passes every check, and says what each has seen', async () => {
  const { code, stdout } = await cli.run('rail', 'check', RAIL)
  assert.equal(code, 0, stdout)
  assert.match(
    stdout,
    /rail chain is ready as far as it was checked: \d+ passed, 0 failed, 0 skipped/,
  )
  for (const seen of ['one, two, three', 'block ', 'gwei', 'USDC', 'POL, ', '0 transactions']) {
    assert.ok(stdout.includes(seen), seen)
  }
  assert.ok(!world.providers.some(({ key }) => stdout.includes(key)))
})

test('corridor rail check --json: the results, and no key', async () => {
  const { code, stdout } = await cli.run('rail', 'check', RAIL, '--json')
  const report = JSON.parse(stdout)
  assert.deepEqual([code, report.rail, report.failed], [0, RAIL, 0])
  assert.ok(report.checks.length >= 12)
})

test('rail check, token that is no contract: fails that check alone, and its others are skipped', async () => {
  const { tokens, ...rest } = settingsOf(world)
  const address = `0x${'77'.repeat(20)}`
  const checked = await check({ ...rest, tokens: { ...tokens, USDC: { address, decimals: 6 } } })
  assert.deepEqual(failedOf(checked), ['contract-USDC: there is no code'])
  assert.ok(checked.skipped > 0)
})

test('rail check, other places or other token than the settings say: each is named', async () => {
  const { tokens } = settingsOf(world)
  const wrong = { USDC: { ...tokens.USDT, decimals: 18 }, USDT: tokens.USDC }
  assert.deepEqual(failedOf(await check({ tokens: wrong })).toSorted(), [
    'decimals-USDC: it has 6',
    'symbol-USDC: it calls itself USDT',
    'symbol-USDT: it calls itself USDC',
  ])
})

test('rail check, gas above the caps: nothing would be paid', async () => {
  const failed = failedOf(await check({ fees: { max_fee_gwei: '0.000000001', max_cost: '1' } }))
  assert.match(failed[0] ?? '', /^gas: gas is at [\d.]+ gwei: nothing would be paid$/)
})

test('rail check, key that others may read: the signer’s check fails', async () => {
  const { path } = world.wallet
  await chmod(path, 0o644)
  const failed = failedOf(await check())
  await chmod(path, 0o600)
  assert.equal(failed.length, 1)
  assert.match(failed[0] ?? '', /^signs-1: the keystore .* is open to others/)
})

test('rail check, chain ahead of the database, or wallet stopped: its numbers fail', async () => {
  const { address } = world.wallet
  const row: Wallet = {
    ...{ chain_id: 31_337n, address, rail: RAIL, next_nonce: 5n, state: 'active', stopped_as: '' },
    ...{ problem: '', stopped_at: null, read_block: 0n, read_hash: `0x${'00'.repeat(32)}` },
  }
  assert.deepEqual(failedOf(await check({}, [row])), [])
  const stopped = { ...row, state: 'stopped', stopped_as: 'history_lost', problem: 'why' } as const
  assert.deepEqual(failedOf(await check({}, [stopped])), ['numbers-1: it is stopped: why'])
})

test('rail check, wallet that the issuer has frozen, or without money: each is named', async () => {
  await world.tokens.USDC.freeze(world.wallet.address, true)
  const failed = failedOf(await check())
  await world.tokens.USDC.freeze(world.wallet.address, false)
  assert.deepEqual(failed, ['free-USDC-1: it is frozen'])
})

test('corridor rail add, provider whose key the secret has not: refused, and the key is named', async () => {
  const config = await cli.file('second.json', JSON.stringify(settingsOf(world)))
  const [first = '', ...others] = secretOf().split('\n')
  const keys = await cli.file('rpc.keys', first)
  const add = ['rail', 'add', 'second', '--kind', 'evm', '--config', config]
  const { code, stderr } = await cli.run(...add, '--secret', keys)
  assert.deepEqual([code, others.length], [2, 2])
  for (const { name } of world.providers.slice(1)) {
    assert.ok(stderr.includes(`provider ${name}: the secret has no key ${name}`), stderr)
  }
})
