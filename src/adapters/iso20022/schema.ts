// Checks a written pain.001 by ISO's schema, through libxml2, and by rules that a schema cannot
// express: numbers of payments, sums and ids.
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { XsdValidator } from 'libxml2-wasm'
import {
  type BankProfile,
  type Iso20022Profile,
  UnreadableFile,
} from '../../values/bank-format/bank-format.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { type Decimal, formatDecimal, parseDecimal, pow10 } from '../../values/money/decimal.ts'
import { attributeOf, childOf, textOf } from '../../values/xml/node.ts'
import { readXml, type XmlNode } from '../../values/xml/xml-stream.ts'
import { isoOf } from './pain001.ts'

/** At most this many problems of one file are reported. */
const MOST_PROBLEMS = 20

type Version = Iso20022Profile['pain001']

const validators = new Map<Version, Promise<XsdValidator>>()

/** Problems of the bytes as a file of this profile; [] when there are none. */
export async function checkPain001(bytes: Uint8Array, profile: BankProfile) {
  const { pain001 } = isoOf(profile)
  const problems = await checkSchema(bytes, pain001)
  const differences = problems.length > 0 ? [] : await checkTotals(bytes)
  return [...problems, ...differences].slice(0, MOST_PROBLEMS)
}

async function checkSchema(bytes: Uint8Array, version: Version): Promise<string[]> {
  // Loaded for the first file, because most commands never need it.
  const { ParseOption, XmlDocument, XmlLibError } = await import('libxml2-wasm')
  const validator = await validators.getOrInsertComputed(version, loadValidator)
  const options = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET
  try {
    using document = XmlDocument.fromBuffer(bytes, { option: options })
    validator.validate(document)
    return []
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error
    return error.details.map(({ line, message }) => `line ${line}: ${message.trim()}`)
  }
}

async function loadValidator(version: Version): Promise<XsdValidator> {
  const { XmlDocument, XsdValidator } = await import('libxml2-wasm')
  const text = await readFile(new URL(`./schemas/${version}.xsd`, import.meta.url))
  using document = XmlDocument.fromBuffer(text)
  return XsdValidator.fromDoc(document)
}

/** Counts and adds up the payments of the file, or of one PmtInf. */
class Tally {
  readonly where: string
  count = 0
  sum: Decimal = { digits: 0n, scale: 0 }

  constructor(where: string) {
    this.where = where
  }

  add(amount: Decimal): void {
    this.count += 1
    const scale = Math.max(this.sum.scale, amount.scale)
    const digits = scaledTo(this.sum, scale) + scaledTo(amount, scale)
    this.sum = { digits, scale }
  }

  /** Yields each figure of the header that differs from the payments. */
  *compare(header: XmlNode | undefined): Generator<string> {
    const count = textOf(header, 'NbOfTxs')
    const sum = textOf(header, 'CtrlSum')
    if (count !== String(this.count)) {
      yield `${this.where}: NbOfTxs is ${count}, and there are ${this.count} payments`
    }
    if (sum !== '' && formatDecimal(parseDecimal(sum) ?? NO_SUM) !== formatDecimal(this.sum)) {
      yield `${this.where}: CtrlSum is ${sum}, and the payments are ${formatDecimal(this.sum)}`
    }
  }
}

/** Differs from every sum of payments. */
const NO_SUM: Decimal = { digits: -1n, scale: 0 }

async function checkTotals(bytes: Uint8Array): Promise<string[]> {
  const problems: string[] = []
  const file_tally = new Tally('the file')
  const ids = new Set<string>()
  let group_tally = new Tally('')
  let header: XmlNode | undefined
  let groups = 0
  const handler = {
    open({ name }: XmlNode) {
      if (name !== 'PmtInf') return
      groups += 1
      group_tally = new Tally(`PmtInf ${groups}`)
    },
    close(node: XmlNode): 'keep' | 'forget' {
      if (node.name === 'GrpHdr') header = node
      if (node.name === 'PmtInf') problems.push(...group_tally.compare(node))
      if (node.name !== 'CdtTrfTxInf') return node.name === 'PmtInf' ? 'forget' : 'keep'
      const amount = amountOf(node)
      if (typeof amount === 'string') problems.push(amount)
      else for (const tally of [file_tally, group_tally]) tally.add(amount)
      for (const name of ['EndToEndId', 'UETR']) {
        const id = textOf(node, 'PmtId', name)
        if (id === '') continue
        if (ids.has(id)) problems.push(`line ${node.line}: ${name} ${id} stands there twice`)
        ids.add(id)
      }
      return 'forget'
    },
  }
  try {
    for await (const _ of readXml(piecesOf(bytes), handler));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return [error.message]
  }
  return [...problems, ...file_tally.compare(header)]
}

/** The amount, or its problem as a sentence. */
function amountOf(node: XmlNode): Decimal | string {
  const instructed = childOf(node, 'Amt', 'InstdAmt')
  const currency = attributeOf(instructed, 'Ccy')
  const text = textOf(instructed)
  const value = parseDecimal(text)
  const exponent = findCurrency(currency)?.exponent
  if (value === undefined || value.digits === 0n) {
    return `line ${node.line}: ${text} is not an amount to pay`
  }
  if (exponent === undefined || value.scale > exponent) {
    return `line ${node.line}: ${currency} has no amount ${text}`
  }
  return value
}

function scaledTo({ digits, scale }: Decimal, new_scale: number): bigint {
  return digits * pow10(new_scale - scale)
}

/** Streams the bytes: a large file never is one text, and other work runs between the pieces. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += 65_536) {
    yield bytes.subarray(i, i + 65_536)
    await setImmediate()
  }
}
