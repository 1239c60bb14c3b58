// What keeps payments waiting, as a person is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from './chain.ts'
import type { EvmConfig } from './config.ts'
import { stuckOf, Unclear } from './judge.ts'
import type { OpenEvmRail } from './open.ts'
import type { OpenSlot } from './send.ts'
import type { SlotState } from './slot.ts'

const NOW = '2026-11-30T12:00:00.000000Z'
const WALLET: Hex = `0x${'1'.repeat(40)}`

const rail = {
  config: { chain: { final_ms: 900_000 }, stuck_after_s: 3_600 } as EvmConfig,
} as OpenEvmRail

const open = (nonce: bigint, state: SlotState, made_at: string) =>
  ({ slot: { wallet: WALLET, nonce, payout_id: `pot_${nonce}`, state, made_at } }) as OpenSlot

const shown = (...slots: readonly OpenSlot[]) =>
  stuckOf(rail, slots, NOW).map(({ kind, message }) => `${kind} ${message.split(',')[0]}`)

test('payments that no block takes for an hour: the first of the wallet named, which the others wait for', () => {
  const early = '2026-11-30T10:00:00.000000Z'
  const [last, first] = [open(8n, 'signed', early), open(7n, 'sent', early)]
  assert.deepEqual(shown(last, first), ['stuck nonce 7 of payout pot_7'])
  assert.deepEqual(shown(open(7n, 'sent', '2026-11-30T11:00:01.000000Z')), [])
})

test('payment in a block that is not final an hour after the usual time: named', () => {
  const [early, late] = ['2026-11-30T09:59:00.000000Z', '2026-11-30T10:01:00.000000Z'] as const
  assert.deepEqual(shown(open(7n, 'mined', early)), ['not_final nonce 7 of payout pot_7'])
  assert.deepEqual(shown(open(7n, 'mined', late), open(6n, 'stopped', early)), [])
})

test('something unclear: a trouble after a minute, and none once it is clear', () => {
  let now = 0
  const unclear = new Unclear(() => now)
  const at = (seconds: number, is_unclear: boolean) => {
    now = seconds * 1_000
    return unclear.note(is_unclear)
  }
  assert.deepEqual([at(0, true), at(59, true), at(60, true)], [false, false, true])
  assert.deepEqual([at(61, false), at(62, true), at(121, true)], [false, false, false])
})
