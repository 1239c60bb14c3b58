// corridor payout list: lists payouts of all accounts. payout-show.ts shows one, payout-handling.ts
// takes, releases and moves payouts; payout-import.ts makes them from files.
import type { Command } from 'commander'
import { databaseNow } from '../db/connect.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { accountNamed } from '../operator/accounts.ts'
import { presentForDesk } from '../operator/payout-response.ts'
import { listPayouts } from '../operator/payouts.ts'
import type { DeskFilter } from '../payout/list-store.ts'
import type { Payout } from '../payout/payout.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { named, print, withContext } from './context.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, readLimit, readOneOf } from './input.ts'
import { approvalCommands } from './payout-approval.ts'
import { handlingCommands } from './payout-handling.ts'
import { payoutImportCommand } from './payout-import.ts'
import { over, showAction, toSend } from './payout-show.ts'
import { describeAge, table, toSecond } from './table.ts'

export function payoutCommands(payout: Command): void {
  payout
    .command('list')
    .description('list payouts of all accounts, the newest first, or those that wait longest')
    .option('--status <status>', `only these: ${PAYOUT_STATUSES.join(', ')}`)
    .option('--rail <rail>', `only those that went to this rail, such as ${MANUAL}`)
    .option('--account <id>', 'one account instead of all')
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  named(payout, 'show', 'show all that is needed to pay a payout, and what became of it')
    .argument('<payout>', 'payout id')
    .addHelpText('after', '\nExample:\n  npx corridor payout show pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  handlingCommands(payout)
  approvalCommands(payout)
  payoutImportCommand(payout)
}

const LIST_HELP = `
With --status processing, requires_action or compliance_hold those that wait
longest come first.

Example:
  npx corridor payout list --rail ${MANUAL} --status processing`

interface ListOptions {
  status?: string
  rail?: string
  account?: string
  limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { limit, account, rail } = options
  const status =
    options.status === undefined ? undefined : readOneOf('status', options.status, PAYOUT_STATUSES)
  const filter: DeskFilter = {
    ...(account !== undefined && { account_id: account }),
    ...(status !== undefined && { status }),
    ...(rail !== undefined && { rail }),
  }
  const { found, now } = await withContext(async ({ audit }) => {
    if (rail !== undefined) {
      const names = (await listRails(audit)).map(({ name }) => name)
      readOneOf('rail', rail, [SIMULATOR, ...names])
    }
    if (account !== undefined) await accountNamed(audit, account)
    return { found: await listPayouts(audit, filter, limit), now: await databaseNow(audit) }
  })
  const { payouts, has_more } = found
  const words = payouts.length === 0 ? noneWords(filter) : listWords(payouts, now)
  const more = has_more ? `\n\nand more: --limit shows up to ${MAX_LIMIT}` : ''
  const results = payouts.map(presentForDesk)
  print({ object: 'list', has_more, results }, `${words}${more}`)
}

/** `no payout that is processing with rail manual`. */
function noneWords({ account_id, status, rail }: DeskFilter): string {
  const words = [
    'no payout',
    ...(status === undefined ? [] : [`that is ${status}`]),
    ...(rail === undefined ? [] : [`with rail ${rail}`]),
    ...(account_id === undefined ? [] : [`of ${account_id}`]),
  ]
  return words.join(' ')
}

const HEADINGS = [
  'payout',
  'account',
  'age',
  'to send',
  'status',
  'rail',
  'taken by',
  'over',
  'to',
  'reference',
]

/** `processing`, `processing from 2026-12-01 09:00:00Z on`. */
function statusWords({ status, execute_at }: Payout, now: Instant): string {
  if (execute_at === null || execute_at <= now) return status
  return `${status}, from ${toSecond(execute_at)} on`
}

function listWords(payouts: readonly Payout[], now: Instant): string {
  const rows = payouts.map(payout => [
    payout.id,
    payout.account_id,
    describeAge(secondsBetween(payout.created_at, now)),
    toSend(payout),
    statusWords(payout, now),
    payout.rail,
    payout.taken_by,
    over(payout),
    payout.beneficiary_details.name,
    payout.particulars.reference_id,
  ])
  return table(HEADINGS, rows)
}
