// Reads ids, amounts and texts from elements, for all readers of bank messages. Pure.
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import { attributeOf, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'

export type Money = Pick<BankLine, 'amount' | 'currency' | 'defect'>

/** The id at the path; '' when there is none or the bank writes NOTPROVIDED. */
export function idOf(node: XmlNode | undefined, ...path: readonly string[]): string {
  const id = textOf(node, ...path)
  return /^NOT ?PROVIDED$/i.test(id) ? '' : id
}

/**
 * The amount, in minor units, of an element with the attribute Ccy. Null without an element, for an
 * unknown currency, and with more decimals than the currency has: such an amount is never applied.
 * With a text that is no decimal, the line has a defect.
 */
export function moneyOf(node: XmlNode | undefined): Money {
  if (node === undefined) return { amount: null, currency: '', defect: '' }
  const text = textOf(node)
  const currency = attributeOf(node, 'Ccy')
  // xs:decimal: a sign, and digits on one side of the point at least.
  const [, integer, fraction = ''] = /^\+?(\d{0,20})(?:\.(\d{0,30}))?$/.exec(text) ?? []
  if (integer === undefined || integer + fraction === '') {
    const defect = `line ${node.line}: ${node.name} "${text.slice(0, 40)}" is not an amount`
    return { amount: null, currency, defect }
  }
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined) return { amount: null, currency, defect: '' }
  const written = `${integer || '0'}.${fraction || '0'}`
  return { amount: parseMajor(written, exponent) ?? null, currency, defect: '' }
}

/** The texts in one text, each once. */
export function joinTexts(texts: readonly string[]): string {
  return [...new Set(texts.filter(text => text !== ''))].join('; ')
}
