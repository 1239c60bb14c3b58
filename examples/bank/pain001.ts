// The bank's own reading of pain.001, version 3 or 9, from ISO's message definition and from nothing
// of Corridor's. It refuses a file whose counts and sums are not what its payments add up to.
import { XMLParser } from 'fast-xml-parser'

/** One payment that the bank is asked to make. Amounts are text, as the file has them. */
export interface Payment {
  readonly end_to_end_id: string
  /** InstrId; of an ACH file the trace number. */
  readonly instruction_id: string
  readonly uetr: string
  /** PmtInfId; of an ACH file the number of the batch. */
  readonly group: string
  readonly amount: string
  readonly currency: string
  readonly creditor: string
  readonly creditor_account: string
  readonly debtor_account: string
  readonly execution_date: string
}

/** A file of payments. */
export interface Order {
  readonly format: 'pain.001' | 'ach'
  readonly msg_id: string
  /** Whether the account is to show one debit for all of a group. */
  readonly booked_as_batch: boolean
  readonly payments: readonly Payment[]
}

/** Why a bank takes no file: a code of ISO 20022 and words. */
export class Refused extends Error {
  readonly code: string
  readonly msg_id: string

  constructor(code: string, words: string, msg_id = '') {
    super(words)
    this.code = code
    this.msg_id = msg_id
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  isArray: name => ['PmtInf', 'CdtTrfTxInf', 'Ustrd'].includes(name),
})

// biome-ignore lint/suspicious/noExplicitAny: an XML document of which nothing is known yet
type Node = any

export function readPain001(bytes: Uint8Array): Order {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (/<!DOCTYPE/i.test(text)) throw new Refused('FF01', 'a DOCTYPE')
  const document: Node = parser.parse(text)
  const namespace = document.Document?.['@xmlns'] ?? ''
  if (!/:pain\.001\.001\.(03|09)$/.test(namespace)) throw new Refused('FF01', `not a ${namespace}`)
  const message = document.Document.CstmrCdtTrfInitn
  const header = message.GrpHdr
  const msg_id = textOf(header.MsgId)
  const groups: Node[] = message.PmtInf ?? []
  const payments = groups.flatMap(readGroup)
  const whole = { count: header.NbOfTxs, sum: header.CtrlSum, payments, what: 'the file' }
  const parts = groups.map(group => ({
    count: group.NbOfTxs,
    sum: group.CtrlSum,
    payments: payments.filter(payment => payment.group === textOf(group.PmtInfId)),
    what: textOf(group.PmtInfId),
  }))
  for (const part of [whole, ...parts]) checkSums(part, msg_id)
  const booked_as_batch = groups.some(group => textOf(group.BtchBookg) === 'true')
  return { format: 'pain.001', msg_id, booked_as_batch, payments }
}

function readGroup(group: Node): Payment[] {
  const debtor_account = accountOf(group.DbtrAcct)
  const execution_date = textOf(group.ReqdExctnDt?.Dt ?? group.ReqdExctnDt)
  return group.CdtTrfTxInf.map((transaction: Node) => {
    const amount = transaction.Amt.InstdAmt
    return {
      end_to_end_id: textOf(transaction.PmtId.EndToEndId),
      instruction_id: textOf(transaction.PmtId.InstrId),
      uetr: textOf(transaction.PmtId.UETR),
      group: textOf(group.PmtInfId),
      amount: textOf(amount['#text']),
      currency: textOf(amount['@Ccy']),
      creditor: textOf(transaction.Cdtr?.Nm),
      creditor_account: accountOf(transaction.CdtrAcct),
      debtor_account,
      execution_date,
    }
  })
}

function accountOf(node: Node): string {
  return textOf(node?.Id?.IBAN ?? node?.Id?.Othr?.Id)
}

function textOf(node: Node): string {
  return node === undefined ? '' : String(node['#text'] ?? node).trim()
}

interface Counted {
  readonly count: Node
  readonly sum: Node
  readonly payments: readonly Payment[]
  readonly what: string
}

function checkSums({ count, sum, payments, what }: Counted, msg_id: string): void {
  if (Number(textOf(count)) !== payments.length) {
    throw new Refused('AM18', `${what} has ${payments.length} payments, not ${count}`, msg_id)
  }
  const is = payments.reduce((all, { amount }) => all + scaled(amount), 0n)
  if (textOf(sum) !== '' && scaled(textOf(sum)) !== is) {
    throw new Refused('AM10', `${what} adds up to something else than ${textOf(sum)}`, msg_id)
  }
}

const PLACES = 5

/** A decimal as a whole number of its hundred-thousandths. */
function scaled(decimal: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,5}))?$/.exec(decimal) ?? []
  if (whole === '') throw new Refused('AM12', `"${decimal}" is no amount`)
  return BigInt(whole + fraction.padEnd(PLACES, '0'))
}
