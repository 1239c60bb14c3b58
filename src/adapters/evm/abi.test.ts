// Calldata and reasons against viem's coding of the same signatures.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, parseAbi } from 'viem'
import { randomBytes, randomNumber } from '../../../test/support/chain/random-transaction.ts'
import { pickSeed, seeded } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import {
  aboutAccount,
  balanceData,
  behindArguments,
  DECIMALS,
  FREEZERS,
  readText,
  readWord,
  revertReason,
  SYMBOL,
  TRANSFER_TOPIC,
  tagOf,
  transferData,
} from './abi.ts'
import type { Hex } from './chain.ts'

const SEED = pickSeed()
const ABI = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function isBlacklisted(address account) view returns (bool)',
  'function isBlackListed(address account) view returns (bool)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error EnforcedPause()',
  'error Unheard(uint256 count)',
])

test(`calldata of a transfer, random payees and amounts: as viem has it, SEED=${SEED}`, () => {
  const next = seeded(SEED)
  for (let i = 0; i < share(500, 10_000); i++) {
    const [payee, units] = [randomBytes(next, 20), randomNumber(next, 32)]
    const data = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [payee, units] })
    assert.equal(transferData(payee, units), data)
    const tag = tagOf(`pot_${i}-1`)
    assert.equal(transferData(payee, units, tag), data + tag.slice(2))
    assert.equal(behindArguments(transferData(payee, units, tag)), tag)
    assert.equal(behindArguments(data), '0x')
  }
})

test('calls of a token: as viem has them', () => {
  const account: Hex = `0x${'ab'.repeat(20)}`
  const of = (functionName: 'balanceOf' | 'isBlacklisted' | 'isBlackListed') =>
    encodeFunctionData({ abi: ABI, functionName, args: [account] })
  assert.equal(balanceData(account), of('balanceOf'))
  assert.deepEqual(
    FREEZERS.map(question => aboutAccount(question, account)),
    [of('isBlacklisted'), of('isBlackListed')],
  )
  assert.equal(DECIMALS, encodeFunctionData({ abi: ABI, functionName: 'decimals' }))
  assert.equal(SYMBOL, encodeFunctionData({ abi: ABI, functionName: 'symbol' }))
  // The topic of every ERC-20 transfer, as explorers show it.
  assert.equal(TRANSFER_TOPIC, '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
})

test('tag of an attempt: 16 bytes of the hash of its id, another for each attempt', () => {
  const hash = createHash('sha256').update('corridor pot_1-1').digest('hex')
  assert.equal(tagOf('pot_1-1'), `0x${hash.slice(0, 32)}`)
  assert.notEqual(tagOf('pot_1-1'), tagOf('pot_1-2'))
})

test('calldata of another call, or too short: no bytes behind its arguments', () => {
  for (const data of ['0x', '0xa9059cbb', `0x095ea7b3${'00'.repeat(80)}`] as const) {
    assert.equal(behindArguments(data), '0x')
  }
})

test('payee or amount that no argument holds: refused', () => {
  const payee: Hex = `0x${'ab'.repeat(20)}`
  assert.throws(() => transferData('0xab', 1n), RangeError)
  assert.throws(() => transferData(`${payee}ab`, 1n), RangeError)
  assert.throws(() => transferData(payee, 2n ** 256n), RangeError)
  assert.throws(() => transferData(payee, -1n), RangeError)
})

test('reason of a revert: the text, the name of the error, or its first bytes', () => {
  const errorOf = (errorName: string, args: readonly unknown[]) =>
    encodeErrorResult({ abi: ABI, errorName, args } as Parameters<typeof encodeErrorResult>[0])
  const account = `0x${'ab'.repeat(20)}`
  const table: readonly (readonly [Hex, string])[] = [
    [
      errorOf('Error', ['Blacklistable: account is blacklisted']),
      'Blacklistable: account is blacklisted',
    ],
    [errorOf('Error', ['']), ''],
    [errorOf('Error', ['two\nlines']), 'two\\u000alines'],
    [errorOf('Error', ['x'.repeat(100_000)]), 'x'.repeat(200)],
    [errorOf('Panic', [17n]), 'panic 17'],
    [errorOf('ERC20InsufficientBalance', [account, 1n, 2n]), 'ERC20InsufficientBalance'],
    [errorOf('EnforcedPause', []), 'EnforcedPause'],
    [errorOf('Unheard', [1n]), errorOf('Unheard', [1n]).slice(0, 10)],
    ['0x', ''],
    ['0x08c379a0', ''],
    [`0x08c379a0${'ff'.repeat(64)}`, ''],
  ]
  for (const [data, reason] of table) assert.equal(revertReason(data), reason)
})

test('answers of a token: text and numbers, or undefined for another form', () => {
  const text = encodeAbiParameters([{ type: 'string' }], ['USDC'])
  assert.equal(readText(text), 'USDC')
  assert.equal(readText(`0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}`), 'MKR')
  assert.equal(readText(`0x${'41'.repeat(32)}`), 'A'.repeat(32))
  assert.equal(readText('0x'), undefined)
  assert.equal(readText(`0x${'00'.repeat(31)}20${'ff'.repeat(32)}`), undefined)
  assert.equal(readWord(`0x${'00'.repeat(31)}06`), 6n)
  assert.equal(readWord('0x06'), undefined)
  assert.equal(readWord('0x'), undefined)
})
