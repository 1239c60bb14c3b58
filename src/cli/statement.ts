// corridor statement: writes the lines of an account in a period, between its opening and its
// closing balances, as CSV, ISO 20022 or MT940.
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { accountNamed } from '../operator/accounts.ts'
import { type Moment, NEWEST } from '../sql/order.ts'
import { FORMATS, unfitFor, writerOf } from '../statements/balance-transaction/statement/formats.ts'
import {
  type StatementBalances,
  StatementFault,
  type Totals,
} from '../statements/balance-transaction/statement/statement.ts'
import {
  countStatement,
  findStatement,
  statementPages,
} from '../statements/balance-transaction/statement/store.ts'
import { writeStatement } from '../statements/balance-transaction/statement/write.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { type Context, print, running, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { readCurrency } from './input.ts'
import { listing, major } from './table.ts'

interface Options {
  from: Instant
  to?: Instant
  currency?: string
  format: string
  output?: string
}

type Request = ReturnType<typeof readRequest>

/** What was written for one currency, in minor units. */
interface Written extends StatementBalances, Totals {}

const HELP = `
--from and --to are dates, which begin at midnight UTC, or instants such as
2026-01-31T09:30:00Z. The lines lead from the opening to the closing balance in
every format; where the books do not, the command fails, and --output leaves no
file.

  csv      RFC 4180, all currencies in the order of the book
  camt053  ISO 20022 camt.053.001.08, one Stmt a currency
  mt940    SWIFT MT940, messages of at most 2,000 characters

Examples:
  npx corridor statement acc_7k2m9x4q \\
    --from 2026-01-01 --to 2026-02-01 --output january.csv
  npx corridor statement acc_7k2m9x4q \\
    --from 2026-01-01 --to 2027-01-01 --currency USD --format camt053 > 2026.xml`

export function statementCommand(command: Command): void {
  command
    .argument('<account>', 'account id')
    .requiredOption('--from <time>', 'begin of the period, inclusive', readTime('--from'))
    .option('--to <time>', 'end of the period, exclusive (default: now)', readTime('--to'))
    .option('--currency <code>', 'one currency instead of all', readCurrency)
    .option('--format <format>', `one of ${FORMATS.join(', ')}`, 'csv')
    .option('--output <file>', 'write to a file, and print what is in it')
    .option('--json', 'with --output: print JSON')
    .addHelpText('after', HELP)
    .action(async (account_id: string, options: Options) => {
      const request = readRequest(account_id, options)
      const { output } = options
      if (output === undefined && running.json) {
        throw new UsageError('--json says what is in a file; name one with --output')
      }
      const result = await withContext(context => write(context, request, output))
      if (output !== undefined) print(presentResult(result, output), summary(result, output))
    })
}

function readRequest(account_id: string, options: Options) {
  const { from, to = null, currency = null } = options
  const format = FORMATS.find(name => name === options.format)
  if (format === undefined) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`)
  if (to !== null && to <= from) throw new UsageError('--to must be later than --from')
  return { account_id, from, to, currency, format }
}

function readTime(option: string): (text: string) => Instant {
  return text => {
    const instant = instantFromIso(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
    if (instant !== undefined) return instant
    throw new UsageError(
      `${option} must be a date such as 2026-01-31, or a time such as 2026-01-31T09:30:00Z`,
    )
  }
}

type Result = Awaited<ReturnType<typeof write>>

async function write({ sql }: Context, request: Request, output: string | undefined) {
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
    above: before(request.from),
    below: request.to === null ? NEWEST : before(request.to),
    filters: currency === null ? {} : { currency: [currency] },
  })
  if (request.from >= statement.created_at) throw new UsageError('--from is in the future')
  if (request.to !== null && request.to > statement.to) {
    process.stderr.write(`corridor: --to is in the future; the statement ends at ${statement.to}\n`)
  }
  const expected = await countStatement(sql, statement)
  const written: Written[] = []
  const pieces = writeStatement(
    statement,
    writerOf(request.format, account.name, expected),
    code => statementPages(sql, statement, code),
    { expected, done: (balances, totals) => written.push({ ...balances, ...totals }) },
  )
  const writing =
    output === undefined
      ? pipeline(Readable.from(pieces, { objectMode: true }), process.stdout, { end: false })
      : toFile(pieces, output)
  await writing.catch(asFailure)
  return { request, statement, written }
}

/** Fails if the format cannot hold a currency of the account. */
function refuseUnfit({ format }: Request, currencies: readonly string[]): void {
  const unfit = unfitFor(format, currencies)
  if (unfit.length === 0) return
  const others = currencies.length > unfit.length ? ', and the others with --currency' : ''
  const why = 'currencies have three letters there, and amounts five decimals at most'
  throw new UsageError(`${format} cannot hold ${unfit.join(', ')}: ${why}; take it as csv${others}`)
}

/** Writes a file under another name until it is complete. Writes to a pipe or a device directly. */
async function toFile(pieces: AsyncIterable<string>, path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) {
    await pipeline(Readable.from(pieces), createWriteStream(path))
    return
  }
  const part = `${path}.part`
  try {
    await pipeline(Readable.from(pieces), createWriteStream(part, { flush: true }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Explains in one sentence what people can correct, or what is wrong with the books. */
function asFailure(error: unknown): never {
  if (error instanceof StatementFault) throw new CommandFailed(error.message)
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EPIPE')
    throw new CommandFailed('the program that reads the statement has closed the pipe')
  if (syscall === 'open' || syscall === 'write' || syscall === 'rename') {
    throw new CommandFailed(`cannot write the statement: ${(error as Error).message}`)
  }
  throw error
}

function presentResult({ request, statement, written }: Result, output: string) {
  return {
    account_id: request.account_id,
    format: request.format,
    from: request.from,
    to: statement.to,
    output,
    currencies: written.map(({ currency, opening, count, credits, debits, closing }) => ({
      currency,
      opening: String(opening),
      lines: count,
      credits: String(credits),
      debits: String(debits),
      closing: String(closing),
    })),
  }
}

function summary({ statement, written }: Result, output: string): string {
  const rows = written.map(({ currency, opening, count, credits, debits, closing }) => ({
    currency,
    opening: major(currency, opening),
    lines: count.toLocaleString('en'),
    credits: `${credits === 0n ? '' : '+'}${major(currency, credits)}`,
    debits: major(currency, -debits),
    closing: major(currency, closing),
  }))
  return `${listing(rows)}\n${output}: up to ${statement.to}`
}
