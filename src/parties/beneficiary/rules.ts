// The rules of beneficiaries: the checks of their details, the payout types that reach them,
// creation and update. The state advances, so that the next command of a batch sees the change.
// Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Maker, Making } from '../../accounts/maker.ts'
import type { Account } from '../../accounts/rules.ts'
import { type Book, bookOf } from '../../ledger/rules.ts'
import { recordChange } from '../../statements/event/rules.ts'
import { checkDetailsSize } from '../../values/bounds.ts'
import { found, invalidField, type Problem, refusal, refuseIfAny } from '../../values/errors.ts'
import { type BookId, nameOf } from '../../values/id.ts'
import { type Instant, plusMicros } from '../../values/instant.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { checkCountry } from '../../values/network/country.ts'
import { completed } from '../../values/omit-defaults.ts'
import { type ApprovalOutcome, type ApprovalState, askApproval } from './approval.ts'
import { type ArchiveState, checkNotArchived, decideArchive, stillArchived } from './archive.ts'
import { BIC_NAMES, isTestBic, ownNames } from './bank-code.ts'
import type { Beneficiary, BeneficiaryDetails } from './beneficiary.ts'
import {
  BENEFICIARY_SEAL,
  type BeneficiaryRow,
  beneficiaryRow,
  firstDestination,
  NO_DETAILS,
} from './columns.ts'
import { checkDate, checkEmail, checkName } from './contact.ts'
import { destinationCountry } from './country.ts'
import { canonicalDestination, checkCodes, faultAt } from './destination.ts'
import { isIbanCountry } from './iban.ts'
import { accept, type ClosedNotice, closedNotice, noticeName, type StoredNotice } from './notice.ts'
import {
  type BeneficiaryRequest,
  type BeneficiaryUpdate,
  DESTINATION_TYPES,
  type DestinationDetails,
  type DestinationType,
  type NoticeKey,
} from './request.ts'
import { taxNumberFault } from './tax-number.ts'

/** The payout types that reach each type of destination (§payout.destination). */
const PAYOUT_TYPES_BY_DESTINATION: Record<DestinationType, readonly string[]> = {
  bank: ['swift', 'local'],
  wallet: ['wallet'],
  local_payment_network: ['local_payment_network'],
  service_account: ['service_account'],
}

export function destinationTakes(type: DestinationType, payout_type: string): boolean {
  return PAYOUT_TYPES_BY_DESTINATION[type].includes(payout_type)
}

/**
 * The problems of well-shaped details, or of the members of an update. Every rule is about one
 * member, so stored members need no new check. Paths begin with `prefix`.
 */
export function checkDetails(request: BeneficiaryRequest | BeneficiaryUpdate, prefix: string) {
  const { name, name_local, destination_details, address, date_of_birth, email, tax_id } = request
  const country = taxCountry(request)
  const at = (name: string) => (prefix === '' ? name : `${prefix}.${name}`)
  return [
    ...checkName(name, at('name')),
    ...checkName(name_local || undefined, at('name_local')),
    ...(destination_details
      ? checkDestination(destination_details, at('destination_details'))
      : []),
    ...checkCountry(address?.country, at('address.country')),
    ...checkDate(date_of_birth ?? undefined, at('date_of_birth')),
    ...checkEmail(email ?? undefined, at('email')),
    ...faultAt(at('tax_id'), tax_id ? taxNumberFault(country, tax_id) : undefined),
  ]
}

/** The country of a party's tax number: its account's country, or its address's. */
function taxCountry({ address, destination_details }: BeneficiaryUpdate): string {
  const country = destination_details ? destinationCountry(destination_details) : ''
  return country || (address?.country ?? '')
}

/** The BICs for tests that live details name: no bank receives at them. */
export function testBicProblems(
  { destination_details }: Pick<BeneficiaryUpdate, 'destination_details'>,
  { sandbox }: Pick<Account, 'sandbox'>,
  prefix: string,
): Problem[] {
  const { bank_codes = {} } = destination_details?.bank ?? {}
  const path = `${prefix}destination_details.bank.bank_codes`
  const message = 'The eighth character 0 marks a BIC for tests, which no live payout reaches.'
  return BIC_NAMES.flatMap(name => {
    const bic = bank_codes[name]
    const isRefused = !sandbox && bic !== undefined && isTestBic(bic)
    return isRefused ? [invalidField(`${path}.${name}`, message)] : []
  })
}

/** The problems of a payee that no payout could pay. Judged once its members are well formed. */
export type PayeeRule = (request: BeneficiaryUpdate) => readonly Problem[]

/** Refuses (400) with every problem of the fields of a creation or an update. */
export function checkBeneficiary(
  request: BeneficiaryRequest | BeneficiaryUpdate,
  account: Pick<Account, 'sandbox'>,
  unpayable: PayeeRule = () => [],
): void {
  refuseIfAny([...checkDetails(request, ''), ...testBicProblems(request, account, '')])
  refuseIfAny([...unpayable(request)])
}

/** Checks that only the member named after the type is sent, and checks its codes. */
function checkDestination(details: DestinationDetails, path: string): Problem[] {
  const problems: Problem[] = []
  // If the schema has refused the type, the wrong member is unknown.
  const members = DESTINATION_TYPES.includes(details.type) ? DESTINATION_TYPES : []
  for (const member of members) {
    if (member === details.type && details[member] === undefined) {
      problems.push(invalidField(`${path}.${member}`, `${member} is required for this type.`))
    }
    if (member !== details.type && details[member] !== undefined) {
      problems.push({
        reason: 'type_mismatch',
        message: `${member} does not belong to a destination of type ${details.type}.`,
        remarks: `${path}.${member}`,
      })
    }
  }
  const { bank } = details
  if (bank !== undefined && (bank.account_number === undefined) === (bank.iban === undefined)) {
    const member = bank.iban === undefined ? `bank.${missingAccount(details)}` : 'bank'
    const message = 'Exactly one of account_number and iban must be sent.'
    problems.push(invalidField(`${path}.${member}`, message))
  }
  return [
    ...problems,
    ...checkCountry(bank?.country, `${path}.bank.country`),
    ...checkDetailCurrency(bank?.currency, `${path}.bank.currency`),
    ...checkDetailCurrency(details.wallet?.currency, `${path}.wallet.currency`),
    ...checkCodes(details, path),
  ]
}

/**
 * The missing member of a bank: `account_number` if national codes or the country show an account
 * without an IBAN, otherwise `iban`.
 */
function missingAccount(details: DestinationDetails): 'account_number' | 'iban' {
  const { swift_code: _, ...national } = ownNames(details.bank?.bank_codes ?? {})
  const country = destinationCountry(details)
  const has_no_iban = country !== '' && !isIbanCountry(country)
  return has_no_iban || Object.keys(national).length > 0 ? 'account_number' : 'iban'
}

/**
 * The details with every member present: '' and {} are "not set". The codes of the destination are
 * in their standard form.
 */
function completeDetails(request: BeneficiaryRequest, destination: string): BeneficiaryDetails {
  const destination_details = canonicalDestination(request.destination_details)
  return completed({ ...request, destination, destination_details }, NO_DETAILS)
}

/** A new beneficiary from a checked request. */
export function makeBeneficiary(
  book: Book,
  request: BeneficiaryRequest,
  bookId: BookId,
  made_by: Maker,
): Beneficiary {
  const { account_id, now } = book
  const id = bookId(book, 'bnf')
  const details = completeDetails(request, firstDestination(id))
  checkDetailsSize(details)
  const times = { archived_at: null, created_at: now, updated_at: now }
  return { account_id, id, details, approval: '', made_by, ...times }
}

export type BeneficiaryChange =
  | { readonly kind: 'create'; readonly request: BeneficiaryRequest }
  | { readonly kind: 'update'; readonly id: string; readonly update: BeneficiaryUpdate }
  | { readonly kind: 'archive' | 'unarchive'; readonly id: string }
  | {
      readonly kind: 'accept'
      readonly id: string
      readonly notice: NoticeKey
      readonly account: Pick<Account, 'sandbox'>
    }

/** Everything that a batch may touch, read under the locks of its books. */
export interface BeneficiaryState extends ApprovalState, ArchiveState {
  readonly bookId: BookId
  /** By noticeName; this batch's changes included. */
  readonly notices: Map<string, StoredNotice>
}

export interface BeneficiaryOutcome extends ApprovalOutcome {
  readonly did: 'created' | 'changed' | 'archived' | 'nothing'
  /** The notice that was open and that the account has accepted. */
  readonly accepted?: ClosedNotice
}

/** Decides one change of a checked request. Refuses with not_found. */
export function decideBeneficiary(
  state: BeneficiaryState,
  account_id: string,
  change: BeneficiaryChange,
  by: Making,
): BeneficiaryOutcome {
  if (change.kind !== 'create') {
    const known = found(state.beneficiaries.get(nameOf({ account_id, id: change.id })))
    if (change.kind === 'update') return decideUpdate(state, known, change.update, by)
    if (change.kind === 'accept') return decideAcceptance(state, known, change, by)
    return { ...decideArchive(state, known, change.kind === 'archive', by.maker), requested: null }
  }
  const book = bookOf(state.books, account_id)
  const made = makeBeneficiary(book, change.request, state.bookId, by.maker)
  const content = BENEFICIARY_SEAL.digest(made)
  const event = recordChange(state, made, 'beneficiary.created', {}, content)
  const { beneficiary, requested, events } = askApproval(state, null, made, by)
  return { beneficiary, did: 'created', events: [event, ...events], requested }
}

/** Refuses (422) any change or use of a beneficiary whose data is erased. */
export function checkNotErased({ id, details }: Beneficiary, remarks: string): void {
  if (details.status !== 'erased') return
  throw refusal('party_erased', `The data of beneficiary ${id} is erased.`, remarks)
}

/**
 * Accepts the value of a notice and closes it. The update has the checks and approvals of a PUT.
 */
function decideAcceptance(
  state: BeneficiaryState,
  beneficiary: Beneficiary,
  { notice, account }: Extract<BeneficiaryChange, { kind: 'accept' }>,
  by: Making,
): BeneficiaryOutcome {
  checkNotErased(beneficiary, '')
  checkNotArchived(beneficiary)
  const { stored, update } = accept(state.notices, beneficiary, notice)
  if (update !== null) checkBeneficiary(update, account)
  const { payout, number } = notice
  const facts = { notice: { payout, number, code: stored.notice.code } }
  const outcome = decideUpdate(state, beneficiary, update ?? {}, by, facts)
  if (stored.closed_at !== null) return outcome
  const { now } = bookOf(state.books, beneficiary.account_id)
  const who = by.made_by || `key ${by.key_id}`
  const accepted = closedNotice(stored, now, who)
  state.notices.set(noticeName(stored), accepted)
  return { ...outcome, accepted }
}

/** The changed beneficiary, or the same one if nothing changes. Refuses a change of the type. */
function decideUpdate(
  state: BeneficiaryState,
  beneficiary: Beneficiary,
  update: BeneficiaryUpdate,
  by: Making,
  further: object = {},
): BeneficiaryOutcome {
  checkNotErased(beneficiary, '')
  const before = beneficiary.details
  if (update.type !== undefined && update.type !== before.type) {
    const message = `The type of a beneficiary is fixed at creation; this one is ${before.type}.`
    throw refusal('invalid_field', message, 'type')
  }
  const book = bookOf(state.books, beneficiary.account_id)
  const details = updatedDetails(before, update, () => state.bookId(book, 'dst'))
  checkDetailsSize(details)
  const names = Object.keys(details) as (keyof BeneficiaryDetails)[]
  const changed = names.filter(name => !isDeepStrictEqual(details[name], before[name]))
  if (changed.length === 0) return { beneficiary, did: 'nothing', events: [], requested: null }
  // After this point it succeeds.

  const updated = { ...beneficiary, details, updated_at: timeAfter(beneficiary, book) }
  const content = BENEFICIARY_SEAL.digest(updated)
  const { maker: made_by } = by
  const prior = { ...updateFacts(beneficiary, updated), ...stillArchived(updated) }
  const facts = { ...prior, ...further, made_by }
  const event = recordChange(state, updated, 'beneficiary.updated', facts, content)
  const { beneficiary: next, requested, events } = askApproval(state, beneficiary, updated, by)
  state.beneficiaries.set(nameOf(next), next)
  return { beneficiary: next, did: 'changed', events: [event, ...events], requested }
}

/** The facts of an update: in `was` the stored record before it. */
export interface UpdateFacts {
  readonly was: Pick<BeneficiaryRow, 'details' | 'approval' | 'updated_at'>
  readonly updated_at: Instant
}

function updateFacts(before: Beneficiary, { updated_at }: Beneficiary): UpdateFacts {
  const { details, approval, updated_at: at } = beneficiaryRow(before)
  return { was: { details, approval, updated_at: at }, updated_at }
}

/**
 * The book's time, or a microsecond after an earlier change in the same batch. So contents that
 * people approve differ in their times, which also order them.
 */
function timeAfter({ updated_at }: Beneficiary, { now }: Book): Instant {
  return updated_at < now ? now : plusMicros(updated_at, 1n)
}

/**
 * The details after an update: each member replaces the whole member, and null removes it. A new
 * destination gets a new id. A destination that is the same in standard form keeps its id.
 */
function updatedDetails(
  before: BeneficiaryDetails,
  update: BeneficiaryUpdate,
  newDestination: () => string,
): BeneficiaryDetails {
  const { destination, status: _, ...request } = before
  const set = Object.entries({ ...request, ...update }).filter(([, value]) => value !== null)
  const after = completeDetails(Object.fromEntries(set) as BeneficiaryRequest, destination)
  const { destination_details } = before
  return isDeepStrictEqual(canonicalDestination(destination_details), after.destination_details)
    ? { ...after, destination_details }
    : { ...after, destination: newDestination() }
}

function checkDetailCurrency(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || findCurrency(code) !== undefined) return []
  return [{ reason: 'currency', message: 'Not a known currency code.', remarks }]
}
