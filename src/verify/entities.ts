// Checks every entity: its identity keys, its approval, its events, and the payouts and holds that
// name it.
import { judge, keysByRule, type RuleName } from '../parties/entity/duplicates.ts'
import type { EntityRecord } from '../parties/entity/entity.ts'
import {
  APPROVAL_STATUSES,
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
} from '../parties/entity/states.ts'
import { foundByOf, KEY_COLUMNS } from '../parties/entity/store.ts'
import { EACH_EVENT } from '../statements/event/row-sql.ts'
import { MAX_NAMED } from './problem.ts'
import {
  entityProblem,
  isArchived,
  nameRows,
  ofAccount,
  rowsOf,
  rule,
  STATED_PAYOUTS,
  statement,
  type Verification,
} from './rows.ts'
import { checkEach } from './stream.ts'

interface EntityRow extends EntityRecord {
  account_id: string
  id: string
  on_behalf_of: string
  reference_id: string
  approval_status: ApprovalStatus
  approval_history: { status: ApprovalStatus }[]
  found_by: string
  keys: (string | null)[]
}

const RULES = Object.keys(KEY_COLUMNS) as RuleName[]

const ENTITIES = statement`
  select account_id, id, type, details, on_behalf_of, reference_id, approval_status,
    approval_history, found_by,
    json_build_array(${RULES.map(rule => `encode(${KEY_COLUMNS[rule]}, 'hex')`).join(', ')}) as keys
  from entities where ${ofAccount('account_id')} order by account_id, id`

/** Returns their number. */
export async function checkEntities(run: Verification): Promise<number> {
  const count = await checkEach<EntityRow>(run, 'entities', ENTITIES, row => {
    checkIdentity(row)
    checkApproval(row)
  })
  for (const one of UNIQUE_IDENTITIES) await nameRows(run, one)
  await checkEntityEvents(run)
  for (const one of [PAYOUT_HAS_ENTITY, HOLD_FITS_PAYOUT]) await nameRows(run, one)
  return count
}

/** The identity keys of an entity must follow from its record. */
function checkIdentity(row: EntityRow): void {
  const keys = keysByRule(judge(row))
  for (const [i, rule] of RULES.entries()) {
    const [expected, found] = [keys[rule], row.keys[i] ?? null]
    if (found === expected) continue
    throw entityProblem(row, `${KEY_COLUMNS[rule]} ${expected ?? 'none'}`, found ?? 'none')
  }
  checkFoundBy(row, foundByOf(row.details))
  for (const name of ['on_behalf_of', 'reference_id'] as const) {
    const expected = row.details[name] ?? ''
    if (row[name] !== expected) throw entityProblem(row, `${name} "${expected}"`, row[name])
  }
}

/** Lists must find the row by the words of its record. */
function checkFoundBy(row: EntityRow, expected: string): void {
  if (row.found_by === expected) return
  throw entityProblem(row, `found_by ${JSON.stringify(expected)}`, JSON.stringify(row.found_by))
}

/** It begins with `pending`, makes allowed steps, and ends at the entity's status. */
function checkApproval(row: EntityRow): void {
  const history: unknown = row.approval_history
  if (!Array.isArray(history)) throw entityProblem(row, 'a list of steps', JSON.stringify(history))
  const statuses = row.approval_history.map(({ status }) => status)
  const legal = statuses.every((status, i) => {
    const before = statuses[i - 1]
    return before === undefined
      ? status === APPROVAL_STATUSES[0]
      : APPROVAL_TRANSITIONS[before].includes(status)
  })
  if (!legal) throw entityProblem(row, 'a history of allowed steps', statuses.join(', '))
  if (statuses.at(-1) === row.approval_status) return
  throw entityProblem(row, `a history that ends with ${row.approval_status}`, statuses.join(', '))
}

/** No two live entities share an identity, even if somebody has dropped the unique index. */
const UNIQUE_IDENTITIES = RULES.map(
  name => rule('entities')`
    select account_id, ids[1] as key,
      'the only entity of its ${name} that is not rejected' as expected,
      array_to_string(ids[2:], ', ') || ' besides' as found
    from (
      select account_id, array_agg(id::text order by id) as ids from entities
      where approval_status <> 'rejected' and ${KEY_COLUMNS[name]} is not null
        and ${ofAccount('account_id')}
      group by account_id, ${KEY_COLUMNS[name]} having count(*) > 1
    ) same`,
)

interface EventCounts {
  account_id: string
  id: string
  known: boolean
  created: bigint
  steps: bigint
  history: bigint | null
}

/** Each entity has one event of its creation, and one of each later step of its approval. */
async function checkEntityEvents(run: Verification): Promise<void> {
  const wrong = await rowsOf<EventCounts>(
    run,
  )`select account_id, id, e.id is not null as known, coalesce(v.created, 0) as created,
      coalesce(v.steps, 0) as steps, e.history
    from (
      select account_id, id, created_at, case json_typeof(approval_history) when 'array'
        then json_array_length(approval_history)::bigint else 0 end as history
      from entities where ${ofAccount('account_id')}
    ) e
    full join (
      select account_id, object_id as id, count(*) filter (where type = 'entity.created')
        as created, count(*) filter (where type like 'entity.approval_%') as steps
      from ${EACH_EVENT} e
      where about <> '' and type like 'entity.%' and ${ofAccount('account_id')}
      group by 1, 2
    ) v using (account_id, id)
    where e.id is null or coalesce(v.steps, 0) > e.history - 1 or coalesce(v.created, 0) > 1
      or ((coalesce(v.created, 0) = 0 or coalesce(v.steps, 0) < e.history - 1)
        and not ${isArchived('e.created_at', 'e.account_id')})
    order by 1, 2 limit ${MAX_NAMED}`
  for (const bad of wrong) {
    const { id: key, history, created, steps } = bad
    if (bad.known) {
      const expected = `1 event of its creation and ${(history ?? 1n) - 1n} of its approval`
      run.findings.add(entityProblem(bad, expected, `${created} and ${steps}`).problem)
    } else {
      const facts = { expected: `entity ${key}, which events name`, found: 'none' }
      run.findings.add({ table: 'events', account_id: bad.account_id, key, ...facts })
    }
  }
}

/** A payout's entity belongs to the payout's account. */
const PAYOUT_HAS_ENTITY = rule('payouts')`
  select p.account_id, p.id as key, 'entity ' || p.on_behalf_of || ' in its account' as expected,
    'none' as found
  from payouts p left join entities e on e.account_id = p.account_id and e.id = p.on_behalf_of
  where p.on_behalf_of <> '' and e.id is null and ${ofAccount('p.account_id')}`

/**
 * A payout that waits for a review is in compliance_hold for its own entity. After the review,
 * `ended_reviews` has the entity, and a worker ends the hold.
 */
const HOLD_FITS_PAYOUT = rule('payouts')`
  select account_id, id as key, wrong[1] as expected, wrong[2] as found from (
    select coalesce(p.account_id, h.account_id) as account_id,
      coalesce(p.id, h.payout_id) as id,
      case
        when p.id is null then array['a payout held for ' || h.entity_id, 'none']
        when h.payout_id is null then array['a hold for ' || p.held_for, 'none']
        when p.status <> 'compliance_hold'
          then array['compliance_hold while it waits', p.status]
        when p.held_for <> p.on_behalf_of
          then array['held for ' || p.on_behalf_of, p.held_for]
        when e.approval_status in ('approved', 'rejected') and r.entity_id is null
          then array['a row of ended_reviews, as ' || h.entity_id || ' is ' || e.approval_status,
            'none']
      end as wrong
    from (
      select account_id, id, status, held_for, on_behalf_of
      from ${STATED_PAYOUTS} p where held_for <> '' and ${ofAccount('account_id')}
    ) p
    full join (select * from holds where ${ofAccount('account_id')}) h
      on h.account_id = p.account_id and h.payout_id = p.id and h.entity_id = p.held_for
    left join entities e on e.account_id = h.account_id and e.id = h.entity_id
    left join ended_reviews r on r.account_id = h.account_id and r.entity_id = h.entity_id
  ) checked
  where wrong is not null`
