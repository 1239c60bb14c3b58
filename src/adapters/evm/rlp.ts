// RLP, the coding of transactions (Ethereum yellow paper, appendix B). Each value has one coding,
// and any other is refused when read. Pure.

/** Bytes, or a list of items. */
export type Rlp = Uint8Array | readonly Rlp[]

/** The deepest list that a transaction has: a key in an entry of its access list. */
const MAX_DEPTH = 4

/** The longest content whose length is in the first byte. */
const SHORT = 55

/** What the first byte adds to the length of bytes, and of lists. */
const BYTES = 0x80
const LIST = 0xc0

export function encodeRlp(item: Rlp): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first = BYTES] = item
    return item.length === 1 && first < BYTES ? item : withLength(BYTES, item)
  }
  return withLength(LIST, Buffer.concat(item.map(encodeRlp)))
}

function withLength(offset: number, content: Uint8Array): Uint8Array {
  if (content.length <= SHORT)
    return Buffer.concat([Uint8Array.of(offset + content.length), content])
  const length = bytesOfInteger(BigInt(content.length))
  return Buffer.concat([Uint8Array.of(offset + SHORT + length.length), length, content])
}

/** Big-endian without leading zeros, so that 0 has no bytes. */
export function bytesOfInteger(number: bigint): Uint8Array {
  if (number < 0n) throw new RangeError('RLP has no negative numbers')
  if (number === 0n) return new Uint8Array()
  const digits = number.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

/** Throws RangeError for a list, and for leading zeros. */
export function integerOf(item: Rlp): bigint {
  if (!(item instanceof Uint8Array)) throw new RangeError('a list where a number belongs')
  if (item[0] === 0) throw new RangeError('a number with leading zeros')
  return item.length === 0 ? 0n : BigInt(`0x${Buffer.from(item).toString('hex')}`)
}

/** Throws RangeError unless the bytes are one item in its only coding. */
export function decodeRlp(bytes: Uint8Array): Rlp {
  const { item, end } = itemAt(bytes, 0, 0)
  if (end !== bytes.length) throw new RangeError('bytes after the end')
  return item
}

interface Found {
  readonly item: Rlp
  readonly end: number
}

function itemAt(bytes: Uint8Array, at: number, depth: number): Found {
  if (depth > MAX_DEPTH) throw new RangeError(`lists nest deeper than ${MAX_DEPTH}`)
  const first = bytes[at]
  if (first === undefined) throw new RangeError('bytes end too soon')
  if (first < BYTES) return { item: bytes.subarray(at, at + 1), end: at + 1 }
  const offset = first < LIST ? BYTES : LIST
  const { start, length } = lengthAt(bytes, at, first - offset)
  const end = start + length
  if (end > bytes.length) throw new RangeError('bytes end too soon')
  const content = bytes.subarray(start, end)
  if (offset === LIST) return { item: itemsOf(content, depth + 1), end }
  if (length === 1 && (content[0] ?? 0) < BYTES) throw new RangeError('one byte coded as two')
  return { item: content, end }
}

function itemsOf(content: Uint8Array, depth: number): Rlp[] {
  const items: Rlp[] = []
  for (let at = 0; at < content.length; ) {
    const { item, end } = itemAt(content, at, depth)
    items.push(item)
    at = end
  }
  return items
}

/** Where the content starts, and its length. `coded` is the first byte without its offset. */
function lengthAt(bytes: Uint8Array, at: number, coded: number) {
  if (coded <= SHORT) return { start: at + 1, length: coded }
  const start = at + 1 + coded - SHORT
  const digits = bytes.subarray(at + 1, start)
  if (digits.length !== coded - SHORT) throw new RangeError('bytes end too soon')
  const length = integerOf(digits)
  if (length <= BigInt(SHORT)) throw new RangeError('a short length coded as a long one')
  if (length > BigInt(bytes.length)) throw new RangeError('bytes end too soon')
  return { start, length: Number(length) }
}
