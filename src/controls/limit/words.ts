// Describes limits in words: the payouts counted, the window and the amount. Pure.
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import type { LimitKind, Window } from './limit.ts'

/** `USD 1000.00`, or `3 payouts`. */
export function quantity(currency: string | null, amount: bigint): string {
  if (currency === null) return `${amount} ${amount === 1n ? 'payout' : 'payouts'}`
  return `${currency} ${formatMajor(amount, currencyExponent(currency))}`
}

/** `payout`, `day:Europe/Berlin` or `24h`. */
export function windowName({ per, zone, hours }: Window): string {
  if (per === 'payout') return 'payout'
  return per === 'day' ? `day:${zone}` : `${hours}h`
}

/** The end of "The limit is USD 1000.00 …": `a day of Europe/Berlin`, or `in 24 hours`. */
export function windowWords({ per, zone, hours }: Window): string {
  if (per === 'payout') return 'a payout'
  return per === 'day' ? `a day of ${zone}` : `in ${hours === 1 ? 'an hour' : `${hours} hours`}`
}

/** The payouts that a limit counts: `account acc_1 over network fps to each payee`. */
export function kindWords(kind: LimitKind): string {
  const { account_id } = kind
  const account = account_id === null ? 'each account' : `account ${account_id}`
  return [account, conditionWords(kind)].filter(Boolean).join(' ')
}

/** As `kindWords`, without the account; '' for all of its payouts. */
export function conditionWords(kind: Omit<LimitKind, 'account_id' | keyof Window>): string {
  const { key_id, rail, network, new_for_hours, each } = kind
  const known = new_for_hours === 1 ? 'an hour' : `${new_for_hours} hours`
  const words = [
    ...(key_id === null ? [] : [`by key ${key_id}`]),
    ...(each === 'key' ? ['by each key'] : []),
    ...(rail === null ? [] : [`on rail ${rail}`]),
    ...(network === null ? [] : [`over network ${network}`]),
    ...(each === 'payee' ? ['to each payee'] : new_for_hours === null ? [] : ['to payees']),
    ...(new_for_hours === null ? [] : [`known for less than ${known}`]),
  ]
  return words.join(' ')
}
