// Tests wallet addresses by the test vectors of their standards, and by single mistakes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bech32 } from '@scure/base'
import fc from 'fast-check'
import { anyCharacters } from '../../../test/support/given/any-characters.ts'
import { share } from '../../../test/support/share.ts'
import { CHAINS } from '../../values/network/chain.ts'
import { isWalletAddress, plainAddress, tokenAt } from './wallet-address.ts'

/** ERC-55, "Test Cases": capitals alone, small letters alone, both. */
const EVM_ONE_CASE = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
]
const EVM_MIXED = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]
/** The first block's address, a P2SH address (BIP-13), and vectors of BIP-173 and BIP-350. */
const BITCOIN = [
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
  'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
]
const TRON = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8']
/** USDC's mint, a token account's program, and a system account. */
const SOLANA = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
]
/** SEP-23, "Valid test cases": accounts and muxed accounts. */
const STELLAR = [
  'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
]

const VALID: Readonly<Record<string, readonly string[]>> = {
  ethereum: [...EVM_ONE_CASE, ...EVM_MIXED],
  bitcoin: BITCOIN,
  tron: TRON,
  solana: SOLANA,
  stellar: STELLAR,
}

for (const [chain, addresses] of Object.entries(VALID)) {
  test(`wallet address of ${chain}, published examples: valid on its chain and without a chain, invalid on others`, () => {
    for (const address of addresses) {
      for (const other of Object.keys(VALID)) {
        assert.equal(isWalletAddress(address, other), other === chain, `${address} on ${other}`)
      }
      assert.ok(isWalletAddress(address, ''), address)
      assert.ok(isWalletAddress(address, 'custodial'), address)
    }
  })
}

test('isWalletAddress, chain given by type or network, in any letter case: the chain is found', () => {
  const samples = Object.values(VALID).map(([address = '']) => address)
  for (const { type, network } of CHAINS) {
    const fits = (name: string) => samples.filter(address => isWalletAddress(address, name))
    assert.equal(fits(type).length, 1, type)
    for (const name of [network, type.toUpperCase(), ` ${network.toLowerCase()} `]) {
      assert.deepEqual(fits(name), fits(type), name)
    }
  }
})

test('tokenAt, contract of each token in any letter case: named; other addresses: not', () => {
  for (const { type, title, tokens } of CHAINS) {
    for (const [currency, contract] of Object.entries(tokens)) {
      assert.ok(isWalletAddress(contract, type), `checksum of ${contract}`)
      assert.equal(tokenAt(contract), `${currency} on ${title}`)
      if (!contract.startsWith('0x')) continue
      assert.equal(tokenAt(contract.toLowerCase()), `${currency} on ${title}`)
    }
  }
  for (const address of [...EVM_MIXED, ...BITCOIN, ...STELLAR]) {
    assert.equal(tokenAt(address), undefined, address)
  }
})

test('account that no key leads to: refused; the least one that may have a key: accepted', () => {
  const account = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
  for (const number of [0, 1, 9, 0x0100, 0xffff]) {
    assert.ok(!isWalletAddress(account(number), 'ethereum'), account(number))
  }
  assert.ok(isWalletAddress(account(0x1_0000), 'ethereum'))
})

/** The usual run takes every fifth character as a replacement, other ones at the next place. */
const STEP = share(5, 1)

/** Addresses that differ in one character, which is another one of `alphabet`, at each place. */
function* replaced(address: string, alphabet: string): Generator<string> {
  for (const [i, character] of Array.from(address).entries()) {
    for (let k = i % STEP; k < alphabet.length; k += STEP) {
      const other = alphabet.charAt(k)
      if (other !== character) yield address.slice(0, i) + other + address.slice(i + 1)
    }
  }
}

const ALPHANUMERICS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

for (const chain of ['bitcoin', 'tron', 'stellar']) {
  test(`wallet address of ${chain}, any one character changed: refused`, () => {
    for (const address of VALID[chain] ?? []) {
      for (const changed of replaced(address, ALPHANUMERICS)) {
        assert.ok(!isWalletAddress(changed, ''), changed)
      }
    }
  })
}

test('wallet address of ethereum, mixed case, case of one letter changed: refused', () => {
  for (const address of EVM_MIXED) {
    for (const [i, letter] of Array.from(address).entries()) {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      const changed = address.slice(0, i) + other + address.slice(i + 1)
      assert.equal(isWalletAddress(changed, 'ethereum'), other === letter, changed)
    }
  }
})

test('wallet address of ethereum, mixed case, any digit changed: refused, except by chance', () => {
  // EIP-55 misses 0.025 % of mistakes. It misses none of these mistakes in the first vector.
  for (const changed of replaced(EVM_MIXED[0] ?? '', '0123456789abcdefABCDEF')) {
    assert.ok(!isWalletAddress(changed, 'ethereum'), changed)
  }
})

test('wallet address of ethereum, all upper or all lower case: valid, as it has no checksum', () => {
  for (const address of EVM_MIXED) {
    const hex = address.slice(2)
    assert.ok(isWalletAddress(`0x${hex.toLowerCase()}`, 'base'))
    assert.ok(isWalletAddress(`0x${hex.toUpperCase()}`, 'polygon'))
  }
})

/** BIP-173 and BIP-350: "invalid segwit addresses", those of later versions and of testnets. */
const NOT_BITCOIN = `
  tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5
  BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2 bc1rw5uspcuh
  bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90
  BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7
  bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv bc1gmk9yu
  tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd
  tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf
  BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL
  bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh
  tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47
  bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4
  BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R bc1pw5dgrnzv
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav
  tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf
  tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j
  bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y
  BC1SW50QGDZ25J bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs bc1pfeessrawgf
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7
  tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c
  mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn 2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc
  5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ`
  .trim()
  .split(/\s+/)

/** SEP-23, "Invalid test cases", and its valid strkeys that no payment can name. */
const NOT_STELLAR = `
  GAAAAAAAACGC6 MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR
  GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA
  GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI
  G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I
  MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA
  MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAAV75I
  M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ
  MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK===
  MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO
  CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA
  LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN
  SBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWHOKR`
  .trim()
  .split(/\s+/)

const NOT_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  bitcoin: NOT_BITCOIN,
  stellar: NOT_STELLAR,
  ethereum: [
    '0x0000000000000000000000000000000000000000',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
    '0xde709f2102306220921060314715629080e2fb7',
    '0xde709f2102306220921060314715629080e2fb777',
    '0xde709f2102306220921060314715629080e2fb7g',
    'vitalik.eth',
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
  ],
  // The account of zeros, hexadecimal, an address of Bitcoin's version.
  tron: [
    'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  ],
  // The system program, 31 and 33 bytes, characters that Base58 leaves out.
  solana: [
    '11111111111111111111111111111111',
    '1EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt10',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDtIl',
  ],
}

for (const [chain, texts] of Object.entries(NOT_ADDRESSES)) {
  test(`wallet address of ${chain}, malformed or of another network: refused`, () => {
    for (const text of texts) assert.ok(!isWalletAddress(text, chain), text)
  })
}

test("wallet address of bitcoin, prefix that begins like bitcoin's: refused", () => {
  const words = [0, ...bech32.toWords(Buffer.alloc(20, 7))]
  assert.ok(isWalletAddress(bech32.encode('bc', words), 'bitcoin'))
  assert.ok(!isWalletAddress(bech32.encode('bc1x', words), 'bitcoin'))
})

test('wallet address, stored form: outer spaces and invisible characters removed, case and inner spaces kept', () => {
  assert.equal(plainAddress('\u200b 0x5aAe \n'), '0x5aAe')
  assert.equal(plainAddress('0x5a Ae'), '0x5a Ae')
})

test('wallet address, random texts on any chain: a result, no exception', () => {
  const texts = fc.oneof(
    anyCharacters(128),
    fc.stringMatching(/^(0x|bc1|BC1|T|G|M|1|3)?[A-Za-z0-9]{0,120}$/),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom('', ...Object.keys(VALID)), (text, chain) => {
      assert.equal(typeof isWalletAddress(text, chain), 'boolean')
    }),
  )
})
