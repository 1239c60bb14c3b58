// Reads the providers of a chain's nodes from a rail's settings, and their keys from its secret.
// Pure.
import type { Read } from '../../values/text/csv.ts'
import type { Members } from '../../values/text/members.ts'

export interface ProviderConfig {
  readonly name: string
  /** `{name}` in it stands for a key of the rail's secret. */
  readonly url: string
  /** The most calls a second, as agreed with the provider. */
  readonly per_second: number
  /** The most calls of one request. */
  readonly batch: number
}

/** The name of a provider, or of a key. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/
const PLACE = /\{([^{}]*)\}/g
/** What stands for a key while a URL is judged. */
const ANY_KEY = 'key'

export function readProviders(
  providers: readonly Members[],
  allow_private: boolean,
): ProviderConfig[] {
  const read = providers.map(provider => {
    provider.only(['name', 'url', 'per_second', 'batch'])
    const name = provider.text('name', 32)
    if (name !== '' && !NAME.test(name)) {
      provider.problem('name', 'must have small letters, digits, - and _ alone')
    }
    const url = provider.text('url', 2000)
    const fault = url === '' ? undefined : urlFault(url, allow_private)
    if (fault !== undefined) provider.problem('url', fault)
    const per_second = provider.integer('per_second', 50, 1, 10_000)
    return { name, url, per_second, batch: provider.integer('batch', 20, 1, 100) }
  })
  read.forEach(({ name, url }, i) => {
    const earlier = read.slice(0, i)
    if (earlier.some(other => other.name === name)) providers[i]?.problem('name', 'is used twice')
    // Two addresses of one operator are one witness.
    const hostOf = allow_private ? placeOf : nameOf
    if (earlier.some(other => hostOf(other.url) === hostOf(url))) {
      providers[i]?.problem('url', 'is at the host of another provider, which proves nothing')
    }
  })
  return read
}

/** Why settings may not have this URL of a node or a signer; the text never repeats it. */
export function urlFault(written: string, allow_private: boolean): string | undefined {
  const url = URL.parse(written.replaceAll(PLACE, ANY_KEY))
  if (url === null || /[{}]/.test(written.replaceAll(PLACE, ''))) return 'must be like https://…'
  const places = placesIn(written)
  if (!places.every(name => NAME.test(name))) return 'must have the name of a key in each {}'
  const [before = ''] = written.split('{')
  if (places.length > 0 && !/^[a-z]+:\/\/[^/?]+[/?]/i.test(before)) {
    return 'must have keys in its path or query alone'
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a password'
  if (url.hash !== '') return 'must not contain #'
  if (url.protocol === 'https:' || (allow_private && url.protocol === 'http:')) return undefined
  return 'must start with https://; plain http needs allow_private'
}

function nameOf(written: string): string {
  const { hostname = written } = URL.parse(written.replaceAll(PLACE, ANY_KEY)) ?? {}
  return hostname.replace(/\.$/, '')
}

/** With the port: one's own nodes may run on one machine. */
function placeOf(written: string): string {
  return `${nameOf(written)}:${URL.parse(written.replaceAll(PLACE, ANY_KEY))?.port ?? ''}`
}

/** The keys of a rail's secret: a line `name=key` for each. No message repeats a key. */
export function readKeys(secret: string): Read<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const line of secret.split(/\r?\n/).map(line => line.trim())) {
    if (line === '') continue
    const [, name = '', key = ''] = /^([^=\s]*)\s*=\s*([\x21-\x7e]{1,500})$/.exec(line) ?? []
    if (!NAME.test(name) || keys.has(name)) {
      return { messages: ['the secret has a line name=key for each provider, each name once'] }
    }
    keys.set(name, key)
  }
  return { value: keys }
}

/** The keys that URLs of these providers need and the secret has not. */
export function missingKeys(providers: readonly ProviderConfig[], secret: string): string[] {
  const keys = readKeys(secret).value ?? new Map<string, string>()
  return providers.flatMap(({ name, url }) =>
    placesIn(url)
      .filter(wanted => !keys.has(wanted))
      .map(wanted => `provider ${name}: the secret has no key ${wanted}`),
  )
}

/** The URL with its keys, of which none is missing. */
export function filledUrl({ url }: ProviderConfig, keys: ReadonlyMap<string, string>): string {
  return url.replaceAll(PLACE, (_place, wanted: string) =>
    encodeURIComponent(keys.get(wanted) ?? ''),
  )
}

function placesIn(url: string): string[] {
  return [...url.matchAll(PLACE)].map(([, name = '']) => name)
}
