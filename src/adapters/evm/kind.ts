// The kind of rail `evm`: reads its settings and its providers' keys, and opens its adapter.
import { randomUUID } from 'node:crypto'
import { railKind } from '../../rails/kind.ts'
import { type EvmConfig, EXAMPLE, readConfig } from './config.ts'
import { missingKeys, readKeys } from './config-provider.ts'
import { TROUBLED_MS } from './hand-over.ts'
import { Leases } from './lease.ts'
import type { OpenEvmRail } from './open.ts'
import { openSigner } from './open-signer.ts'
import { shownFaults } from './order.ts'
import { Line, Queue } from './queue.ts'
import { openChain } from './quorum.ts'
import { EvmRail } from './rail.ts'
import { Work } from './work.ts'

export const EVM = railKind<EvmConfig>({
  name: 'evm',
  description: 'pays USDC and USDT on a chain',
  example: EXAMPLE,
  secret: 'keys, name=key a line',
  identity: [
    ...['chain', 'test_chain.id'],
    ...['USDC', 'USDT'].flatMap(token =>
      ['', '.address', '.decimals'].map(member => `tokens.${token}${member}`),
    ),
  ],
  readConfig,
  faults: shownFaults,
  checkSecret: secret => readKeys(secret).messages ?? [],
  lacks: ({ providers }, secret) => missingKeys(providers, secret),
  open({ name, config, secret }, deps) {
    const chain = openChain(config, secret)
    const signers = config.wallets.map(
      wallet => [wallet.address, openSigner(wallet, config)] as const,
    )
    if (config.chain.is_test) {
      const facts = { rail: name, chain_id: String(config.chain.id) }
      deps.log.warn(facts, 'a rail pays on a test chain: its tokens are worthless')
    }
    const rail: OpenEvmRail = {
      ...{ ...deps, name, config, chain, signers: new Map(signers) },
      leases: new Leases(deps.sql, randomUUID()),
      queue: new Queue(2 * TROUBLED_MS),
      line: new Line(),
      committed: () => work.wake(),
    }
    const work = new Work(rail)
    return new EvmRail(rail, work, () => chain.close())
  },
})
