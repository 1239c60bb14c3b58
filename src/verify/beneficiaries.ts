// Compares beneficiaries with their approvals, decisions, events and payouts. Each rule is one
// select.
import type { BeneficiaryDetails } from '../parties/beneficiary/beneficiary.ts'
import { BENEFICIARY_SEAL } from '../parties/beneficiary/columns.ts'
import { foundByOf } from '../parties/beneficiary/store.ts'
import { EACH_EVENT, eventsOf } from '../statements/event/row-sql.ts'
import { BadRow } from './problem.ts'
import { isArchived, ofAccount, rule, statement, type Verification } from './rows.ts'
import { checkEach } from './stream.ts'

const RECORDS = statement`
  select account_id, id, details, found_by from beneficiaries
  where ${ofAccount('account_id')} order by account_id, id`

interface Findable {
  account_id: string
  id: string
  details: BeneficiaryDetails
  found_by: string
}

/** Lists must find each beneficiary by the words of its record. */
export async function checkFoundBy(run: Verification): Promise<void> {
  await checkEach<Findable>(
    run,
    'beneficiaries',
    RECORDS,
    ({ account_id, id, details, found_by }) => {
      const expected = foundByOf(details)
      if (found_by === expected) return
      const [told, found] = [expected, found_by].map(words => JSON.stringify(words))
      throw new BadRow({
        table: 'beneficiaries',
        account_id,
        key: id,
        expected: `found_by ${told}`,
        found: String(found),
      })
    },
  )
}

/** An archive may have the events of approval `a`. */
const MAY_BE_ARCHIVED = `exists (
  select from beneficiaries b where b.account_id = a.account_id and b.id = a.beneficiary_id
    and ${isArchived('b.created_at', 'b.account_id')})`

/** An erased beneficiary's last content comes from its events. Archived events prove nothing. */
const STATUS_IS_OUTCOME = rule('beneficiaries')`
  select b.account_id, b.id as key,
    case when a.digest is null then 'no approval asked for'
      else coalesce(nullif(a.outcome, ''), 'pending_approval') end as expected,
    case b.approval when '' then 'no approval asked for' else b.approval end as found
  from (
    select account_id, id, approval, ${BENEFICIARY_SEAL.sql('b')} as content
    from beneficiaries b where details ->> 'status' is distinct from 'erased'
    union all
    select account_id, id, approval, e.content
    from beneficiaries join (
      select distinct on (account_id, object_id) account_id, object_id as id, content
      from ${eventsOf('-B')} e where type like 'beneficiary.%' and type <> 'beneficiary.erased'
      order by account_id, object_id, sequence desc
    ) e using (account_id, id) where details ->> 'status' = 'erased'
  ) b
  left join beneficiary_approvals a on a.account_id = b.account_id and a.beneficiary_id = b.id
    and a.digest = b.content
  where ${ofAccount('b.account_id')}
    and b.approval is distinct from case when a.digest is null then ''
      else coalesce(nullif(a.outcome, ''), 'pending_approval') end`

/** Each approval has an event with its number of approvers. Its outcome follows from decisions. */
const APPROVAL_HAS_EVENT = rule('beneficiary_approvals')`
  select a.account_id, a.beneficiary_id || ' ' || encode(a.digest, 'hex') as key,
    coalesce(e.needed || ' approvers, and the outcome of their decisions in time',
      'no approval, as no event asks for one') as expected,
    a.approvers || ' approvers, ' || coalesce(d.given, 0) || ' approvals, '
      || coalesce(d.rejected, 0) || ' rejections, '
      || coalesce(nullif(a.outcome, ''), 'waits') as found
  from beneficiary_approvals a
  left join (
    select account_id, object_id, content, data #>> '{approval,needed}' as needed
    from ${EACH_EVENT} e
    where about <> '' and type = 'beneficiary.pending_approval' and ${ofAccount('account_id')}
  ) e on e.account_id = a.account_id and e.object_id = a.beneficiary_id and e.content = a.digest
  left join (
    select d.account_id, d.beneficiary_id, d.digest,
      count(*) filter (where decision = 'approve' and d.user_name <> all (a.made_by)) as given,
      count(*) filter (where decision = 'reject') as rejected
    from beneficiary_decisions d
    join beneficiary_approvals a on a.account_id = d.account_id
      and a.beneficiary_id = d.beneficiary_id and a.digest = d.digest
    where ${ofAccount('d.account_id')} group by 1, 2, 3
  ) d on d.account_id = a.account_id and d.beneficiary_id = a.beneficiary_id
    and d.digest = a.digest
  where ${ofAccount('a.account_id')} and (
    (e.needed is distinct from a.approvers::text
      and not (e.needed is null and ${MAY_BE_ARCHIVED}))
    or (coalesce(d.rejected, 0) > 0) <> (a.outcome = 'rejected')
    or a.outcome = 'approved' and coalesce(d.given, 0) < a.approvers
    or a.ended_at >= a.expires_at)`

/** Each decision has an approval and an event, and is not by a maker of the beneficiary. */
const DECISION_HAS_APPROVAL = rule('beneficiary_decisions')`
  select d.account_id, d.beneficiary_id || ' ' || d.user_name as key,
    'a decision in time, with an event, by a person who did not make the beneficiary'
      as expected,
    d.decision || coalesce(', made by ' || array_to_string(a.made_by, ', '), ', of no approval')
      as found
  from beneficiary_decisions d
  left join beneficiary_approvals a on a.account_id = d.account_id
    and a.beneficiary_id = d.beneficiary_id and a.digest = d.digest
  where ${ofAccount('d.account_id')}
    and (a.digest is null or d.user_name = any (a.made_by) or d.decided_at >= a.expires_at
      or d.decided_at > a.ended_at or not exists (
        select from ${EACH_EVENT} e
        where e.account_id = d.account_id and e.about = d.beneficiary_id and e.about <> ''
          and e.type = case d.decision when 'approve' then 'beneficiary.approved'
            else 'beneficiary.rejected' end
          and e.data ->> 'operator' = d.user_name and e.content = d.digest)
      and not ${MAY_BE_ARCHIVED})`

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** A beneficiary's archived_at equals the one in its newest event of archiving or unarchiving. */
const ARCHIVED_BY_EVENT = rule('beneficiaries')`
  select coalesce(b.account_id, e.account_id) as account_id, coalesce(b.id, e.id) as key,
    coalesce('archived since ' || e.at, 'not archived') as expected,
    coalesce('archived since ' || b.at, 'not archived') as found
  from (
    select account_id, id, to_char(archived_at at time zone 'UTC', ${TIME}) as at
    from beneficiaries where archived_at is not null and ${ofAccount('account_id')}
  ) b
  full join (
    select distinct on (account_id, object_id) account_id, object_id as id,
      data ->> 'archived_at' as at
    from ${EACH_EVENT} e
    where about <> '' and type in ('beneficiary.archived', 'beneficiary.unarchived')
      and ${ofAccount('account_id')}
    order by account_id, object_id, sequence desc
  ) e on e.account_id = b.account_id and e.id = b.id
  where b.at is distinct from e.at`

/** An archived beneficiary has no payout made after its archived_at. */
const NOT_PAID_SINCE_ARCHIVED = rule('payouts')`
  select p.account_id, p.id as key, 'no payout to an archived beneficiary' as expected,
    'made after ' || to_char(b.archived_at at time zone 'UTC', ${TIME}) || ', to ' || b.id
      as found
  from beneficiaries b
  join payouts p on p.account_id = b.account_id and p.beneficiary_id = b.id
    and substr(p.beneficiary_id, 5, 11) <> substr(p.id, 5, 11)
    and p.created_at >= b.archived_at
  where b.archived_at is not null and ${ofAccount('b.account_id')}`

export const BENEFICIARIES = [
  STATUS_IS_OUTCOME,
  APPROVAL_HAS_EVENT,
  DECISION_HAS_APPROVAL,
  ARCHIVED_BY_EVENT,
  NOT_PAID_SINCE_ARCHIVED,
]
