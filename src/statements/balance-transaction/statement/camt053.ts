// Writes a statement as ISO 20022 camt.053.001.08 (BankToCustomerStatementV08), one Stmt for each
// currency. Banks, SWIFT's CBPR+ and the SEPA rulebooks of 2023 use this version of 2019, and later
// versions have the same elements. Order, lengths and digits follow its schema. Pure.
import type { IsoDate } from '../../../values/calendar/calendar.ts'
import { dayAt, dayReader, lastDayBefore } from '../../../values/calendar/day.ts'
import type { Instant } from '../../../values/instant.ts'
import { currencyExponent } from '../../../values/money/currency.ts'
import {
  type Decimal,
  divideHalfUp,
  formatDecimal,
  formatMajor,
  pow10,
} from '../../../values/money/decimal.ts'
import { cleanXml, textElement } from '../../../values/text/xml.ts'
import type { BalanceTransactionType, FxConversion } from '../balance-transaction.ts'
import { isReversal } from '../rules.ts'
import {
  absolute,
  type BookedLine,
  cut,
  FormatTooNarrow,
  type MakesWriter,
  type Statement,
  type StatementBalances,
  statementKey,
  type Totals,
} from './statement.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
/** ActiveOrHistoricCurrencyAndAmount: three letters, five fraction digits, eighteen in all. */
const FRACTION_DIGITS = 5
const TOTAL_DIGITS = 18
/** BaseOneRate: ten fraction digits, eleven in all. */
const RATE_FRACTION_DIGITS = 10
const RATE_DIGITS = 11
const ISSUER = 'CORRIDOR'

/**
 * Whether ISO 20022 can carry amounts of the currency. It cannot carry USDC and USDT, which have
 * four letters and six fraction digits.
 */
export function fitsIso20022(currency: string): boolean {
  return currency.length === 3 && currencyExponent(currency) <= FRACTION_DIGITS
}

/** Family and sub-family, from the external bank transaction codes of ISO 20022. */
const BANK_CODES: Readonly<
  Record<BalanceTransactionType, readonly [credit: string, debit: string]>
> = {
  // Received credit transfers: other, and book transfers between accounts of this installation.
  escrow: ['RCDT/OTHR', 'ICDT/OTHR'],
  payout: ['RCDT/BOOK', 'ICDT/OTHR'],
  // Issued credit transfers: reversal due to payment return.
  payout_failure: ['ICDT/RRTN', 'ICDT/RRTN'],
  payout_reversal: ['ICDT/RRTN', 'ICDT/RRTN'],
  // Bookings by the operator; adjustments are miscellaneous operations.
  withdrawal: ['RCDT/OTHR', 'ICDT/OTHR'],
  adjustment: ['MCOP/ADJT', 'MDOP/ADJT'],
  escrow_reversal: ['RCDT/RRTN', 'RCDT/RRTN'],
  withdrawal_reversal: ['ICDT/RRTN', 'ICDT/RRTN'],
  adjustment_reversal: ['MCOP/ADJT', 'MDOP/ADJT'],
  // Foreign exchange, spot.
  conversion_out: ['SPOT/OTHR', 'SPOT/OTHR'],
  conversion_in: ['SPOT/OTHR', 'SPOT/OTHR'],
}

/**
 * `name` is the account holder's. `totalsOf` gives a currency's totals, which precede its lines.
 */
export function camt053Writer(name: string, totalsOf: (currency: string) => Totals): MakesWriter {
  return statement => {
    const { account_id, created_at, interim, zone } = statement
    const dayOf = dayReader(zone)
    // 20 digits of time and the end of the account's id: 35 characters, unique for each message.
    const message_id = `${digitsOf(created_at)}-${account_id.slice(-14)}`
    return {
      by_currency: true,
      begin:
        `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">\n` +
        `<BkToCstmrStmt>\n<GrpHdr>${text('MsgId', message_id)}` +
        `<CreDtTm>${created_at}</CreDtTm></GrpHdr>\n`,
      open: one => opening(statement, name, one, totalsOf(one.currency)),
      line: line => entry(line, dayOf(line.created_at)),
      close: () => `${interim ? text('AddtlStmtInf', INTERIM) : ''}</Stmt>\n`,
      end: () => '</BkToCstmrStmt>\n</Document>\n',
    }
  }
}

const INTERIM = 'Interim: the last day of this statement was not over. The next one may have more.'

/** The elements before the entries. By the schema the closing balance is among them. */
function opening(
  statement: Statement,
  name: string,
  { currency, opening, closing }: StatementBalances,
  totals: Totals,
): string {
  const { account_id, created_at, from, to, zone, interim } = statement
  // A statement without a beginning starts at the first date of ISO 8601.
  const period_start = from ?? '0001-01-01T00:00:00.000000Z'
  const [first, last] = [from === null ? '0001-01-01' : dayAt(zone, from), lastDayBefore(zone, to)]
  // A period of a balance always has the same id, and no two balances have one id. Statements are
  // not numbered, so there is no ElctrncSeqNb.
  const named = `${digitsOf(first)}-${digitsOf(last)}-${currency}`
  const id = `${named}-${statementKey(statement, currency).slice(0, 13)}`
  return (
    `<Stmt>\n${text('Id', id)}<CreDtTm>${created_at}</CreDtTm>` +
    `<FrToDt><FrDtTm>${period_start}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>\n` +
    `<Acct><Id><Othr>${text('Id', account_id, 34)}</Othr></Id><Ccy>${currency}</Ccy>` +
    `${text('Nm', name, 70)}</Acct>\n` +
    balance('OPBD', opening, currency, first) +
    balance(interim ? 'ITBD' : 'CLBD', closing, currency, last) +
    summary(totals, currency)
  )
}

type BalanceCode = 'OPBD' | 'CLBD' | 'ITBD'

function balance(code: BalanceCode, amount: bigint, currency: string, date: string): string {
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money('Amt', amount, currency)}` +
    `${indicator(amount)}<Dt><Dt>${date}</Dt></Dt></Bal>\n`
  )
}

function summary({ count, credits, debits }: Totals, currency: string): string {
  const counted = (lines: number | undefined, sum: bigint) =>
    (lines === undefined ? '' : `<NbOfNtries>${lines}</NbOfNtries>`) +
    // Sums are optional. Leaves out a sum with more digits than the schema allows.
    (isWritable(sum, currency) ? `<Sum>${major(sum, currency)}</Sum>` : '')
  const net = credits - debits
  const direction = `<Amt>${major(absolute(net), currency)}</Amt>${indicator(net)}`
  return (
    `<TxsSummry><TtlNtries>${counted(count, credits + debits)}` +
    `${isWritable(net, currency) ? `<TtlNetNtry>${direction}</TtlNetNtry>` : ''}</TtlNtries>` +
    `<TtlCdtNtries>${counted(undefined, credits)}</TtlCdtNtries>` +
    `<TtlDbtNtries>${counted(undefined, debits)}</TtlDbtNtries></TxsSummry>\n`
  )
}

/** One Ntry, on its own line. */
function entry(line: BookedLine, day: IsoDate): string {
  const { id, currency, net_amount, type, created_at } = line
  const amount = money('Amt', net_amount, currency) + indicator(net_amount)
  return (
    `<Ntry>${text('NtryRef', id)}${amount}${isReversal(type) ? '<RvslInd>true</RvslInd>' : ''}` +
    `<Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>${created_at}</DtTm></BookgDt>` +
    `<ValDt><Dt>${day}</Dt></ValDt>${text('AcctSvcrRef', id)}` +
    `${bankCode(line)}<NtryDtls><TxDtls>${references(line)}${amount}${amounts(line)}` +
    `${charges(line)}${parties(line)}${remittance(line)}${additionalInformation(line)}` +
    '</TxDtls></NtryDtls></Ntry>\n'
  )
}

function bankCode({ type, net_amount }: BookedLine): string {
  const [family, sub_family] = (BANK_CODES[type][net_amount > 0n ? 0 : 1] ?? '').split('/')
  const domain = family === 'SPOT' ? 'FORX' : 'PMNT'
  return (
    `<BkTxCd><Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub_family}</SubFmlyCd>` +
    `</Fmly></Domn><Prtry><Cd>${type}</Cd><Issr>${ISSUER}</Issr></Prtry></BkTxCd>`
  )
}

/**
 * `description` is the id of the payout or escrow. An id that is too long is left out here:
 * `additionalInformation` has it.
 */
function references({ id, reference_id, description, uetr }: BookedLine): string {
  const end_to_end = cleanXml(reference_id) === '' ? 'NOTPROVIDED' : reference_id
  const transaction = description.length <= 35 ? text('TxId', description) : ''
  return (
    `<Refs>${text('AcctSvcrRef', id)}${text('EndToEndId', end_to_end)}` +
    `${text('UETR', uetr, 36)}${transaction}</Refs>`
  )
}

/**
 * The amount that the beneficiary receives, the intermediate amount of two conversions, and the
 * amount without fees. Each conversion stands with its resulting amount. Amounts are exact; rates
 * have as many digits as fit.
 */
function amounts(line: BookedLine): string {
  const [first, second] = line.fx_conversions
  if (first === undefined && line.amount === line.net_amount) return ''
  const details = (tag: string, conversion: FxConversion | undefined) => {
    if (conversion === undefined || !fitsIso20022(conversion.final.currency)) return ''
    const { amount, currency } = conversion.final
    return `<${tag}>${money('Amt', amount, currency)}${exchange(conversion)}</${tag}>`
  }
  return (
    `<AmtDtls>${details('InstdAmt', second ?? first)}` +
    `<TxAmt>${money('Amt', line.amount, line.currency)}</TxAmt>` +
    `${second === undefined ? '' : details('CntrValAmt', first)}</AmtDtls>`
  )
}

function exchange({ initial, final, exchange_rate }: FxConversion): string {
  const rate = isoRate(exchange_rate)
  if (rate === undefined || !fitsIso20022(initial.currency)) return ''
  return (
    `<CcyXchg><SrcCcy>${initial.currency}</SrcCcy><TrgtCcy>${final.currency}</TrgtCcy>` +
    `<UnitCcy>${initial.currency}</UnitCcy><XchgRate>${rate}</XchgRate></CcyXchg>`
  )
}

/** The rate, rounded once to BaseOneRate; undefined when it is too small or too large. */
export function isoRate({ digits, scale }: Decimal): string | undefined {
  const whole = (digits / pow10(scale)).toString()
  if (whole.length > RATE_DIGITS) return undefined
  const room = whole === '0' ? RATE_FRACTION_DIGITS : RATE_DIGITS - whole.length
  const places = Math.min(scale, room, RATE_FRACTION_DIGITS)
  const rounded = divideHalfUp(digits, pow10(scale - places))
  const fits = rounded > 0n && rounded < pow10(RATE_DIGITS + places)
  return fits ? formatDecimal({ digits: rounded, scale: places }) : undefined
}

/** The fees, which are part of the entry's amount. Returned fees are credits. */
function charges(line: BookedLine): string {
  const { currency } = line
  const fees = [
    ['fixed_fee', line.fixed_fee],
    ['variable_fee', line.variable_fee],
  ] as const
  const records = fees.filter(([, fee]) => fee !== 0n)
  if (records.length === 0) return ''
  const total = money('TtlChrgsAndTaxAmt', line.fixed_fee + line.variable_fee, currency)
  const record = ([name, fee]: readonly [string, bigint]) =>
    `<Rcrd>${money('Amt', fee, currency)}${indicator(fee)}<ChrgInclInd>true</ChrgInclInd>` +
    `<Tp><Prtry><Id>${name}</Id><Issr>${ISSUER}</Issr></Prtry></Tp></Rcrd>`
  return `<Chrgs>${total}${records.map(record).join('')}</Chrgs>`
}

/** The payee, and why it was paid. A line that gives money back keeps the payee of its payout. */
function parties({ payee_name, payee_account, payee_bic, purpose }: BookedLine): string {
  const name = text('Nm', payee_name, 140)
  const account = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(payee_account)
    ? `<IBAN>${payee_account}</IBAN>`
    : element('Othr', text('Id', payee_account, 34))
  const creditor = element('Cdtr', element('Pty', name))
  const creditor_account = element('CdtrAcct', element('Id', account))
  const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(payee_bic)
    ? `<FinInstnId><BICFI>${payee_bic}</BICFI></FinInstnId>`
    : ''
  const code = /^[A-Z0-9]{1,4}$/.test(purpose) ? text('Cd', purpose) : text('Prtry', purpose)
  return (
    `${element('RltdPties', `${creditor}${creditor_account}`)}` +
    `${element('RltdAgts', element('CdtrAgt', bic))}${element('Purp', code)}`
  )
}

function remittance({ transaction_description, creditor_reference }: BookedLine): string {
  const invoice = element('Strd', element('CdtrRefInf', text('Ref', creditor_reference)))
  return element('RmtInf', text('Ustrd', transaction_description, 140) + invoice)
}

/** An element with these inner elements; '' without one. */
function element(tag: string, inner: string): string {
  return inner === '' ? '' : `<${tag}>${inner}</${tag}>`
}

/** Exact conversions, and texts that are too long for their element. */
function additionalInformation(line: BookedLine): string {
  const { fx_conversions, reference_id, description, payee_account } = line
  const parts = fx_conversions.map(({ initial, final, exchange_rate }) => {
    const words = ({ amount, currency }: { amount: bigint; currency: string }) =>
      `${currency} ${major(amount, currency)}`
    return `${words(initial)} = ${words(final)} at ${formatDecimal(exchange_rate)}`
  })
  if (description.length > 35) parts.push(`of ${description}`)
  if ([...reference_id].length > 35) parts.push(`reference ${reference_id}`)
  if ([...payee_account].length > 34) parts.push(`to ${payee_account}`)
  return text('AddtlTxInf', parts.join('; '), 500)
}

/** The amount without its sign, which the indicator carries. */
function money(tag: string, amount: bigint, currency: string): string {
  if (!isWritable(amount, currency)) {
    throw new FormatTooNarrow(
      `${currency} ${major(absolute(amount), currency)} has more digits than ISO 20022 amounts`,
    )
  }
  return `<${tag} Ccy="${currency}">${major(absolute(amount), currency)}</${tag}>`
}

function isWritable(amount: bigint, currency: string): boolean {
  return absolute(amount) < pow10(TOTAL_DIGITS) && fitsIso20022(currency)
}

function indicator(amount: bigint): string {
  return `<CdtDbtInd>${amount < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
}

function major(amount: bigint, currency: string): string {
  return formatMajor(amount, currencyExponent(currency))
}

/** An element of text, cut to the length that the schema allows. */
function text(tag: string, value: string, length = 35): string {
  return textElement(tag, cut(cleanXml(value), length).trim())
}

/** `20261121000313167287` */
function digitsOf(instant: Instant | IsoDate): string {
  return instant.replace(/\D/g, '')
}
