// Compares payouts' approvals with the payouts and with people's decisions. Each rule is one
// select.
import { APPROVAL_SEAL } from '../payouts/columns.ts'
import { EACH_EVENT } from '../statements/event/row-sql.ts'
import { isArchived, ofAccount, rule, statedPayouts } from './rows.ts'

/** The approval's digest fits neither the present payout nor the payout before its erasure. */
const OTHER_CONTENT = `(a.digest is distinct from ${APPROVAL_SEAL.sql('p')} and not exists (
  select from erasures r where r.account_id = p.account_id and r.table_name = 'payouts'
    and r.key = p.id and r.was = a.digest and r.becomes = ${APPROVAL_SEAL.sql('p')}))`

/** The payouts that an approval or a state says was asked for: far fewer than all. */
const ASKED = `select account_id, payout_id from payout_approvals
  union select account_id, id from open_payouts where status = 'pending_approval'
  union select account_id, id from payout_outcomes where status = 'pending_approval'`

/**
 * A payout in pending_approval has a waiting approval, or a rejected one while screening holds it.
 * A payout past pending_approval that has not failed was approved in time, as it is, by enough
 * people who did not make it.
 */
const APPROVAL_FITS_PAYOUT = rule('payout_approvals')`
  select account_id, key, expected, found from (
    select coalesce(a.account_id, p.account_id) as account_id, coalesce(a.payout_id, p.id) as key,
      case when p.id is null then 'no approval, as there is no such payout'
        when a.payout_id is null then 'an approval that waits'
        when p.status = 'pending_approval' then 'waits, or rejected'
        when p.status = 'failed' then 'an approval that has ended'
        else concat(a.approvers, ' approvals of the payout as it is, and approved')
        end as expected,
      case when a.payout_id is null then 'none'
        else coalesce(d.given, 0) || ' approvals, ' || coalesce(d.rejected, 0) || ' rejections, '
          || case a.outcome when '' then 'waits' else a.outcome end
          || case when ${OTHER_CONTENT}
            then ', with the digest of another row' else '' end end as found,
      case when p.id is null or a.payout_id is null or a.approvers is null then true
        when ${OTHER_CONTENT} then true
        when p.status = 'pending_approval' then a.outcome not in ('', 'rejected')
          or (a.outcome = 'rejected') <> (coalesce(d.rejected, 0) > 0)
        when a.outcome = 'approved'
          then coalesce(d.given, 0) < a.approvers or coalesce(d.rejected, 0) > 0
            or a.ended_at >= a.expires_at
        when a.outcome = 'rejected' then p.status <> 'failed' or coalesce(d.rejected, 0) = 0
        when a.outcome = 'expired' then p.status <> 'failed' or a.ended_at < a.expires_at
        else p.status <> 'failed' or a.outcome = '' end as wrong
    from (
      select * from payout_approvals where ${ofAccount('account_id')}
    ) a
    full join (
      select p.* from ${statedPayouts(`(account_id, id) in (${ASKED})`)} p
      where (p.account_id, p.id) in (${ASKED}) and ${ofAccount('p.account_id')}
    ) p on p.account_id = a.account_id and p.id = a.payout_id
    left join (
      select d.account_id, d.payout_id,
        count(*) filter (where decision = 'approve' and d.digest = a.digest
          and d.user_name <> all (makers_of(array[a.made_by], a.key_id))) as given,
        count(*) filter (where decision = 'reject') as rejected
      from approval_decisions d
      join payout_approvals a on a.account_id = d.account_id and a.payout_id = d.payout_id
      where ${ofAccount('d.account_id')} group by 1, 2
    ) d on d.account_id = a.account_id and d.payout_id = a.payout_id
  ) judged where wrong`

/** Each decision has an approval in time, and is not by the payout's maker. */
const DECISION_HAS_APPROVAL = rule('approval_decisions')`
  select d.account_id, d.payout_id || ' ' || d.user_name as key,
    'a decision in time, with the digest shown, by a person who did not make the payout'
      as expected,
    case when a.payout_id is null then 'no approval'
      else concat('made by ', a.made_by, ', digest ', encode(d.digest, 'hex')) end as found
  from approval_decisions d
  left join payout_approvals a on a.account_id = d.account_id and a.payout_id = d.payout_id
  where ${ofAccount('d.account_id')}
    and (a.payout_id is null or d.user_name = any (makers_of(array[a.made_by], a.key_id))
      or givers_of(d.user_name, d.decided_at) && makers_of(array[a.made_by], a.key_id)
      or a.digest is distinct from d.digest
      or d.decided_at >= a.expires_at or d.decided_at > a.ended_at)`

/** Each decision has an event of the same person and time. */
const DECISION_HAS_EVENT = rule('approval_decisions')`
  select d.account_id, d.payout_id || ' ' || d.user_name as key,
    'a decision with an event' as expected,
    concat(d.decision, ' at ', d.decided_at) as found
  from approval_decisions d
  left join (
    select account_id, object_id, created_at, data ->> 'operator' as operator,
      case type when 'payout.approved' then 'approve' else 'reject' end as decision
    from ${EACH_EVENT} e
    where about <> '' and type in ('payout.approved', 'payout.rejected')
      and ${ofAccount('account_id')}
  ) e on e.account_id = d.account_id and e.object_id = d.payout_id
    and e.operator = d.user_name and e.decision = d.decision and e.created_at = d.decided_at
  where ${ofAccount('d.account_id')} and e.object_id is null and not exists (
    select from payouts p where p.account_id = d.account_id and p.id = d.payout_id
      and ${isArchived('p.created_at', 'p.account_id')})`

/** Each approved payee has the approved payout that its row names. */
const PAYEE_HAS_APPROVAL = rule('approved_payees')`
  select k.account_id, k.payee as key,
    'an approval of payout ' || k.payout_id || ' to this payee at ' || k.approved_at as expected,
    coalesce(a.outcome || ' at ' || a.ended_at, 'none') as found
  from approved_payees k
  left join payout_approvals a on a.account_id = k.account_id and a.payout_id = k.payout_id
  where ${ofAccount('k.account_id')}
    and (a.outcome, a.payee, a.ended_at) is distinct from ('approved', k.payee, k.approved_at)`

export const APPROVALS = [
  APPROVAL_FITS_PAYOUT,
  DECISION_HAS_APPROVAL,
  DECISION_HAS_EVENT,
  PAYEE_HAS_APPROVAL,
]
