// Judges an approval rule that an operator asks for. It refuses unknown names, since a rule with an
// unknown name would fit no payout. Callers pass the known names. Pure.
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'
import { currencyProblems } from '../../values/money/problem.ts'
import { hintOrStop } from '../../values/text/nearest.ts'
import { type ApprovalRule, EXPIRES_AFTER_DAYS } from './approval.ts'

/** An operator's request: the stored members, where absent stands for null. */
export type Asked<Stored> = {
  readonly [Name in keyof Stored]?: Exclude<Stored[Name], null>
}

/** `at_least` is in minor units of `at_least_currency`. */
export type AskedRule = Asked<Omit<ApprovalRule, 'rule_id' | 'at_least'> & { at_least: number }>

/** The names that higher rooms know. */
interface Known {
  /** The account of each key. */
  readonly keys: ReadonlyMap<string, string>
  readonly countries: ReadonlySet<string>
  /** The canonical name of a network; undefined when there is none. */
  networkName(name: string): string | undefined
}

/**
 * The rule. Callers have found the account.
 * @throws Refusal (400) with a problem for each mistake
 */
export function judgeRule(asked: AskedRule, known: Known): Omit<ApprovalRule, 'rule_id'> {
  const { subject = 'payout', account_id, key_id = null, at_least, at_least_currency } = asked
  const network = asked.network === undefined ? null : known.networkName(asked.network)
  const country = asked.country?.toUpperCase() ?? null
  const problems = [
    ...keyProblems(asked, known.keys),
    ...(network === undefined
      ? [invalidField('network', `There is no network ${asked.network}.`)]
      : []),
    ...(country === null || known.countries.has(country)
      ? []
      : [
          invalidField(
            'country',
            `There is no country ${country}; it has two letters, such as DE.`,
          ),
        ]),
    ...currencyProblems('currency', asked.currency),
    ...currencyProblems('at_least_currency', at_least_currency),
    ...amountProblems(asked),
    ...(subject === 'beneficiary' ? beneficiaryProblems(asked) : []),
  ]
  refuseIfAny(problems)
  const of_key = key_id === null ? null : (known.keys.get(key_id) ?? null)
  return {
    ...{ subject, account_id: account_id ?? of_key, key_id },
    payout_type: asked.payout_type ?? null,
    ...{ network: network ?? null, country, currency: asked.currency ?? null },
    new_payee: asked.new_payee ?? false,
    at_least: at_least === undefined ? null : BigInt(at_least),
    at_least_currency: at_least_currency ?? null,
    approvers: asked.approvers ?? 1,
    expires_after_days: asked.expires_after_days ?? EXPIRES_AFTER_DAYS,
  }
}

/** The problem of an unknown key, or of a key of another account. `keys` has each key's account. */
export function keyProblems(
  { key_id, account_id }: Pick<AskedRule, 'key_id' | 'account_id'>,
  keys: ReadonlyMap<string, string>,
): readonly Problem[] {
  if (key_id === undefined) return []
  const key_account = keys.get(key_id)
  if (key_account === undefined) {
    const message = `There is no key ${key_id}${hintOrStop(key_id, keys.keys())}`
    return [invalidField('key_id', message)]
  }
  if (account_id === undefined || account_id === key_account) return []
  return [
    invalidField('key_id', `Key ${key_id} is of account ${key_account}, not of ${account_id}.`),
  ]
}

function amountProblems({ at_least, at_least_currency }: AskedRule): readonly Problem[] {
  if ((at_least === undefined) === (at_least_currency === undefined)) return []
  const lacking = at_least === undefined ? 'at_least' : 'at_least_currency'
  return [invalidField(lacking, 'An amount and its currency go together.')]
}

const OF_PAYOUTS = ['payout_type', 'network', 'currency', 'at_least', 'new_payee'] as const

/** The problem of a rule for beneficiaries with a condition that only payouts have. */
function beneficiaryProblems(asked: AskedRule): readonly Problem[] {
  return OF_PAYOUTS.filter(member => asked[member] !== undefined && asked[member] !== false).map(
    member => invalidField(member, 'A rule for beneficiaries has no condition of payouts.'),
  )
}
