// The calls that the rail makes of a token, their answers, and the reasons of reverts. Pure.
import { sha256 } from '@noble/hashes/sha2.js'
import { visible } from '../../values/text/visible.ts'
import type { Hex } from './chain.ts'
import { bytesOf, hashOf, hexOf, readQuantity, wordOf } from './hex.ts'

/** The selector of a function or an error: the first 4 bytes of its signature's hash. */
function selector(signature: string): Hex {
  return hashOf(Buffer.from(signature, 'ascii')).slice(0, 10) as Hex
}

/** The first topic of ERC-20's `Transfer(from, to, value)`. */
export const TRANSFER_TOPIC = hashOf(Buffer.from('Transfer(address,address,uint256)', 'ascii'))

const TRANSFER = selector('transfer(address,uint256)')
/** The bytes of the selector and two arguments. */
const TRANSFER_BYTES = 4 + 2 * 32

const TAG_BYTES = 16

/** How Circle's tokens and Tether's spell the question whether the issuer has frozen an account. */
export const FREEZERS = [
  selector('isBlacklisted(address)'),
  selector('isBlackListed(address)'),
] as const

const BALANCE_OF = selector('balanceOf(address)')
export const DECIMALS = selector('decimals()')
export const SYMBOL = selector('symbol()')

/**
 * The calldata of `transfer(payee, units)`. Contracts ignore the tag behind the arguments; it says
 * which attempt the transaction paid.
 */
export function transferData(payee: Hex, units: bigint, tag: Hex = '0x'): Hex {
  return `${aboutAccount(TRANSFER, payee)}${wordOf(units)}${tag.slice(2)}`
}

/** The tag of an attempt: 16 bytes. */
export function tagOf(attempt_id: string): Hex {
  const hash = sha256(Buffer.from(`corridor ${attempt_id}`, 'utf8'))
  return hexOf(hash.subarray(0, TAG_BYTES))
}

/** The bytes behind the arguments of a transfer; `0x` for none, or for another call. */
export function behindArguments(data: Hex): Hex {
  const isTransfer = data.startsWith(TRANSFER) && data.length > 2 + 2 * TRANSFER_BYTES
  return isTransfer ? `0x${data.slice(2 + 2 * TRANSFER_BYTES)}` : '0x'
}

/** A call with an account as its only argument. */
export function aboutAccount(call: Hex, account: Hex): Hex {
  if (account.length !== 42) throw new RangeError('no address of 20 bytes')
  return `${call}${account.slice(2).padStart(64, '0')}`
}

export function balanceData(account: Hex): Hex {
  return aboutAccount(BALANCE_OF, account)
}

/** The number in an answer of one word; undefined for an answer of another length. */
export function readWord(data: Hex): bigint | undefined {
  return data.length === 66 ? readQuantity(data) : undefined
}

/** Text as the ABI codes it, or as tokens before 2018 have it: 32 bytes with zeros at the end. */
export function readText(data: Hex): string | undefined {
  const bytes = bytesOf(data)
  if (bytes.length === 32) {
    const end = bytes.indexOf(0)
    return plain(end === -1 ? bytes : bytes.subarray(0, end))
  }
  if (bytes.length < 64 || readQuantity(`0x${data.slice(2, 66)}`) !== 32n) return undefined
  const length = readQuantity(`0x${data.slice(66, 130)}`) ?? 0n
  if (length > BigInt(bytes.length - 64)) return undefined
  return plain(bytes.subarray(64, 64 + Number(length)))
}

/** The most characters of a foreign text that are kept. */
const MAX_TEXT = 200

function plain(bytes: Uint8Array): string {
  return visible(new TextDecoder().decode(bytes.subarray(0, 4 * MAX_TEXT))).slice(0, MAX_TEXT)
}

const ERROR = selector('Error(string)')
const PANIC = selector('Panic(uint256)')

/** Errors of usual tokens: ERC-6093, and OpenZeppelin's `Pausable`; without their arguments. */
const ERRORS: ReadonlyMap<string, string> = new Map(
  [
    'ERC20InsufficientBalance(address,uint256,uint256)',
    'ERC20InvalidSender(address)',
    'ERC20InvalidReceiver(address)',
    'ERC20InsufficientAllowance(address,uint256,uint256)',
    'EnforcedPause()',
    'ExpectedPause()',
  ].map(signature => [selector(signature), signature.replace(/\(.*/, '')]),
)

/**
 * Why a call reverted: the text of the token's `require`, the name of its error, or the first 4
 * bytes of an unknown one; '' for none.
 */
export function revertReason(data: Hex): string {
  const id = data.slice(0, 10)
  if (id === ERROR) return readText(`0x${data.slice(10)}`) ?? ''
  if (id === PANIC) return `panic ${readQuantity(`0x${data.slice(10)}`) ?? ''}`.trim()
  return ERRORS.get(id) ?? (id.length === 10 ? id : '')
}
