// corridor verify: the books recomputed from their journals, for people and for scripts.
import { Presets, SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { listAccounts } from '../account/store.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { describe } from '../verify/problem.ts'
import { type Checked, type Verdict, verify } from '../verify/run.ts'
import { type Context, print, table, UsageError, withContext } from './context.ts'

interface Options {
  account?: string
  json?: boolean
}

export function verifyCommand(program: Command): void {
  program
    .command('verify')
    .description('recompute every balance from the journals; exits 1 naming the first bad row')
    .option('--account <id>', 'one account instead of all')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor verify --account acc_01m7xpm2kyj94bggdx1c')
    .action(async (options: Options) => {
      const verdict = await withContext(context => verifyWithBar(context, options.account ?? null))
      print(options, readableVerdict(verdict), verdictWords(verdict))
      if (!verdict.ok) process.exitCode = 1
    })
}

/** The bar goes to standard error, and only to a person: output stays clean for scripts. */
async function verifyWithBar({ audit: sql }: Context, account_id: string | null): Promise<Verdict> {
  if (account_id !== null) {
    const known = (await listAccounts(sql)).some(account => account.account_id === account_id)
    if (!known) throw new UsageError(`no account ${account_id}`)
  }
  const bar = new SingleBar(
    {
      format: 'verifying {bar} {percentage}% | {value} of {total} journals passed',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  if (!process.stderr.isTTY) return verify(sql, { account_id })
  try {
    bar.start(0, 0)
    return await verify(sql, {
      account_id,
      progress(done, total) {
        bar.setTotal(total)
        bar.update(done)
      },
    })
  } finally {
    bar.stop()
  }
}

/** Sums of minor units may exceed what a JSON number carries, so they are text. */
export function readableVerdict({ ok, checked, problem }: Verdict) {
  if (checked === null) return { ok, checked, problem }
  const { inter_account, in_transit } = checked
  const texts = (sums: Readonly<Record<string, bigint>>) =>
    Object.fromEntries(Object.entries(sums).map(([currency, sum]) => [currency, String(sum)]))
  return {
    ok,
    checked: {
      ...checked,
      inter_account: inter_account === null ? null : texts(inter_account),
      in_transit: texts(in_transit),
    },
    problem,
  }
}

function verdictWords(verdict: Verdict): string {
  if (!verdict.ok) return `Not in order: ${describe(verdict.problem)}`
  return `${checkedWords(verdict.checked)}\nThe books are in order.`
}

export function checkedWords(checked: Checked): string {
  const rows: [number, string, string][] = [
    [checked.accounts, 'accounts', 'book, heads and every balance'],
    [checked.journals, 'journals', 'numbered, chained, summing to zero'],
    [checked.balances, 'balances', 'the sum of their postings, never below zero'],
    [
      checked.balance_transactions,
      'balance transactions',
      'one a movement, with its balance after',
    ],
    [checked.payouts, 'payouts', 'debited, settled or given back as their status says'],
    [checked.receipts, 'receipts', 'of payouts between accounts'],
    [checked.quotes, 'quotes', 'used by one payout, or by none'],
    [checked.events, 'events', 'numbered without gaps'],
    [checked.entities, 'entities', 'found by what they say, and live once'],
  ]
  const lines = rows.map(([count, what, how]) => [count.toLocaleString('en'), what, how])
  const sums = [
    ...sumWords('between accounts', checked.inter_account),
    ...sumWords('in transit', checked.in_transit),
  ]
  return [table(['checked', '', ''], lines), ...sums].join('\n')
}

function sumWords(what: string, sums: Readonly<Record<string, bigint>> | null): string[] {
  const entries = Object.entries(sums ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return []
  const texts = entries.map(
    ([currency, sum]) => `${currency} ${formatMajor(sum, currencyExponent(currency))}`,
  )
  return [`${what}: ${texts.join(', ')}`]
}
