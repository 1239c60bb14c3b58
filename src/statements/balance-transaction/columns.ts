// The columns of a journal that hold its line, and the conversion of rows to lines and back.
import type { Journal, JournalKind, JournalLine } from '../../ledger/rules.ts'
import { numberedId, withPrefix } from '../../values/id.ts'
import { formatDecimal, parseDecimal } from '../../values/money/decimal.ts'
import type {
  BalanceTransaction,
  BalanceTransactionType,
  FxConversion,
} from './balance-transaction.ts'

type StoredConversion = {
  exchange_rate: string
  initial: { amount: string; currency: string }
  final: { amount: string; currency: string }
}

/** A line as its journal's row holds it. */
export interface LineRow
  extends Omit<JournalLine, 'fx_conversions' | 'metadata'>,
    Pick<Journal, 'account_id' | 'number' | 'kind' | 'source' | 'created_at'> {
  readonly fx_conversions: readonly StoredConversion[] | null
  readonly metadata: BalanceTransaction['metadata'] | null
}

/** The columns of a line, without the postings of its journal. */
export const LINE_COLUMNS = [
  'account_id',
  'number',
  'kind',
  'source',
  'created_at',
  'currency',
  'amount',
  'fixed_fee',
  'variable_fee',
  'balance_after',
  'undoes',
  'fx_conversions',
  'metadata',
] as const satisfies readonly (keyof LineRow)[]

/** The line type of each kind of journal. A settlement moves no balance and has no line. */
export const LINE_TYPES: Readonly<Record<JournalKind, BalanceTransactionType | null>> = {
  funding: 'escrow',
  payout: 'payout',
  receipt: 'payout',
  settlement: null,
  failure: 'payout_failure',
  reversal: 'payout_reversal',
  withdrawal: 'withdrawal',
  adjustment: 'adjustment',
  funding_reversal: 'escrow_reversal',
  withdrawal_reversal: 'withdrawal_reversal',
  adjustment_reversal: 'adjustment_reversal',
  conversion_out: 'conversion_out',
  conversion_in: 'conversion_in',
}

/** The kind of journal with lines of this type. Throws for payout, which two kinds have. */
export function kindOf(type: string): JournalKind {
  const [kind, ...others] = Object.entries(LINE_TYPES).filter(([, made]) => made === type)
  if (kind === undefined || others.length > 0) throw new Error(`no kind of journal is a ${type}`)
  return kind[0] as JournalKind
}

export function makeLine(
  journal: Omit<LineRow, 'fx_conversions' | 'metadata'>,
  fx_conversions: readonly FxConversion[],
  metadata: BalanceTransaction['metadata'],
): BalanceTransaction {
  const { account_id, number, kind, created_at, undoes } = journal
  const description = objectOf(journal)
  const { currency, amount, fixed_fee, variable_fee, balance_after } = journal
  const type = LINE_TYPES[kind]
  if (type === null) throw new Error(`journal ${number} of ${account_id} has a line`)
  const net_amount = amount + fixed_fee + variable_fee
  return {
    account_id,
    id: numberedId('btr', journal, number),
    journal_number: number,
    type,
    operation_type: net_amount > 0n ? 'credit' : 'debit',
    currency,
    amount,
    fixed_fee,
    variable_fee,
    net_amount,
    balance_after,
    fx_conversions,
    description,
    source: undoes ?? description,
    metadata,
    created_at,
  }
}

/** The object that a journal is about. Both journals of a conversion are about it. */
function objectOf({ kind, source }: Pick<Journal, 'kind' | 'source'>): string {
  return kind === 'conversion_in' ? withPrefix(source, 'cnv') : source
}

/** The sources of the journals about these objects. */
export function sourcesAbout(ids: readonly string[]): string[] {
  return ids.flatMap(id => (id.startsWith('cnv_') ? [id, withPrefix(id, 'cni')] : [id]))
}

export function fromRow(row: LineRow): BalanceTransaction {
  return makeLine(row, (row.fx_conversions ?? []).map(conversionFromStored), row.metadata ?? {})
}

export function lineOf({ line, ...journal }: Journal): BalanceTransaction | undefined {
  if (line === null) return undefined
  const fx_conversions = line.fx_conversions === null ? null : JSON.parse(line.fx_conversions)
  const metadata = line.metadata === null ? null : JSON.parse(line.metadata)
  return fromRow({ ...journal, ...line, fx_conversions, metadata })
}

/** The conversions as stored; null for none. */
export function conversionsText(conversions: readonly FxConversion[]): string | null {
  return conversions.length === 0 ? null : JSON.stringify(conversions.map(storedConversion))
}

/** The metadata as stored; null for none. */
export function metadataText(metadata: BalanceTransaction['metadata']): string | null {
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)
}

function storedConversion({ exchange_rate, initial, final }: FxConversion): StoredConversion {
  return {
    exchange_rate: formatDecimal(exchange_rate),
    initial: { ...initial, amount: initial.amount.toString() },
    final: { ...final, amount: final.amount.toString() },
  }
}

function conversionFromStored(stored: StoredConversion): FxConversion {
  const exchange_rate = parseDecimal(stored.exchange_rate)
  if (exchange_rate === undefined) throw new Error(`stored rate ${stored.exchange_rate}`)
  return {
    exchange_rate,
    initial: { currency: stored.initial.currency, amount: BigInt(stored.initial.amount) },
    final: { currency: stored.final.currency, amount: BigInt(stored.final.amount) },
  }
}
