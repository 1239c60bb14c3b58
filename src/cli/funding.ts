// corridor fund, withdraw, adjust and reverse: book money on an account, and reverse a booking.
import type { Command } from 'commander'
import { presentBalanceTransaction } from '../balance-transaction/response.ts'
import { isOutcomeUnknown } from '../db/failure.ts'
import type { Booking, BookingKind, BookingOutcome } from '../funding/rules.ts'
import { newId } from '../id.ts'
import { accountNamed } from '../operator/accounts.ts'
import type { Deed } from '../operator/deed.ts'
import { bookingDeed, reversalDeed } from '../operator/funding.ts'
import { inShell } from '../text/shell.ts'
import { type Context, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { readAmount, readCurrency, readReason, readReference, readSigned } from './input.ts'
import { major, money } from './table.ts'

/** The options of a booking that its line keeps. */
interface BookingOptions {
  reference?: string
  reason?: string
}

const MAJOR = 'amount in major units, such as 100000.00'
const REASON = 'why; the account reads it in its statement'

/** Adds the arguments of every command that books money. */
function addMoneyArguments(command: Command, amount: string): Command {
  return command
    .argument('<account>', 'account id')
    .argument('<currency>', 'currency code')
    .argument('<amount>', amount)
}

/** Adds --reference and --reason, both required. */
function addReasonOptions(command: Command, reference: string): Command {
  return command
    .requiredOption('--reference <text>', reference, readReference)
    .requiredOption('--reason <text>', REASON, readReason)
}

interface FundOptions extends BookingOptions {
  source?: string
  split?: boolean
}

export function fundCommand(command: Command): void {
  addMoneyArguments(command, MAJOR)
    .option('--reference <text>', 'the bank’s reference; it funds an account once', readReference)
    .option('--split', 'the payment of this reference is split over several accounts')
    .option(
      '--source <esc_id>',
      'the escrow it came from; a source funds an account once',
      readSource,
    )
    .addHelpText('after', FUND_HELP)
    .action(async (account_id: string, code: string, text: string, options: FundOptions) => {
      const currency = readCurrency(code)
      const amount = readAmount(text, currency)
      const { source = newId('esc'), reference = '', split = false } = options
      if (split && reference === '') {
        throw new UsageError('--split requires --reference, which names the split payment')
      }
      const booked = await withContext(async context => {
        const { sandbox } = await accountNamed(context.sql, account_id)
        if (!sandbox && reference === '') throw new UsageError(UNPROVEN)
        const money = { account_id, currency, amount, source, reference, reason: '', split }
        const proof = reference === '' ? `--source ${source}` : `--reference ${inShell(reference)}`
        const words = split ? `${proof} --split` : proof
        const retry = `corridor fund ${account_id} ${currency} ${text} ${words}`
        return book(context, { kind: 'funding', ...money }, retry)
      })
      printBooking(account_id, booked)
    })
}

const UNPROVEN =
  'a live account is funded with --reference, the bank’s: the same money is then refused when ' +
  'it is booked again by mistake'

const FUND_HELP = `
Writes a balance transaction of type escrow. A live account needs --reference,
so that running the same command again credits nothing.
A reference that has funded another live account is refused, unless that was
reversed, or --split says that one payment is split over accounts.
To take back what was booked by mistake: corridor reverse btr_...

Example:
  npx corridor fund acc_7k2m9x4q USD 100000.00 \\
    --reference 2026112100042`

export function withdrawCommand(command: Command): void {
  addMoneyArguments(command, MAJOR)
  addReasonOptions(command, 'the bank’s reference; it is booked once an account')
    .addHelpText('after', WITHDRAW_HELP)
    .action((account_id: string, code: string, text: string, options: BookingOptions) => {
      const currency = readCurrency(code)
      const money = { currency, amount: -readAmount(text, currency), source: newId('wdr') }
      return bookAction('withdrawal', account_id, money, options)
    })
}

const WITHDRAW_HELP = `
Send the money by your bank; this books it, as a balance transaction of type
withdrawal. No balance goes below zero, and a frozen account pays nothing out.

Example:
  npx corridor withdraw acc_7k2m9x4q USD 2500.00 \\
    --reference 2026112100043 --reason "Returned on request"`

export function adjustCommand(command: Command): void {
  addMoneyArguments(command, `${MAJOR} or -12.50`)
  addReasonOptions(command, 'of the case or the bank; it is booked once an account')
    .addHelpText('after', ADJUST_HELP)
    .action((account_id: string, code: string, text: string, options: BookingOptions) => {
      const currency = readCurrency(code)
      const money = { currency, amount: readSigned(text, currency), source: newId('adj') }
      return bookAction('adjustment', account_id, money, options)
    })
}

const ADJUST_HELP = `
Writes a balance transaction of type adjustment; its other side, the ledger code
adjustments, is yours. For money that went out take withdraw, for money that
came in take fund.

Examples:
  npx corridor adjust acc_7k2m9x4q USD -12.50 \\
    --reference CASE-118 --reason "Fee of the receiving bank"
  npx corridor adjust acc_7k2m9x4q USD 12.50 \\
    --reference CASE-119 --reason "Goodwill"`

export function reverseCommand(command: Command): void {
  command
    .argument('<balance_transaction>', 'its id, btr_...')
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', REVERSE_HELP)
    .action(async (id: string, { reason }: { reason: string }) => {
      const { account_id, reversed } = await withContext(async context => {
        const deed = await reversalDeed(context.audit, context.config.user, id, reason)
        const retry = `corridor reverse ${id} --reason ${inShell(reason)}`
        const { account_id } = deed.command
        return { account_id, reversed: await runOnce(context, deed, retry) }
      })
      printBooking(account_id, reversed)
    })
}

const REVERSE_HELP = `
The whole amount goes back where it came from. What would leave a balance below
zero is refused. The reference of what was reversed stays used: book the right
amount with the reference and something after it, such as "2026112100042 B".

Example:
  npx corridor reverse btr_01m7xpm2mgmk83tphhg9 --reason "Credited twice"`

type BookedMoney = Pick<Booking, 'currency' | 'amount' | 'source'>

async function bookAction(
  kind: BookingKind,
  account_id: string,
  money: BookedMoney,
  { reference = '', reason = '' }: BookingOptions,
): Promise<void> {
  const booked = await withContext(async context => {
    await accountNamed(context.sql, account_id)
    const requested = { kind, account_id, ...money, reference, reason }
    return book(context, requested, 'the same command')
  })
  printBooking(account_id, booked)
}

/** Prints the line of a booking, and the balance before and after it. */
function printBooking(account_id: string, booked: BookingOutcome): void {
  const { entries, balance_before } = booked
  const [{ line }] = entries
  const { currency, metadata } = line
  const { reference = '', by = '' } = metadata
  const words =
    `${line.id}  ${line.type} ${money(currency, line.net_amount)}` +
    `${reference === '' ? '' : `, reference ${reference}`} (${line.description}); ` +
    `balance was ${major(currency, balance_before)}, is ${major(currency, line.balance_after)}`
  const data = {
    ...presentBalanceTransaction(line),
    account: account_id,
    by,
    balance_before: balance_before.toString(),
    balance_after: line.balance_after.toString(),
  }
  print(data, words)
}

function readSource(source: string): string {
  if (/^esc_[0-9A-Za-z]{1,60}$/.test(source)) return source
  throw new UsageError('--source must be an escrow id, esc_ and letters or digits')
}

/**
 * Books money.
 * @param retry the command that books the money once, however often it runs
 * @throws CommandFailed with `retry` if the database does not confirm the booking
 */
export function book(context: Context, requested: Omit<Booking, 'by'>, retry: string) {
  return runOnce(context, bookingDeed(context.config.user, requested), retry)
}

async function runOnce<C, S>(
  context: Context,
  deed: Deed<C, S, BookingOutcome>,
  retry: string,
): Promise<BookingOutcome> {
  try {
    return await context.run(deed)
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    throw new CommandFailed(
      'the database did not confirm it; whether the money was booked is not known. This books it ' +
        `once, however often it is run: ${retry}`,
    )
  }
}
