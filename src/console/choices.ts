// The choices of forms by name: countries, currencies, accounts.
import { CURRENCIES, findCurrency } from '../values/money/currency.ts'
import { COUNTRIES } from '../values/network/country.ts'
import type { ListOf } from './api.ts'
import type { Field } from './form.ts'
import { countryWords, currencyWords } from './labels.ts'
import type { OperatorAccount } from './objects.ts'
import type { Visit } from './visit.ts'

/** The options of a field, after one with the value ''. */
export type Options = Readonly<Record<string, string>>

/** By name. `any` names no country. */
export function countryOptions(any: string): Options {
  const named = [...COUNTRIES].map(code => [code, countryWords(code)] as const)
  return {
    '': any,
    ...Object.fromEntries(named.toSorted(([, a], [, b]) => a.localeCompare(b, 'en'))),
  }
}

/** By code: `EUR – Euro`. `any` names no currency. */
export function currencyOptions(any: string): Options {
  return { '': any, ...currencyChoices([]) }
}

/** Every currency by its code, behind the likely ones. */
export function currencyChoices(likely: readonly string[]): Options {
  const codes = [...likely.filter(code => findCurrency(code) !== undefined), ...CURRENCIES.keys()]
  return Object.fromEntries(codes.map(code => [code, currencyWords(code)]))
}

/** The first accounts, as forms and tables name them. The page does not show this call. */
export function accountsOf({ api }: Visit): Promise<ListOf<OperatorAccount>> {
  return api.unlisted().list<OperatorAccount>('/v3/operator/account', { limit: '100' })
}

/** The ids of accounts in a text, with their names: `acc_7k2m9x4q` as `Acme (acc_7k2m9x4q)`. */
export function withNames(text: string, { results }: ListOf<OperatorAccount>): string {
  const names = new Map(results.map(({ account_id, name }) => [account_id, name]))
  return text.replace(/acc_[0-9a-z]{8}/g, id => (names.get(id) ? `${names.get(id)} (${id})` : id))
}

/** A choice of one account, or of all. Of too many accounts to list, a person enters the id. */
export function accountField(accounts: ListOf<OperatorAccount>, value: string | undefined): Field {
  const field = oneAccountField(accounts, 'Every account')
  return {
    ...field,
    value: value ?? '',
    ...(field.hint && { hint: `${field.hint} Empty: every one` }),
  }
}

/** A choice of one account; `none` stands there until one is chosen. */
export function oneAccountField(
  { results, has_more }: ListOf<OperatorAccount>,
  none = 'Choose',
): Field & { readonly hint?: string } {
  const field = { name: 'account_id', label: 'Account' }
  if (has_more) return { ...field, hint: 'Its id, such as acc_7k2m9x4q.' }
  const named = results.map(({ account_id: id, name }) => [id, `${name} ${id}`.trim()])
  return { ...field, options: { '': none, ...Object.fromEntries(named) } }
}
