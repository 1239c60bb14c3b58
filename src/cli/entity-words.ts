// What the entity commands tell people: queues, whole records and explanations as text of 80
// columns where the values allow it. Texts that callers of the API have written are shown escaped.
import type { ExplainedRule, Explanation } from '../entity/explain.ts'
import type { Entity } from '../entity/record.ts'
import { presentEntity } from '../entity/response.ts'
import { isLive } from '../entity/states.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { describeAge } from './context.ts'
import { outline, toSecond } from './outline.ts'
import { table } from './table.ts'
import { visible, wrapped } from './terminal.ts'

export interface Listed {
  readonly entity: Entity
  /** Payouts that wait for its review. */
  readonly held: number
}

export function listWords(listed: readonly Listed[], now: Instant): string {
  const rows = listed.map(({ entity, held }) => [
    entity.id,
    entity.account_id,
    describeAge(secondsBetween(entity.updated_at, now)),
    String(held),
    entity.approval_status,
    entity.type,
    entity.details.name,
  ])
  const headings = ['entity', 'account', 'unchanged', 'payouts held', 'status', 'type', 'name']
  return table(headings, rows)
}

/** What was reviewed: the name, and since when the record is as the reviewer took it. */
export function reviewedWords({ details }: Entity, seen: Instant): string {
  const words = `as of ${seen}: ${visible(details.name)}`
  return wrapped(words.split(' '), { first: '  ', further: '    ' }).join('\n')
}

/** Everything that is set, under the names of the API, and the history of its approval. */
export function recordWords(entity: Entity, account_name: string, payouts_held: number): string {
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

/** What an explanation is about: an entity that there is, or a request that nobody has sent. */
export type Subject =
  | { readonly entity: Entity }
  | { readonly file: string; readonly account_id: string; readonly type: string }

export function explanationWords(subject: Subject, explanation: Explanation): string {
  const recorded = 'entity' in subject
  const title = recorded
    ? titleOf(subject.entity)
    : `${visible(subject.file)}  ${subject.type} entity\nfor account ${subject.account_id}`
  const verdict = recorded
    ? entityVerdict(explanation, isLive(subject.entity.approval_status))
    : fileVerdict(explanation)
  const rules = explanation.rules.flatMap(rule => {
    return ['', ...ruleWords(rule, explanation.more_rejected.includes(rule.rule))]
  })
  return [title, '', ...verdict, ...rules].join('\n')
}

function fileVerdict({ duplicate, rules }: Explanation): string[] {
  if (duplicate === undefined) return [`A creation would record a new entity: ${why(rules)}`]
  return [
    `A creation would answer with ${duplicate.id},`,
    `the same by the rule ${duplicate.rule}.`,
  ]
}

function entityVerdict({ duplicate, rules }: Explanation, live: boolean): string[] {
  if (duplicate === undefined) return [`No duplicate: ${why(rules)}`]
  const same = `The same as ${duplicate.id} by the rule ${duplicate.rule}.`
  return live ? [same] : [same, 'While that one is not rejected, this one cannot be approved.']
}

function why(rules: readonly ExplainedRule[]): string {
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
