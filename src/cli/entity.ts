// corridor entity list|show|approve|reject|require-action|explain: the operator's review of the
// entities of all accounts, and why one is or is not a duplicate. How files of them are imported
// stands in entity-import.ts.
import type { Command } from 'commander'
import { listAccounts } from '../account/store.ts'
import { databaseNow } from '../db/connect.ts'
import { checkDuplicate, explainEntity, writeEntity } from '../entity/operations.ts'
import type { Entity } from '../entity/record.ts'
import { draftOf } from '../entity/rules.ts'
import { APPROVAL_STATUSES, type ApprovalStatus, type ReviewResult } from '../entity/states.ts'
import { findEntities, findEntityAccount, listByStatus, listInReview } from '../entity/store.ts'
import { type EntityRequest, presentDuplicateCheck, presentEntity } from '../entity/wire.ts'
import { newId } from '../id.ts'
import { countHeldPayouts, wakeHeldPayouts } from '../payout/store.ts'
import { findAccount } from './account.ts'
import { CommandFailed, type Context, print, UsageError, withContext } from './context.ts'
import { importCommand } from './entity-import.ts'
import { openEntityReader, readBody } from './entity-reader.ts'
import { explanationWords, listWords, recordWords } from './entity-words.ts'
import { type InputFile, readInput } from './files.ts'
import { visible } from './terminal.ts'

interface Json {
  json?: boolean
}

/** What waits for the operator. */
const IN_REVIEW: readonly ApprovalStatus[] = ['submitted', 'resubmitted']

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** Characters of the reason, which the account reads as approval_status_description. */
const MAX_REASON = 500

export function entityCommands(program: Command): void {
  const entity = program
    .command('entity')
    .description('review entities, explain what is a duplicate and why, import files')
  entity
    .command('list')
    .description('list what waits for review in all accounts, longest unchanged first')
    .option('--status <status>', `one status instead: ${APPROVAL_STATUSES.join(', ')}`)
    .option('--account <id>', 'one account instead of all')
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .option('--json', 'print JSON')
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  entity
    .command('show')
    .description('show everything recorded of an entity, and the history of its approval')
    .argument('<entity>', 'entity id')
    .option('--json', 'print JSON, as GET /v3/entity/{id} answers it')
    .addHelpText('after', '\nExample:\n  npx corridor entity show ent_01m7xpm2kyj94bggdx1c')
    .action(showAction)
  for (const review of REVIEWS) reviewCommand(entity, review)
  entity
    .command('explain')
    .description('say rule by rule what an entity, or a request, is a duplicate of; writes nothing')
    .argument('<entity>', 'entity id; with --account, a JSON file or - for standard input')
    .option('--account <id>', 'explain what creating the entity of a file would come to here')
    .option('--json', 'print JSON, as POST /v3/entity/duplicate_check answers it')
    .addHelpText('after', EXPLAIN_HELP)
    .action(explainAction)
  importCommand(entity)
}

const LIST_HELP = `
What does not wait for review is listed newest first.

Example:
  npx corridor entity list --status requires_action`

interface Review {
  readonly name: string
  readonly status: ReviewResult
  readonly description: string
  /** What becomes of the payouts that wait for it. */
  readonly held: string
  readonly example: string
}

const REVIEWS: readonly Review[] = [
  {
    name: 'approve',
    status: 'approved',
    description: 'approve an entity; payouts held for it are released',
    held: 'will be released by the running service',
    example: 'approve ent_01m7xpm2kyj94bggdx1c',
  },
  {
    name: 'reject',
    status: 'rejected',
    description: 'reject an entity; payouts held for it fail, and its duplicates may be created',
    held: 'will be failed by the running service',
    example: 'reject ent_01m7xpm2kyj94bggdx1c --reason "Not in the company register"',
  },
  {
    name: 'require-action',
    status: 'requires_action',
    description: 'ask the account for something, after which it may submit the entity again',
    held: 'will stay held',
    example: 'require-action ent_01m7xpm2kyj94bggdx1c --reason "Send proof of address"',
  },
]

const EXPLAIN_HELP = `
The file has the body of POST /v3/entity.

Examples:
  npx corridor entity explain ent_01m7xpm2kyj94bggdx1c
  npx corridor entity explain --account acc_5NqmZtVKdh2h request.json`

function reviewCommand(entity: Command, review: Review): void {
  entity
    .command(review.name)
    .description(review.description)
    .argument('<entity>', 'entity id')
    .option('--reason <text>', `what the account is told, up to ${MAX_REASON} characters`)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  npx corridor entity ${review.example}`)
    .action((id: string, options: ReviewOptions) => reviewAction(review, id, options))
}

interface ListOptions extends Json {
  status?: string
  account?: string
  limit: number
}

async function listAction(options: ListOptions): Promise<void> {
  const { limit } = options
  const status = readStatus(options.status)
  const account_id = options.account ?? null
  const { found, now } = await withContext(async ({ sql }) => {
    if (account_id !== null) await findAccount(sql, account_id)
    // One more than is shown tells whether there are more.
    const found = await listFor(sql, status, account_id, limit + 1)
    return { found, now: await databaseNow(sql) }
  })
  const entities = found.slice(0, limit)
  const has_more = found.length > limit
  const results = entities.map(({ account_id, ...entity }) => ({
    account_id,
    ...presentEntity({ account_id, ...entity }),
  }))
  print(
    options,
    { object: 'list', has_more, results },
    describeList(entities, has_more, status, now),
  )
}

function listFor(
  sql: Context['sql'],
  status: ApprovalStatus | undefined,
  account_id: string | null,
  limit: number,
): Promise<Entity[]> {
  if (status === undefined) return listInReview(sql, IN_REVIEW, account_id, limit)
  return IN_REVIEW.includes(status)
    ? listInReview(sql, [status], account_id, limit)
    : listByStatus(sql, status, account_id, limit)
}

function describeList(
  entities: readonly Entity[],
  has_more: boolean,
  status: ApprovalStatus | undefined,
  now: string,
): string {
  if (entities.length === 0) {
    return status === undefined ? 'nothing waits for review' : `no entity is ${status}`
  }
  const words = listWords(entities, now)
  return has_more ? `${words}\n\nand more: --limit shows up to ${MAX_LIMIT}` : words
}

function readStatus(text: string | undefined): ApprovalStatus | undefined {
  const status = APPROVAL_STATUSES.find(s => s === text)
  if (status !== undefined || text === undefined) return status
  throw new UsageError(`unknown status ${text}; it is one of ${APPROVAL_STATUSES.join(', ')}`)
}

function readLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`)
}

async function showAction(id: string, options: Json): Promise<void> {
  const { entity, name, held } = await withContext(async ({ sql }) => {
    const entity = await findEntity(sql, id)
    const [accounts, held] = await Promise.all([listAccounts(sql), countHeldPayouts(sql, entity)])
    const account = accounts.find(({ account_id }) => account_id === entity.account_id)
    return { entity, name: account?.name ?? '', held }
  })
  print(options, presentEntity(entity), recordWords(entity, name, held))
}

async function findEntity(sql: Context['sql'], id: string): Promise<Entity> {
  const account_id = await findEntityAccount(sql, id)
  const [entity] = account_id === undefined ? [] : await findEntities(sql, [{ account_id, id }])
  if (entity === undefined) throw new UsageError(`no entity ${id}`)
  return entity
}

interface ReviewOptions extends Json {
  reason?: string
}

async function reviewAction(review: Review, id: string, options: ReviewOptions): Promise<void> {
  const { status } = review
  const description = readReason(options.reason ?? '')
  const { outcome, held } = await withContext(async context => {
    const account_id = await findEntityAccount(context.sql, id)
    if (account_id === undefined) throw new UsageError(`no entity ${id}`)
    // Counted before: afterwards the service may be at them already.
    const held = await countHeldPayouts(context.sql, { account_id, id })
    const change = { kind: 'review', id, status, description } as const
    const operation = writeEntity(newId, wakeHeldPayouts)
    const outcome = await context.write(operation, { account_id, claim: null, change })
    return { outcome, held }
  })
  // As decided under the lock, not as some earlier look would have seen it.
  const data = outcome.events[0]?.data as { previous_status?: string } | undefined
  const from = data?.previous_status ?? ''
  const lines = [`${id}  ${from} → ${status}`]
  if (held > 0) lines.push(`${payouts(held)} held for it ${review.held}`)
  const told = { entity: id, from, to: status, reason: description, payouts_held: held }
  print(options, told, lines.join('\n'))
}

function payouts(count: number): string {
  return count === 1 ? '1 payout' : `${count} payouts`
}

function readReason(text: string): string {
  const reason = text.trim()
  if ([...reason].length <= MAX_REASON) return reason
  throw new UsageError(`--reason has at most ${MAX_REASON} characters`)
}

async function explainAction(subject: string, options: Json & { account?: string }): Promise<void> {
  const { account } = options
  if (account === undefined) return explainRecorded(subject, options)
  return explainFile(await readInput(subject), account, options)
}

async function explainRecorded(id: string, options: Json): Promise<void> {
  if (!id.startsWith('ent_')) {
    throw new UsageError(`${id} is no entity id; a file needs --account`)
  }
  const { entity, explanation } = await withContext(async ({ sql }) => {
    const entity = await findEntity(sql, id)
    return { entity, explanation: await explainEntity(sql, entity) }
  })
  const words = explanationWords({ entity }, explanation)
  print(options, presentDuplicateCheck(explanation), words)
}

async function explainFile(input: InputFile, account_id: string, options: Json): Promise<void> {
  const request = await readRequest(input)
  const explanation = await withContext(async ({ sql }) => {
    await findAccount(sql, account_id)
    return checkDuplicate(sql, account_id, draftOf(request))
  })
  const subject = { file: input.name, account_id, type: request.type }
  print(options, presentDuplicateCheck(explanation), explanationWords(subject, explanation))
}

/** The body of a creation, or every reason why the API would refuse it. */
async function readRequest({ name, text }: InputFile): Promise<EntityRequest> {
  const body = readBody(text)
  if ('message' in body) throw new CommandFailed(`${name}: ${visible(body.message)}`)
  const problemsOf = await openEntityReader()
  const problems = problemsOf(body.value)
  if (problems.length === 0) return body.value as EntityRequest
  const lines = problems.map(({ remarks, message }) =>
    remarks === '' || message.startsWith(remarks) ? message : `${remarks}: ${message}`,
  )
  const words = [`a creation would refuse ${name}:`, ...lines.map(line => `  ${visible(line)}`)]
  throw new CommandFailed(words.join('\n'))
}
