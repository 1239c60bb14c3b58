// The settings of a rail of kind evm: what is read, and a problem with its member for each mistake.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { EVM_CHAINS } from './chains.ts'
import { EXAMPLE, readConfig } from './config.ts'
import { filledUrl, readKeys } from './config-provider.ts'

const [PROVIDER, OTHER] = EXAMPLE.providers
const [WALLET] = EXAMPLE.wallets
assert.ok(PROVIDER !== undefined && OTHER !== undefined && WALLET !== undefined)

const USDC = EXAMPLE.tokens.USDC
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const BASE_TEST = { id: 84_532 }

function withTestChains<T>(ids: string, run: () => T): T {
  const before = process.env.CORRIDOR_TEST_CHAINS
  process.env.CORRIDOR_TEST_CHAINS = ids
  try {
    return run()
  } finally {
    if (before === undefined) delete process.env.CORRIDOR_TEST_CHAINS
    else process.env.CORRIDOR_TEST_CHAINS = before
  }
}

const messagesOf = (change: object) => readConfig({ ...EXAMPLE, ...change }).messages ?? []

suite('settings of a rail on a chain', () => {
  test('example: read, with the defaults of its chain', () => {
    const { value, messages } = readConfig(EXAMPLE)
    assert.equal(messages, undefined)
    const { chain, tokens, wallets, ...rest } = value ?? assert.fail()
    assert.deepEqual([chain.type, chain.id, chain.is_test], ['base', 8453n, false])
    assert.deepEqual([...tokens], [['USDC', { address: USDC.toLowerCase(), decimals: 6 }]])
    assert.equal(wallets[0]?.address, WALLET.address.toLowerCase())
    const { providers: _, ...numbers } = rest
    assert.deepEqual(numbers, {
      ...{ in_flight: 16, settles_on: 'finalized', bump_after_blocks: 15, stuck_after_s: 3600 },
      ...{ lag_blocks: 15, max_fee: 20n * 10n ** 9n, max_cost: 5n * 10n ** 14n },
      ...{ max_payout: 250_000_000_000n, max_day: 2_000_000_000_000n, gas_low: 200 },
      ...{ gas_critical: 50, tag: true, treasury_address: null, allow_private: false },
    })
  })

  test('chains: the ids of their documents, and the tokens of the one table', () => {
    assert.deepEqual(
      EVM_CHAINS.map(({ type, id, native }) => `${type} ${id} ${native}`),
      [
        ...['ethereum 1 ETH', 'base 8453 ETH', 'optimism 10 ETH', 'arbitrum 42161 ETH'],
        ...['polygon 137 POL', 'bsc 56 BNB', 'avalanche 43114 AVAX'],
      ],
    )
    const places = EVM_CHAINS.map(({ type, tokens }) => [type, tokens.USDC?.decimals])
    assert.deepEqual(
      places.filter(([, decimals]) => decimals !== 6),
      [['bsc', 18]],
    )
  })

  const wallet = (change: object) => ({ wallets: [{ ...WALLET, ...change }] })
  const signer = (change: object) => wallet({ signer: { ...WALLET.signer, ...change } })
  const provider = (change: object) => ({ providers: [{ ...PROVIDER, ...change }, OTHER] })
  const address = 'must be an address: 0x and 40 hex digits, whose letter case is right'
  const mistakes: readonly (readonly [object, string])[] = [
    [{ in_fligth: 3 }, 'in_fligth is not known; did you mean in_flight?'],
    [
      { chain: 'tron' },
      'chain must be one of ethereum, base, optimism, arbitrum, polygon, bsc, avalanche',
    ],
    [{ chain: undefined }, 'chain is missing'],
    [{ tokens: {} }, 'tokens must name the contract of USDC or USDT'],
    [{ tokens: { EURC: USDC } }, 'tokens.EURC is not known'],
    [
      { tokens: { USDC: USDT } },
      `tokens.USDC is not the contract of USDC on Base: it is ${USDC.toLowerCase()}`,
    ],
    [
      { tokens: { USDT } },
      'tokens.USDT is not the contract of USDT on Base: no contract there is known',
    ],
    [{ tokens: { USDC: USDC.replace('fCD6', 'FCD6') } }, `tokens.USDC ${address}`],
    [
      { tokens: { USDC: { address: USDT } } },
      'tokens.USDC.force must be true for a contract that is not in the table of tokens',
    ],
    [
      { tokens: { USDC: { address: USDT, decimals: 5, force: true } } },
      'tokens.USDC.decimals must be a whole number from 6 to 36',
    ],
    [{ providers: [PROVIDER] }, 'providers must be a list of 2 to 5 objects'],
    [{ providers: 'alchemy' }, 'providers must be a list of 2 to 5 objects'],
    [{ providers: [PROVIDER, 'own'] }, 'providers[1] must be a JSON object'],
    [
      provider({ name: 'Alchemy' }),
      'providers[0].name must have small letters, digits, - and _ alone',
    ],
    [provider({ name: 'own' }), 'providers[1].name is used twice'],
    [
      provider({ url: 'https://rpc.example/v2' }),
      'providers[1].url is at the host of another provider, which proves nothing',
    ],
    [
      provider({ url: 'https://rpc.example.:8443/v2' }),
      'providers[1].url is at the host of another provider, which proves nothing',
    ],
    [
      provider({ url: 'http://rpc2.example' }),
      'providers[0].url must start with https://; plain http needs allow_private',
    ],
    [provider({ url: 'https://a:b@rpc2.example' }), 'providers[0].url must not contain a password'],
    [
      provider({ url: 'https://{alchemy}.example/v2' }),
      'providers[0].url must have keys in its path or query alone',
    ],
    [
      provider({ url: 'https://a.example/{}' }),
      'providers[0].url must have the name of a key in each {}',
    ],
    [provider({ url: 'https://a.example/{a' }), 'providers[0].url must be like https://…'],
    [provider({ per_second: 0 }), 'providers[0].per_second must be a whole number from 1 to 10000'],
    [{ wallets: [] }, 'wallets must be a list of 1 to 100 objects'],
    [{ wallets: [WALLET, WALLET] }, 'wallets name one address twice'],
    [wallet({ address: USDC }), 'wallets[0].address is the contract of a token'],
    [
      wallet({ address: '0x0000000000000000000000000000000000000000' }),
      `wallets[0].address ${address}`,
    ],
    [wallet({ signer: undefined }), 'wallets[0].signer must be a JSON object'],
    [wallet({ draining: 'yes' }), 'wallets[0].draining must be true or false'],
    [signer({ kind: 'hsm' }), 'wallets[0].signer.kind must be one of remote, aws_kms, keystore'],
    [
      signer({ url: 'http://signer.example' }),
      'wallets[0].signer.url must start with https://; plain http needs allow_private',
    ],
    [
      signer({ url: 'https://signer.example/{key}' }),
      'wallets[0].signer.url must have no keys: name a token_file',
    ],
    [
      signer({ token_file: undefined }),
      'wallets[0].signer.token_file is missing, and so is tls: one of them proves who asks',
    ],
    [signer({ token_file: 'token' }), 'wallets[0].signer.token_file is not an absolute path'],
    [
      wallet({ signer: { kind: 'keystore', path: '/a' } }),
      'wallets[0].signer.passphrase_file is missing',
    ],
    [
      wallet({ signer: { kind: 'aws_kms', key_id: 'a', region: 'Frankfurt' } }),
      'wallets[0].signer.region must be like eu-central-1',
    ],
    [{ settles_on: 'latest' }, 'settles_on must be one of finalized'],
    [{ settles_on: { blocks: 0 } }, 'settles_on.blocks must be a whole number from 1 to 100000'],
    [{ fees: undefined }, 'fees must be a JSON object'],
    [{ fees: { max_fee_gwei: '20' } }, 'fees.max_cost is missing'],
    [{ fees: { ...EXAMPLE.fees, max_fee_gwei: 20 } }, 'fees.max_fee_gwei must be text'],
    [
      { fees: { ...EXAMPLE.fees, max_fee_gwei: '0' } },
      'fees.max_fee_gwei must be a decimal above 0 with at most 9 places, as text',
    ],
    [{ max_payout: '1e9' }, 'max_payout must be a decimal above 0 with at most 6 places, as text'],
    [{ gas_critical: 300 }, 'gas_critical must be at most gas_low, 200'],
    [{ treasury_address: WALLET.address }, 'treasury_address must be no wallet of this rail'],
    [{ treasury_address: USDC }, 'treasury_address must be no contract of a token'],
    [
      { chain: 'polygon', fees: { max_fee_gwei: '29.999999999', max_cost: '1' } },
      'fees.max_fee_gwei must be at least 30.000000000, the least tip of Polygon PoS',
    ],
    [
      { chain: 'polygon', fees: { max_fee_gwei: '500', max_cost: '0.0006' } },
      'fees.max_cost must be at least 0.000630000000000000 POL, the least cost of a payment on Polygon PoS',
    ],
    [{ tag: 1 }, 'tag must be true or false'],
    [
      { test_chain: { id: 8453 } },
      'test_chain.id is of a chain with real money: leave test_chain out',
    ],
    [
      { test_chain: BASE_TEST },
      'test_chain.id must be in CORRIDOR_TEST_CHAINS, because tokens of 84532 are worthless',
    ],
  ]
  for (const [change, message] of mistakes) {
    test(`mistake: ${message}`, () => {
      withTestChains('31337', () =>
        assert.ok(messagesOf(change).includes(message), messagesOf(change).join('\n')),
      )
    })
  }

  test('settings that are no object: one problem', () => {
    for (const json of [null, [], 'base', 7]) {
      assert.ok(readConfig(json).messages?.includes('config must be a JSON object'))
    }
  })

  test('only token with a mistake: one problem, that mistake', () => {
    const [message, another] = messagesOf({ tokens: { USDC: USDT } })
    assert.match(message ?? '', /^tokens\.USDC is not the contract/)
    assert.equal(another, undefined)
  })

  test('contract that is not in the table, with force: taken as it is', () => {
    const token = { address: USDT, decimals: 18, force: true }
    const { value } = readConfig({ ...EXAMPLE, tokens: { USDC: token } })
    assert.deepEqual(value?.tokens.get('USDC'), { address: USDT.toLowerCase(), decimals: 18 })
  })

  test('chain of a trial: stands in for its chain, with any tokens and a pace of its own', () => {
    const test_chain = { ...BASE_TEST, block_ms: 50, keeps_pending: false }
    const settings = { ...EXAMPLE, test_chain, tokens: { USDT } }
    const { value } = withTestChains('31337, 84532', () => readConfig(settings))
    const { chain, tokens } = value ?? assert.fail()
    const { type, id, is_test, block_ms, keeps_pending, l1_fee } = chain
    assert.deepEqual(
      { type, id, is_test, block_ms, keeps_pending, l1_fee },
      {
        type: 'base',
        id: 84_532n,
        is_test: true,
        block_ms: 50,
        keeps_pending: false,
        l1_fee: false,
      },
    )
    assert.equal(tokens.get('USDT')?.address, USDT.toLowerCase())
  })

  test('own nodes and signer, with allow_private: plain http and no proof of who asks', () => {
    const { messages } = readConfig({
      ...EXAMPLE,
      allow_private: true,
      providers: [
        { name: 'one', url: 'http://10.0.0.1:8545' },
        { name: 'two', url: 'http://10.0.0.1:8546' },
      ],
      wallets: [{ ...WALLET, signer: { kind: 'remote', url: 'http://10.0.0.3:9000' } }],
    })
    assert.deepEqual(messages, undefined)
  })
})

suite('keys of providers', () => {
  const KEY = 'k3y/which?nobody&may#see'

  test('secret: a line name=key for each; anything else is refused without repeating it', () => {
    const { value } = readKeys(`alchemy=${KEY}\r\n\n own = abcdefgh \n`)
    assert.deepEqual(
      [...(value ?? [])],
      [
        ['alchemy', KEY],
        ['own', 'abcdefgh'],
      ],
    )
    for (const text of [KEY, `=${KEY}`, `A=${KEY}`, `a=${KEY}\na=${KEY}`, 'a=', 'a=b c']) {
      const { messages = [] } = readKeys(text)
      assert.equal(messages.length, 1, text)
      assert.ok(!messages[0]?.includes(KEY))
    }
  })

  test('URL: filled with its keys, so that none can leave its place', () => {
    const keys = new Map([['alchemy', KEY]])
    const filled = filledUrl(
      { name: 'one', url: 'https://a.example/{alchemy}?k={alchemy}', per_second: 1, batch: 1 },
      keys,
    )
    const { host, pathname, searchParams, hash } = new URL(filled)
    assert.deepEqual(
      [host, decodeURIComponent(pathname), searchParams.get('k'), hash],
      ['a.example', `/${KEY}`, KEY, ''],
    )
  })
})
