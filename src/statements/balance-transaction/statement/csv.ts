// Writes a statement as CSV (RFC 4180): a header, an opening row for each currency, the lines of
// all currencies in the order of the book, and a closing row for each currency. Pure.
import { currencyExponent } from '../../../values/money/currency.ts'
import { formatDecimal, formatMajor } from '../../../values/money/decimal.ts'
import { textCell } from '../../../values/text/csv-line.ts'
import {
  type BookedLine,
  otherSide,
  type Statement,
  type StatementBalances,
  type StatementWriter,
} from './statement.ts'

/** Each amount has two columns: minor units, as everywhere in this API, and major units. */
const CSV_COLUMNS = [
  ...['kind', 'id', 'created_at', 'type', 'operation_type', 'currency'],
  ...['amount', 'amount_major', 'fixed_fee', 'fixed_fee_major', 'variable_fee'],
  ...['variable_fee_major', 'net', 'net_major', 'balance_after', 'balance_after_major'],
  ...['converted_currency', 'converted_amount', 'converted_amount_major', 'exchange_rates'],
  ...['source', 'description', 'reference_id', 'uetr', 'payee', 'payee_account', 'payee_bic'],
  ...['purpose', 'transaction_description', 'creditor_reference'],
] as const

const NO_CONVERSION = ',,,'

/** The empty cells of a balance row from `source` on. */
const NO_TEXTS = ',,,,,,,,,'

/**
 * Only complete statements have balance rows, because filtered lines do not lead from one balance
 * to the other. The last row is `interim` instead of `closing` while the last day is not over.
 */
export function csvWriter({ complete, from, to, interim }: Statement): StatementWriter {
  const balanceRow = (kind: 'opening' | 'closing' | 'interim', one: StatementBalances) => {
    if (!complete) return ''
    const opening = kind === 'opening'
    const at = opening ? (from ?? '') : to
    const net = opening ? ',' : money(one.closing - one.opening, one.currency)
    const after = money(opening ? one.opening : one.closing, one.currency)
    return `${kind},,${at},,,${one.currency},,,,,,,${net},${after},${NO_CONVERSION},${NO_TEXTS}\r\n`
  }
  return {
    by_currency: false,
    begin: `${CSV_COLUMNS.join(',')}\r\n`,
    open: one => balanceRow('opening', one),
    line: csvLine,
    close: one => balanceRow(interim ? 'interim' : 'closing', one),
    end: () => '',
  }
}

function csvLine(line: BookedLine): string {
  const { currency } = line
  return (
    `line,${line.id},${line.created_at},${line.type},${line.operation_type},${currency},` +
    `${money(line.amount, currency)},${money(line.fixed_fee, currency)},` +
    `${money(line.variable_fee, currency)},${money(line.net_amount, currency)},` +
    `${money(line.balance_after, currency)},${conversion(line)},` +
    `${textCell(line.source)},${textCell(line.description)},${textCell(line.reference_id)},` +
    `${line.uetr},${textCell(line.payee_name)},${textCell(line.payee_account)},` +
    `${textCell(line.payee_bic)},${textCell(line.purpose)},` +
    `${textCell(line.transaction_description)},${textCell(line.creditor_reference)}\r\n`
  )
}

function money(amount: bigint, currency: string): string {
  return `${amount},${formatMajor(amount, currencyExponent(currency))}`
}

/** The amount in the other currency, and the rates separated by a space. */
function conversion(line: BookedLine): string {
  const other = otherSide(line)
  if (other === undefined) return NO_CONVERSION
  const { amount, currency } = other
  const rates = line.fx_conversions
    .map(({ exchange_rate }) => formatDecimal(exchange_rate))
    .join(' ')
  return `${currency},${money(amount, currency)},${rates}`
}
