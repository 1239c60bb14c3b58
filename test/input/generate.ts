// Requests that the document allows, for one operation: bodies from its schemas and its examples,
// paths and queries with ids of the world. What a schema cannot say (check digits, which currency an
// account holds) comes from lists of good values by the name of the member.
import {
  type ApiDocument,
  examplesOf,
  type Json,
  type Operation,
} from '../support/assert/document.ts'
import type { Request } from './request.ts'
import { HOOK, type World } from './world.ts'

/** Each in 0 … 1, 1 excluded. */
export type Chance = () => number

export function pick<T>(chance: Chance, items: readonly T[]): T {
  return items[Math.floor(chance() * items.length)] as T
}

export interface Generator {
  /** A request as documented, which may still be refused for what is stored. */
  request(operation: Operation, chance: Chance): Request
  /** The same, with every parameter that must be there. */
  complete(operation: Operation, chance: Chance): Request
  /** A body of this operation with every member there is. */
  fullBody(operation: Operation): Json
  /** The documented bodies, with ids of the world. */
  examples(operation: Operation): Json[]
}

/** Good values by the name of the member, whatever its schema. */
const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  url: [HOOK],
  amount: [1, 100, 10_000, 250_000, 9_007_199_254_740_991],
  seconds: [1, 60],
  date_of_birth: ['1980-02-29', '1990-01-31'],
  registration_date: ['2014-03-31'],
  email: ['anna@harbour.example', 'Anna@Harbour.example'],
  iban: ['DE89370400440532013000'],
  nationality: ['HK', 'de'],
  ownership_percentage: [0, 100, '33.34'],
  gt: ['2026-01-31T09:30:00Z'],
  gte: ['2020-01-31T09:30:00+08:00'],
  lt: ['2036-01-31T09:30:00.123456Z'],
  lte: ['2036-12-31T00:00:00Z'],
  as_of: ['2036-12-31T00:00:00Z', '2020-01-01T00:00:00+02:00'],
  from: ['2020-01-31', '2020-01-01T00:00:00+02:00'],
  to: ['2036-12-31'],
  type: ['local', 'ethereum', 'pix'],
  fund_transfer_network: ['chats'],
  made_by: ['user:ada', 'operator'],
}

const COUNTRIES = ['HK', 'US', 'DE', 'JP', 'BR']
const CURRENCIES = ['USD', 'EUR', 'JPY', 'HKD', 'USDC']
const TIMES = ['2020-01-01T00:00:00Z', '2036-06-30T12:00:00.5+02:00']
const LETTERS = [...'abc XYZ-é漢😀']

export function generator(api: ApiDocument, world: World): Generator {
  const { deposit_address } = world.theirs.account

  function id(chance: Chance, prefix: string): string {
    const ids = prefix === 'dep' ? [deposit_address] : (world.own.get(prefix) ?? [])
    return ids.length === 0 ? `${prefix}_00000000000000000000` : pick(chance, ids)
  }

  function text(chance: Chance, schema: Json, name: string): string {
    const { pattern = '', minLength = 0, maxLength = 40 } = schema
    const prefixes = [...pattern.matchAll(/([a-z]{2,3})_(?:\[0-9a-hj|\.\{20\})/g)].map(
      ([, prefix]) => prefix,
    )
    if (prefixes.length > 0) return id(chance, pick(chance, prefixes))
    if (name === 'deposit_address') return deposit_address
    if (pattern === '^[A-Z]{3,4}$') return pick(chance, CURRENCIES)
    if (name in BY_NAME) return String(pick(chance, BY_NAME[name] ?? []))
    if (pattern === '^[A-Z]{2}$' || name === 'country') return pick(chance, COUNTRIES)
    if (pattern === '^[a-z_]+\\.[a-z_]+$') return pick(chance, ['payout.created', 'entity.updated'])
    if (schema.format === 'date-time') return pick(chance, TIMES)
    // A digest: that of nothing here.
    if (pattern === '^[0-9a-f]{64}$') return pick(chance, ['0', 'a']).repeat(64)
    if (pattern !== '' && pattern !== '\\S') throw new Error(`no text for ${name}: ${pattern}`)
    const length = chance() < 0.1 ? maxLength : Math.min(maxLength, 1 + Math.floor(chance() * 12))
    const letters = Array.from({ length: Math.max(length - 1, minLength - 1, 0) }, () =>
      pick(chance, LETTERS),
    )
    return maxLength === 0 ? '' : `a${letters.join('')}`
  }

  function integer(chance: Chance, { minimum = 0, maximum = 1000 }: Json): number {
    if (chance() < 0.2) return pick(chance, [minimum, maximum])
    return minimum + Math.floor(chance() * Math.min(1000, maximum - minimum))
  }

  /** `all`: how likely a member is that may be left out. */
  function object(chance: Chance, schema: Json, all: number): Json {
    const required: readonly string[] = schema.required ?? []
    const members = Object.entries<Json>(schema.properties ?? {})
      .filter(([name]) => required.includes(name) || chance() < all)
      .map(([name, member]) => [name, value(chance, member, name, all)])
    const { additionalProperties } = schema
    if (typeof additionalProperties === 'object' && chance() < Math.max(all, 0.5)) {
      members.push(['key_1', value(chance, additionalProperties, 'key_1', all)])
    }
    return Object.fromEntries(members)
  }

  function value(chance: Chance, given: Json, name: string, all: number): Json {
    const schema = given.$ref === undefined ? given : api.target(given.$ref)
    if ('const' in schema) return schema.const
    if (schema.enum !== undefined) return pick(chance, schema.enum)
    const options: Json[] = schema.anyOf ?? schema.oneOf ?? []
    if (schema.properties === undefined && options.length > 0) {
      const kind = (option: Json) => value(chance, option, name, all)
      // With all members, it has those of all kinds.
      const isWhole = all === 1 && schema.discriminator !== undefined
      return isWhole
        ? Object.assign({}, ...options.toReversed().map(kind))
        : kind(pick(chance, options))
    }
    const types = [schema.type].flat().filter(type => type !== 'null' || chance() < 0.3 * (1 - all))
    switch (pick(chance, types)) {
      case 'object':
        return object(chance, schema, all)
      case 'array': {
        const { minItems = 0, maxItems = 3 } = schema
        const length = Math.max(minItems, Math.min(maxItems, Math.floor(chance() * 3)), all)
        return Array.from({ length }, () => value(chance, schema.items, name, all))
      }
      case 'integer':
        return name in BY_NAME ? pick(chance, numbers(name)) : integer(chance, schema)
      case 'string':
        return text(chance, schema, name)
      case 'boolean':
        return chance() < 0.5
      default:
        return null
    }
  }

  function bodySchema({ details }: Operation): Json {
    return details.requestBody?.content['application/json'].schema
  }

  /** By operation: each request is made of them, of which most take another body. */
  const written = new Map<Operation, string>()

  function writeExamples(operation: Operation): string {
    return JSON.stringify(examplesOf(api.operations, operation.name))
      .replace(/dep_\w{20}/g, deposit_address)
      .replace(/https:\/\/example\.com\/\w+/g, HOOK)
      .replace(/\b(?!dep)([a-z]{3})_\w{20}\b/g, (_, prefix: string) => id(() => 0, prefix))
  }

  function examples(operation: Operation): Json[] {
    const text = written.get(operation) ?? writeExamples(operation)
    written.set(operation, text)
    return JSON.parse(text)
  }

  function request(operation: Operation, chance: Chance, complete: boolean): Request {
    const { method, path, details } = operation
    const parameters: Json[] = details.parameters ?? []
    const of = (place: string) => parameters.filter(parameter => parameter.in === place)
    const filled = of('path').reduce(
      (url, { name, schema }) => url.replace(`{${name}}`, value(chance, schema, name, 0)),
      path,
    )
    const query = of('query')
      .filter(({ required }) => (complete && required) || chance() < 0.2)
      .flatMap(({ name, schema }) => {
        const member = name.replace('created.', '')
        const made = value(chance, schema, member, 0)
        const pairs: [string, Json][] =
          schema.type === 'object'
            ? Object.entries(made).map(([key, one]) => [`${name}[${key}]`, one])
            : [made].flat().map((one: Json) => [name, one])
        return pairs.map(([key, one]) => `${key}=${encodeURIComponent(String(one))}`)
      })
    const schema = bodySchema(operation)
    const good = schema === undefined ? [] : examples(operation)
    const body = () => (chance() < 0.6 ? pick(chance, good) : value(chance, schema, '', 0.25))
    return {
      method: method.toUpperCase(),
      url: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
      headers: {
        ...(FOR_APPROVERS.test(operation.path)
          ? { authorization: '@approver', 'corridor-account': '@account' }
          : { authorization: '@ours' }),
        ...(schema === undefined ? {} : { 'content-type': 'application/json' }),
        ...(of('header').some(({ name }) => name === 'Idempotency-Key') && chance() < 0.2
          ? { 'idempotency-key': key(chance) }
          : {}),
      },
      body: schema === undefined ? undefined : Buffer.from(JSON.stringify(body())),
      notes: [],
    }
  }

  return {
    examples,
    fullBody: operation => value(() => 0, bodySchema(operation), '', 1),
    request: (operation, chance) => request(operation, chance, false),
    complete: (operation, chance) => request(operation, chance, true),
  }
}

/** What an account's key may not do. */
const FOR_APPROVERS = /\/(approve|reject)$/

function numbers(name: string): readonly unknown[] {
  const good = (BY_NAME[name] ?? []).filter(value => typeof value === 'number')
  return good.length === 0 ? [1] : good
}

/** Now new, now one that another request has used. */
function key(chance: Chance): string {
  return chance() < 0.5 ? `key ${chance()}` : `key ${Math.floor(chance() * 4)}`
}
