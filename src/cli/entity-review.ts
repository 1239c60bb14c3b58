// corridor entity approve|reject|require-action: the operator's review of what the operator has
// seen, one transaction an entity. It prints what was reviewed, so that a wrong id is noticed.
import type { Command } from 'commander'
import type { Entity } from '../entity/entity.ts'
import { writeEntity } from '../entity/operations.ts'
import { APPROVAL_TRANSITIONS, type ReviewResult } from '../entity/states.ts'
import { findEntities, findEntityAccount } from '../entity/store.ts'
import { Refusal } from '../errors.ts'
import { previousStatus } from '../event/event.ts'
import { bookId } from '../id.ts'
import { type Instant, instantFromIso } from '../instant.ts'
import { countHeldPayouts, upsertEndedReviews } from '../payout/hold-store.ts'
import {
  CommandFailed,
  type Context,
  NotThere,
  print,
  report,
  UsageError,
  withContext,
} from './context.ts'
import { MAX_REASON, readReason } from './input.ts'
import { visible, wrapped } from './terminal.ts'

interface Review {
  readonly name: string
  readonly status: ReviewResult
  readonly description: string
  /** What happens to the payouts that wait for the review. */
  readonly held: string
  readonly example: string
}

const REVIEWS: readonly Review[] = [
  {
    name: 'approve',
    status: 'approved',
    description: 'approve entities; payouts held for them are released',
    held: 'will be released as soon as a service runs',
    example: 'approve ent_01m7xpm2kyj94bggdx1c',
  },
  {
    name: 'reject',
    status: 'rejected',
    description: 'reject entities; payouts held for them fail, and duplicates may be created',
    held: 'will be failed as soon as a service runs',
    example: 'reject ent_01m7xpm2kyj94bggdx1c \\\n    --reason "Not in the company register"',
  },
  {
    name: 'require-action',
    status: 'requires_action',
    description: 'ask the account for something, after which it may submit again',
    held: 'will stay held',
    example: 'require-action ent_01m7xpm2kyj94bggdx1c \\\n    --reason "Send proof of address"',
  },
]

export function reviewCommands(entity: Command): void {
  for (const review of REVIEWS) {
    entity
      .command(review.name)
      .description(review.description)
      .argument('<entities...>', 'entity ids, each reviewed by itself')
      .option('--reason <text>', `what the account is told, up to ${MAX_REASON} characters`)
      .option('--seen <time>', 'review it only if its updated_at is still this, with one id')
      .addHelpText('after', reviewHelp(review))
      .action((ids: string[], options: ReviewOptions) => reviewAction(review, ids, options))
  }
}

function reviewHelp({ example }: Review): string {
  return `
corridor entity show ends with this command as it reviews what is shown. An
entity whose review is refused does not keep the others from theirs; the exit
code is 1 then.

Example:
  npx corridor entity ${example}`
}

/** The commands that review the record as shown, and fail if it changes meanwhile. */
export function reviewLines({ id, approval_status, updated_at }: Entity): string[] {
  const may = APPROVAL_TRANSITIONS[approval_status]
  const lines = REVIEWS.filter(({ status }) => may.includes(status)).map(
    ({ name }) => `  npx corridor entity ${name} ${id} --seen ${updated_at}`,
  )
  return ['to review what is shown here:', ...lines]
}

interface ReviewOptions {
  reason?: string
  seen?: string
  json?: boolean
}

interface Wanted {
  readonly review: Review
  readonly description: string
  readonly seen: Instant | undefined
}

interface Reviewed {
  /** The entity after the review. */
  readonly entity: Entity
  readonly from: string
  /** Its `updated_at` before the review. */
  readonly seen: Instant
  readonly held: number
}

interface Refused {
  readonly entity: string
  readonly reason: string
  readonly message: string
}

async function reviewAction(
  review: Review,
  ids: readonly string[],
  options: ReviewOptions,
): Promise<void> {
  const unique = [...new Set(ids)]
  // The account reads it as approval_status_description.
  const description = options.reason === undefined ? '' : readReason(options.reason)
  const wanted: Wanted = { review, description, seen: readSeen(options.seen, unique.length) }
  const results: object[] = []
  const refused: Refused[] = []
  try {
    await withContext(async context => {
      for (const id of unique) {
        const done = await reviewed(context, id, wanted).catch(error =>
          refusedOne(error, id, unique.length),
        )
        if ('message' in done) {
          refused.push(done)
          report(new CommandFailed(done.message), options.json === true)
        } else {
          results.push(presentReviewed(done, wanted))
          if (options.json !== true) print(options, null, reviewWords(done, wanted))
        }
      }
    })
  } finally {
    // Earlier reviews stand even if a later one fails.
    const any = results.length + refused.length > 0
    if (options.json === true && any) print(options, { object: 'list', results, refused }, '')
    if (refused.length > 0) process.exitCode = 1
  }
}

/** An entity of any account. Fails if there is none. */
export async function findEntity(sql: Context['audit'], id: string): Promise<Entity> {
  const account_id = await findEntityAccount(sql, id)
  const [entity] = account_id === undefined ? [] : await findEntities(sql, [{ account_id, id }])
  if (entity === undefined) throw new NotThere('entity', id)
  return entity
}

/** Without --seen, an entity that changes during the review is read again this often. */
const MAX_READS = 5

async function reviewed(
  { audit: sql, write }: Context,
  id: string,
  { review, description, seen }: Wanted,
): Promise<Reviewed> {
  for (let reads = 1; ; reads++) {
    const entity = await findEntity(sql, id)
    const { account_id, updated_at } = entity
    // Counted before the review: afterwards the service may already release them.
    const [held = 0] = (await countHeldPayouts(sql, [entity])).values()
    const { status } = review
    const change = { kind: 'review', id, status, description, seen: seen ?? updated_at } as const
    try {
      const operation = writeEntity(bookId, upsertEndedReviews)
      const command = { account_id, claim: null, change }
      const outcome = await write(operation, command, outcome => ({
        table_name: 'entities',
        reason: description,
        before: { account_id, id, approval_status: previousStatus(outcome.events) },
        after: { account_id, id, approval_status: status },
      }))
      const from = previousStatus(outcome.events)
      return { entity: outcome.entity, from, seen: change.seen, held }
    } catch (error) {
      const again = seen === undefined && reasonOf(error) === 'entity_changed'
      if (!again || reads === MAX_READS) throw error
    }
  }
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof Refusal ? error.problems[0]?.reason : undefined
}

/** The refusal of one entity of several. Throws what stops all of them, or the only one. */
function refusedOne(error: unknown, entity: string, of: number): Refused {
  const { message } = error as Error
  if (error instanceof NotThere && of > 1) return { entity, reason: 'not_found', message }
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  return { entity, reason: reasonOf(error) ?? '', message }
}

function presentReviewed({ entity, from, seen, held }: Reviewed, { description }: Wanted): object {
  return {
    entity: entity.id,
    name: entity.details.name,
    seen,
    from,
    to: entity.approval_status,
    reason: description,
    payouts_held: held,
  }
}

function reviewWords({ entity, from, seen, held }: Reviewed, wanted: Wanted): string {
  const lines = [`${entity.id}  ${from} → ${entity.approval_status}`]
  if (wanted.seen === undefined) lines.push(reviewedWords(entity, seen))
  const payouts = held === 1 ? '1 payout' : `${held} payouts`
  if (held > 0) lines.push(`  ${payouts} held for it ${wanted.review.held}`)
  return lines.join('\n')
}

/** What was reviewed: the name, and the `updated_at` that the reviewer saw. */
function reviewedWords({ details }: Entity, seen: Instant): string {
  const words = `as of ${seen}: ${visible(details.name)}`
  return wrapped(words.split(' '), { first: '  ', further: '    ' }).join('\n')
}

function readSeen(text: string | undefined, ids: number): Instant | undefined {
  if (text === undefined) return undefined
  if (ids > 1) throw new UsageError('--seen is the updated_at of one entity; name one id with it')
  const seen = instantFromIso(text)
  if (seen !== undefined) return seen
  throw new UsageError('--seen must be a time such as 2026-11-21T03:20:02.123456Z')
}
