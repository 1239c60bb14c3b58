// corridor entity list|show|explain: lists the entities of all accounts that wait for the operator,
// shows complete records, and explains why a record is a duplicate or not. It escapes the texts of
// callers.
import type { Command } from 'commander'
import { openEntityCheck } from '../bulk/entities.ts'
import { databaseNow } from '../db/connect.ts'
import type { ExplainedRule, Explanation } from '../entity/duplicates.ts'
import type { Entity } from '../entity/entity.ts'
import { checkDuplicate, explainEntity } from '../entity/operations.ts'
import type { EntityRequest } from '../entity/request.ts'
import { presentDuplicateCheck, presentEntity } from '../entity/response.ts'
import { draftOf } from '../entity/rules.ts'
import { APPROVAL_STATUSES, type ApprovalStatus, isLive } from '../entity/states.ts'
import { given } from '../given.ts'
import { readJson } from '../http/json.ts'
import { JsonError } from '../http/json-error.ts'
import { secondsBetween } from '../instant.ts'
import { accountNamed } from '../operator/accounts.ts'
import { entityNamed, listEntities, showEntity } from '../operator/entities.ts'
import { describeAge, toSecond } from '../text/age.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { entityImportCommand } from './entity-import.ts'
import { reviewCommands, reviewLines } from './entity-review.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, type InputFile, MAX_LIMIT, oneOf, readInput, readLimit } from './input.ts'
import { listing, outline, table } from './table.ts'
import { visible, wrapped } from './terminal.ts'

const readStatus = oneOf('status', APPROVAL_STATUSES)

export function entityCommands(entity: Command): void {
  addCommand(entity, 'list', 'list what waits for the operator, longest unchanged first')
    .option('--status <status>', `one status instead: ${APPROVAL_STATUSES.join(', ')}`, readStatus)
    .option('--account <id>', 'one account instead of all')
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  entity
    .command('show')
    .description('show everything recorded of an entity, and the history of its approval')
    .argument('<entity>', 'entity id')
    .option('--json', 'print JSON, as GET /v3/entity/{id} answers it')
    .addHelpText('after', example('entity show ent_01m7xpm2kyj94bggdx1c'))
    .action(showAction)
  reviewCommands(entity)
  entity
    .command('explain')
    .description('say rule by rule what an entity, or a request, is a duplicate of; writes nothing')
    .argument('<entity>', 'entity id; with --account, a JSON file or - for standard input')
    .option('--account <id>', 'explain what creating the entity of a file would come to here')
    .option('--json', 'print JSON, as POST /v3/entity/duplicate_check answers it')
    .addHelpText('after', EXPLAIN_HELP)
    .action(explainAction)
  entityImportCommand(entity)
}

const LIST_HELP = `
What an account has submitted waits, and so does an entity that payouts are held
for, though it was never submitted. With --status, what does not wait for review
is listed newest first.

Example:
  npx corridor entity list --status requires_action`

const EXPLAIN_HELP = `
The file has the body of POST /v3/entity.

Examples:
  npx corridor entity explain ent_01m7xpm2kyj94bggdx1c
  npx corridor entity explain --account acc_7k2m9x4q request.json`

interface ListOptions {
  status?: ApprovalStatus
  account?: string
  limit: number
}

async function listAction({ status, account: account_id, limit }: ListOptions): Promise<void> {
  const filter = given({ account_id: account_id ?? null, status })
  const { found, now } = await withContext(async ({ audit: sql }) => {
    if (account_id !== undefined) await accountNamed(sql, account_id)
    return { found: await listEntities(sql, filter, limit), now: await databaseNow(sql) }
  })
  const { rows: listed, has_more } = found
  const results = listed.map(({ entity, held, screening }) => ({
    account_id: entity.account_id,
    ...presentEntity(entity),
    payouts_held: held,
    screening,
  }))
  const rows = listed.map(({ entity, held }) => ({
    entity: entity.id,
    account: entity.account_id,
    unchanged: describeAge(secondsBetween(entity.updated_at, now)),
    'payouts held': String(held),
    status: entity.approval_status,
    type: entity.type,
    name: entity.details.name,
  }))
  const none = status === undefined ? 'nothing waits for review' : `no entity is ${status}`
  const more = has_more ? `\n\nand more: --limit shows up to ${MAX_LIMIT}` : ''
  print({ object: 'list', has_more, results }, `${listing(rows, none)}${more}`)
}

async function showAction(id: string): Promise<void> {
  const shown = await withContext(({ audit }) => showEntity(audit, id))
  const { entity, account, held, screening } = shown
  const lines = [recordWords(entity, account?.name ?? '', held)]
  if (screening !== null) {
    const what = screening === 'open' ? 'may be on' : 'is confirmed to be on'
    lines.push('', `it ${what} a sanctions list, and is not approved:`)
    lines.push(`  npx corridor screening show ${id}`)
  }
  print(presentEntity(entity), [...lines, '', ...reviewLines(entity)].join('\n'))
}

async function explainAction(subject: string, { account }: { account?: string }): Promise<void> {
  if (account === undefined) return explainRecorded(subject)
  return explainFile(await readInput(subject), account)
}

async function explainRecorded(id: string): Promise<void> {
  if (!id.startsWith('ent_')) {
    throw new UsageError(`${id} is no entity id; a file needs --account`)
  }
  const { entity, explanation } = await withContext(async ({ audit: sql }) => {
    const entity = await entityNamed(sql, id)
    return { entity, explanation: await explainEntity(sql, entity) }
  })
  const verdict = entityVerdict(explanation, isLive(entity.approval_status))
  const words = explanationWords(titleOf(entity), verdict, explanation)
  print(presentDuplicateCheck(explanation), words)
}

async function explainFile(input: InputFile, account_id: string): Promise<void> {
  const request = await readRequest(input)
  const explanation = await withContext(async ({ audit: sql }) => {
    await accountNamed(sql, account_id)
    return checkDuplicate(sql, account_id, draftOf(request))
  })
  const title = `${visible(input.name)}  ${request.type} entity\nfor account ${account_id}`
  const { duplicate, rules } = explanation
  const verdict =
    duplicate === undefined
      ? [`A creation would record a new entity: ${noDuplicateReason(rules)}`]
      : [`A creation would answer with ${duplicate.id},`, `the same by the rule ${duplicate.rule}.`]
  const words = explanationWords(title, verdict, explanation)
  print(presentDuplicateCheck(explanation), words)
}

/** The body of a creation. Fails with every reason why the API would refuse it. */
async function readRequest({ name, text }: InputFile): Promise<EntityRequest> {
  const body = parseBody(name, text)
  const problems = openEntityCheck()(body)
  if (problems.length === 0) return body as EntityRequest
  const lines = problems.map(({ remarks, message }) =>
    remarks === '' || message.startsWith(remarks) ? message : `${remarks}: ${message}`,
  )
  const words = [`a creation would refuse ${name}:`, ...lines.map(line => `  ${visible(line)}`)]
  throw new CommandFailed(words.join('\n'))
}

/** Reads text as the API reads a JSON body. */
function parseBody(name: string, text: string): unknown {
  try {
    return readJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new CommandFailed(`${name}: ${visible(error.message)}`)
  }
}

/** Every member that is set, by its name in the API, and the history of the approval. */
function recordWords(entity: Entity, account_name: string, payouts_held: number): string {
  const { id: _id, object: _object, type: _type, ...shown } = presentEntity(entity)
  const { approval_status: _status, approval_status_description: _reason, ...rest } = shown
  const { approval_history, created_at, updated_at, ...record } = rest
  const held = payouts_held === 0 ? {} : { payouts_held: String(payouts_held) }
  const times = { created_at: toSecond(created_at), updated_at: toSecond(updated_at) }
  const steps = approval_history.map(step => [toSecond(step.at), step.status, step.description])
  return [
    titleOf(entity, account_name),
    '',
    ...outline({ ...record, ...held, ...times }),
    '',
    table(['approval', '', ''], steps),
  ].join('\n')
}

function titleOf({ id, type, approval_status, account_id }: Entity, account_name = ''): string {
  const of = ['of', 'account', account_id, '', ...visible(account_name).split(' ')]
  const account = wrapped(of, { further: '  ' }).join('\n').trimEnd()
  return `${id}  ${type} entity, ${approval_status}\n${account}`
}

function explanationWords(
  title: string,
  verdict: readonly string[],
  { rules, more_rejected }: Explanation,
): string {
  const words = rules.flatMap(rule => ['', ...ruleWords(rule, more_rejected.includes(rule.rule))])
  return [title, '', ...verdict, ...words].join('\n')
}

function entityVerdict({ duplicate, rules }: Explanation, live: boolean): string[] {
  if (duplicate === undefined) return [`No duplicate: ${noDuplicateReason(rules)}`]
  const same = `The same as ${duplicate.id} by the rule ${duplicate.rule}.`
  return live ? [same] : [same, 'While that one is not rejected, this one cannot be approved.']
}

function noDuplicateReason(rules: readonly ExplainedRule[]): string {
  if (rules.every(rule => !rule.takes_part)) return 'no rule takes part.'
  if (rules.some(rule => rule.rejected.length > 0)) return 'only rejected ones are the same.'
  return 'no other is the same.'
}

function ruleWords(rule: ExplainedRule, more: boolean): string[] {
  const found = rule.entity === '' ? 'nothing is the same' : `${rule.entity} is the same`
  const compared = Object.entries(rule.compared).map(([path, value]) => {
    if (value !== '') return [path, visible(value)]
    return [path, rule.missing.includes(path) ? '(missing)' : '(not set)']
  })
  const rejected = rule.rejected.map((id, i) => [i === 0 ? 'passed over, rejected' : '', id])
  if (more) rejected.push(['', `and more; these ${rule.rejected.length} are the oldest`])
  const facts = [...compared, ...rejected] as [string, string][]
  const width = Math.max(...facts.map(([label]) => label.length))
  return [
    `${rule.priority}. ${rule.rule}: ${rule.takes_part ? found : 'takes no part'}`,
    ...facts.map(([label, value]) => `   ${label.padEnd(width)}  ${value}`),
  ]
}
