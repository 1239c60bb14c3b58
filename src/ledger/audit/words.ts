// A change of the audit log in words, for people: `raised limit lim_… of acc_… from 50,000.00 to
// 80,000.00 USD`. Pure.
import { groupedMajor } from '../../values/money/words.ts'

/** A row as the audit log has it: each value as text. */
export type Row = Readonly<Record<string, string | null>>

export interface Change {
  readonly table_name: string
  readonly before: Row | null
  readonly after: Row | null
}

/** By table. Other tables are named by their own words. */
const NOUNS: Readonly<Record<string, string>> = {
  accounts: 'account',
  api_keys: 'API key',
  approval_rules: 'approval rule',
  balance_transactions: 'booking',
  beneficiaries: 'beneficiary',
  beneficiary_approvals: 'approval of beneficiary',
  entities: 'entity',
  evm_slots: 'payment on a chain of',
  evm_sweeps: 'sweep',
  evm_wallets: 'wallet',
  fees: 'fee',
  invitations: 'invitation',
  limits: 'limit',
  login_links: 'log-in link of',
  payout_approvals: 'approval of payout',
  payouts: 'payout',
  pricing_policies: 'pricing policy',
  rail_exceptions: 'exception',
  rail_files: 'bank file',
  rail_inbox: 'report of a bank',
  rails: 'rail',
  rates: 'rate',
  recovery_codes: 'recovery code of',
  routes: 'route',
  screening_imports: 'import of list',
  screening_matches: 'screening of',
  screening_settings: 'settings of screening',
  second_factor_rules: 'second factor required of',
  second_factors: 'second factor of',
  sessions: 'session of',
  user_passwords: 'password of',
  user_identities: 'identity of',
  user_roles: 'role',
  users: 'user',
}

/** The columns that may name a row, the best first. */
const NAMES = [
  ...['name', 'user_name', 'id', 'limit_id', 'invitation_id', 'rule_id', 'key_id', 'rail'],
  ...['list', 'scope'],
]

/** Columns that say nothing to people. The row behind a sentence has them. */
const UNSAID = /(^|_)(digest|hash)$|^created_at$/

/** The most changed values that a sentence has. */
const MOST_VALUES = 3

/** What a row is, in words, by its table: `payouts of each account, at most USD 50,000.00`. */
export type Describers = Readonly<Record<string, (row: Row) => string>>

/**
 * What was done, without the person: begins with a verb. An added or removed row of a table in
 * `describers` is described whole.
 */
export function changeWords(
  { table_name, before, after }: Change,
  describers: Describers = {},
): string {
  const row = after ?? before ?? {}
  const noun = NOUNS[table_name] ?? table_name.replaceAll('_', ' ')
  const named = subjectOf(row)
  const values = changedValues(before, after, named)
  const verb = verbOf(before, after, values)
  const what = `${verb} ${noun}${named === '' ? '' : ` ${named}`}`
  const described = before === null || after === null ? describers[table_name]?.(row) : undefined
  if (described !== undefined) return `${what}: ${described}`
  const { account_id } = row
  const owner = account_id && account_id !== named ? ` of ${account_id}` : ''
  const subject = what + owner
  const [only, ...others] = values
  if (after === null || only === undefined) return subject
  if (others.length === 0 && only.was !== '') return `${subject} from ${only.was} to ${only.is}`
  const shown = values.slice(0, MOST_VALUES).map(({ name, was, is }) => {
    return was === '' ? `${name} ${is}` : `${name} from ${was} to ${is}`
  })
  const left = values.length - shown.length
  return `${subject}: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

function subjectOf(row: Row): string {
  if (row.base && row.quote) return `${row.base}/${row.quote}`
  for (const name of NAMES) {
    const value = row[name]
    if (value) return value
  }
  return row.account_id ?? ''
}

interface Value {
  readonly name: string
  /** In words; '' for no value before. */
  readonly was: string
  readonly is: string
  /** 1 for a number that has risen, -1 for one that has fallen, else 0. */
  readonly rise: number
}

function changedValues(before: Row | null, after: Row | null, named: string): Value[] {
  return Object.entries(after ?? {}).flatMap(([name, is]) => {
    const was = before?.[name] ?? null
    if (is === was || name === 'account_id' || is === named || UNSAID.test(name)) return []
    if ((is === null || is === '') && (was === null || was === '')) return []
    const words = (value: string | null, row: Row | null) =>
      value === null || value === '' ? '' : valueWords(name, value, row ?? {})
    const value = { name: name.replaceAll('_', ' '), was: words(was, before) }
    return [{ ...value, is: words(is, after) || 'none', rise: riseOf(was, is) }]
  })
}

function verbOf(before: Row | null, after: Row | null, values: readonly Value[]): string {
  if (after === null) return 'removed'
  if (before === null) return 'added'
  const [only, ...others] = values
  if (only === undefined || others.length > 0 || only.rise === 0) return 'changed'
  return only.rise > 0 ? 'raised' : 'lowered'
}

const WHOLE = /^-?\d{1,30}$/

function riseOf(was: string | null, is: string | null): number {
  if (was === null || is === null || !WHOLE.test(was) || !WHOLE.test(is)) return 0
  return BigInt(is) > BigInt(was) ? 1 : -1
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)[.\d]*(?:Z|\+00:00)$/

/** An amount of a row with a currency is in major units, a time in seconds. */
function valueWords(name: string, value: string, row: Row): string {
  const currency = row.currency ?? row.fee_currency ?? ''
  const isAmount = currency !== '' && WHOLE.test(value) && /(^|_)(amount|cap)$/.test(name)
  if (isAmount) return `${groupedMajor(BigInt(value), currency)} ${currency}`
  return value.replace(TIME, '$1 $2 UTC')
}
