// Tests the table of chains against the table of currencies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES } from '../money/currency.ts'
import { bankFault, CHAINS, chainFault, findChain, TOKENS, tokenFault } from './chain.ts'

test('chain table, every row: unique type, unique network label, known currencies', () => {
  assert.equal(new Set(CHAINS.map(chain => chain.type)).size, CHAINS.length)
  assert.equal(new Set(CHAINS.map(chain => chain.network)).size, CHAINS.length)
  for (const chain of CHAINS) {
    assert.ok(chain.currencies.length > 0, chain.type)
    for (const code of chain.currencies) assert.ok(CURRENCIES.has(code), `${chain.type}: ${code}`)
  }
})

test('findChain, type in any case: the chain and its network label', () => {
  assert.equal(findChain('Ethereum')?.network, 'ERC20')
  assert.equal(findChain('TRON')?.network, 'TRC20')
  assert.equal(findChain('nowhere'), undefined)
})

test('findChain, network label in any case, with outer spaces: the same chain', () => {
  assert.equal(findChain(' trc20 ')?.type, 'tron')
  assert.equal(findChain('ERC20')?.type, 'ethereum')
})

test('chainFault, known chain: none; unknown chain: a fault that lists the known ones', () => {
  assert.equal(chainFault('base'), undefined)
  assert.match(chainFault('bitcoin') ?? '', /^Not a known chain; known ones are arbitrum, /)
})

test('tokenFault, token on its chain: none; fiat money, or token of another chain: a fault', () => {
  assert.deepEqual(TOKENS, ['USDC', 'USDT'])
  assert.equal(tokenFault('USDC', 'ethereum'), undefined)
  assert.equal(tokenFault('USDT', ''), undefined)
  assert.equal(tokenFault('USD', 'ethereum'), 'A wallet receives USDC or USDT, never USD.')
  assert.equal(tokenFault('USDC', 'TRC20'), 'TRON carries USDT, not USDC.')
})

test('bankFault, currency is a token: a fault; other currencies: none', () => {
  for (const currency of TOKENS) {
    assert.equal(
      bankFault(currency),
      `No bank receives ${currency}; a wallet does, by a payout of type wallet.`,
    )
  }
  for (const currency of ['USD', 'JPY', 'KWD']) assert.equal(bankFault(currency), undefined)
})
