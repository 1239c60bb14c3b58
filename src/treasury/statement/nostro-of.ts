// Finds the nostro that a statement is of, by the account that it names. Pure.
import type { Nostro } from '../nostro.ts'
import type { StatementHead } from './statement.ts'
import { plainAccount } from './text.ts'

/** Why nothing of a file is taken, in a sentence. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused'
  /** The account that no nostro has; '' for another reason. */
  readonly account: string

  constructor(reason: string, account = '') {
    super(reason)
    this.account = account
  }
}

/** The file is of none of the formats. */
export class UnknownFormat extends StatementRefused {}

/**
 * Whether a bank's name of an account is ours: the same, the national part of our IBAN, a German
 * bank code and account, or either with a BIC before it or the currency behind it.
 */
function isAccount({ account, currency, bic }: Nostro, written: string): boolean {
  if (account === '') return false
  const own = plainAccount(account)
  const national = /^[A-Z]{2}\d{2}/.test(own) ? own.slice(4) : own
  const [first = '', second] = written.split('/')
  const german = second === undefined ? '' : first + second.padStart(10, '0')
  const behind = bic !== '' && first.startsWith(bic.slice(0, 8)) ? second : undefined
  const names = [written, german, behind ?? '']
  const all = names.flatMap(name =>
    name.endsWith(currency) ? [name, name.slice(0, -currency.length)] : [name],
  )
  return all.some(name => name !== '' && (name === own || name === national))
}

/** Throws StatementRefused. `named` is the nostro that the caller has named. */
export function nostroOf(
  { account, currency }: StatementHead,
  nostros: readonly Nostro[],
  named: Nostro | undefined,
): Nostro {
  const of = [account, currency].filter(part => part !== '').join(' in ')
  if (named !== undefined) {
    const is_known = account === '' || named.account === '' || isAccount(named, account)
    if (is_known && (currency === '' || currency === named.currency)) return named
    const own = [named.account, named.currency].filter(part => part !== '').join(' in ')
    throw new StatementRefused(`a statement is of ${of}, and nostro ${named.name} is ${own}`)
  }
  const found = nostros.filter(
    one => isAccount(one, account) && (currency === '' || currency === one.currency),
  )
  const [nostro, another] = found
  if (nostro === undefined) {
    throw new StatementRefused(`a statement is of ${of}, and no nostro has this account`, account)
  }
  if (another === undefined) return nostro
  const names = `${nostro.name} and ${another.name}`
  throw new StatementRefused(`a statement is of ${of}, which may be ${names}: name the nostro`)
}
