// corridor payout take|release|transition: a person takes a payout to pay it by hand, gives it back
// unpaid, or sets its status.

import type { Command } from 'commander'
import type { BalanceTransaction } from '../balance-transaction/balance-transaction.ts'
import { presentBalanceTransaction } from '../balance-transaction/response.ts'
import { nameEvent, previousStatus } from '../event/event.ts'
import {
  type AskedHandling,
  type AskedTransition,
  handlingDeed,
  stepOf,
  transitionDeed,
} from '../operator/payouts.ts'
import { ASKING, type Handling, OPERATOR_FAILURE } from '../payout/by-hand.ts'
import { GIVEN_BACK_STATUSES, PAYOUT_TRANSITIONS, STEP_STATUSES } from '../payout/states.ts'
import type { RailStatus } from '../rail/rail.ts'
import { addCommand, operatorOf, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { MAX_REASON, MAX_REFERENCE, readOneOf, readReason, readReference } from './input.ts'
import { money } from './table.ts'
import { visible } from './terminal.ts'

interface TransitionOptions extends Omit<AskedTransition, 'status'> {
  readonly atWish?: boolean
  code?: string
  category?: string
  message?: string
}

const REFERENCE = `the bank's reference of the payment, up to ${MAX_REFERENCE} characters`
const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

const MESSAGE_MEANING =
  `failure message (default: the reason, else ${OPERATOR_FAILURE.message}); with ${ASKING}, ` +
  'what the account is asked for'

export function handlingCommands(payout: Command): void {
  addCommand(payout, 'take', 'take a payout to pay it by hand; the account can no longer cancel it')
    .argument('<payout>', 'payout id')
    .option('--from <name>', 'who has it now, to take it over; ask first whether it was paid')
    .option('--reason <text>', REASON, readReason)
    .addHelpText('after', TAKE_HELP)
    .action((id: string, options: object) => handle('take', id, options))
  payout
    .command('release')
    .description('give a payout back that you have taken and not paid; it can be cancelled again')
    .argument('<payout>', 'payout id')
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', RELEASE_HELP)
    .action((id: string, options: object) => handle('release', id, options))
  payout
    .command('transition')
    .description('set the status of a payout; failed and reversed give the money back')
    .argument('<payout>', 'payout id')
    .argument('<status>', `one of ${STEP_STATUSES.join(', ')}`)
    .option('--code <code>', `failure code (default: ${OPERATOR_FAILURE.code})`)
    .option('--category <text>', `failure category (default: ${OPERATOR_FAILURE.category})`)
    .option('--message <text>', MESSAGE_MEANING)
    .option('--reference <text>', REFERENCE, readReference)
    .option('--reason <text>', REASON, readReason)
    .option('--at-wish', 'the account or the payee wants the money back; its rate is judged anew')
    .option('--force', 'the reference has paid another payout, and pays this one too')
    .addHelpText('after', TRANSITION_HELP)
    .action(transitionAction)
}

const TAKE_HELP = `
One person at a time has a payout: who takes it is CORRIDOR_USER, which must be
set, as a log-in may be several people's. Take it before you pay it, or its
account may cancel it and have the money back while you pay.

Example:
  npx corridor payout take pot_01m7xpm2m0c6hkd4r9ye`

const RELEASE_HELP = `
Never release what may have been paid: the account can have its money back then.

Example:
  npx corridor payout release pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "The bank is closed until Monday"`

async function handle(
  act: Handling['act'],
  payout_id: string,
  options: Omit<AskedHandling, 'act'>,
): Promise<void> {
  const { payout, event } = await withContext(async context => {
    const request = { ...options, act }
    return context.run(await handlingDeed(context.audit, operatorOf(context), payout_id, request))
  })
  const { taken_by, taken_at } = payout
  const words =
    act === 'take'
      ? `${payout_id}  taken by ${visible(taken_by)}; pay it: corridor payout show ${payout_id}`
      : `${payout_id}  released; its account can cancel it`
  print({ payout: payout_id, taken_by, taken_at, event: nameEvent(event).id }, words)
}

const TRANSITION_LINES = Object.entries(PAYOUT_TRANSITIONS)
  .filter(([, next]) => next.length > 0)
  .map(([status, next]) => `  ${status.padEnd(16)} to ${next.join(', ')}`)

const TRANSITION_HELP = `
What can follow what; everything else is refused:
${TRANSITION_LINES.join('\n')}

A payout that people pay succeeds with --reference, by who has taken it, and
fails or is reversed with --reason; CORRIDOR_USER must say who you are. A
reference that has paid another payout is refused without --force, unless that
was reversed.

Examples:
  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye succeeded \\
    --reference 2026112200417
  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye failed \\
    --reason "Returned by the bank"
  npx corridor payout transition pot_01m7xpm2m0c6hkd4r9ye ${ASKING} \\
    --message "Send the invoice that this pays"`

async function transitionAction(payout_id: string, text: string, options: TransitionOptions) {
  const status = readOneOf('status', text, STEP_STATUSES)
  const request = readTransition(status, options)
  const { failure } = stepOf(request)
  const outcome = await withContext(async context =>
    context.run(await transitionDeed(context.audit, operatorOf(context), payout_id, request)),
  )
  const from = previousStatus(outcome.events)
  if (status === 'failed' && outcome.payout.rail_attempts > 0) {
    // The rail may still pay a payout that was given back.
    const warning = `the rail was asked to pay ${payout_id} before`
    process.stderr.write(`corridor: warning: ${warning}; make sure that it does not\n`)
  }
  const line = outcome.entries[0]?.line
  const data = {
    payout: payout_id,
    from,
    to: status,
    failure,
    reference: outcome.payout.rail_reference,
    balance_transaction: line === undefined ? null : presentBalanceTransaction(line),
  }
  const words = [`${payout_id}  ${from} → ${status}`, ...(line ? [describeCredit(line)] : [])]
  print(data, words.join('\n'))
}

function readTransition(status: RailStatus, options: TransitionOptions): AskedTransition {
  const { code, category, message, atWish, ...words } = options
  const request = { ...words, status, ...(atWish && { at_wish: true }) }
  if (GIVEN_BACK_STATUSES.includes(status)) {
    const failure = {
      ...(code && { code }),
      ...(category && { category }),
      ...(message && { message }),
    }
    return { ...request, failure }
  }
  const failing = GIVEN_BACK_STATUSES.join(' and ')
  if (code !== undefined || category !== undefined) {
    throw new UsageError(`--code and --category are for ${failing}`)
  }
  if (message === undefined) return request
  if (status === ASKING) return { ...request, description: message }
  throw new UsageError(`--message is for ${failing}, and for ${ASKING}`)
}

function describeCredit(line: BalanceTransaction): string {
  const { currency } = line
  const fees = line.fixed_fee + line.variable_fee
  return (
    `${line.id}  ${line.type}: ${money(currency, line.net_amount)} back ` +
    `(${money(currency, line.amount)} and ${money(currency, fees)} of fees); ` +
    `balance now ${money(currency, line.balance_after)}`
  )
}
