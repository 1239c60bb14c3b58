// corridor statement: writes the lines of a period, as CSV, ISO 20022 or MT940.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { accountNamed } from '../operator/operator-write.ts'
import { type Moment, NEWEST } from '../sql/order.ts'
import {
  FORMATS,
  MEDIA,
  unfitFor,
  writerOf,
} from '../statements/balance-transaction/statement/formats.ts'
import { readTime } from '../statements/balance-transaction/statement/request.ts'
import { StatementFault } from '../statements/balance-transaction/statement/statement.ts'
import {
  countStatement,
  findStatement,
  statementPages,
} from '../statements/balance-transaction/statement/store.ts'
import { writeStatement } from '../statements/balance-transaction/statement/write.ts'
import { isZone } from '../values/calendar/rules.ts'
import type { Instant } from '../values/instant.ts'
import { type Context, running, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { readCurrency } from './input.ts'

interface Options {
  from: string
  to?: string
  zone: string
  currency?: string
  format: string
}

type Request = ReturnType<typeof readRequest>

const HELP = `
--from and --to are dates, which begin at midnight in --zone, or instants such
as 2026-01-31T09:30:00Z. The lines lead from the opening to the closing balance
in every format; where the books do not, the command fails. While the last day
is not over, the statement is marked as interim.

  csv      RFC 4180, all currencies in the order of the book
  camt053  ISO 20022 camt.053.001.08, one Stmt a currency
  mt940    SWIFT MT940, messages of at most 2,000 characters
  pdf      for people, at most 10,000 lines

Examples:
  corridor statement acc_7k2m9x4q \\
    --from 2026-01-01 --to 2026-02-01 > january.csv
  corridor statement acc_7k2m9x4q \\
    --from 2026-01-01 --to 2027-01-01 --currency USD --format camt053 > 2026.xml`

export function statementCommand(command: Command): void {
  command
    .argument('<account>', 'account id')
    .requiredOption('--from <time>', 'begin of the period, inclusive')
    .option('--to <time>', 'end of the period, exclusive (default: now)')
    .option('--zone <zone>', 'the time zone of its days, such as Europe/Berlin', 'UTC')
    .option('--currency <code>', 'one currency instead of all', readCurrency)
    .option('--format <format>', `one of ${FORMATS.join(', ')}`, 'csv')
    .addHelpText('after', HELP)
    .action(async (account_id: string, options: Options) => {
      if (running.json) throw new UsageError('a statement is no JSON: take it as csv')
      const request = readRequest(account_id, options)
      await withContext(context => write(context, request))
    })
}

function readRequest(account_id: string, options: Options) {
  const { zone, currency = null } = options
  if (!isZone(zone)) throw new UsageError(`--zone ${zone} is no time zone such as Europe/Berlin`)
  const from = timeOf('--from', options.from, zone)
  const to = options.to === undefined ? null : timeOf('--to', options.to, zone)
  const format = FORMATS.find(name => name === options.format)
  if (format === undefined) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`)
  if (to !== null && to <= from) throw new UsageError('--to must be later than --from')
  return { account_id, zone, from, to, currency, format }
}

function timeOf(option: string, text: string, zone: string): Instant {
  const instant = readTime(text, zone)
  if (instant !== undefined) return instant
  throw new UsageError(
    `${option} must be a date such as 2026-01-31, or a time such as 2026-01-31T09:30:00Z`,
  )
}

async function write({ sql }: Context, request: Request): Promise<void> {
  const account = await accountNamed(sql, request.account_id)
  const { currency } = request
  const { currencies } = account
  if (currency !== null && !currencies.includes(currency)) {
    throw new UsageError(`the account holds no ${currency}; it has ${currencies.join(', ')}`)
  }
  refuseUnfit(request, currency === null ? currencies : [currency])
  const before = (created_at: Instant): Moment => ({ created_at, side: 'before' })
  const statement = await findStatement(sql, {
    account_id: request.account_id,
    zone: request.zone,
    above: before(request.from),
    below: request.to === null ? NEWEST : before(request.to),
    filters: currency === null ? {} : { currency: [currency] },
  })
  if (request.from >= statement.created_at) throw new UsageError('--from is in the future')
  if (request.to !== null && request.to > statement.to) {
    process.stderr.write(`corridor: --to is in the future; the statement ends at ${statement.to}\n`)
  }
  const expected = await countStatement(sql, statement)
  const pieces = writeStatement(
    statement,
    writerOf(request.format, account.name, expected),
    code => statementPages(sql, statement, code),
    expected,
  )
  const { encoding } = MEDIA[request.format]
  const bytes = Readable.from(pieces).map((text: string) => Buffer.from(text, encoding))
  await pipeline(bytes, process.stdout, { end: false }).catch(asFailure)
}

function refuseUnfit({ format }: Request, currencies: readonly string[]): void {
  const unfit = unfitFor(format, currencies)
  if (unfit.length === 0) return
  const others = currencies.length > unfit.length ? ', and the others with --currency' : ''
  const why = 'currencies have three letters there, and amounts five decimals at most'
  throw new UsageError(`${format} cannot hold ${unfit.join(', ')}: ${why}; take it as csv${others}`)
}

/** Tells what people can correct from what is wrong with the books. */
function asFailure(error: unknown): never {
  if (error instanceof StatementFault) throw new CommandFailed(error.message)
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EPIPE')
    throw new CommandFailed('the program that reads the statement has closed the pipe')
  if (syscall === 'open' || syscall === 'write') {
    throw new CommandFailed(`cannot write the statement: ${(error as Error).message}`)
  }
  throw error
}
