// A request of a code snippet, and the client method for it. `npm run openapi` writes methods.json
// together with the clients. Pure.
import methods from './methods.json' with { type: 'json' }

export interface SnippetRequest {
  /** Such as `https://payouts.example.com`. */
  readonly origin: string
  readonly verb: string
  readonly path: string
  readonly body?: unknown
  /** As the snippet shows it; undefined when it reads the variable CORRIDOR_KEY. */
  readonly key?: string
  /** The account that a person acts for. */
  readonly account_id?: string | null
}

interface Method {
  readonly verb: string
  /** `/v3/payout/{id}` */
  readonly path: string
  /** The resources on the way from the client to the method. */
  readonly way: readonly string[]
  readonly name: string
  readonly keyed: boolean
  readonly list: boolean
  readonly json: boolean
  /** The parameters of the query that are numbers or booleans. */
  readonly plain: readonly string[]
  /** The name of the answer's object, such as `payout`. */
  readonly object: string
}

export interface Call extends Method {
  readonly params: readonly string[]
  /** The value of each name; a list of values when the name occurs several times. */
  readonly query: ReadonlyMap<string, unknown>
}

const METHODS: readonly Method[] = methods

/** Undefined without a method, such as for operators' requests. */
export function callOf({ verb, path }: Pick<SnippetRequest, 'verb' | 'path'>): Call | undefined {
  const [place = '', text = ''] = path.split('?')
  const parts = place.split('/')
  const fits = (method: Method) => {
    const method_parts = method.path.split('/')
    return (
      method.verb === verb &&
      method_parts.length === parts.length &&
      method_parts.every((part, i) => part === parts[i] || isParameter(part))
    )
  }
  // `/v3/payout/requirements` also fits `/v3/payout/{id}`: the fewest parameters win.
  const [method] = METHODS.filter(fits).sort((a, b) => countOf(a) - countOf(b))
  if (method === undefined) return undefined
  const params = parts.filter((_, i) => isParameter(method.path.split('/')[i] ?? ''))
  const query = new Map<string, unknown>()
  for (const [name, pairs] of Map.groupBy(new URLSearchParams(text), ([name]) => name)) {
    const values = pairs.map(([, value]) => readValue(method, name, value))
    query.set(name, values.length === 1 ? values[0] : values)
  }
  return { ...method, params: params.map(decodeURIComponent), query }
}

const isParameter = (part: string) => part.startsWith('{')
const countOf = ({ path }: Method) => path.split('/').filter(isParameter).length

function readValue({ plain }: Method, name: string, text: string): unknown {
  return plain.includes(name) && /^(true|false|\d{1,15})$/.test(text) ? JSON.parse(text) : text
}

/** The most characters of a line on which a value is written whole. */
const WIDTH = 80

export interface Language {
  readonly text: (value: string) => string
  readonly word: (value: boolean | null) => string
  readonly number: (value: number | bigint) => string
  readonly name: (name: string) => string
  readonly indent: string
  /** The space inside the braces of an object on one line. */
  readonly space: string
}

/** Its integers may be bigints. */
export function writeValue(language: Language, value: unknown, indent = '', taken = 0): string {
  if (typeof value === 'string') return language.text(value)
  if (value === null || typeof value === 'boolean') return language.word(value)
  if (typeof value !== 'object') return language.number(value as number | bigint)
  const inner = indent + language.indent
  const isList = Array.isArray(value)
  const members: string[] = isList
    ? value.map(each => writeValue(language, each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${language.name(name)}: ${writeValue(language, each, inner)}`)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', language.space]
  const line = members.join(', ')
  if (line === '') return `${open}${close}`
  const isShort = !line.includes('\n') && indent.length + taken + line.length < WIDTH
  if (isShort) return `${open}${space}${line}${space}${close}`
  const lines = members.map(member => `${inner}${member},\n`)
  return `${open}\n${lines.join('')}${indent}${close}`
}
