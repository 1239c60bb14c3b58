// Draws events of random commands: the events of ordinary commands, and variations of them.
import fc from 'fast-check'
import type { Event } from '../../../src/statements/event/event.ts'
import { bookId, numberedId, withPrefix } from '../../../src/values/id.ts'
import type { Instant } from '../../../src/values/instant.ts'

const TYPES = {
  bnf: 'beneficiary.created',
  poq: 'payout_quote.created',
  pot: 'payout.created',
  btr: 'balance_transaction.created',
} as const
type Prefix = keyof typeof TYPES

const digests = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map(bytes => Buffer.from(bytes).toString('hex'))

const numbers = fc.integer({ min: 1, max: 99 })
const usualOf = (journals: unknown) => ({ status: 'processing', by: 'account', journals })
const settledBy = (journals: unknown) => ({
  status: 'succeeded',
  previous_status: 'processing',
  failure: null,
  by: 'rail',
  journals,
})
const datas = fc.oneof(
  fc.constant({}),
  numbers.map(number => usualOf([number])),
  numbers.map(number => settledBy([number])),
  fc.constantFrom<object>(usualOf([]), settledBy([]), settledBy([null]), settledBy(['5'])),
  fc.constantFrom<object>({ status: 'failed', failure: { code: 'ä\n"\\' } }, { by: 'account' }),
)

/** An event without its account, sequence and object id. */
type Drawn = Omit<Event, 'account_id' | 'sequence' | 'object_id'> & {
  readonly object: (account_id: string, created_at: string) => string
}

const objectOf =
  (prefix: Prefix, id: string, number: number): Drawn['object'] =>
  (account_id, created_at) =>
    prefix === 'btr'
      ? numberedId('btr', { account_id, created_at }, BigInt(number))
      : withPrefix(id, prefix)

const contents = fc.option(digests, { nil: undefined })
const OLD = bookId({ now: '2026-01-01T00:00:00.000000Z', ids_given: 0 }, 'pot')

/** Draws the events of commands, most of them at the first of these times. */
export function commandsAt(at: Instant, ...others: readonly Instant[]): fc.Arbitrary<Event[]> {
  // Few ids, so that a quote and a payout often share one.
  const ids = fc.constantFrom(...[7, 8, 9].map(ids_given => bookId({ now: at, ids_given }, 'pot')))
  const idsAndOld = fc.oneof({ weight: 8, arbitrary: ids }, fc.constant(OLD))
  const times = fc.oneof({ weight: 9, arbitrary: fc.constant(at) }, fc.constantFrom(at, ...others))
  const made: fc.Arbitrary<Drawn> = fc
    .record({
      prefix: fc.constantFrom<Prefix>('bnf', 'poq', 'pot', 'btr'),
      id: idsAndOld,
      number: numbers,
      data: datas,
      content: contents,
      created_at: times,
    })
    .map(({ prefix, id, number, ...event }) => ({
      ...event,
      type: TYPES[prefix],
      object: objectOf(prefix, id, number),
    }))
  const changed: fc.Arbitrary<Drawn> = fc
    .record({
      type: fc.constantFrom('payout.succeeded', 'payout.failed', 'entity.created', TYPES.pot),
      id: idsAndOld,
      data: datas,
      content: contents,
    })
    .map(({ id, ...event }) => ({ ...event, created_at: at, object: () => id }))
  const one = fc.oneof(made, changed).map(event => [event])
  return fc
    .array(
      fc.record({
        account_id: fc.constantFrom('acc_a', 'acc_b'),
        drawn: fc.oneof(ordinaryAt(at, ids), one),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map(placed)
}

/** The events of a new payout: maybe its beneficiary, maybe its quote, the payout, its line. */
function ordinaryAt(created_at: Instant, ids: fc.Arbitrary<string>): fc.Arbitrary<Drawn[]> {
  return fc
    .record({
      id: ids,
      number: numbers,
      beneficiary: fc.boolean(),
      quote: fc.constantFrom('carried', 'renewed', 'none'),
      content: digests,
      data: fc.option(datas),
    })
    .map(({ id, number, beneficiary, quote, content, data: drawn }) => {
      const event = (prefix: Prefix, data: object = {}, sealed = true): Drawn => ({
        type: TYPES[prefix],
        object: objectOf(prefix, id, number),
        data,
        content: sealed ? content : undefined,
        created_at,
      })
      return [
        ...(beneficiary ? [event('bnf')] : []),
        ...(quote === 'none' ? [] : [event('poq', {}, quote === 'renewed')]),
        event('pot', drawn ?? usualOf([number])),
        event('btr', {}, false),
      ]
    })
}

/** Numbers the events in the book of each account. */
function placed(parts: readonly { account_id: string; drawn: readonly Drawn[] }[]): Event[] {
  const counts = new Map<string, bigint>()
  return parts.flatMap(({ account_id, drawn }) =>
    drawn.map(({ object, ...event }) => {
      const sequence = (counts.get(account_id) ?? 0n) + 1n
      counts.set(account_id, sequence)
      return { ...event, account_id, sequence, object_id: object(account_id, event.created_at) }
    }),
  )
}
