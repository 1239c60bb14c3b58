// A bank's notice about a payee: the value that the bank corrects, and the update by which the
// account accepts it. Pure.
import { SERVICE } from '../../accounts/user/user.ts'
import type { PayeeChange, PayeeValues } from '../../values/bank-format/bank-format.ts'
import { found, refusal } from '../../values/errors.ts'
import type { Instant } from '../../values/instant.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { electronicForm, ownNames } from './bank-code.ts'
import type { Beneficiary, BeneficiaryDetails } from './beneficiary.ts'
import { bareNumber } from './destination.ts'
import type { BeneficiaryUpdate, NoticeKey } from './request.ts'

/** A change of a payee's details that a bank asks for, as stored. It never changes. */
export interface PayeeNotice {
  readonly beneficiary: string
  /** The change code, such as C01. */
  readonly code: string
  /** The day by which the bank expects the change; '' when it is not known. */
  readonly until: string
  /** The values that the payment went out with, as far as the bank may correct them. */
  readonly was: PayeeValues
  /** Empty when the bank names no value that the payee could take. */
  readonly corrected: PayeeValues
}

/** A notice as stored: an exception of its payout. */
export interface StoredNotice {
  readonly account_id: string
  readonly payout_id: string
  /** Counted from 1 within the payout. */
  readonly number: number
  readonly notice: PayeeNotice
  readonly opened_at: Instant
  readonly closed_at: Instant | null
  readonly closed_by: string
}

/**
 * A notice whose value the account has taken. The service closes it; a person closes the others.
 */
export interface ClosedNotice extends StoredNotice {
  readonly note: string
}

export function closedNotice(stored: StoredNotice, now: Instant, who: string): ClosedNotice {
  const note = `The account has accepted the value of the bank: ${who}.`
  return { ...stored, closed_at: now, closed_by: SERVICE, note }
}

/** The key of a notice in maps. */
export function noticeName({
  account_id,
  payout_id,
  number,
}: Pick<StoredNotice, 'account_id' | 'payout_id' | 'number'>): string {
  return `${account_id}/${payout_id}:${number}`
}

/**
 * The notice about the payee of a payment. The old account and routing number come from the file,
 * or from the payment where the file lacks them.
 */
export function payeeNotice(
  beneficiary: string,
  details: BeneficiaryDetails,
  said: Pick<PayeeNotice, 'code' | 'until'> & { readonly change: PayeeChange | null },
): PayeeNotice {
  const { code, until, change } = said
  const { old_account = '', old_routing = '', corrected = {} } = change ?? {}
  const sent = valuesOf(details)
  const { name = '', account_number = '', routing_number = '', account_type } = sent
  const is_sent = routing_number.startsWith(old_routing)
  const of_bank = {
    account_number: old_account || account_number,
    routing_number: is_sent ? routing_number : old_routing,
    ...(corrected.account_type !== undefined && omitUndefined({ account_type })),
  }
  return {
    beneficiary,
    code,
    until,
    was: corrected.name === undefined ? of_bank : { name },
    corrected,
  }
}

/** The payee's values in an ACH entry; only the name without a bank account. */
function valuesOf({ name, destination_details }: BeneficiaryDetails): PayeeValues {
  const { bank } = destination_details
  if (bank === undefined) return { name }
  const { account_number = '', account_type = '', bank_codes = {} } = bank
  const { aba, routing_number } = ownNames(bank_codes, ACH_CODE)
  return {
    name,
    account_number: account_number.replaceAll(' ', ''),
    routing_number: electronicForm(aba ?? routing_number ?? '').replaceAll('-', ''),
    // An entry without a type goes to a checking account.
    account_type: account_type.toLowerCase() === 'savings' ? 'savings' : 'checking',
  }
}

/** An accepted notice: the update to make, or null when the payee has the values already. */
export interface Acceptance {
  readonly stored: StoredNotice
  readonly update: BeneficiaryUpdate | null
}

/**
 * Refuses a notice that has nothing to accept. Also refuses a payee that no longer has the values
 * that the bank calls wrong: its edit is newer than the notice.
 */
export function accept(
  notices: ReadonlyMap<string, StoredNotice>,
  beneficiary: Beneficiary,
  { payout, number }: NoticeKey,
): Acceptance {
  const { account_id, id, details } = beneficiary
  const stored = found(notices.get(noticeName({ account_id, payout_id: payout, number })))
  const { notice, closed_by } = stored
  const { corrected, was, code } = notice
  if (notice.beneficiary !== id) throw refusal('not_found', `This notice is not about ${id}.`)
  if (closed_by === SERVICE) return { stored, update: null }
  if (Object.keys(corrected).length === 0) {
    const message =
      `Notice ${code} of payout ${payout} has no value that a payee can take: read the words of ` +
      `the bank in the timeline of the payout, and change the beneficiary yourself if needed.`
    throw refusal('notice_without_value', message, 'number')
  }
  const present = valuesOf(details)
  if (isSame(present, { ...was, ...corrected })) return { stored, update: null }
  if (!isSame(present, was)) {
    const message =
      `Beneficiary ${id} no longer has the value that notice ${code} of payout ${payout} ` +
      'corrects: compare them, and change the beneficiary yourself if needed.'
    throw refusal('notice_outdated', message, 'number')
  }
  return { stored, update: updateOf(details, corrected) }
}

/** Whether the payee has all of these values. Eight digits are compared with a routing number's. */
function isSame(present: PayeeValues, values: PayeeValues): boolean {
  return (Object.keys(values) as (keyof PayeeValues)[]).every(name => {
    const [own = '', other = ''] = [present[name], values[name]]
    if (name === 'account_number') return same(bareNumber(own), bareNumber(other))
    if (name === 'routing_number') return other.length >= 8 && own.startsWith(other)
    return own === other
  })
}

const same = (a: string, b: string) => a.toUpperCase() === b.toUpperCase()

const ACH_CODE = 'ach_code'
/** The members of `bank_codes` that an ACH entry may take its routing number from. */
const CARRIERS = [ACH_CODE, 'aba', 'aba_code', 'routing_number']

function updateOf(
  { destination_details }: BeneficiaryDetails,
  { name, routing_number, ...account }: PayeeValues,
): BeneficiaryUpdate {
  const { bank = {}, ...rest } = destination_details
  const { bank_codes = {} } = bank
  if (name !== undefined) return { name }
  const codes = routing_number && { bank_codes: codesWith(bank_codes, routing_number) }
  return { destination_details: { ...rest, bank: { ...bank, ...account, ...codes } } }
}

/** The codes with another routing number for ACH. The number for wires stays. */
function codesWith(codes: Readonly<Record<string, string>>, routing_number: string) {
  const { aba, routing_number: national } = ownNames(codes, ACH_CODE)
  const carriers = CARRIERS.filter(name => codes[name] === (aba ?? national))
  const named = carriers.length === 0 ? [ACH_CODE] : carriers
  return { ...codes, ...Object.fromEntries(named.map(name => [name, routing_number])) }
}
