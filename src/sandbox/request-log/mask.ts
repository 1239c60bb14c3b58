// Masks paths and fields of requests for the log. It shows the API's own words: member names,
// codes, amounts, ids, true and false. Any other text may be a secret or name a person. Pure.

/** Replaces a text or a number that the log does not show. */
const MASK = '…'

/** The words that the schemas of a route list. */
export interface Words {
  readonly names: ReadonlySet<string>
  /** Names of members that are integers or numbers, such as amounts. */
  readonly numbers: ReadonlySet<string>
  /** Names of members whose inner names callers choose, such as metadata. */
  readonly maps: ReadonlySet<string>
  /** Texts that a schema lists. */
  readonly texts: ReadonlySet<string>
}

/** A schema, or a part of one. */
type Node = Readonly<Record<string, unknown>>

export function wordsOf(...schemas: readonly unknown[]): Words {
  const words = {
    names: new Set<string>(),
    numbers: new Set<string>(),
    maps: new Set<string>(),
    texts: new Set(['true', 'false']),
  }
  for (const schema of schemas) collect(schema, words)
  return words
}

interface WordsInProgress extends Words {
  readonly names: Set<string>
  readonly numbers: Set<string>
  readonly maps: Set<string>
  readonly texts: Set<string>
}

function collect(schema: unknown, words: WordsInProgress): void {
  if (typeof schema !== 'object' || schema === null) return
  const { enum: listed, const: only, properties, items, anyOf, oneOf, allOf } = schema as Node
  for (const text of [only, ...(Array.isArray(listed) ? listed : [])]) {
    if (typeof text === 'string') words.texts.add(text)
  }
  for (const [name, member] of Object.entries((properties ?? {}) as Node)) {
    words.names.add(name)
    if (isNumeric(member)) words.numbers.add(name)
    if (typeof (member as Node).additionalProperties === 'object') words.maps.add(name)
    collect(member, words)
  }
  for (const part of [items, anyOf, oneOf, allOf].flat()) collect(part, words)
}

function isNumeric(schema: unknown): boolean {
  const { type, anyOf, 'x-documented': documented } = (schema ?? {}) as Node
  const types = [type, (documented as Node | undefined)?.type].flat()
  if (types.includes('integer') || types.includes('number')) return true
  return Array.isArray(anyOf) && anyOf.some(isNumeric)
}

const ID = /^[a-z]{2,3}_(?:[0-9a-hjkmnp-tv-z]{20}|[0-9a-hjkmnp-tv-z]{8})$/
const TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,16}(?:Z|[+-]\d\d:\d\d))?$/
const NUMBER = /^-?\d{1,18}(?:\.\d{1,12})?$/

/** An unknown name that looks like a member is shown, because it may be a typing error. */
const NAME = /^[a-z][a-z_]{0,39}$/

function shownName(name: string, words: Words): string {
  return words.names.has(name) || NAME.test(name) ? name : MASK
}

function shownText(name: string, text: string, words: Words): string {
  if (text === '' || words.texts.has(text) || ID.test(text)) return text
  if (/(?:^|_)currency$/.test(name) && /^[A-Z]{3,4}$/.test(text)) return text
  if (/(?:^|_)country$/.test(name) && /^[A-Z]{2}$/.test(text)) return text
  if (words.numbers.has(name) && NUMBER.test(text)) return text
  return /^created\.|^as_of$|^from$|^to$/.test(name) && TIME.test(text) ? text : MASK
}

const HEADERS = /^(?:Idempotency-Key|Corridor-Account)$/

/** The path of a field, as in `remarks`. It ends at the first masked name. */
export function maskedPlace(place: string, words: Words, longest: number): string {
  const parts = place.match(/[^.[\]]+|[.[\]]+/g) ?? []
  let masked = ''
  let is_caller_named = false
  for (const part of parts) {
    const is_shown = /^[.[\]]+$/.test(part) || /^\d+$/.test(part) || HEADERS.test(part)
    const text = is_shown ? part : is_caller_named ? MASK : shownName(part, words)
    masked += text
    if (text === MASK) break
    if (!is_shown) is_caller_named = words.maps.has(part)
  }
  return masked.slice(0, longest)
}

/** The path with its query; `params` are those of the route. */
export function maskedPath(
  route: string,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
  words: Words,
  longest: number,
): string {
  const path = route.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name])
    return ID.test(value) ? value : MASK
  })
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map(one => {
      // A value that is no text is an object, such as the pairs of `metadata[key]=value`.
      const masked = typeof one === 'string' ? shownText(name, one, words) : MASK
      return `${shownName(name, words)}=${masked}`
    }),
  )
  return `${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`.slice(0, longest)
}
