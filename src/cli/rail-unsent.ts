// corridor rail unsent: lists the payouts that no rail is known to have, with the ids by which a
// bank has them if they went out. After a restore, they are compared with the bank.
import type { Command } from 'commander'
import { listUnsent } from '../adapters/bank-file/unsent-store.ts'
import { moneyWords } from '../values/money/words.ts'
import { print, withContext } from './context.ts'
import { DEFAULT_LIMIT, readLimit } from './input.ts'
import { listing } from './table.ts'

const HELP = `
In a restored or promoted database they may have gone out since the copy was
made. A payout that goes out again has the same end-to-end id: look for each at
the bank before you resume its rail.

Example:
  npx corridor rail unsent --rail main_bank`

export function unsentCommand(rail: Command): void {
  rail
    .command('unsent')
    .description('list payouts that no rail is known to have, with the ids that a bank would have')
    .option('--rail <name>', 'of this rail alone')
    .option('--limit <number>', 'at most so many payouts', String(DEFAULT_LIMIT))
    .addHelpText('after', HELP)
    .action(async ({ rail, limit }: { rail?: string; limit: string }) => {
      const most = readLimit(limit)
      const unsent = await withContext(({ audit }) => listUnsent(audit, rail, most))
      const rows = unsent.map(({ id, amount, currency, attempt, end_to_end_id, ...row }) => ({
        payout: id,
        account: row.account_id,
        rail: row.rail,
        status: row.status,
        amount: moneyWords(amount, currency),
        attempt: String(attempt),
        'end-to-end id': end_to_end_id,
      }))
      const data = unsent.map(({ id: payout, amount, ...row }) => ({
        ...{ payout, amount: String(amount) },
        ...row,
      }))
      print(data, listing(rows, 'each open payout is known to its rail'))
    })
}
