// corridor payout list|show|take|release: what an operator looks for in all accounts, and what
// people pay by hand. The step that says how it went is payout transition.
import type { Command } from 'commander'
import { listAccounts } from '../account/store.ts'
import { databaseNow } from '../db/connect.ts'
import { nameEvent } from '../event/event.ts'
import { amountToJson } from '../money/json.ts'
import type { Handling, Person } from '../payout/by-hand.ts'
import { type DeskFilter, listForDesk } from '../payout/list-store.ts'
import type { Payout } from '../payout/payout.ts'
import { presentPayout } from '../payout/response.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { handlePayout } from '../payout/step-operation.ts'
import { findPayoutAccount } from '../payout/store.ts'
import { MANUAL, ROUTABLE_RAILS, SIMULATOR } from '../rail/rail.ts'
import { presentTimeline } from '../timeline/response.ts'
import { findTimeline } from '../timeline/store.ts'
import { type Context, print, UsageError, withContext } from './context.ts'
import { findAccount, NotThere } from './find.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, readLimit } from './list-limit.ts'
import { listWords, showWords } from './payout-words.ts'
import { visible } from './terminal.ts'
import { MAX_REASON, MAX_REFERENCE, readReason, readReference } from './texts.ts'

interface Json {
  json?: boolean
}

export const REFERENCE = `the bank's reference of the payment, up to ${MAX_REFERENCE} characters`
export const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

export function deskCommands(payout: Command): void {
  payout
    .command('list')
    .description('list payouts of all accounts, the newest first, or those that wait longest')
    .option('--status <status>', `only these: ${PAYOUT_STATUSES.join(', ')}`)
    .option('--rail <rail>', `only those that went to this rail, such as ${MANUAL}`)
    .option('--account <id>', 'one account instead of all')
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .option('--json', 'print JSON')
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  payout
    .command('show')
    .description('show all that is needed to pay a payout, and what became of it')
    .argument('<payout>', 'payout id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor payout show pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  payout
    .command('take')
    .description('take a payout to pay it by hand; the account can no longer cancel it')
    .argument('<payout>', 'payout id')
    .option('--from <name>', 'who has it now, to take it over; ask first whether it was paid')
    .option('--reason <text>', REASON)
    .option('--json', 'print JSON')
    .addHelpText('after', TAKE_HELP)
    .action((id: string, options: Words & { from?: string }) => handle('take', id, options))
  payout
    .command('release')
    .description('give a payout back that you have taken and not paid; it can be cancelled again')
    .argument('<payout>', 'payout id')
    .requiredOption('--reason <text>', REASON)
    .option('--json', 'print JSON')
    .addHelpText('after', RELEASE_HELP)
    .action((id: string, options: Words) => handle('release', id, options))
}

const LIST_HELP = `
With --status processing, requires_action or compliance_hold those that wait
longest come first.

Example:
  npx corridor payout list --rail ${MANUAL} --status processing`

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

/** Those that a payout can have; a transfer to another account has none. */
const KNOWN_RAILS: readonly string[] = [SIMULATOR, ...ROUTABLE_RAILS]

interface ListOptions extends Json {
  status?: string
  rail?: string
  account?: string
  limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { limit, account, rail } = options
  const status = PAYOUT_STATUSES.find(known => known === options.status)
  if (options.status !== undefined && status === undefined) {
    throw new UsageError(
      `unknown status ${options.status}; it is one of ${PAYOUT_STATUSES.join(', ')}`,
    )
  }
  if (rail !== undefined && !KNOWN_RAILS.includes(rail)) {
    throw new UsageError(`unknown rail ${rail}; it is one of ${KNOWN_RAILS.join(', ')}`)
  }
  const filter: DeskFilter = {
    ...(account !== undefined && { account_id: account }),
    ...(status !== undefined && { status }),
    ...(rail !== undefined && { rail }),
  }
  const { found, now } = await withContext(async ({ audit }) => {
    if (account !== undefined) await findAccount(audit, account)
    // One more than is shown tells whether there are more.
    return { found: await listForDesk(audit, filter, limit + 1), now: await databaseNow(audit) }
  })
  const payouts = found.slice(0, limit)
  const has_more = found.length > limit
  const words = payouts.length === 0 ? noneWords(filter) : listWords(payouts, now)
  const more = has_more ? `\n\nand more: --limit shows up to ${MAX_LIMIT}` : ''
  const results = payouts.map(presentForDesk)
  print(options, { object: 'list', has_more, results }, `${words}${more}`)
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

async function showAction(payout_id: string, options: Json): Promise<void> {
  const { account, source } = await withContext(async context => {
    const account_id = await accountOf(context, payout_id)
    const account = (await listAccounts(context.sql)).find(a => a.account_id === account_id)
    return { account, source: await findTimeline(context.sql, { account_id, id: payout_id }) }
  })
  if (source === undefined || account === undefined) throw new NotThere('payout', payout_id)
  const { items } = presentTimeline(source)
  const data = { ...presentForDesk(source.payout), account_name: account.name, timeline: items }
  print(options, data, showWords(source, account))
}

/** The payout as the API shows it, and what only an operator sees. */
function presentForDesk(payout: Payout) {
  const { account_id, rail, route, rail_reference, taken_by, taken_at } = payout
  return {
    account_id,
    rail,
    route,
    rail_reference,
    taken_by,
    taken_at,
    send: {
      amount: amountToJson(payout.destination_amount),
      currency: payout.destination_currency,
    },
    payout: presentPayout(payout),
  }
}

interface Words extends Json {
  reference?: string
  reason?: string
  force?: boolean
}

async function handle(
  act: Handling['act'],
  payout_id: string,
  options: Words & { from?: string },
): Promise<void> {
  const { from } = options
  const { payout, event } = await withContext(async context => {
    const person = personOf(context, options)
    const account_id = await accountOf(context, payout_id)
    const command = { account_id, payout_id, act, person, ...(from !== undefined && { from }) }
    return context.write(handlePayout, command)
  })
  const { taken_by, taken_at } = payout
  const words =
    act === 'take'
      ? `${payout_id}  taken by ${visible(taken_by)}; pay it: corridor payout show ${payout_id}`
      : `${payout_id}  released; its account can cancel it`
  print(options, { payout: payout_id, taken_by, taken_at, event: nameEvent(event).id }, words)
}

/** Who is at the keyboard, and what they say. */
export function personOf({ config }: Context, { reference, reason, force }: Words): Person {
  return {
    name: config.user,
    is_login: config.user_is_login,
    force: force === true,
    ...(reference !== undefined && { reference: readReference(reference) }),
    ...(reason !== undefined && { reason: readReason(reason) }),
  }
}

export async function accountOf({ audit }: Context, payout_id: string): Promise<string> {
  const account_id = await findPayoutAccount(audit, payout_id)
  if (account_id === undefined) throw new NotThere('payout', payout_id)
  return account_id
}
