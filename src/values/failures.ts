// The catalogue of failures: why a payout failed or came back, and what the account can do. It is
// the type of `failure.code`, the failures of each room, and what pages say of them. Pure.
import type { ReasonCause } from './bank-format/reason.ts'

export interface FailureMeaning {
  readonly category: string
  readonly meaning: string
  readonly fix: string
}

const row = (category: string, meaning: string, fix: string): FailureMeaning => ({
  category,
  meaning,
  fix,
})

const PAY_AGAIN = 'Pay again if you still want to.'
const ASK_PROVIDER =
  'Read the provider’s own code in the message. Correct what it names, then pay again.'

/** The failures that the service, a person, a provider or the simulator decides. */
const DECIDED = {
  PF000100: row('cancelled', 'The account cancelled the payout.', PAY_AGAIN),
  PF000300: row(
    'compliance',
    'The entity for which the payout was made was rejected.',
    'Read the review of the entity, correct the entity, and pay again once it is approved.',
  ),
  PF000310: row(
    'receiver',
    'The balance of the receiving account cannot take this amount.',
    'Pay less, or ask the receiver to move money out of its balance.',
  ),
  PF000320: row(
    'receiver',
    'The receiving account of the installation is closed.',
    'Ask the receiver for another account.',
  ),
  PF000330: row(
    'compliance',
    'The entity was approved after the days for which the payout keeps its rate.',
    'Pay again at the present rate: the entity is approved now.',
  ),
  PF000400: row(
    'approval',
    'A person of the account rejected the payout.',
    'Read the reason in the message, correct the payout, and make it again.',
  ),
  PF000410: row(
    'approval',
    'Nobody approved the payout in time.',
    'Make it again, and tell the approvers.',
  ),
  PF000600: row('rejected', 'The provider rejected the payout.', ASK_PROVIDER),
  PF000610: row('cancelled', 'The provider cancelled the payout.', ASK_PROVIDER),
  PF000671: row(
    'rejected',
    'The token does not move to this address.',
    'Ask the payee for another address, correct the beneficiary, and pay again.',
  ),
  PF000690: row(
    'cancelled',
    'The operator gave the payment up, and the chain has not made it.',
    PAY_AGAIN,
  ),
  PR000600: row('returned', 'The provider returned the money after success.', ASK_PROVIDER),
  PF000900: row(
    'simulated',
    'The simulator of a sandbox fails payouts of this amount.',
    'Nothing: no money moved. Other amounts take another course.',
  ),
  PR000900: row(
    'simulated',
    'The simulator of a sandbox reverses payouts of this amount.',
    'Nothing: no money moved. Other amounts take another course.',
  ),
  OP000100: row(
    'operator',
    'The operator ended the payout by hand.',
    'Read the reason in the message, or ask the operator.',
  ),
} as const satisfies Readonly<Record<string, FailureMeaning>>

type DecidedCode = keyof typeof DECIDED

/** The causes by which a bank's reason ends a payout. */
export type FailureCause = Exclude<ReasonCause, 'positive' | 'answer' | 'change' | 'refused_change'>

const CORRECT_ACCOUNT = 'Ask the payee for the account, correct the beneficiary, and pay again.'
const ASK_OPERATOR = 'Ask the operator, who can ask the bank; then pay again.'

/** For each cause: the number behind PF (failed) or PR (reversed), and the failure. */
const BY_BANK = {
  unspecified: ['000500', row('bank', 'The bank gives no reason that says more.', ASK_OPERATOR)],
  account_invalid: [
    '000510',
    row('account', 'The account number is wrong, or there is no such account.', CORRECT_ACCOUNT),
  ],
  account_closed: ['000511', row('account', 'The account is closed.', CORRECT_ACCOUNT)],
  account_blocked: [
    '000512',
    row(
      'account',
      'The account is blocked, or takes no such payments.',
      'Ask the payee for another account, correct the beneficiary, and pay again.',
    ),
  ],
  bank_invalid: [
    '000513',
    row(
      'account',
      'The code of the bank is wrong, or the bank cannot be reached.',
      'Correct the bank’s code of the beneficiary, and pay again.',
    ),
  ],
  party_mismatch: [
    '000520',
    row(
      'party',
      'The name or another detail does not fit the holder of the account.',
      'Correct the name of the beneficiary as the bank has it, and pay again.',
    ),
  ],
  address_invalid: [
    '000521',
    row(
      'party',
      'The address of a party is wrong or missing.',
      'Complete the address with town and country, and pay again.',
    ),
  ],
  refused: [
    '000530',
    row('receiver', 'The beneficiary refuses the money.', 'Ask the payee, then pay again.'),
  ],
  amount: [
    '000540',
    row(
      'amount',
      'The bank does not take this amount or this currency.',
      'Pay another amount, or by another network.',
    ),
  ],
  funds: [
    '000550',
    row('bank', 'The bank did not execute the payment, for lack of cover.', ASK_OPERATOR),
  ],
  unexecuted: ['000550', row('bank', 'The bank did not execute the payment.', ASK_OPERATOR)],
  authorization: [
    '000555',
    row('bank', 'The bank misses a signature or a right to pay.', ASK_OPERATOR),
  ],
  regulatory: [
    '000560',
    row(
      'regulatory',
      'A rule of the country or of the bank forbids the payment, or asks for more.',
      'Send a purpose and the documents that the message names, or ask the operator.',
    ),
  ],
  technical: [
    '000570',
    row('technical', 'A system of a bank failed or did not answer in time.', PAY_AGAIN),
  ],
  format: ['000575', row('technical', 'The bank cannot read the payment.', ASK_OPERATOR)],
  date: ['000580', row('date', 'The bank does not take the date of the payment.', PAY_AGAIN)],
  duplicate: [
    '000590',
    row(
      'duplicate',
      'The bank takes the payment for a repetition.',
      'Make sure that the first payment did not arrive, before you pay again.',
    ),
  ],
  cancelled: [
    '000595',
    row('cancelled', 'The payment was recalled before it was paid.', PAY_AGAIN),
  ],
} as const satisfies Readonly<Record<FailureCause, readonly [string, FailureMeaning]>>

type BankNumber = (typeof BY_BANK)[FailureCause][0]
type BankCode = `${'PF' | 'PR'}${BankNumber}`

/** The codes of `failure.code`. An operator may give others by hand. */
export type FailureCode = DecidedCode | BankCode

export interface CodedFailure {
  readonly code: FailureCode
  readonly category: string
}

/** The causes are the keys, so that every cause of a reason has its failure. */
const CAUSES = Object.keys(BY_BANK) as readonly FailureCause[]

export function isFailureCause(cause: ReasonCause): cause is FailureCause {
  return Object.hasOwn(BY_BANK, cause)
}

/** The failure to which a bank's reason leads. */
export function failureOfCause(cause: FailureCause, status: 'failed' | 'reversed'): CodedFailure {
  const [number, { category }] = BY_BANK[cause]
  return { code: `${status === 'failed' ? 'PF' : 'PR'}${number}`, category }
}

/** Every failure by its code, in the order of the codes. `funds` has the words of `unexecuted`. */
export const FAILURES: ReadonlyMap<string, FailureMeaning> = new Map(
  [
    ...Object.entries(DECIDED),
    ...CAUSES.flatMap(cause => {
      const [number, meaning] = BY_BANK[cause]
      return [`PF${number}`, `PR${number}`].map(code => [code, meaning] as const)
    }),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
)

export const FAILURE_CODES: readonly string[] = [...FAILURES.keys()]

/** A failure that Corridor decides itself. */
export function failureWith(code: DecidedCode, message: string) {
  return { code, category: DECIDED[code].category, message }
}
