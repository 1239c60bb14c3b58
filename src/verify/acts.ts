// Compares people's acts on rows of accounts and on files of banks with the audit log. Act and row
// of the log are one transaction, so a missing row was cut from the end of the log.
import { EACH_EVENT } from '../statements/event/row-sql.ts'
import { LINE_ID } from './bookings.ts'
import { ofAccount, rule } from './rows.ts'

/** By account and id. */
const actsOn = (table: string, members = '') => `(
  select after ->> 'account_id' as account_id, after ->> 'id' as id, changed_by${members}
  from audit_log where table_name = '${table}' and after is not null)`

const MISSING = `'its act in the audit log' as expected, 'none' as found`

/** The two columns of a finding about the number of acts. */
const COUNTED = `n || ' of it in the audit log' as expected, coalesce(acts, 0) || '' as found`

/** Each booking that names its author. */
const BOOKINGS = rule('journals')`
  select j.account_id, 'number ' || j.number as key, ${MISSING}
  from journals j
  where ${ofAccount('j.account_id')} and j.metadata ->> 'by' is not null and not exists (
    select from ${actsOn('balance_transactions')} c
    where c.account_id = j.account_id and c.id = ${LINE_ID})`

/** Each step, taking and release of a payout by a named person, as its events tell. */
const PAYOUTS = rule('payouts')`
  select account_id, id as key, ${COUNTED} from (
    select account_id, object_id as id, data ->> 'operator' as operator, count(*) as n
    from ${EACH_EVENT} e
    where ${ofAccount('account_id')} and about like 'pot_%'
      and data ->> 'by' = 'operator' and data ->> 'operator' is not null
    group by 1, 2, 3
  ) e
  left join (
    select account_id, id, changed_by as operator, count(*) as acts
    from ${actsOn('payouts')} c group by 1, 2, 3
  ) c using (account_id, id, operator)
  where coalesce(acts, 0) < n`

/** Each review of an entity of a live account. A sandbox reviews its entities itself. */
const ENTITIES = rule('entities')`
  select account_id, id as key, ${COUNTED} from (
    select e.account_id, object_id as id, substr(type, 17) as status, count(*) as n
    from events e join accounts a on a.account_id = e.account_id and not a.sandbox
    where ${ofAccount('e.account_id')} and type in
      ('entity.approval_approved', 'entity.approval_rejected', 'entity.approval_requires_action')
    group by 1, 2, 3
  ) e
  left join (
    select account_id, id, status, count(*) as acts
    from ${actsOn('entities', `, after ->> 'approval_status' as status`)} c group by 1, 2, 3
  ) c using (account_id, id, status)
  where coalesce(acts, 0) < n`

/** Each exception that a person has closed. The service closes some itself. */
const EXCEPTIONS = rule('rail_exceptions')`
  select x.account_id, x.payout_id || ' ' || x.number as key, ${MISSING}
  from rail_exceptions x
  where ${ofAccount('x.account_id')} and x.closed_by not in ('', 'corridor') and not exists (
    select from ${actsOn('rail_exceptions', `, after ->> 'exception' as number`)} c
    where c.account_id = x.account_id and c.id = x.payout_id and c.number = x.number::text)`

const VOIDED = `, after ->> 'attempt' as attempt, after ->> 'void_as' as void_as`

/** Each payment on a chain that a person has given up. */
const VOIDS = rule('evm_slots')`
  select s.account_id, s.payout_id || '-' || s.attempt as key, ${MISSING}
  from evm_slots s
  where ${ofAccount('s.account_id')} and s.void_by not in ('', 'corridor') and not exists (
    select from ${actsOn('evm_slots', VOIDED)} c
    where c.account_id = s.account_id and c.id = s.payout_id and c.attempt = s.attempt::text
      and c.void_as = s.void_as and c.changed_by = s.void_by)`

/** Each match of a sanctions list that a person has cleared or confirmed. */
const MATCHES = rule('screening_matches')`
  select m.account_id, concat_ws(' ', m.object_id, m.party, m.list, m.entry_id) as key, ${MISSING}
  from screening_matches m
  where ${ofAccount('m.account_id')} and m.state <> 'open' and not exists (
    select from ${actsOn('screening_matches', `, after ->> 'matches' as matches`)} c
    where c.account_id = m.account_id and c.id = m.object_id and strpos(c.matches,
      concat_ws(' ', m.party, m.list, m.entry_id, m.state)) > 0)`

const DECIDED = `, after ->> 'decision' as decision, after ->> 'payouts' as payouts`

/** The decisions of each person on payouts. One act may decide many payouts of a group. */
const APPROVALS = rule('approval_decisions')`
  select account_id, user_name || ', ' || decision as key, ${COUNTED} from (
    select account_id, user_name, decision, count(*) as n from approval_decisions
    where ${ofAccount('account_id')} group by 1, 2, 3
  ) d
  left join (
    select account_id, changed_by as user_name, decision,
      sum(coalesce(payouts, '1')::bigint) as acts
    from ${actsOn('payout_approvals', DECIDED)} c group by 1, 2, 3
  ) c using (account_id, user_name, decision)
  where coalesce(acts, 0) < n`

const BENEFICIARIES = rule('beneficiary_decisions')`
  select d.account_id, d.beneficiary_id || ' ' || d.user_name as key, ${MISSING}
  from beneficiary_decisions d
  where ${ofAccount('d.account_id')} and not exists (
    select from ${actsOn('beneficiary_approvals', `, after ->> 'decision' as decision`)} c
    where c.account_id = d.account_id and c.id = d.beneficiary_id
      and c.changed_by = d.user_name and c.decision = d.decision)`

const ERASURES = rule('erasures')`
  select r.account_id, r.party_id as key, ${MISSING}
  from (select distinct account_id, party_id from erasures where ${ofAccount('account_id')}) r
  where not exists (
    select from audit_log c where c.after ? 'erasure'
      and c.after ->> 'account_id' = r.account_id and c.after ->> 'id' = r.party_id)`

const CUTS = rule('event_cuts')`
  select e.account_id, 'sequence ' || e.sequence as key, ${MISSING}
  from event_cuts e
  where ${ofAccount('e.account_id')} and not exists (
    select from ${actsOn('events', `, after ->> 'removed_to' as removed_to`)} c
    where c.account_id = e.account_id and c.removed_to = e.sequence::text)`

/** Imports, whose acts count the payouts that they have made. */
const IMPORTS = rule('payout_imports')`
  select account_id, 'payouts' as key, ${COUNTED} from (
    select account_id, count(*) as n from payouts
    where ${ofAccount('account_id')} and import_keys <> '' group by 1
  ) p
  left join (
    select account_id, sum(made::bigint) as acts
    from ${actsOn('payouts', `, after ->> 'made' as made`)} c where made is not null group by 1
  ) c using (account_id)
  where coalesce(acts, 0) < n`

/** Files that a person has released or closed. They belong to no account. */
const FILES = [
  ['rail_files', 'msg_id', 'approved_by', `''`],
  ['rail_inbox', `encode(sha256, 'hex')`, 'closed_by', `''`],
  ['rail_inbox_lines', `encode(sha256, 'hex')`, 'closed_by', 'position'],
].map(
  ([table, id, by, position]) => rule(String(table))`
    select '' as account_id, trim(${String(id)} || ' ' || ${String(position)}) as key, ${MISSING}
    from ${String(table)} f
    where $1::text is null and f.${String(by)} not in ('', 'corridor') and not exists (
      select from audit_log c where c.table_name = '${String(table)}'
        and c.after ->> 'id' = ${String(id)} and c.after ->> '${String(by)}' = f.${String(by)}
        and coalesce(c.after ->> 'position', '') = ${String(position)})`,
)

export const ACTS = [
  BOOKINGS,
  PAYOUTS,
  ENTITIES,
  EXCEPTIONS,
  VOIDS,
  MATCHES,
  APPROVALS,
  BENEFICIARIES,
  ERASURES,
  CUTS,
  IMPORTS,
  ...FILES,
]
