// A signer that is away, slow, refuses, or signs something else: nothing wrong leaves, payouts wait, and
// each is paid once when it is right again.
import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { after, afterEach, before, test } from 'node:test'
import { startSigner, type Temper, type TestSigner } from '../support/chain/signer.ts'
import { type ChainWorld, openChainWorld } from '../support/chain/world.ts'
import { share } from '../support/share.ts'

let world: ChainWorld
let signer: TestSigner
before(async () => {
  world = await openChainWorld()
  signer = await startSigner(world.wallet.private_key)
  const token_file = `${world.wallet.path}.token`
  await writeFile(token_file, `${signer.token}\n`)
  await chmod(token_file, 0o600)
  const { address } = world.wallet
  const remote = { kind: 'remote', url: signer.url, token_file }
  await world.set({ wallets: [{ address, signer: remote }] })
  await world.start()
})
after(async () => {
  await signer?.close()
  await world?.close()
})
afterEach(() => {
  Object.assign(signer, { temper: 'honest', delay_ms: 0 })
})

test('remote signer, honest: paid once, by one signature a payment', async () => {
  const before = signer.asked()
  const made = await world.pay(2)
  await world.untilStatus('succeeded', made)
  await world.checkPaidOnce(made)
  assert.equal(signer.asked() - before, 2)
})

/** The tests of the signers themselves have each of them. */
const TEMPERS: readonly Temper[] = share(
  ['away', 'another payee'],
  [
    ...(['away', 'refuses', 'another key', 'another payee', 'another amount'] as const),
    ...(['another nonce', 'no transaction'] as const),
  ],
)

for (const temper of TEMPERS)
  test(`remote signer, ${temper}: nothing stored and nothing sent; honest again: paid once`, async () => {
    signer.temper = temper
    const before = signer.asked()
    const sends = world.providers.map(({ broadcasts }) => broadcasts.length)
    const made = await world.payOne()
    await world.whileMining('asked to sign again', async () => signer.asked() > before + 1)
    assert.equal(await world.slotOf(made), undefined)
    assert.deepEqual(
      world.providers.map(({ broadcasts }) => broadcasts.length),
      sends,
    )
    signer.temper = 'honest'
    await world.untilStatus('succeeded', [made])
    await world.checkPaidOnce([made])
    await world.checkOnlyStored()
  })

test('remote signer, slow: paid once', async () => {
  signer.delay_ms = share(200, 1_000)
  const made = await world.pay(3)
  await world.untilStatus('succeeded', made)
  await world.checkPaidOnce(made)
})
