// What follows from what the providers have seen: each row of the table of proofs, and that nothing
// but a settled receipt ever says paid, and nothing but a final one dead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Hex, Receipt, Transfer } from './chain.ts'
import { decide, FOREIGN_AFTER_MS, type Seen, type SlotStep } from './decide.ts'

const of = (digit: string, length: number): Hex => `0x${digit.repeat(length)}`
const WALLET = of('1', 40)
const PAYEE = of('2', 40)
const TOKEN = of('3', 40)
const PAY = of('a', 64)
const VOID = of('b', 64)
const BLOCK = of('c', 64)
const OTHER_BLOCK = of('d', 64)

const NOW = '2026-11-30T12:00:00.000000Z'
const BEFORE = '2026-11-30T11:00:00.000000Z'

const slot = {
  ...{ wallet: WALLET, nonce: 7n, token: TOKEN, payee: PAYEE, units: 1_000_000n },
  state: 'sent',
  suspect_at: null,
} as const
const pay = { hash: PAY, kind: 'pay', block: null, block_hash: '' } as const
const gaveUp = { hash: VOID, kind: 'void', block: null, block_hash: '' } as const
const inBlock = { block: 100n, block_hash: BLOCK } as const

const moved: Transfer = {
  ...{ tx_hash: PAY, block: 100n, block_hash: BLOCK, log_index: 0 },
  ...{ token: TOKEN, sender: WALLET, receiver: PAYEE, units: 1_000_000n },
}
const receipt: Receipt = {
  ...{ hash: PAY, block: 100n, block_hash: BLOCK, succeeded: true },
  ...{ gas_used: 50_000n, cost_wei: 10n, transfers: [moved] },
}

const seen = (change: Partial<Seen> = {}): Seen => ({
  final: { number: 100n },
  settled: { number: 100n },
  receipts: new Map([[PAY, receipt]]),
  canonical: new Map([[100n, BLOCK]]),
  final_nonce: 8n,
  now: NOW,
  ...change,
})

const receipts = (...all: readonly [Hex, Receipt | null][]) => ({ receipts: new Map(all) })
const mined = { ...slot, state: 'mined' } as const
const minedPay = { ...pay, ...inBlock }

const CASES: Readonly<Record<string, [() => SlotStep, SlotStep['step']]>> = {
  'receipt in a block, not noted yet': [() => decide(slot, [pay], seen()), 'mined'],
  'receipt noted, block final': [() => decide(mined, [minedPay], seen()), 'paid'],
  'receipt noted, block final, and not as old as the settings want': [
    () => decide(mined, [minedPay], seen({ settled: { number: 99n } })),
    'none',
  ],
  'receipt noted, settled block unclear': [
    () => decide(mined, [minedPay], seen({ settled: null })),
    'none',
  ],
  'receipt noted, block settled by a number of blocks, not final': [
    () => decide(mined, [minedPay], seen({ final: { number: 99n }, final_nonce: 7n })),
    'paid',
  ],
  'receipt noted, block number taken by another block': [
    () => decide(mined, [minedPay], seen({ canonical: new Map([[100n, OTHER_BLOCK]]) })),
    'reorged',
  ],
  'receipt noted, its block past the end of the chain': [
    () => decide(mined, [minedPay], seen({ canonical: new Map([[100n, null]]) })),
    'reorged',
  ],
  'receipt noted, nothing known of its block': [
    () => decide(mined, [minedPay], seen({ canonical: new Map() })),
    'none',
  ],
  'receipt now in another block': [
    () => {
      const other = { ...receipt, block: 101n, block_hash: OTHER_BLOCK }
      const canonical = new Map([[101n, OTHER_BLOCK] as const])
      return decide(mined, [minedPay], seen({ ...receipts([PAY, other]), canonical }))
    },
    'reorged',
  ],
  'final, the nonce not used by then': [
    () => decide(mined, [minedPay], seen({ final_nonce: 7n })),
    'none',
  ],
  'status 0, final': [
    () => decide(mined, [minedPay], seen(receipts([PAY, { ...receipt, succeeded: false }]))),
    'reverted',
  ],
  'status 0, settled, not final': [
    () => {
      const failed = receipts([PAY, { ...receipt, succeeded: false }])
      return decide(mined, [minedPay], seen({ ...failed, final: { number: 99n } }))
    },
    'none',
  ],
  'status 0, settled, final block unclear': [
    () => {
      const failed = receipts([PAY, { ...receipt, succeeded: false }])
      return decide(mined, [minedPay], seen({ ...failed, final: null }))
    },
    'none',
  ],
  'void settled, not final': [
    () => {
      const void_receipt = { ...receipt, hash: VOID, transfers: [] }
      const void_only = receipts([PAY, null], [VOID, void_receipt])
      const transactions = [pay, { ...gaveUp, ...inBlock }]
      return decide(mined, transactions, seen({ ...void_only, final: { number: 99n } }))
    },
    'none',
  ],
  'settled, not final, nothing moved': [
    () => {
      const nothing = receipts([PAY, { ...receipt, transfers: [] }])
      return decide(mined, [minedPay], seen({ ...nothing, final: { number: 99n } }))
    },
    'none',
  ],
  'void final': [
    () => {
      const void_receipt = { ...receipt, hash: VOID, transfers: [] }
      const transactions = [pay, { ...gaveUp, ...inBlock }]
      return decide(mined, transactions, seen(receipts([PAY, null], [VOID, void_receipt])))
    },
    'voided',
  ],
  'payment final although given up': [
    () => decide(mined, [minedPay, gaveUp], seen(receipts([PAY, receipt], [VOID, null]))),
    'paid',
  ],
  'receipts of both': [
    () => {
      const void_receipt = { ...receipt, hash: VOID }
      return decide(mined, [minedPay, gaveUp], seen(receipts([PAY, receipt], [VOID, void_receipt])))
    },
    'none',
  ],
  'final, nothing moved': [
    () => decide(mined, [minedPay], seen(receipts([PAY, { ...receipt, transfers: [] }]))),
    'differs',
  ],
  'final, less moved': [
    () => {
      const less = { ...receipt, transfers: [{ ...moved, units: 990_000n }] }
      return decide(mined, [minedPay], seen(receipts([PAY, less])))
    },
    'differs',
  ],
  'final, moved to somebody else': [
    () => {
      const other = { ...receipt, transfers: [{ ...moved, receiver: WALLET }] }
      return decide(mined, [minedPay], seen(receipts([PAY, other])))
    },
    'differs',
  ],
  'final, moved twice': [
    () => {
      const twice = { ...receipt, transfers: [moved, { ...moved, log_index: 1 }] }
      return decide(mined, [minedPay], seen(receipts([PAY, twice])))
    },
    'differs',
  ],
  'final, moved by another token': [
    () => {
      const other = { ...receipt, transfers: [{ ...moved, token: PAYEE }] }
      return decide(mined, [minedPay], seen(receipts([PAY, other])))
    },
    'differs',
  ],
  'no receipt, nonce open': [
    () => decide(slot, [pay], seen({ ...receipts([PAY, null]), final_nonce: 7n })),
    'none',
  ],
  'no receipt by quorum': [() => decide(slot, [pay], seen(receipts())), 'none'],
  'no receipt, nonce taken, seen once': [
    () => decide(slot, [pay], seen(receipts([PAY, null]))),
    'suspect',
  ],
  'no receipt, nonce taken, seen again too early': [
    () => decide({ ...slot, suspect_at: NOW }, [pay], seen(receipts([PAY, null]))),
    'none',
  ],
  'no receipt, nonce taken, seen again ten minutes later': [
    () => decide({ ...slot, suspect_at: BEFORE }, [pay], seen(receipts([PAY, null]))),
    'foreign',
  ],
  'no receipt of one of two, nonce taken': [
    () => decide({ ...slot, suspect_at: BEFORE }, [pay, gaveUp], seen(receipts([PAY, null]))),
    'none',
  ],
  'no receipt, nonce open again': [
    () => {
      const open = seen({ ...receipts([PAY, null]), final_nonce: 7n })
      return decide({ ...slot, suspect_at: BEFORE }, [pay], open)
    },
    'cleared',
  ],
  'stopped, receipt found after all': [
    () => decide({ ...slot, state: 'stopped', suspect_at: BEFORE }, [pay], seen()),
    'mined',
  ],
  'paid by a number of blocks, nothing known of its block': [
    () => decide({ ...slot, state: 'paid' }, [minedPay], seen({ canonical: new Map() })),
    'none',
  ],
  'paid by a number of blocks, its block taken by another': [
    () => {
      const canonical = new Map([[100n, OTHER_BLOCK] as const])
      return decide({ ...slot, state: 'paid' }, [minedPay], seen({ canonical }))
    },
    'reorged',
  ],
  'paid already': [() => decide({ ...slot, state: 'paid' }, [minedPay], seen()), 'none'],
}

for (const [what, [find, step]] of Object.entries(CASES)) {
  test(`payment on a chain, ${what}: ${step}`, () => {
    assert.equal(find().step, step)
  })
}

test('time between two looks at a foreign nonce: ten minutes', () => {
  assert.equal(FOREIGN_AFTER_MS, 600_000)
})

const ENDS: readonly SlotStep['step'][] = ['paid', 'reverted', 'voided', 'differs']

const block = fc.constantFrom(
  [99n, OTHER_BLOCK],
  [100n, BLOCK],
  [101n, OTHER_BLOCK],
) as fc.Arbitrary<[bigint, Hex]>
const anyReceipt = (hash: Hex) =>
  fc.option(
    fc.record({ at: block, succeeded: fc.boolean(), is_moved: fc.boolean() }).map(
      ({ at, succeeded, is_moved }): Receipt => ({
        ...{ ...receipt, hash, block: at[0], block_hash: at[1], succeeded },
        transfers: is_moved ? [moved] : [],
      }),
    ),
  )
const anySeen = fc
  .record({
    final: fc.option(fc.constantFrom(98n, 99n, 100n, 101n)),
    settled: fc.option(fc.constantFrom(98n, 99n, 100n, 101n)),
    pay: fc.option(anyReceipt(PAY)),
    void: fc.option(anyReceipt(VOID)),
    canonical: fc.array(block, { maxLength: 3 }),
    final_nonce: fc.option(fc.constantFrom(6n, 7n, 8n, 9n)),
  })
  .map(
    (random): Seen => ({
      final: random.final === null ? null : { number: random.final },
      settled: random.settled === null ? null : { number: random.settled },
      receipts: new Map([[PAY, random.pay] as const, [VOID, random.void] as const]),
      canonical: new Map(random.canonical),
      final_nonce: random.final_nonce,
      now: NOW,
    }),
  )

test('any sights of a payment in sequence: paid by a settled receipt on the chain, dead by a final one, and never both', () => {
  const states = { mined: 'mined', reorged: 'sent', foreign: 'stopped' } as const
  fc.assert(
    fc.property(fc.array(anySeen, { maxLength: 8 }), sights => {
      let now: { state: string; suspect_at: string | null } = { state: 'sent', suspect_at: null }
      let known: readonly (typeof pay | typeof gaveUp)[] = [pay, gaveUp]
      const ends: string[] = []
      for (const sight of sights) {
        const step = decide({ ...slot, ...(now as typeof slot) }, known, sight)
        if (ENDS.includes(step.step)) {
          ends.push(step.step)
          const last = step.step === 'paid' ? sight.settled : sight.final
          assert.ok('receipt' in step && last !== null)
          assert.ok(step.receipt.block <= last.number)
          assert.equal(sight.canonical.get(step.receipt.block), step.receipt.block_hash)
          const is_final = sight.final !== null && step.receipt.block <= sight.final.number
          assert.ok(!is_final || sight.final_nonce === null || sight.final_nonce > slot.nonce)
        }
        const place = step.step === 'mined' ? step.receipt : { block: null, block_hash: '' }
        const hash =
          step.step === 'mined' ? step.receipt.hash : 'lost' in step ? step.lost.hash : ''
        known = known.map(one =>
          one.hash === hash
            ? ({
                ...one,
                block: place.block,
                block_hash: place.block_hash,
              } as unknown as typeof pay)
            : one,
        )
        if (step.step === 'suspect') now = { ...now, suspect_at: BEFORE }
        if (step.step === 'cleared') now = { ...now, suspect_at: null }
        const state = states[step.step as keyof typeof states]
        if (state !== undefined) now = { ...now, state }
        // What settles by a number of blocks may come back; this payment is over.
        if (ENDS.includes(step.step)) break
      }
      assert.ok(ends.length <= 1)
    }),
    { numRuns: 2_000 },
  )
})
