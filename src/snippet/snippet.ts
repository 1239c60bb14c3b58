// A request of the API that snippets of code send, and the method of the clients that sends it.
// methods.json has every method; `npm run openapi` writes it with the clients. Pure.
import methods from './methods.json' with { type: 'json' }

export interface Sent {
  /** Such as `https://payouts.example.com`. */
  readonly origin: string
  readonly verb: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  /** As it is written; from the variable CORRIDOR_KEY of the environment when it is undefined. */
  readonly key?: string
  /** The account that a person acts for. */
  readonly account_id?: string | null
}

interface Method {
  readonly verb: string
  /** `/v3/payout/{id}` */
  readonly path: string
  /** The resources from the client to the method. */
  readonly way: readonly string[]
  readonly name: string
  /** Whether it takes an Idempotency-Key. */
  readonly keyed: boolean
  readonly list: boolean
  /** Whether the answer is JSON. */
  readonly json: boolean
  /** The parameters of the query that are numbers or booleans. */
  readonly plain: readonly string[]
  /** What the answer is: `payout`. */
  readonly object: string
}

/** A method with what it is called with. */
export interface Call extends Method {
  readonly params: readonly string[]
  /** Values of one name stand together. */
  readonly query: ReadonlyMap<string, readonly unknown[]>
}

const METHODS: readonly Method[] = methods

/** Undefined when the clients have no method for it, as for what only operators may ask. */
export function callOf({ verb, path }: Pick<Sent, 'verb' | 'path'>): Call | undefined {
  const [place = '', text = ''] = path.split('?')
  const parts = place.split('/')
  const fits = (method: Method) => {
    const own = method.path.split('/')
    return (
      method.verb === verb &&
      own.length === parts.length &&
      own.every((part, i) => part === parts[i] || isParameter(part))
    )
  }
  // `/v3/payout/requirements` is no id.
  const [method] = METHODS.filter(fits).sort((a, b) => countOf(a) - countOf(b))
  if (method === undefined) return undefined
  const params = parts.filter((_, i) => isParameter(method.path.split('/')[i] ?? ''))
  const pairs = [...new URLSearchParams(text)]
  const query = Map.groupBy(pairs, ([name]) => name)
  return {
    ...method,
    params: params.map(decodeURIComponent),
    query: new Map(
      [...query].map(([name, own]) => [
        name,
        own.map(([, value]) => readValue(method, name, value)),
      ]),
    ),
  }
}

const isParameter = (part: string) => part.startsWith('{')
const countOf = ({ path }: Method) => path.split('/').filter(isParameter).length

function readValue({ plain }: Method, name: string, text: string): unknown {
  return plain.includes(name) && /^(true|false|\d{1,15})$/.test(text) ? JSON.parse(text) : text
}

/** The widest line that a value stands on as a whole. */
const WIDTH = 80

/** How a language writes values. */
export interface Language {
  readonly text: (value: string) => string
  readonly word: (value: boolean | null) => string
  readonly number: (value: number | bigint) => string
  readonly name: (name: string) => string
  readonly indent: string
  /** What stands inside the braces of an object on one line. */
  readonly space: string
}

/** A value of JSON, whose integers may be bigints, as the language writes it. */
export function written(language: Language, value: unknown, indent = '', taken = 0): string {
  if (typeof value === 'string') return language.text(value)
  if (value === null || typeof value === 'boolean') return language.word(value)
  if (typeof value !== 'object') return language.number(value as number | bigint)
  const inner = indent + language.indent
  const isList = Array.isArray(value)
  const members: string[] = isList
    ? value.map(each => written(language, each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${language.name(name)}: ${written(language, each, inner)}`)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', language.space]
  const line = members.join(', ')
  if (line === '') return `${open}${close}`
  const isShort = !line.includes('\n') && indent.length + taken + line.length < WIDTH
  if (isShort) return `${open}${space}${line}${space}${close}`
  const lines = members.map(member => `${inner}${member},\n`)
  return `${open}\n${lines.join('')}${indent}${close}`
}
