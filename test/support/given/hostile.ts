// Request bodies made to keep the service busy: each repeats one thing until the body is full.
// HOSTILE is for ordinary routes, HOSTILE_BATCHES for payout batches.
import { localPayout } from './bodies.ts'

const KiB = 1024
/** Body sizes in bytes, just under the service's limits. */
export const ORDINARY = 255 * KiB
export const LONG = 16 * KiB * KiB - KiB

/** `head`, then as many items as fit into `size` (at most `most`), then `tail`. */
export function filled(head: string, item: string, tail: string, size: number, most = Infinity) {
  const room = Math.floor((size - head.length - tail.length) / (item.length + 1))
  return `${head}${Array(Math.min(room, most)).fill(item).join(',')}${tail}`
}

/** `{"k0":1,"k1":1,…}` between head and tail. */
export function named(size: number, head = '{', tail = '}'): string {
  const members: string[] = []
  for (let i = 0, length = 0; length < size - 100; i += 1) {
    members.push(`"k${i}":1`)
    length += `"k${i}":1,`.length
  }
  return `${head}${members.join(',')}${tail}`
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const size = ORDINARY
const bankWith = (member: string) =>
  `{"type":"local","beneficiary_details":{"destination_details":{"type":"bank","bank":{${member}}}}}`
const walletWith = (type: string, address: string) =>
  `{"type":"wallet","beneficiary_details":{"destination_details":{"type":"wallet","wallet":` +
  `{"type":"${type}","deposit_address":"${address}"}}}}`

/** Every member that is a list in a request of some route. */
const LISTS = [
  'event_types',
  'events',
  'documents',
  'representatives',
  'logistics_tracking_details',
]
const ITEMS: Readonly<Record<string, string>> = {
  numbers: '1',
  texts: '"a"',
  'empty objects': '{}',
  'objects of unknown members': '{"a":1,"b":2}',
  'empty lists': '[]',
  'deep lists': nested(29),
}

/** By name, for every route that takes a body. */
export const HOSTILE: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    LISTS.flatMap(list =>
      Object.entries(ITEMS).map(([what, item]) => [
        `${what} in ${list}`,
        () => filled(`{"${list}":[`, item, ']}', size),
      ]),
    ),
  ),
  'a list': () => filled('[', '1', ']', size),
  'lists within limits, of what is wrong': () =>
    `{"representatives":[${Array(50).fill(named(700)).join(',')}],` +
    `"documents":[${Array(20).fill(named(700)).join(',')}],"event_types":[${Array(100).fill(1)}]}`,
  'unknown members': () => named(size),
  'unknown members, few enough to be read': () => named(36_000),
  'members of metadata': () => named(size, '{"metadata":{', '}}'),
  'members of addresses': () =>
    `{"registration_address":${named(30_000)},"beneficiary_details":{"address":${named(6_000)}}}`,
  'one key again and again': () => filled('{"a":1,', '"a":1', '}', size),
  'one long text': () => `{"name":"${'x'.repeat(size - 100)}"}`,
  'texts as long as any': () =>
    filled('{"documents":[', `{"url":"${'x'.repeat(8_000)}"}`, ']}', size),
  'a long currency': () => `{"currency":"${'A'.repeat(size - 100)}"}`,
  'a long key': () => `{"${'k'.repeat(size - 100)}":1}`,
  'a long IBAN': () => bankWith(`"iban":"GB${'1'.repeat(size - 200)}"`),
  'an IBAN as long as any text': () => bankWith(`"iban":"GB${'1'.repeat(8_000)}"`),
  'a wallet address as long as any text': () => walletWith('bitcoin', `1${'z'.repeat(8_000)}`),
  'an address of another chain': () => walletWith('tron', `T${'z'.repeat(8_000)}`),
  'marks above a letter': () => `{"name":"a${'\u0301'.repeat((size - 100) / 2)}"}`,
  'marks, as long as any text': () => `{"type":"individual","name":"a${'\u0301'.repeat(8_000)}"}`,
  'an e-mail address of signs': () => `{"email":"${'a@'.repeat((size - 100) / 2)}"}`,
  escapes: () => `{"name":"${'\\u0041'.repeat((size - 100) / 6)}"}`,
  digits: () => `{"amount":${'9'.repeat(size - 100)}}`,
  decimals: () => `{"amount":0.${'9'.repeat(size - 100)}}`,
  'white space': () => `{${' '.repeat(size - 100)}}`,
  lines: () => `{${'\n'.repeat(size - 100)}x`,
  'nested as deep as may be': () => `{"metadata":${'['.repeat(31)}${']'.repeat(31)}}`,
  'nested deeper': () => '['.repeat(size),
}

const payouts = (item: string, most = 10_000) => filled('{"payouts":[', item, ']}', LONG, most)
const good = JSON.stringify(localPayout)

/** For POST /v3/payout_batch. */
export const HOSTILE_BATCHES: Readonly<Record<string, () => string>> = {
  '10,000 payouts that are well, dry': () =>
    payouts(good).replace('{"payouts"', '{"dry_run":true,"mode":"best_effort","payouts"'),
  numbers: () => payouts('1', Infinity),
  '10,000 numbers': () => payouts('1'),
  'lists of numbers': () => payouts(filled('[', '1', ']', 1_600)),
  'payouts of unknown members': () => payouts(named(1_500)),
  'payouts of as many numbers as may be': () => payouts(filled('[', '1', ']', 7_900)),
  'payouts of too many numbers': () => payouts(filled('[', '1', ']', 250 * KiB)),
  'payouts with documents of nothing': () =>
    payouts(`{"documents":${filled('[', '{"a":1}', ']', 1_500)}}`),
  'payouts with long texts': () => payouts(`"${'\\n'.repeat(100_000)}"`),
  'payouts with wide characters': () => payouts(`"${'é'.repeat(50_000)}"`, 150),
  'payouts with long IBANs': () => payouts(bankWith(`"iban":"GB${'1'.repeat(1_400)}"`)),
  'unknown members': () => named(LONG),
  '19,000 unknown members': () => named(190_000),
  'names that nobody else has': () =>
    `{"payouts":[${Array.from({ length: 9_999 }, (_, i) => named(900).replaceAll('"k', `"k${i} `))}]}`,
  'one text': () => `{"payouts":"${'a'.repeat(LONG - 100)}"}`,
  'one text of wide characters': () => `{"payouts":"${'é'.repeat(LONG / 2 - 100)}"}`,
  'white space before': () => `{"payouts":${' '.repeat(LONG - 100)}[]}`,
  'white space behind': () => `{"payouts":[]}${' '.repeat(LONG - 100)}`,
  lines: () => `{"payouts":[]}${'\n'.repeat(LONG - 100)}x`,
  'lines between payouts': () => payouts(`${'\n'.repeat(1_000)}1`),
  digits: () => `{"payouts":${'9'.repeat(LONG - 100)}}`,
  escapes: () => `{"payouts":"${'\\n'.repeat(LONG / 2 - 100)}"}`,
}
