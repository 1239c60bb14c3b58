// corridor payout import: payouts made from a file, each row paid once however often it is run.
import { type Command, Option } from 'commander'
import type { Account } from '../account/rules.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../db/connect.ts'
import { bookId } from '../id.ts'
import { type PayoutDraft, PayoutDrafts, type PayoutRowResult } from '../payout/import.ts'
import { checkRequest } from '../payout/pricing.ts'
import { PayoutRequest } from '../payout/request.ts'
import { openReference } from '../reference.ts'
import {
  addImportCommand,
  type ImportKind,
  type ImportOptions,
  type ImportWork,
  importFrom,
} from './import-command.ts'
import { completeRow, PAYOUT_COLUMNS } from './payout-columns.ts'
import { type Paying, payoutPreviewer, payoutWriter } from './payout-import-run.ts'
import {
  countPayout,
  debitedOf,
  type PayoutSummary,
  payoutWords,
  presentPayoutRow,
  presentPayouts,
  startPayouts,
} from './payout-import-words.ts'
import { openRequestReader } from './request-reader.ts'
import { wrapped } from './terminal.ts'

const HELP = `
.jsonl: one payout a line, as POST /v3/payout takes it.
.csv: cells separated by commas under a header of columns, in any order; an
empty cell is a member that is not set. Amounts stand in minor units in the
column amount, or as 1250.00 in the column amount_major. The beneficiary is an
id in the column beneficiary, or the columns beneficiary.<member>; those of its
bank account have no longer names, and beneficiary.destination_type may be left
out where only one kind of destination is filled in. The columns:
${wrapped(PAYOUT_COLUMNS.names.join(', ').split(' '), { first: '  ' }).join('\n')}
A member may have its whole path as its column too, as in JSON.

Every row is known again under the name of the import, for ever, so the same
file may be run any number of times and pays each row once: go on after a stop,
correct what was refused, add rows, and run it again. Under another file name,
give the first one as --name. A new list of the same payments, such as next
month's salaries, needs a name of its own.

Rows of one file that are alike are all paid, and counted. A row is refused as a
possible duplicate when the account has just made such a payout otherwise, or
when this import has paid it before and the row was changed since, unless
--allow-duplicates.

A row whose payout has failed since stays imported before. To pay it anew,
import it alone, under another --name.

Exit code 1 when a row was refused or the run has not come to the end.

Examples:
  npx corridor payout import payouts.csv --dry-run \\
    --account acc_7k2m9x4q
  npx corridor payout import payouts.csv --report results.csv \\
    --account acc_7k2m9x4q`

interface Options extends ImportOptions {
  readonly allowDuplicates?: boolean
}

export function payoutImportCommand(payout: Command): void {
  addImportCommand(payout, {
    description: 'make payouts from a file, each row once however often it is run',
    account: 'the account that pays',
    help: HELP,
  })
    .addOption(new Option('--allow-duplicates', 'pay rows too that look as if they were paid'))
    .action((path: string, options: Options) => importFrom(payouts(options), path, options))
}

function payouts({
  allowDuplicates,
}: Options): ImportKind<PayoutDraft, PayoutRowResult, PayoutSummary> {
  return {
    columns: PAYOUT_COLUMNS,
    start: startPayouts,
    open: work => openPayouts(work, allowDuplicates === true),
    count: countPayout,
    present: presentPayoutRow,
    data: presentPayouts,
    words: payoutWords,
  }
}

async function openPayouts(
  { pool, context, account, file, summary }: ImportWork<PayoutSummary>,
  allow_duplicate: boolean,
) {
  const { paying, close } = await openPaying(pool, context.config, account.account_id)
  const problemsOf = await openRequestReader('/v3/payout', PayoutRequest, body =>
    checkRequest(body as PayoutRequest, account),
  )
  const drafts = new PayoutDrafts(summary.import)
  const asRow = file.columns === null ? asItIs : completeRow
  return {
    draft(sent: unknown) {
      const { body, problems: ofRow } = asRow(sent as object)
      const problems = [...ofRow, ...problemsOf(body)]
      if (problems.length > 0) return problems
      const request = body as PayoutRequest
      return { of: drafts.next(allow_duplicate ? { ...request, allow_duplicate } : request) }
    },
    importer: summary.dry_run
      ? payoutPreviewer(pool, paying, balances => {
          for (const [code, available] of balances) debitedOf(summary, code).available = available
        })
      : await payoutWriter(pool, paying),
    close,
  }
}

function asItIs(body: unknown) {
  return { body, problems: [] }
}

/** Accounts, rates and fees as they are while the import runs, as in the service. */
async function openPaying(pool: Sql, config: Config, account_id: string) {
  // A look that fails is made again; whoever goes by what is too old is refused.
  const reference = await openReference(pool, () => {})
  const paying: Paying = {
    account_id,
    account() {
      const account: Account | undefined = reference.current().accounts.get(account_id)
      if (account === undefined) throw new Error(`account ${account_id} is gone`)
      return account
    },
    reference: {
      bookId,
      sender_bic: config.bic,
      pricing: reference.pricing,
      routes: () => reference.current().routes,
      accountsByDepositAddress: () => reference.current().accountsByDepositAddress,
    },
  }
  return { paying, close: () => reference.close() }
}
