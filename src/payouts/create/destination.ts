// Where a payout's money goes: whether the destination meets the requirements of type, currency and
// network, and which book a payout to another account of this installation credits. Pure.
import type { Account } from '../../accounts/rules.ts'
import type { Book } from '../../ledger/rules.ts'
import type { Beneficiary, BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { bankingCountry, namedCountries } from '../../parties/beneficiary/country.ts'
import { checkDetails } from '../../parties/beneficiary/rules.ts'
import type { Quote } from '../../quotes/quote.ts'
import {
  destinationFaults,
  type Fault,
  type Payment,
  sharedFaults,
} from '../../quotes/requirement/rules.ts'
import { networkName } from '../../quotes/terms.ts'
import { invalidField, type Problem, refusal, refuseIfAny } from '../../values/errors.ts'
import { isCountry } from '../../values/network/country.ts'
import type { PayoutState } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'

type Inline = NonNullable<PayoutRequest['beneficiary_details']>

const INLINE = 'beneficiary_details'
const DESTINATION = `${INLINE}.destination`
/** Members that identify a bank and an account. No other requirement depends on them. */
const OF_BANK = /\.bank\.(?!currency)/
/** Members that identify the account, and the country that an account number reveals. */
const OF_ACCOUNT = /\.bank\.(account_number|iban|country)$/

/**
 * The requirements that inline details do not meet. `wrong` has the problems found before; their
 * members are left out. If a member of the destination is wrong, a requirement counts only if every
 * country that the details name has it.
 */
export function inlineProblems(
  request: PayoutRequest,
  wrong: readonly Problem[],
  quote: Quote | null = null,
): Problem[] {
  const { beneficiary_details: details } = request
  if (details === undefined) return []
  const paths = wrong.map(({ remarks }) => remarks).filter(path => path.startsWith(DESTINATION))
  const payment = paymentOf(request, details.destination_details, quote)
  const faults =
    paths.length === 0
      ? destinationFaults(details, payment)
      : certainFaults(details, payment, paths)
  return faults.map(({ path, message }) => invalidField(`${INLINE}.${path}`, message))
}

/** The unmet requirements that do not depend on the wrong members. */
function certainFaults(details: Inline, payment: Payment, wrong: readonly string[]): Fault[] {
  // A wrong type, currency, wallet or key leaves every other requirement unknown.
  if (!wrong.every(path => OF_BANK.test(path))) return []
  const { bank = {} } = details.destination_details
  const named = namedCountries(bank).filter(isCountry).map(bankingCountry)
  const countries = named.length === 0 ? [''] : named
  const uncertain = wrong.some(path => OF_ACCOUNT.test(path)) ? OF_ACCOUNT : /\.bank\.country$/
  return sharedFaults(
    countries.map(country => destinationFaults(details, { ...payment, country })),
  ).filter(({ path }) => !uncertain.test(path) && !wrong.includes(`${INLINE}.${path}`))
}

/** Refuses (400) inline details that do not meet the requirements of the quote's type. */
export function checkInline(request: PayoutRequest, quote: Quote): void {
  const { beneficiary_details: details } = request
  const wrong = details === undefined ? [] : checkDetails(details, INLINE)
  refuseIfAny(inlineProblems(request, wrong, quote))
}

/**
 * Refuses (400) a destination that does not meet the requirements of this payout. A stored
 * beneficiary is checked in full, because it may be older than today's requirements. Its problems
 * are reported at `beneficiary`.
 */
export function checkDestination(
  { details }: Beneficiary,
  request: PayoutRequest,
  quote: Quote | null,
): void {
  const faults = destinationFaults(details, paymentOf(request, details.destination_details, quote))
  if (request.beneficiary === undefined) {
    refuseIfAny(faults.map(({ path, message }) => invalidField(`${INLINE}.${path}`, message)))
    return
  }
  const messages = new Map(faults.map(({ path, message }) => [path, message]))
  for (const { remarks, message } of checkDetails(details, '')) messages.set(remarks, message)
  refuseIfAny(
    Array.from(messages, ([path, message]) => invalidField('beneficiary', `${path}: ${message}`)),
  )
}

function paymentOf(
  { type, currency, local }: PayoutRequest,
  { bank, wallet }: Beneficiary['details']['destination_details'],
  quote: Quote | null,
): Payment {
  const arrives = quote?.destination_currency ?? bank?.currency ?? wallet?.currency ?? currency
  const network = networkName(local?.fund_transfer_network, arrives)
  return {
    type: type ?? quote?.payout_type ?? 'local',
    currency: arrives,
    network: network || (quote?.fund_transfer_network ?? ''),
  }
}

/** The deposit address of a payout to another account; undefined for every other payout. */
export function depositAddressOf(
  details: Pick<BeneficiaryDetails, 'destination_details'>,
): string | undefined {
  return details.destination_details.service_account?.deposit_address
}

/**
 * The book that a payout by this account to this address credits (§transfer.receiver). Refuses with
 * deposit_address_not_found or deposit_currency_not_accepted.
 */
export function findReceiver(
  state: Pick<PayoutState, 'books' | 'accountsByDepositAddress'>,
  account: Account,
  address: string | undefined,
  currency: string,
): Book {
  const receiver = state.accountsByDepositAddress.get(address ?? '')
  const book = receiver && state.books.get(receiver.account_id)
  const remarks = 'beneficiary_details.destination_details.service_account.deposit_address'
  // A sandbox funds itself, so its balance must never reach a live account. Money of a live account
  // must not end in a sandbox either. The answer hides that an account of the other kind, or a
  // closed one, exists.
  const is_reachable = receiver?.sandbox === account.sandbox && book?.state !== 'closed'
  if (book === undefined || !is_reachable) {
    const others = account.sandbox ? 'sandbox account' : 'live account'
    const message = `No other ${others} has this deposit address.`
    throw refusal('deposit_address_not_found', message, remarks)
  }
  if (receiver.account_id === account.account_id) {
    const message = 'An account cannot pay itself; this deposit address is its own.'
    throw refusal('deposit_address_not_found', message, remarks)
  }
  if (!book.balances.has(currency)) {
    const message = `The receiving account holds no ${currency} balance.`
    throw refusal('deposit_currency_not_accepted', message, remarks)
  }
  return book
}
