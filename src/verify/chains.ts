// Compares payments on chains with the payouts that they pay. Each rule is one select. Whether the
// chain has them too is for the books of the house.
import { ofAccount, type Rule, rule, STATED_PAYOUTS } from './rows.ts'

/** A payment has the amount, the currency and the payee of its payout, until that is erased. */
const AS_ORDERED = rule('evm_slots')`
  select s.account_id, s.payout_id || '-' || s.attempt as key,
    p.destination_amount || ' ' || p.destination_currency || ' to ' || p.address as expected,
    s.amount || ' ' || s.currency || ' to ' || s.payee as found
  from evm_slots s
  join (
    select p.*, lower(trim(p.beneficiary_details #>>
      '{destination_details,wallet,deposit_address}')) as address from payouts p
  ) p on p.account_id = s.account_id and p.id = s.payout_id
  where s.purpose = 'pay' and s.state <> 'refused' and ${ofAccount('s.account_id')}
    and ((s.amount, s.currency) is distinct from (p.destination_amount, p.destination_currency)
      or s.payee <> '' and s.payee is distinct from p.address)`

/** What a person has moved may differ from what the chain says. */
const BY_RAIL = `p.taken_over_at is null`

/** A paid attempt has a payment that is paid. A payment that is not paid has no paid attempt. */
const PAID_ON_CHAIN = rule('payout_attempts')`
  select a.account_id, a.payout_id || '-' || a.number as key, 'a paid payment' as expected,
    coalesce('a payment that is ' || s.state, 'none') as found
  from payout_attempts a
  join rails r on r.name = a.rail and r.kind = 'evm'
  join ${STATED_PAYOUTS} p on p.account_id = a.account_id and p.id = a.payout_id
  left join evm_slots s on s.account_id = a.account_id and s.payout_id = a.payout_id
    and s.attempt = a.number and s.purpose = 'pay'
  where a.ended_as in ('paid', 'returned') and ${BY_RAIL} and ${ofAccount('a.account_id')}
    and s.state is distinct from 'paid'`

/** A payment belongs to an attempt, and one that is paid to none that ended otherwise. */
const OF_ATTEMPTS = rule('evm_slots')`
  select s.account_id, s.payout_id || '-' || s.attempt as key,
    'an attempt that may be paid' as expected,
    coalesce('an attempt that ended as ' || a.ended_as, 'none') as found
  from evm_slots s
  left join payout_attempts a on a.account_id = s.account_id and a.payout_id = s.payout_id
    and a.number = s.attempt
  left join ${STATED_PAYOUTS} p on p.account_id = s.account_id and p.id = s.payout_id
  where s.purpose = 'pay' and ${ofAccount('s.account_id')}
    and (a.number is null
      or s.state = 'paid' and ${BY_RAIL} and a.ended_as not in ('', 'paid', 'returned'))`

export const ON_CHAINS: readonly Rule[] = [AS_ORDERED, PAID_ON_CHAIN, OF_ATTEMPTS]
