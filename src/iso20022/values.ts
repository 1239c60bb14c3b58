// Reads ids, amounts and texts from elements, for all readers of bank messages. Pure.
import { type BankLine, UnreadableFile } from '../bank-format/bank-format.ts'
import { findCurrency } from '../money/currency.ts'
import { parseMajor } from '../money/decimal.ts'
import { attributeOf, textOf } from './node.ts'
import type { XmlNode } from './xml-stream.ts'

/** The id at the path; '' when there is none or the bank writes NOTPROVIDED. */
export function idOf(node: XmlNode | undefined, ...path: readonly string[]): string {
  const id = textOf(node, ...path)
  return /^NOT ?PROVIDED$/i.test(id) ? '' : id
}

/**
 * The amount, in minor units, of an element with the attribute Ccy. Null without an element, for an
 * unknown currency, and with more decimals than the currency has: such an amount is never applied.
 * Throws UnreadableFile for a text that is no decimal.
 */
export function moneyOf(node: XmlNode | undefined): Pick<BankLine, 'amount' | 'currency'> {
  if (node === undefined) return { amount: null, currency: '' }
  const text = textOf(node)
  const currency = attributeOf(node, 'Ccy')
  // xs:decimal: a sign, and digits on one side of the point at least.
  const [, integer, fraction = ''] = /^\+?(\d{0,20})(?:\.(\d{0,30}))?$/.exec(text) ?? []
  if (integer === undefined || integer + fraction === '') {
    throw new UnreadableFile(`${node.name} "${text.slice(0, 40)}" is not an amount`, node.line)
  }
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined) return { amount: null, currency }
  const written = `${integer || '0'}.${fraction || '0'}`
  return { amount: parseMajor(written, exponent) ?? null, currency }
}

/** The texts in one text, each once. */
export function joinTexts(texts: readonly string[]): string {
  return [...new Set(texts.filter(text => text !== ''))].join('; ')
}
