// A service with rails of kind evm whose chain a test tells: no node runs.
import assert from 'node:assert/strict'
import type { Hex } from '../../../src/adapters/evm/chain.ts'
import { EXAMPLE, readConfig } from '../../../src/adapters/evm/config.ts'
import { insertRail } from '../../../src/rails/row-store.ts'
import { type Client, startTestService, type TestService } from '../service/service.ts'

/** Settings of a rail on Polygon that pays USDC from this wallet, as they are written and as read. */
export function toldSettings(address: Hex) {
  const [wallet] = EXAMPLE.wallets
  const settings = {
    ...{ ...EXAMPLE, chain: 'polygon', wallets: [{ ...wallet, address }] },
    tokens: { USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
    fees: { max_fee_gwei: '1000', max_cost: '1' },
  }
  return { settings, config: readConfig(settings).value ?? assert.fail('wrong settings') }
}

/** Rails of these names with the same settings, and a live account whose payouts go by the first. */
export async function openTold(
  settings: object,
  ...rails: readonly [string, ...string[]]
): Promise<{ readonly service: TestService; readonly live: Client }> {
  const service = await startTestService({ settle: false })
  await service.setFees([{ payout_type: 'wallet' }])
  const fund = { USDC: 10n ** 15n }
  const live = await service.openAccount({ currencies: ['USDC'], fund, sandbox: false })
  for (const name of rails) {
    const row = { name, kind: 'evm', secret: 'alchemy=a', paused_reason: '' } as const
    assert.ok(await insertRail(service.deps.sql, { ...row, config: settings }))
  }
  await service.deps.reference.refresh()
  await service.setRoutes([{ payout_type: 'wallet', rail: rails[0] }])
  return { service, live }
}
