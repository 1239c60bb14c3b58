// Reads the text of a search: what it may be. One text may be several things. Pure.
import { CURRENCIES, currencyExponent, findCurrency } from '../values/money/currency.ts'
import { MAX_AMOUNT, parseMajor } from '../values/money/decimal.ts'
import { plainAccount } from '../values/text/found-by.ts'

/** A text as each thing that it may be; '' where it cannot be one. */
export interface Asked {
  /** The text without blanks at its ends. */
  readonly reference: string
  /** An id of any kind. */
  readonly id: string
  readonly uetr: string
  /** An account number or an IBAN in plain form, or its end. */
  readonly account: string
  readonly email: string
  readonly name: string
  /** The amounts in minor units that it may be, in each currency that it may mean. */
  readonly amounts: readonly AmountIn[]
}

export interface AmountIn {
  readonly currency: string
  readonly amount: bigint
}

const ID = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{20}$/
const UETR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function readSearch(text: string): Asked {
  const reference = text.trim()
  const lower = reference.toLowerCase()
  const nothing = { reference, id: '', uetr: '', account: '', email: '', name: '', amounts: [] }
  if (ID.test(lower)) return { ...nothing, id: lower }
  if (UETR.test(lower)) return { ...nothing, uetr: lower }
  const amounts = readAmounts(reference)
  const account = readAccount(reference)
  if (/^\S+@\S+$/.test(reference)) return { ...nothing, account, email: reference }
  // Each of both is a search of all payees, and few names are one word with four digits.
  const isName = amounts.length === 0 && account === '' && /\p{L}/u.test(reference)
  return { ...nothing, account, amounts, name: isName ? reference : '' }
}

/** The least characters of an account number that are compared with its end. */
const LEAST_ENDING = 4

/** An e-mail address may be the key of a local network. */
function readAccount(text: string): string {
  // Statements and cards hide the first digits: `••1234`, `xxxx 1234`.
  const digits = /^[*•·.…x\s-]*(\d[\d\s-]*)$/i.exec(text)?.[1]
  const account = plainAccount(digits ?? text)
  if (digits !== undefined) return account.length < LEAST_ENDING ? '' : account
  if (/^\S+@\S+$/.test(text)) return account
  // A person writes an IBAN in groups; a name with a number is no account.
  const looksLikeIban = /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(account)
  const isOneWord = !/\s/.test(text) && /^\+?[A-Z0-9]+$/.test(account)
  const hasDigits = (account.match(/\d/g) ?? []).length >= LEAST_ENDING
  return hasDigits && (looksLikeIban || isOneWord) ? account : ''
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' }

/** A number with a currency before it, behind it, or without one. */
const AMOUNT = /^([a-z]{3,4}|[€£$¥])?\s*(\d[\d\s.,'’]{0,40})\s*([a-z]{3,4}|[€£$¥])?$/i

function readAmounts(text: string): AmountIn[] {
  const [, before, number = '', after] = AMOUNT.exec(text) ?? []
  if (number === '' || (before !== undefined && after !== undefined)) return []
  const unit = before ?? after ?? ''
  // Several currencies have the signs $ and ¥.
  const code = /^[$¥]$/.test(unit) ? '' : (SIGNS[unit] ?? unit.toUpperCase())
  if (code !== '' && findCurrency(code) === undefined) return []
  const codes = code === '' ? [...CURRENCIES.keys()] : [code]
  return majorsOf(number).flatMap(major =>
    codes.flatMap(currency => {
      const amount = parseMajor(major, currencyExponent(currency))
      if (amount === undefined || amount === 0n || amount > MAX_AMOUNT) return []
      return [{ currency, amount }]
    }),
  )
}

/**
 * The plain decimals that a written number may mean. `1,250` is 1250 to one person and 1.25 to
 * another, so it has two meanings.
 */
function majorsOf(written: string): string[] {
  const number = written.replaceAll(/[\s'’]/g, '')
  if (!/^\d+([.,]\d+)*$/.test(number)) return []
  const marks: readonly string[] = number.match(/[.,]/g) ?? []
  const last = marks.at(-1)
  if (last === undefined) return [number]
  const at = number.lastIndexOf(last)
  const [whole, part] = [number.slice(0, at), number.slice(at + 1)]
  const isFraction = marks.indexOf(last) === marks.length - 1
  return [
    ...(isFraction && isGrouped(whole) ? [`${withoutMarks(whole)}.${part}`] : []),
    ...(new Set(marks).size === 1 && isGrouped(number) ? [withoutMarks(number)] : []),
  ]
}

/** Whether the marks part thousands, or lakhs: `1,250,000` or `12,50,000`. */
function isGrouped(number: string): boolean {
  return /^(\d+|[1-9]\d{0,2}([.,]\d{2,3})*[.,]\d{3})$/.test(number)
}

const withoutMarks = (number: string) => number.replaceAll(/[.,]/g, '')
