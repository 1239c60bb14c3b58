// The ids, amounts and texts that every reader of a bank's message takes from it. Pure.
import { type BankSays, UnreadableFile } from '../bank-format/bank-format.ts'
import { findCurrency } from '../money/currency.ts'
import { parseMajor } from '../money/decimal.ts'
import { attributeOf, textOf } from './node.ts'
import type { XmlNode } from './xml-stream.ts'

/** An id that the bank gives back; '' when the bank says that there was none. */
export function idOf(node: XmlNode | undefined, ...path: readonly string[]): string {
  const id = textOf(node, ...path)
  return /^NOT ?PROVIDED$/i.test(id) ? '' : id
}

/**
 * The amount of an element with Ccy in minor units. Null without an element, for an unknown
 * currency, and for more decimals than the currency has: nobody applies such an amount.
 */
export function moneyOf(node: XmlNode | undefined): Pick<BankSays, 'amount' | 'currency'> {
  if (node === undefined) return { amount: null, currency: '' }
  const text = textOf(node)
  const currency = attributeOf(node, 'Ccy')
  // xs:decimal: a sign, and digits on one side of the point at least.
  const [, whole, fraction = ''] = /^\+?(\d{0,20})(?:\.(\d{0,30}))?$/.exec(text) ?? []
  if (whole === undefined || whole + fraction === '') {
    throw new UnreadableFile(`${node.name} "${text.slice(0, 40)}" is not an amount`, node.line)
  }
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined) return { amount: null, currency }
  const written = `${whole || '0'}.${fraction || '0'}`
  return { amount: parseMajor(written, exponent) ?? null, currency }
}

/** The texts joined, each once. */
export function joined(texts: readonly string[]): string {
  return [...new Set(texts.filter(text => text !== ''))].join('; ')
}
