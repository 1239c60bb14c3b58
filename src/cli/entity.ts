// corridor entity explain: explains why a record is a duplicate or not. It escapes the texts of
// callers. The other commands are actions and imports.
import type { Command } from 'commander'
import { readJson } from '../http/json.ts'
import { JsonError } from '../http/json-error.ts'
import { openEntityCheck } from '../imports/entities.ts'
import { accountNamed } from '../operator/accounts.ts'
import { entities, entityNamed, reviews, titleOf } from '../operator/entities.ts'
import type { ExplainedRule, Explanation } from '../parties/entity/duplicates.ts'
import { checkDuplicate, explainEntity } from '../parties/entity/operations.ts'
import type { EntityRequest } from '../parties/entity/request.ts'
import { presentDuplicateCheck } from '../parties/entity/response.ts'
import { draftOf } from '../parties/entity/rules.ts'
import { isLive } from '../parties/entity/states.ts'
import { commandsOf } from './action.ts'
import { print, withContext } from './context.ts'
import { entityImportCommand } from './entity-import.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { type InputFile, readInput } from './input.ts'
import { visible } from './terminal.ts'

export function entityCommands(entity: Command): void {
  commandsOf(entities)(entity)
  commandsOf(reviews)(entity)
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

const EXPLAIN_HELP = `
The file has the body of POST /v3/entity.

Examples:
  npx corridor entity explain ent_01m7xpm2kyj94bggdx1c
  npx corridor entity explain --account acc_7k2m9x4q request.json`

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
