// Tests the receivers that webhooks must not reach, in every spelling of their hosts. Registration
// refuses each, sending refuses it again, and no connection is opened.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  type AddressInfo,
  createServer,
  type Server,
  Socket,
  type TcpNetConnectOpts as TcpOptions,
} from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { checkReceiver, isPublic, type Lookup } from './address.ts'
import { send } from './send.ts'

const PUBLIC = '93.184.215.14'
const PUBLIC_6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

/** What an address is, and the address as the host of a URL. */
const LITERALS: readonly (readonly [string, string])[] = [
  ['loopback', '127.0.0.1'],
  ['loopback, not the first', '127.255.255.254'],
  ['decimal', '2130706433'],
  ['octal', '0177.0.0.1'],
  ['octal, one number', '017700000001'],
  ['hexadecimal', '0x7f000001'],
  ['hexadecimal, short', '0x7f.1'],
  ['hexadecimal, last part', '127.0.0.0x1'],
  ['short, two parts', '127.1'],
  ['short, three parts', '127.0.1'],
  ['leading zeros', '127.000.000.001'],
  ['trailing dot', '127.0.0.1.'],
  ['full-width digits', '１２７.0.0.1'],
  ['circled digits', '①②⑦.0.0.1'],
  ['ideographic full stops', '127。0。0。1'],
  ['percent-encoded', '%31%32%37.0.0.1'],
  ['soft hyphen', '\u00ad127.0.0.1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified, short', '0'],
  ['this network', '0.1.2.3'],
  ['private 10/8', '10.0.0.1'],
  ['private 10/8, decimal', '167772161'],
  ['private 172.16/12, last', '172.31.255.255'],
  ['private 192.168/16', '192.168.1.1'],
  ['private 192.168/16, short', '192.168.257'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['metadata, most clouds', '169.254.169.254'],
  ['metadata, decimal', '2852039166'],
  ['metadata, hexadecimal', '0xa9fea9fe'],
  ['metadata, octal', '0251.0376.0251.0376'],
  ['metadata, Alibaba', '100.100.100.200'],
  ['metadata, Oracle', '192.0.0.192'],
  ['metadata, containers', '169.254.170.2'],
  ['Azure wire server', '168.63.129.16'],
  ['documentation', '192.0.2.1'],
  ['documentation, second', '198.51.100.1'],
  ['documentation, third', '203.0.113.1'],
  ['benchmarking', '198.19.255.255'],
  ['6to4 relay', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['multicast, last', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 loopback', '[::1]'],
  ['IPv6 loopback, long', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
  ['IPv6 unspecified', '[::]'],
  ['IPv4-mapped', '[::ffff:127.0.0.1]'],
  ['IPv4-mapped, hexadecimal', '[::ffff:7f00:1]'],
  ['IPv4-mapped, long', '[0:0:0:0:0:ffff:10.0.0.1]'],
  ['IPv4-mapped metadata', '[::ffff:169.254.169.254]'],
  ['IPv4-mapped public', `[::ffff:${PUBLIC}]`],
  ['IPv4-compatible', '[::127.0.0.1]'],
  ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
  ['NAT64', '[64:ff9b::127.0.0.1]'],
  ['NAT64 metadata', '[64:ff9b::a9fe:a9fe]'],
  ['NAT64, local', '[64:ff9b:1::10.0.0.1]'],
  ['6to4', '[2002:7f00:1::]'],
  ['6to4 of a private address', '[2002:c0a8:101::1]'],
  ['Teredo', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  ['ORCHID', '[2001:20::1]'],
  ['IPv6 benchmarking', '[2001:2::1]'],
  ['IPv6 documentation', '[2001:db8::1]'],
  ['IPv6 documentation, second', '[3fff:0fff::1]'],
  ['IPv6 discard', '[100::1]'],
  ['IPv6 segment routing', '[5f00::1]'],
  ['link-local', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['unique local', '[fc00::1]'],
  ['metadata, Amazon IPv6', '[fd00:ec2::254]'],
  ['metadata, Google IPv6', '[fd20:ce::254]'],
  ['IPv6 multicast', '[ff02::1]'],
  ['IPv6 not assigned', '[4000::1]'],
]

/** What a host name is, the name, and the addresses that it resolves to. */
const NAMES: readonly (readonly [string, string, readonly string[]])[] = [
  ['localhost', 'localhost', ['127.0.0.1']],
  ['localhost, trailing dot', 'localhost.', ['127.0.0.1']],
  ['localhost, two trailing dots', 'localhost..', ['127.0.0.1']],
  ['localhost, capitals', 'LocalHost', ['127.0.0.1']],
  ['localhost, circled letters', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', ['127.0.0.1']],
  ['localhost, though a resolver calls it public', 'a.localhost', [PUBLIC]],
  ['a name of a loopback address', 'loop.example', ['127.0.0.1']],
  ['a name of an IPv6 loopback address', 'loop6.example', ['::1']],
  ['a name of a private address', 'inside.example', ['10.1.2.3']],
  ['a name of an IPv4-mapped address', 'mapped.example', ['::ffff:10.1.2.3']],
  ['a name of a NAT64 address', 'nat64.example', ['64:ff9b::a01:203']],
  ['a name of a metadata address', 'metadata.example', ['169.254.169.254']],
  ['a name of a link-local address with zone', 'zone.example', ['fe80::1%lo']],
  ['a name of a public address with zone', 'zone6.example', [`${PUBLIC_6}%lo`]],
  ['a name that resolves to no address', 'odd.example', ['0177.0.0.1']],
  ['a name with a trailing dot', 'inside.example.', ['192.168.0.1']],
  ['two trailing dots after an address', '127.0.0.1..', ['127.0.0.1']],
  ['a public and a private address', 'both.example', [PUBLIC, '10.0.0.1']],
  ['a private and a public address', 'both.example', ['::1', PUBLIC_6]],
  ['many public addresses and a loopback one', 'many.example', [PUBLIC, PUBLIC_6, '127.0.0.1']],
]

/** Hosts that no URL can have: refused before any look-up. */
const NO_URL: readonly string[] = [
  '[fe80::1%lo]',
  '[fe80::1%25eth0]',
  '[::1].',
  '256.256.256.256',
  '4294967296',
  '08.0.0.1',
  '',
]

const connections: { opened: number; sockets: Socket[] } = { opened: 0, sockets: [] }
const listeners: Server[] = []
let ports: number[] = []

const onSocket = (message: unknown) => {
  connections.sockets.push((message as { socket: Socket }).socket)
}

before(async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const listener = createServer(socket => {
      connections.opened += 1
      socket.on('error', () => {})
      socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
    listener.listen(0, host)
    await once(listener, 'listening')
    listeners.push(listener)
  }
  ports = listeners.map(listener => (listener.address() as AddressInfo).port)
  subscribe('net.client.socket', onSocket)
})
beforeEach(() => {
  connections.opened = 0
  connections.sockets = []
})
after(() => {
  unsubscribe('net.client.socket', onSocket)
  for (const listener of listeners) listener.close()
})

function sendTo(url: string, lookup: Lookup, allow_private = false) {
  return send({
    url,
    headers: {},
    body: '{}',
    // A refusal takes no time. The limit soon ends a request that a broken build lets pass.
    timeout_ms: 2000,
    allow_private,
    lookup,
  })
}

/** Fails the test: a host that is an address needs no look-up. */
const noLookup: Lookup = hostname => Promise.reject(new Error(`looked up ${hostname}`))

async function assertNeverReached(host: string, lookup: Lookup) {
  for (const [scheme, port] of ['https', 'http'].flatMap(s => ports.map(p => [s, p] as const))) {
    const url = `${scheme}://${host}:${port}/hook`
    assert.notEqual(await checkReceiver(new URL(url), { allow_private: false, lookup }), undefined)
    const { status_code, error } = await sendTo(url, lookup)
    assert.deepEqual({ status_code, error }, { status_code: null, error: 'address not allowed' })
  }
  assert.deepEqual(connections, { opened: 0, sockets: [] })
}

suite('send, receivers that must not be reached', () => {
  for (const [what, host] of LITERALS) {
    test(`${host}, ${what}: refused at registration and at delivery, no connection`, async () => {
      await assertNeverReached(host, noLookup)
      const refusal = await checkReceiver(new URL(`https://${host}/`), { allow_private: false })
      assert.equal(refusal, 'its address is not public')
    })
  }

  for (const [what, host, addresses] of NAMES) {
    test(`${host}, ${what}: refused at registration and at delivery, no connection`, async () => {
      const lookup = async () => addresses
      await assertNeverReached(host, lookup)
      const refusal = await checkReceiver(new URL(`https://${host}/`), {
        allow_private: false,
        lookup,
      })
      assert.equal(refusal, 'its host name has an address that is not public')
    })
  }

  for (const host of NO_URL) {
    test(`host '${host}', malformed: no URL, nothing sent, no connection`, async () => {
      assert.throws(() => new URL(`https://${host}:${ports[0]}/`), TypeError)
      const { status_code, error } = await sendTo(`https://${host}:${ports[0]}/`, noLookup)
      assert.deepEqual({ status_code, error }, { status_code: null, error: 'invalid url' })
      assert.deepEqual(connections, { opened: 0, sockets: [] })
    })
  }

  test('localhost, resolved by the system: refused, no connection', async () => {
    for (const host of ['localhost', 'localhost.']) {
      const url = `https://${host}:${ports[0]}/`
      assert.notEqual(await checkReceiver(new URL(url), { allow_private: false }), undefined)
      const { error } = await send({
        url,
        headers: {},
        body: '',
        timeout_ms: 2000,
        allow_private: false,
      })
      assert.equal(error, 'address not allowed')
    }
    assert.deepEqual(connections, { opened: 0, sockets: [] })
  })
})

suite('send, host names that change their address', () => {
  test('address public at registration, loopback at delivery: refused, no connection', async () => {
    for (const later of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1']) {
      let lookups = 0
      const lookup: Lookup = async () => {
        lookups += 1
        return lookups === 1 ? [PUBLIC] : [later]
      }
      const url = `https://rebinding.example:${ports[0]}/`
      assert.equal(await checkReceiver(new URL(url), { allow_private: false, lookup }), undefined)
      const { status_code, error } = await sendTo(url, lookup)
      assert.deepEqual({ status_code, error }, { status_code: null, error: 'address not allowed' })
      assert.equal(lookups, 2)
    }
    assert.deepEqual(connections, { opened: 0, sockets: [] })
  })

  test('address public when checked, loopback on a second look-up: looked up once, connects to the checked address', async t => {
    let lookups = 0
    const lookup: Lookup = async () => {
      lookups += 1
      return lookups === 1 ? [PUBLIC, PUBLIC_6] : ['127.0.0.1']
    }
    let connected_to: unknown
    t.mock.method(Socket.prototype, 'connect', function (this: Socket, [options]: [TcpOptions]) {
      options.lookup?.(options.host ?? '', { all: true }, (_error, found) => {
        connected_to = found
      })
      // Opens no connection: a test reaches nothing outside this machine.
      return this.destroy()
    })
    const { error } = await sendTo(`https://rebinding.example:${ports[0]}/`, lookup)
    assert.equal(error, 'connection reset')
    assert.equal(lookups, 1)
    assert.deepEqual(connected_to, [
      { address: PUBLIC, family: 4 },
      { address: PUBLIC_6, family: 6 },
    ])
    assert.equal(connections.opened, 0)
  })

  test('address list that changes after the check: connects to the checked address', async t => {
    let reads = 0
    const shifty = new Proxy<string[]>([PUBLIC], {
      get(target, key, receiver) {
        if (key !== '0') return Reflect.get(target, key, receiver)
        reads += 1
        return reads === 1 ? PUBLIC : '127.0.0.1'
      },
    })
    let connected_to: unknown
    t.mock.method(Socket.prototype, 'connect', function (this: Socket, [options]: [TcpOptions]) {
      options.lookup?.(options.host ?? '', { all: true }, (_error, found) => {
        connected_to = found
      })
      return this.destroy()
    })
    await sendTo(`https://shifty.example:${ports[0]}/`, async () => shifty)
    assert.deepEqual(connected_to, [{ address: PUBLIC, family: 4 }])
    assert.equal(connections.opened, 0)
  })

  test('connection that reaches another address than the checked one: closed, nothing written', async t => {
    const received: unknown[] = []
    const listener = createServer(socket => socket.on('data', chunk => received.push(chunk)))
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const connect = Socket.prototype.connect as (this: Socket, to: TcpOptions) => Socket
    t.mock.method(Socket.prototype, 'connect', function (this: Socket) {
      return connect.call(this, { port, host: '127.0.0.1' })
    })
    const [{ error }, [accepted]] = await Promise.all([
      sendTo('https://elsewhere.example/', async () => [PUBLIC]),
      once(listener, 'connection') as Promise<[Socket]>,
    ])
    assert.equal(error, 'address not allowed')
    if (!accepted.destroyed) await once(accepted, 'close')
    assert.deepEqual(received, [])
    listener.close()
  })
})

suite('send, receivers that are allowed', () => {
  test('public addresses, and names with only public addresses: accepted', async () => {
    const lookup: Lookup = async () => [PUBLIC, PUBLIC_6]
    for (const url of [
      'https://hooks.example.com/corridor?x=1',
      'https://hooks.example.com.:8443/',
      `https://${PUBLIC}/`,
      `https://[${PUBLIC_6}]/`,
      'https://notlocalhost/',
    ]) {
      const refusal = await checkReceiver(new URL(url), { allow_private: false, lookup })
      assert.equal(refusal, undefined, url)
    }
  })

  test('private addresses and http, allowed by the operator: accepted and reached', async () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'inside.example']) {
      const six = host === '[::1]'
      const lookup: Lookup = async () => ['127.0.0.1']
      const url = `http://${host}:${ports[six ? 1 : 0]}/`
      assert.equal(await checkReceiver(new URL(url), { allow_private: true, lookup }), undefined)
      const { status_code, error } = await sendTo(url, lookup, true)
      assert.deepEqual({ status_code, error }, { status_code: 204, error: '' }, url)
    }
    // Proves that the counter of the tests above counts connections.
    assert.equal(connections.opened, 4)
    assert.equal(connections.sockets.length, 4)
  })

  test('other schemes, user names in the URL, names without an address: refused with the reason', async () => {
    const lookup: Lookup = async hostname => {
      if (hostname === 'gone.example') throw Object.assign(new Error(), { code: 'ENOTFOUND' })
      return hostname === 'empty.example' ? [] : [PUBLIC]
    }
    const table: readonly (readonly [string, boolean, string | undefined])[] = [
      ['http://hooks.example.com/', false, 'must start with https://'],
      ['ftp://hooks.example.com/', true, 'must start with https://'],
      ['file:///etc/passwd', true, 'must start with https://'],
      ['data:text/plain,x', true, 'must start with https://'],
      ['https://me@hooks.example.com/', false, 'must not contain a user name or a password'],
      ['https://:word@hooks.example.com/', true, 'must not contain a user name or a password'],
      ['https://hooks.example.com@10.0.0.1/', false, 'must not contain a user name or a password'],
      ['https://gone.example/', false, 'its host name does not resolve'],
      ['https://gone.example/', true, 'its host name does not resolve'],
      ['https://empty.example/', false, 'its host name does not resolve'],
      ['https://hooks.example.com/', false, undefined],
    ]
    for (const [url, allow_private, expected] of table) {
      assert.equal(await checkReceiver(new URL(url), { allow_private, lookup }), expected, url)
    }
  })
})

test('isPublic, first and last address of each block: as in the IANA registries', () => {
  const edges: readonly (readonly [string, boolean])[] = [
    ['1.0.0.0', true],
    ['9.255.255.255', true],
    ['11.0.0.0', true],
    ['100.63.255.255', true],
    ['100.128.0.0', true],
    ['126.255.255.255', true],
    ['128.0.0.0', true],
    ['168.63.129.15', true],
    ['168.63.129.17', true],
    ['169.253.255.255', true],
    ['169.255.0.0', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['192.0.1.0', true],
    ['192.0.3.0', true],
    ['192.167.255.255', true],
    ['192.169.0.0', true],
    ['198.17.255.255', true],
    ['198.20.0.0', true],
    ['223.255.255.255', true],
    ['2000::', true],
    ['2001:200::', true],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2001:db7:ffff::', true],
    ['2001:db9::', true],
    ['2003::', true],
    ['2600::', true],
    ['3ffe:ffff::', true],
    ['3fff:1000::', true],
    ['3fff:fff:ffff::', false],
    ['1fff:ffff::', false],
    ['4000::', false],
    ['', false],
    ['example.com', false],
    ['127.1', false],
    ['[2600::]', false],
    ['2600::%1', false],
    [' 1.1.1.1', false],
  ]
  for (const [address, expected] of edges) assert.equal(isPublic(address), expected, address)
})
