// corridor entity approve|reject|require-action: reviews entities, one transaction an entity. With
// --seen it reviews only the version that the operator has seen. It prints what it has reviewed, so
// that the operator notices a wrong id.
import type { Command } from 'commander'
import { Unknown } from '../operator/deed.ts'
import { reviewDeed, showEntity } from '../operator/entities.ts'
import type { Entity } from '../parties/entity/entity.ts'
import type { ReviewResult } from '../parties/entity/states.ts'
import { previousStatus } from '../statements/event/event.ts'
import { Refusal } from '../values/errors.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { addCommand, type Context, print, printJson, running, withContext } from './context.ts'
import { CommandFailed, NotFound, report, UsageError } from './failure.ts'
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

const REASON = `what the account is told, up to ${MAX_REASON} characters`

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
    addCommand(entity, review.name, review.description)
      .argument('<entities...>', 'entity ids, each reviewed by itself')
      .option('--reason <text>', REASON, readReason)
      .option('--seen <time>', 'review it only if its updated_at is still this, with one id')
      .addHelpText('after', reviewHelp(review))
      .action((ids: string[], options: object) => reviewAction(review, ids, options))
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

interface ReviewOptions {
  readonly description: string
  /** The `updated_at` that the reviewed entity must still have. */
  readonly seen: Instant | undefined
}

/** The result for one entity. */
interface Reviewed {
  /** The entity after the review. */
  readonly entity: Entity
  readonly from: string
  /** Its `updated_at` before the review. */
  readonly seen: Instant
  readonly held: number
}

async function reviewAction(
  review: Review,
  ids: readonly string[],
  // The account reads the reason as approval_status_description.
  { reason: description = '', seen }: { reason?: string; seen?: string },
): Promise<void> {
  const unique = [...new Set(ids)]
  const review_options: ReviewOptions = { description, seen: readSeen(seen, unique.length) }
  const results: object[] = []
  const refused: object[] = []
  try {
    await withContext(async context => {
      for (const id of unique) {
        const result = await reviewOne(context, id, review, review_options).catch(error =>
          refusalOf(error, id, unique.length),
        )
        if ('message' in result) {
          refused.push(result)
          report(new CommandFailed(result.message), running.json)
        } else {
          results.push(presentReviewed(result, description))
          if (!running.json) print(null, reviewWords(result, review, review_options))
        }
      }
    })
  } finally {
    // Earlier reviews stand even if a later one fails.
    const has_results = results.length + refused.length > 0
    if (running.json && has_results) printJson({ object: 'list', results, refused })
    if (refused.length > 0) process.exitCode = 1
  }
}

/** The most reads of an entity that changes during its review, without --seen. */
const MAX_READS = 5

async function reviewOne(
  { audit, run }: Context,
  id: string,
  { status }: Review,
  { description, seen }: ReviewOptions,
): Promise<Reviewed> {
  for (let reads = 1; ; reads++) {
    // Counts the held payouts before the review: afterwards the service may already release them.
    const { entity, held } = await showEntity(audit, id)
    const request = { status, description, seen: seen ?? entity.updated_at }
    try {
      const outcome = await run(reviewDeed(entity, request))
      const from = previousStatus(outcome.events)
      return { entity: outcome.entity, from, seen: request.seen, held }
    } catch (error) {
      const has_changed = seen === undefined && reasonOf(error) === 'entity_changed'
      if (!has_changed || reads === MAX_READS) throw error
    }
  }
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof Refusal ? error.problems[0]?.reason : undefined
}

/**
 * The refusal of one entity, which stops no other review. Rethrows an error that stops all of them,
 * and an unknown id if the call names no other.
 */
function refusalOf(error: unknown, entity: string, id_count: number) {
  if (error instanceof Unknown) {
    if (id_count === 1) throw error
    const { message } = new NotFound('entity', entity)
    return { entity, reason: 'not_found', message }
  }
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  return { entity, reason: reasonOf(error) ?? '', message: error.message }
}

function presentReviewed({ entity, from, seen, held }: Reviewed, reason: string): object {
  return {
    entity: entity.id,
    name: entity.details.name,
    seen,
    from,
    to: entity.approval_status,
    reason,
    payouts_held: held,
  }
}

/** Without --seen, the second line has the entity's name and its `updated_at` at the review. */
function reviewWords(
  { entity, from, seen, held }: Reviewed,
  review: Review,
  options: ReviewOptions,
): string {
  const lines = [`${entity.id}  ${from} → ${entity.approval_status}`]
  if (options.seen === undefined) {
    const words = `as of ${seen}: ${visible(entity.details.name)}`
    lines.push(...wrapped(words.split(' '), { first: '  ', further: '    ' }))
  }
  const payouts = held === 1 ? '1 payout' : `${held} payouts`
  if (held > 0) lines.push(`  ${payouts} held for it ${review.held}`)
  return lines.join('\n')
}

function readSeen(text: string | undefined, id_count: number): Instant | undefined {
  if (text === undefined) return undefined
  if (id_count > 1) {
    throw new UsageError('--seen is the updated_at of one entity; name one id with it')
  }
  const seen = instantFromIso(text)
  if (seen !== undefined) return seen
  throw new UsageError('--seen must be a time such as 2026-11-21T03:20:02.123456Z')
}
