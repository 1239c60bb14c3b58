// corridor payout list|show: lists payouts of all accounts, and shows all that is needed to pay one
// by hand. payout-handling.ts takes, releases and moves payouts; payout-import.ts makes them from
// files.
import type { Command } from 'commander'
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import { databaseNow } from '../db/connect.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { amountToJson } from '../money/json.ts'
import { withAnswers } from '../payout/action.ts'
import { type DeskFilter, listForDesk } from '../payout/list-store.ts'
import type { Payout } from '../payout/payout.ts'
import { presentPayout } from '../payout/response.ts'
import { PAYOUT_STATUSES } from '../payout/states.ts'
import { uetrOf } from '../payout/swift/uetr.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { presentTimeline, reasonOf } from '../timeline/response.ts'
import { makeTimeline, type TimelineItem, type TimelineSource } from '../timeline/rules.ts'
import { findTimeline } from '../timeline/store.ts'
import { findAccount, type Json, NotThere, print, withContext } from './context.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, readLimit, readOneOf } from './input.ts'
import { accountOf, handlingCommands } from './payout-handling.ts'
import { payoutImportCommand } from './payout-import.ts'
import { describeAge, money, outline, table, toSecond } from './table.ts'
import { visible } from './terminal.ts'

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
  payout
    .command('show')
    .description('show all that is needed to pay a payout, and what became of it')
    .argument('<payout>', 'payout id')
    .addHelpText('after', '\nExample:\n  npx corridor payout show pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  handlingCommands(payout)
  payoutImportCommand(payout)
}

const LIST_HELP = `
With --status processing, requires_action or compliance_hold those that wait
longest come first.

Example:
  npx corridor payout list --rail ${MANUAL} --status processing`

interface ListOptions extends Json {
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
    if (account !== undefined) await findAccount(audit, account)
    // It reads one payout more than it shows, to tell whether there are more.
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

/** The payout as the API presents it, and what only an operator sees. */
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

function listWords(payouts: readonly Payout[], now: Instant): string {
  const rows = payouts.map(payout => [
    payout.id,
    payout.account_id,
    describeAge(secondsBetween(payout.created_at, now)),
    toSend(payout),
    payout.status,
    payout.rail,
    payout.taken_by,
    over(payout),
    payout.beneficiary_details.name,
    payout.particulars.reference_id,
  ])
  return table(HEADINGS, rows)
}

/** `local chats`, `swift`. */
function over({ type, fund_transfer_network }: Payout): string {
  return [type, fund_transfer_network].filter(word => word !== '').join(' ')
}

/** Payee, destination and amount, in the order of a bank's form; then the history. */
function showWords(source: TimelineSource, account: Account): string {
  const { payout } = source
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { destination: _id, status: _status, documents, ...beneficiary } = beneficiary_details
  const { destination_details, name, ...others } = beneficiary
  const { documents: more, logistics_tracking_details, metadata, ...said } = particulars
  return [
    `${payout.id}  ${payout.status}${payout.rail === '' ? '' : `, rail ${payout.rail}`}`,
    ...handWords(payout),
    '',
    ...outline({
      send: toSend(payout),
      to: name,
      over: over(payout),
      charges: payout.charge_type,
      uetr: payout.mt103 === '' ? '' : uetrOf(payout.id),
      ...said,
    }),
    ...outline({
      destination: destination_details,
      beneficiary: others,
      documents: [...more, ...documents],
      logistics_tracking_details,
      metadata,
    }),
    '',
    ...outline({
      account: `${account.account_id} ${account.name}${account.sandbox ? ', a sandbox' : ''}`,
      debited: debited(payout),
      made: toSecond(payout.created_at),
      status_description: payout.status_description,
      failure: payout.failure,
      bank_reference: payout.rail_reference,
      why_this_rail: payout.rail === '' ? '' : reasonOf(payout),
    }),
    '',
    table(['history', '', '', ''], makeTimeline(source).flatMap(historyOf)),
  ].join('\n')
}

function handWords({ id, rail, status, taken_by, taken_at }: Payout): string[] {
  if (rail !== MANUAL || taken_at === null) {
    if (rail !== MANUAL || status !== 'processing') return []
    return ['taken by nobody: its account can cancel it. Before you pay it:', `  ${takeLine(id)}`]
  }
  const who = `taken by ${visible(taken_by)} at ${toSecond(taken_at)}`
  if (status !== 'processing') return [who]
  return [
    `${who}; when it is paid:`,
    `  npx corridor payout transition ${id} succeeded --reference BANK_REFERENCE`,
  ]
}

function takeLine(id: string): string {
  return `npx corridor payout take ${id}`
}

function historyOf(item: TimelineItem): string[][] {
  const at = toSecond(item.at)
  switch (item.kind) {
    case 'state': {
      const { operator = '', reference = '', reason = '' } = item.by_hand ?? {}
      const said = [item.status_description, item.failure?.message ?? '', reference, reason]
      const words = [...new Set(said)].filter(word => word !== '').join('; ')
      return [[at, item.status, operator === '' ? (item.by ?? '') : operator, words]]
    }
    case 'route':
      return [[at, `to rail ${item.rail}`, '', reasonOf(item)]]
    case 'handling':
      return [[at, item.action, item.by_hand.operator, item.by_hand.reason]]
    default:
      return []
  }
}

function toSend({ destination_currency, destination_amount }: Payout): string {
  return money(destination_currency, destination_amount)
}

function debited({ holding_currency, holding_amount, fixed_fee, variable_fee }: Payout): string {
  const fees = fixed_fee + variable_fee
  const total = money(holding_currency, holding_amount + fees)
  return `${total} (${money(holding_currency, fees)} of it fees)`
}
