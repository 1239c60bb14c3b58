// Checks the client's settings and a call's options before a request is sent. A wrong one throws a
// TypeError that names it. Pure.

export function positive(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TypeError(`${name} is a number above zero`)
}

export function whole(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw new TypeError(`${name} is a whole number, 0 or more`)
}

/** The form of an Idempotency-Key that the service takes. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export function keyOf(value: unknown): string {
  if (typeof value === 'string' && KEY.test(value)) return value
  throw new TypeError('idempotencyKey is 1 to 255 visible ASCII characters')
}

/**
 * Throws for an unknown option: without this check, a misspelt `idempotencyKey` would send a call
 * without that key.
 */
export function checkNames(options: object, known: readonly string[]): void {
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase()
  for (const name of Object.keys(options).filter(name => !known.includes(name))) {
    const meant = known.find(one => plain(one) === plain(name))
    throw new TypeError(`${name} is no option; ${meant ? `it is ${meant}` : known.join(', ')}`)
  }
}
