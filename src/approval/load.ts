// Reads an operator's text into an approval rule. It refuses unknown names, since a rule with an
// unknown name would fit no payout. Callers pass the known names. Pure.
import { CURRENCIES } from '../money/currency.ts'
import { readMajor } from '../money/read.ts'
import type { Read } from '../text/csv.ts'
import { didYouMean } from '../text/nearest.ts'
import { type ApprovalRule, EXPIRES_AFTER_DAYS, MAX_APPROVERS, MAX_DAYS } from './approval.ts'

/** A rule as an operator writes it. An absent condition allows any value. */
export interface RuleCells {
  readonly account?: string
  readonly key?: string
  /** Whether the rule is for new and changed beneficiaries instead of payouts. */
  readonly beneficiaries?: boolean
  readonly type?: string
  readonly network?: string
  readonly country?: string
  readonly paidIn?: string
  readonly newPayee?: boolean
  /** In major units of `currency`. */
  readonly atLeast?: string
  readonly currency?: string
  readonly approvers?: string
  readonly days?: string
}

/** The names that higher rooms know. */
interface RuleVocabulary {
  /** The account of each key. */
  readonly keys: ReadonlyMap<string, string>
  readonly types: readonly string[]
  readonly countries: ReadonlySet<string>
  /** The canonical name of a network; undefined when there is none. */
  networkName(name: string): string | undefined
}

type Rule = Omit<ApprovalRule, 'rule_id'>

/** The rule, or a message for each mistake. Callers have found the account. */
export function readRule(cells: RuleCells, vocabulary: RuleVocabulary): Read<Rule> {
  const messages: string[] = []
  const addMessage = (problem: string | undefined) => {
    if (problem !== undefined) messages.push(problem)
  }
  const { keys, types, countries } = vocabulary
  const key_id = cells.key ?? null
  const key_account = key_id === null ? undefined : keys.get(key_id)
  addMessage(keyProblem(cells, keys))
  const payout_type = cells.type?.toLowerCase() ?? null
  if (payout_type !== null && !types.includes(payout_type)) {
    addMessage(`unknown type ${cells.type}${didYouMean(payout_type, types)}`)
  }
  const network = cells.network === undefined ? null : vocabulary.networkName(cells.network)
  if (network === undefined) addMessage(`unknown network ${cells.network}`)
  const country = cells.country?.toUpperCase() ?? null
  if (country !== null && !countries.has(country)) {
    addMessage(`unknown country ${cells.country}; a country has two letters, such as DE`)
  }
  const currency = cells.paidIn?.toUpperCase() ?? null
  if (currency !== null && !CURRENCIES.has(currency)) {
    addMessage(`unknown currency ${cells.paidIn}${didYouMean(currency, [...CURRENCIES.keys()])}`)
  }
  const at_least = readAtLeast(cells)
  messages.push(...(at_least?.messages ?? []))
  const approvers = wholeNumber(cells.approvers ?? '1', MAX_APPROVERS)
  if (approvers === undefined) {
    addMessage(`--approvers "${cells.approvers}" is not a whole number from 1 to ${MAX_APPROVERS}`)
  }
  if (cells.beneficiaries === true) addMessage(beneficiaryProblem(cells))
  const days = wholeNumber(cells.days ?? String(EXPIRES_AFTER_DAYS), MAX_DAYS)
  if (days === undefined)
    addMessage(`--days "${cells.days}" is not a whole number from 1 to ${MAX_DAYS}`)
  if (messages.length > 0) return { messages }
  return {
    value: {
      subject: cells.beneficiaries === true ? 'beneficiary' : 'payout',
      account_id: cells.account ?? key_account ?? null,
      key_id,
      payout_type,
      network: network ?? null,
      country,
      currency,
      new_payee: cells.newPayee === true,
      at_least: at_least?.value?.amount ?? null,
      at_least_currency: at_least?.value?.currency ?? null,
      approvers: approvers ?? 1,
      expires_after_days: days ?? EXPIRES_AFTER_DAYS,
    },
  }
}

/** A message when a rule for beneficiaries has a condition that only payouts have. */
function beneficiaryProblem(cells: RuleCells): string | undefined {
  const { type, network, paidIn, atLeast, newPayee } = cells
  const given = [
    ...(type === undefined ? [] : ['--type']),
    ...(network === undefined ? [] : ['--network']),
    ...(paidIn === undefined ? [] : ['--paid-in']),
    ...(atLeast === undefined ? [] : ['--at-least']),
    ...(newPayee === true ? ['--new-payee'] : []),
  ]
  if (given.length === 0) return undefined
  return `--beneficiaries goes with --account, --key and --country alone, not with ${given[0]}`
}

/** A message for an unknown key, or for a key of another account. `keys` has each key's account. */
export function keyProblem(
  { key, account }: Pick<RuleCells, 'key' | 'account'>,
  keys: ReadonlyMap<string, string>,
): string | undefined {
  if (key === undefined) return undefined
  const key_account = keys.get(key)
  if (key_account === undefined) return `there is no key ${key}${didYouMean(key, keys.keys())}`
  if (account === undefined || account === key_account) return undefined
  return `key ${key} is of account ${key_account}, not of ${account}`
}

function readAtLeast({ atLeast, currency }: RuleCells): ReturnType<typeof readMajor> | undefined {
  if (atLeast !== undefined) return readMajor('--at-least', atLeast, currency, 1n)
  if (currency === undefined) return undefined
  return { messages: [`--currency "${currency}" goes with --at-least alone`] }
}

function wholeNumber(text: string, most: number): number | undefined {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= most ? number : undefined
}
