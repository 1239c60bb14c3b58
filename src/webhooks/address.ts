// Refuses receivers whose address is not public. An account chooses its receivers, and the service
// can reach what the account cannot: databases, neighbours, the cloud's metadata.
import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { isPortOfHttp } from './rules.ts'

/** Resolves a host name to its addresses. A name without addresses gives [] or a rejection. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

interface ReceiverOptions {
  /** The operator's choice for development: any address, and plain http. */
  readonly allow_private: boolean
  readonly lookup?: Lookup
}

/** The public addresses of a receiver, or why it is refused. */
type Resolved =
  | { readonly addresses: readonly string[]; readonly refusal?: never }
  | { readonly addresses?: never; readonly refusal: keyof typeof REASONS }

const REASONS = {
  scheme: 'must start with https://',
  credentials: 'must not contain a user name or a password',
  port: 'its port belongs to a service that is not HTTP',
  address: 'its address is not public',
  name: 'its host name does not resolve',
  name_address: 'its host name has an address that is not public',
} as const

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890, updated by RFC 8190 and later),
 * complete: its few globally reachable blocks serve the network itself. Also multicast, and
 * addresses that clouds add.
 */
const IPV4_SPECIAL: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network, RFC 791
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // shared (carrier-grade NAT), RFC 6598; Alibaba's metadata 100.100.100.200
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['169.254.0.0', 16], // link-local, RFC 3927; metadata of most clouds 169.254.169.254
  ['172.16.0.0', 12], // private, RFC 1918
  ['192.0.0.0', 24], // IETF protocol assignments, RFC 6890; Oracle's metadata 192.0.0.192
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.31.196.0', 24], // AS112, RFC 7535
  ['192.52.193.0', 24], // AMT, RFC 7450
  ['192.88.99.0', 24], // 6to4 relays, RFC 7526
  ['192.168.0.0', 16], // private, RFC 1918
  ['192.175.48.0', 24], // AS112, RFC 7534
  ['198.18.0.0', 15], // benchmarking, RFC 2544
  ['198.51.100.0', 24], // documentation, RFC 5737
  ['203.0.113.0', 24], // documentation, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved, RFC 1112, and broadcast 255.255.255.255, RFC 919
  ['168.63.129.16', 32], // Azure's own services in every virtual network, on a public address
]

/** Global unicast, the only assigned public part of IPv6: RFC 4291 section 2.4, IANA. */
const IPV6_GLOBAL: readonly (readonly [string, number])[] = [['2000::', 3]]

/**
 * The part of the IANA IPv6 Special-Purpose Address Registry inside 2000::/3, complete as above.
 * Blocks outside need no entry: loopback, IPv4-mapped (::ffff:0:0/96) and -compatible (::/96),
 * NAT64 (64:ff9b::/96, RFC 6052, and 64:ff9b:1::/48, RFC 8215), unique local with Amazon's metadata
 * fd00:ec2::254, link-local, multicast.
 */
const IPV6_SPECIAL: readonly (readonly [string, number])[] = [
  ['2001::', 23], // IETF protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID, …
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, RFC 3056: an IPv4 address inside
  ['2620:4f:8000::', 48], // AS112, RFC 7534
  ['3fff::', 20], // documentation, RFC 9637
]

// BlockList compares IPv4 addresses with rules for IPv4-mapped IPv6 and the reverse.
const ipv4Special = blockList(IPV4_SPECIAL, 'ipv4')
const ipv6Global = blockList(IPV6_GLOBAL, 'ipv6')
const ipv6Special = blockList(IPV6_SPECIAL, 'ipv6')

export function isPublic(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return !ipv4Special.check(address, 'ipv4')
  return family === 6 && ipv6Global.check(address, 'ipv6') && !ipv6Special.check(address, 'ipv6')
}

/** Why a URL is refused, as the end of a sentence. exchange.ts checks again at each connection. */
export async function checkReceiver(
  url: URL,
  options: ReceiverOptions,
): Promise<string | undefined> {
  const { refusal } = await resolveReceiver(url, options)
  return refusal === undefined ? undefined : REASONS[refusal]
}

/** One address that is not public refuses the receiver. */
export async function resolveReceiver(
  url: URL,
  { allow_private, lookup = allow_private ? localLookup : publicLookup }: ReceiverOptions,
): Promise<Resolved> {
  if (url.protocol !== 'https:' && !(allow_private && url.protocol === 'http:')) {
    return { refusal: 'scheme' }
  }
  if (url.username !== '' || url.password !== '') return { refusal: 'credentials' }
  if (!isPortOfHttp(url)) return { refusal: 'port' }
  const host = hostOf(url)
  // The URL parser has made every spelling of an IPv4 address (octal, short, …) a dotted one.
  if (isIP(host) !== 0) {
    return allow_private || isPublic(host) ? { addresses: [host] } : { refusal: 'address' }
  }
  if (!allow_private && isLocalName(host)) return { refusal: 'name_address' }
  const addresses = await lookUp(host, lookup)
  if (addresses.length === 0) return { refusal: 'name' }
  if (!allow_private && !addresses.every(isPublic)) return { refusal: 'name_address' }
  return { addresses }
}

/** The host of a URL as sockets and certificates name it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

/** Copies the addresses, so that the connection uses those that were checked; [] for none. */
async function lookUp(host: string, lookup: Lookup): Promise<readonly string[]> {
  try {
    return [...(await lookup(host))]
  } catch {
    return []
  }
}

/** Names of this machine, whatever a resolver answers: RFC 6761 section 6.3. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.*$/i.test(host)
}

/** Two tries of 2 seconds each. */
const resolver = new Resolver({ timeout: 2000, tries: 2 })

/** The system's resolver has few threads, which silent name servers could exhaust. */
const publicLookup: Lookup = async hostname => {
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/** For development: resolves names of this machine too. */
const localLookup: Lookup = async hostname => {
  const found = await systemLookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6') {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}
