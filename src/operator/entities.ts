// Lists and shows entities to operators, and reviews them.
import { type Maker, operatorMaker } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import { listAccounts } from '../accounts/store.ts'
import { pathId } from '../http/docs.ts'
import { Closed, Literals, optional, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { hostNow } from '../ledger/clock.ts'
import type { Entity, FoundDuplicate } from '../parties/entity/entity.ts'
import { writeEntity } from '../parties/entity/operations.ts'
import {
  DuplicateFound,
  EntityResponse,
  presentDuplicate,
  presentEntity,
} from '../parties/entity/response.ts'
import {
  APPROVAL_STATUSES,
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
  IN_REVIEW,
  REVIEW_RESULTS,
  type ReviewResult,
} from '../parties/entity/states.ts'
import {
  findEntities,
  findListedEntities,
  listByStatus,
  listDuplicates,
  listInReview,
  listWaiting,
} from '../parties/entity/store.ts'
import {
  countHeldPayouts,
  listHoldingEntities,
  upsertEndedReviews,
} from '../payouts/advance/hold-store.ts'
import type { Sql } from '../sql/connect.ts'
import type { Page } from '../sql/page.ts'
import { previousStatus } from '../statements/event/event.ts'
import { invalidField, Refusal } from '../values/errors.ts'
import { bookId, type Key, nameOf } from '../values/id.ts'
import { type Instant, instantFromIso, secondsBetween } from '../values/instant.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { describeAge, toSecond } from '../values/text/age.ts'
import { type Acting, type ActionGroup, paging, reading, writing } from './action.ts'
import { accountIdOf, known, writeOf } from './operator-write.ts'
import { AccountId, LimitText, Reason, Time } from './request.ts'

const MEMBERS = {
  account_id: AccountId,
  payouts_held: Type.Integer({ description: 'How many payouts wait for its review.' }),
  screening: textOrNull({
    description: 'Whether it may be on a sanctions list: `open`, `confirmed`, or null for no.',
  }),
  entity: EntityResponse,
}

export const OperatorEntity = Type.Object(MEMBERS, {
  title: 'OperatorEntity',
  description: 'An entity with what only operators see.',
})

const ShownEntityResponse = Type.Object(
  {
    ...MEMBERS,
    account_name: Type.String(),
    duplicates: Type.Array(DuplicateFound, {
      description: 'Records that were answered with this entity, the oldest first, 100 at most.',
    }),
  },
  { title: 'ShownEntity', description: 'An entity with what only operators see.' },
)

const ReviewRequest = Closed(
  {
    status: Literals(REVIEW_RESULTS, { description: 'The result of the review.' }),
    seen: Time(
      'The `updated_at` of the entity as you have read it. If the entity has changed since, ' +
        'the answer is 409.',
    ),
    reason: Type.Optional(Reason),
  },
  { title: 'ReviewRequest', description: 'The decision. The account is told the reason.' },
)

const ReviewAs = Closed(
  optional({ seen: Time('Review it only if its updated_at is still this.'), reason: Reason }),
)

/** The command of each result of a review. */
const REVIEWS = {
  approved: 'approve',
  rejected: 'reject',
  requires_action: 'require-action',
} as const

const LIST_HELP = `
What an account has submitted waits, and so does an entity that payouts are held
for, though it was never submitted. With --status, what does not wait for review
is listed newest first.

Example:
  corridor entity list --status requires_action`

const list = paging({
  name: 'entity list',
  path: '/v3/operator/entity',
  operationId: 'listOperatorEntities',
  summary: 'List entities that wait for a review, those that wait longest first.',
  description: 'With a status that does not wait for a review, the newest come first.',
  query: Closed(
    optional({
      limit: LimitText,
      status: Literals(APPROVAL_STATUSES, { description: 'Only entities of this status.' }),
      account_id: AccountId,
    }),
  ),
  response: OperatorEntity,
  find: (audit, { status, account_id = null }, limit) =>
    listEntities(audit, omitUndefined({ status, account_id }), limit),
  present: presentListed,
  command: {
    words: ({ rows }) =>
      rows.map(({ entity, held }) => ({
        entity: entity.id,
        account: entity.account_id,
        unchanged: describeAge(secondsBetween(entity.updated_at, hostNow())),
        'payouts held': String(held),
        status: entity.approval_status,
        type: entity.type,
        name: entity.details.name,
      })),
    json({ rows, has_more }) {
      const results = rows.map(presentListed).map(({ account_id, entity, ...waits }) => {
        return { account_id, ...entity, ...waits }
      })
      return { object: 'list', has_more, results }
    },
    none: ({ status }) =>
      status === undefined ? 'nothing waits for review' : `no entity is ${status}`,
    options: { account_id: 'one account instead of all' },
    help: LIST_HELP,
  },
})

const show = reading({
  name: 'entity show',
  path: '/v3/operator/entity/:id',
  operationId: 'getOperatorEntity',
  summary: 'Show an entity, and how many payouts wait for its review.',
  params: pathId('ent'),
  response: ShownEntityResponse,
  find: (audit, { id }) => showEntity(audit, id),
  present: shown => ({
    ...presentListed(shown),
    account_name: shown.account?.name ?? '',
    duplicates: shown.duplicates.map(presentDuplicate),
  }),
  command: {
    words: recordParts,
    json: ({ entity }) => presentEntity(entity),
    help: '\nExample:\n  corridor entity show ent_01m7xpm2kyj94bggdx1c',
  },
})

/** The command line has a command for each result. */
const review = writing({
  name: 'entity review',
  path: '/v3/operator/entity/:id/review',
  operationId: 'reviewEntity',
  summary: 'Approve an entity, reject it, or ask its account for something.',
  description:
    'Payouts held for the entity are released once it is approved, and fail once it is ' +
    'rejected.',
  params: pathId('ent'),
  body: ReviewRequest,
  asksPassword: true,
  response: EntityResponse,
  refusals: ['entity_changed', 'invalid_transition'],
  act: ({ status }) => `entity ${REVIEWS[status]}`,
  run: reviewed,
})

export const entities: ActionGroup = { actions: [list, show, review] }

const HELD = {
  approved: 'will be released as soon as a service runs',
  rejected: 'will be failed as soon as a service runs',
  requires_action: 'will stay held',
} as const

const SUMMARIES = {
  approved: 'Approve an entity; payouts held for it are released.',
  rejected: 'Reject an entity; payouts held for it fail, and duplicates may be created.',
  requires_action: 'Ask the account for something, after which it may submit again.',
} as const

/** The commands that review an entity, each as the action `entity review` does. */
export const reviews: ActionGroup = { actions: REVIEW_RESULTS.map(reviewAs) }

function reviewAs(status: ReviewResult) {
  const { path, operationId, response } = review
  const name = `entity ${REVIEWS[status]}`
  return writing({
    ...{ name, path, operationId, summary: SUMMARIES[status], response },
    params: pathId('ent'),
    body: ReviewAs,
    run: (acting, asked) => reviewed(acting, { ...asked, status }),
    command: {
      words({ entity, name, from, to, payouts_held: held }: Reviewed) {
        const payouts = held === 1 ? '1 payout' : `${held} payouts`
        const after = held === 0 ? '' : `\n  ${payouts} held for it ${HELD[status]}`
        return `${entity}  ${from} → ${to}: ${name}${after}`
      },
      options: { reason: 'what the account is told' },
      help: `
corridor entity show ends with this command as it reviews what is shown.

Example:
  corridor ${name} ent_01m7xpm2kyj94bggdx1c \\
    --reason "Case 118"`,
    },
  })
}

interface Reviewed {
  readonly entity: string
  /** By it people notice a wrong id. */
  readonly name: string
  readonly from: string
  readonly to: ReviewResult
  readonly reason: string
  readonly payouts_held: number
}

interface AskedReview {
  readonly id: string
  readonly status: ReviewResult
  /** The `updated_at` that the entity must still have; undefined for the present one. */
  readonly seen?: string
  /** What the account reads. */
  readonly reason?: string
}

async function reviewed<Shown>(
  acting: Acting<Shown>,
  { id, status, seen: text, reason = '' }: AskedReview,
): Promise<Shown> {
  // Afterwards the service may already release what is held.
  const { entity, held: payouts_held } = await showEntity(acting.audit, id)
  const seen = text === undefined ? entity.updated_at : instantFromIso(text)
  if (seen === undefined) {
    throw new Refusal([invalidField('seen', 'seen is an ISO 8601 time with an offset.')])
  }
  const asked = { status, description: reason, seen }
  return acting.write(reviewWrite(entity, asked, operatorMaker(acting.operator.name)), {
    answer: ({ entity }) => presentEntity(entity),
    inCommand({ entity: { details }, events }): Reviewed {
      const from = previousStatus(events)
      return { entity: id, name: details.name, from, to: status, reason, payouts_held }
    },
  })
}

interface ListedEntity {
  readonly entity: Entity
  /** How many payouts wait for its review. */
  readonly held: number
  /** `open`: a person must decide about a match. `confirmed`: one is. Null: neither. */
  readonly screening: 'open' | 'confirmed' | null
}

/** Without a status: those that wait for a review, the longest wait first. */
async function listEntities(
  audit: Sql,
  { status, account_id }: { readonly status?: ApprovalStatus; readonly account_id: string | null },
  limit: number,
): Promise<Page<ListedEntity>> {
  const page = await listFor(audit, status, account_id, limit)
  return { ...page, rows: await withHolds(audit, page.rows) }
}

async function withHolds(audit: Sql, entities: readonly Entity[]): Promise<ListedEntity[]> {
  const [held, listed] = await Promise.all([
    countHeldPayouts(audit, entities),
    findListedEntities(audit, entities),
  ])
  return entities.map(entity => {
    const name = nameOf(entity)
    return { entity, held: held.get(name) ?? 0, screening: listed.get(name) ?? null }
  })
}

async function listFor(
  audit: Sql,
  status: ApprovalStatus | undefined,
  account_id: string | null,
  limit: number,
): Promise<Page<Entity>> {
  if (status === undefined) {
    return listWaiting(audit, await listHoldingEntities(audit, account_id), account_id, limit)
  }
  return IN_REVIEW.includes(status)
    ? listInReview(audit, [status], account_id, limit)
    : listByStatus(audit, status, account_id, limit)
}

/** Refuses (404) an unknown id. */
export async function entityNamed(audit: Sql, id: string): Promise<Entity> {
  const account_id = await accountIdOf(audit, 'entity', id)
  const [entity] = await findEntities(audit, [{ account_id, id }])
  return known('entity', id, entity)
}

interface ShownEntity extends ListedEntity {
  readonly account: Account | undefined
  /** Records that were answered with the entity, the oldest first. */
  readonly duplicates: readonly FoundDuplicate[]
}

async function showEntity(audit: Sql, id: string): Promise<ShownEntity> {
  const entity = await entityNamed(audit, id)
  const [accounts, [listed], duplicates] = await Promise.all([
    listAccounts(audit),
    withHolds(audit, [entity]),
    listDuplicates(audit, entity),
  ])
  const account = accounts.find(({ account_id }) => account_id === entity.account_id)
  return { entity, held: 0, screening: null, ...listed, account, duplicates }
}

function reviewWrite(
  { account_id, id }: Key,
  asked: { readonly status: ReviewResult; readonly description: string; readonly seen: Instant },
  maker: Maker,
) {
  const { status, description } = asked
  const change = { kind: 'review', id, ...asked } as const
  const command = { account_id, claim: null, change, maker }
  return writeOf(writeEntity(bookId, upsertEndedReviews), command, ({ events }) => ({
    table_name: 'entities',
    reason: description,
    before: { account_id, id, approval_status: previousStatus(events) },
    after: { account_id, id, approval_status: status },
  }))
}

function presentListed({ entity, held: payouts_held, screening }: ListedEntity) {
  const { account_id } = entity
  return { account_id, payouts_held, screening, entity: presentEntity(entity) }
}

/** Every member that is set, by its name in the API, and the history of the approval. */
function recordParts({ entity, account, held, screening }: ShownEntity) {
  const { id: _id, object: _object, type: _type, ...shown } = presentEntity(entity)
  const { approval_status: _status, approval_status_description: _reason, ...rest } = shown
  const { approval_history, created_at, updated_at, ...record } = rest
  const payouts = held === 0 ? {} : { payouts_held: String(held) }
  const times = { created_at: toSecond(created_at), updated_at: toSecond(updated_at) }
  const rows = approval_history.map(({ at, status, description }) => {
    return { approval: toSecond(at), status, description }
  })
  const outline = { ...record, ...payouts, ...times }
  const lines = [...screeningLines(entity.id, screening), ...reviewLines(entity)]
  const title = titleOf(entity, account?.name)
  return { parts: [`${title}\n`, { outline }, '', { rows }, '', ...lines] }
}

export function titleOf({ id, type, approval_status, account_id }: Entity, name = ''): string {
  return `${id}  ${type} entity, ${approval_status}\nof account ${account_id}  ${name}`.trimEnd()
}

function screeningLines(id: string, screening: ListedEntity['screening']): string[] {
  if (screening === null) return []
  const what = screening === 'open' ? 'may be on' : 'is confirmed to be on'
  const words = `it ${what} a sanctions list, and is not approved:`
  return [words, `  corridor screening show ${id}`, '']
}

/** The commands that review the record as shown, and fail if it has changed since. */
function reviewLines({ id, approval_status, updated_at }: Entity): string[] {
  const may = REVIEW_RESULTS.filter(to => APPROVAL_TRANSITIONS[approval_status].includes(to))
  const lines = may.map(to => `  corridor entity ${REVIEWS[to]} ${id} --seen ${updated_at}`)
  return ['to review what is shown here:', ...lines]
}
