// corridor payout transition: the operator moves a payout along its table of states. What operators
// look for and pay by hand stands in payout-desk.ts, the import of files in payout-import.ts.
import type { Command } from 'commander'
import { presentBalanceTransaction } from '../balance-transaction/response.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { ASKING, OPERATOR_FAILURE, operatorStep } from '../payout/by-hand.ts'
import {
  GIVEN_BACK_STATUSES,
  PAYOUT_STATUSES,
  PAYOUT_TRANSITIONS,
  type PayoutStatus,
} from '../payout/states.ts'
import type { AdvanceOutcome } from '../payout/step.ts'
import { advancePayout } from '../payout/step-operation.ts'
import type { RailStep } from '../rail/rail.ts'
import { print, UsageError, withContext } from './context.ts'
import { accountOf, deskCommands, personOf, REASON, REFERENCE } from './payout-desk.ts'
import { payoutImportCommand } from './payout-import.ts'

interface TransitionOptions {
  code?: string
  category?: string
  message?: string
  reference?: string
  reason?: string
  force?: boolean
  json?: boolean
}

const MESSAGE_MEANING =
  `failure message (default: the reason, else ${OPERATOR_FAILURE.message}); with ${ASKING}, ` +
  'what the account is asked for'

export function payoutCommands(program: Command): void {
  const payout = program
    .command('payout')
    .description('list payouts, pay and move them by hand, import files')
  deskCommands(payout)
  payout
    .command('transition')
    .description('set the status of a payout; failed and reversed give the money back')
    .argument('<payout>', 'payout id')
    .argument('<status>', `one of ${PAYOUT_STATUSES.join(', ')}`)
    .option('--code <code>', `failure code (default: ${OPERATOR_FAILURE.code})`)
    .option('--category <text>', `failure category (default: ${OPERATOR_FAILURE.category})`)
    .option('--message <text>', MESSAGE_MEANING)
    .option('--reference <text>', REFERENCE)
    .option('--reason <text>', REASON)
    .option('--force', 'the reference has paid another payout, and pays this one too')
    .option('--json', 'print JSON')
    .addHelpText('after', helpText())
    .action(transitionAction)
  payoutImportCommand(payout)
}

function helpText(): string {
  const ways = Object.entries(PAYOUT_TRANSITIONS)
    .filter(([, next]) => next.length > 0)
    .map(([status, next]) => `  ${status.padEnd(16)} to ${next.join(', ')}`)
  return [
    '\nWhat can follow what; everything else is refused:',
    ...ways,
    '\nA payout that people pay succeeds with --reference, by who has taken it, and',
    'fails or is reversed with --reason; CORRIDOR_USER must say who you are. A',
    'reference that has paid another payout is refused without --force, unless that',
    'was reversed.',
    '\nExamples:',
    '  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye succeeded \\',
    '    --reference 2026112200417',
    '  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye failed \\',
    '    --reason "Returned by the bank"',
    `  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye ${ASKING} \\`,
    '    --message "Send the invoice that this pays"',
  ].join('\n')
}

async function transitionAction(
  payout_id: string,
  text: string,
  options: TransitionOptions,
): Promise<void> {
  const status = PAYOUT_STATUSES.find(s => s === text)
  if (status === undefined) {
    throw new UsageError(`unknown status ${text}; it is one of ${PAYOUT_STATUSES.join(', ')}`)
  }
  const step = readStep(status, options)
  const { failure } = step
  const outcome = await withContext(async context => {
    return context.write(advancePayout, {
      account_id: await accountOf(context, payout_id),
      payout_id,
      steps: [step],
      by: 'operator',
      person: personOf(context, options),
      ask_again_in_ms: null,
    })
  })
  const from = previousStatus(outcome)
  if (status === 'failed' && outcome.payout.rail_attempts > 0)
    process.stderr.write(alreadyAsked(payout_id))
  const line = outcome.entries[0]?.line
  const data = {
    payout: payout_id,
    from,
    to: status,
    failure,
    reference: outcome.payout.rail_reference,
    balance_transaction: line === undefined ? null : presentBalanceTransaction(line),
  }
  print(options, data, [`${payout_id}  ${from} → ${status}`, ...describeCredit(outcome)].join('\n'))
}

function readStep(status: PayoutStatus, options: TransitionOptions): RailStep {
  const { code, category, reason } = options
  const message = options.message ?? (GIVEN_BACK_STATUSES.includes(status) ? reason : undefined)
  if (GIVEN_BACK_STATUSES.includes(status)) {
    const failure = {
      ...(code && { code }),
      ...(category && { category }),
      ...(message && { message }),
    }
    return operatorStep(status, { failure })
  }
  const failing = GIVEN_BACK_STATUSES.join(' and ')
  if (code !== undefined || category !== undefined) {
    throw new UsageError(`--code and --category are for ${failing}`)
  }
  if (message === undefined) return operatorStep(status, {})
  if (status === ASKING) return operatorStep(status, { description: message })
  throw new UsageError(`--message is for ${failing}, and for ${ASKING}`)
}

/** The rail may pay what was given back: a claim is counted before the rail is asked. */
function alreadyAsked(payout_id: string): string {
  const words = `the rail was asked to pay ${payout_id} before; make sure that it does not`
  return `corridor: warning: ${words}\n`
}

/** As decided under the lock, not as some earlier look would have seen it. */
function previousStatus(outcome: AdvanceOutcome): string {
  const data = outcome.events[0]?.data as { previous_status?: string } | undefined
  return data?.previous_status ?? ''
}

function describeCredit(outcome: AdvanceOutcome): string[] {
  const line = outcome.entries[0]?.line
  if (line === undefined) return []
  const exponent = currencyExponent(line.currency)
  const major = (amount: bigint) => `${line.currency} ${formatMajor(amount, exponent)}`
  const fees = line.fixed_fee + line.variable_fee
  return [
    `${line.id}  ${line.type}: ${major(line.net_amount)} back ` +
      `(${major(line.amount)} and ${major(fees)} of fees); ` +
      `balance now ${major(line.balance_after)}`,
  ]
}
