// Faults in entities, in the events that tell of them and in the payouts that name them: how each is
// planted, and which row must be named.
import { type Fault, planted } from './faults.ts'
import type { History, Known } from './history.ts'

/** A change of one entity. */
function entityChange(name: string, which: Known, assignment: string, words: RegExp): Fault {
  return planted({
    name,
    table: 'entities',
    words,
    statement: `update entities set ${assignment} where account_id = $1 and id = $2`,
    row: ({ entities }) => entities[which],
  })
}

/** The events of one entity changed behind its back. */
function eventsChange(name: string, which: Known, statement: string, words: RegExp): Fault {
  return planted({
    name,
    table: 'entities',
    words,
    statement: `${statement} and account_id = $1 and object_id = $2`,
    row: ({ entities }) => entities[which],
  })
}

/** A change of the payout that waits, or of its hold. */
function waiting(name: string, statement: string, words: RegExp): Fault {
  const row: (history: History) => string = ({ payouts }) => payouts.waiting
  return planted({ name, table: 'payouts', words, statement, row })
}

export const ENTITY_FAULTS: readonly Fault[] = [
  entityChange(
    'an e-mail address changed in the record only',
    'approved',
    `details = jsonb_set(details::jsonb, '{email}', '"other@example.com"')::json`,
    /^email_key [0-9a-f]{64}; [0-9a-f]{64}$/,
  ),
  entityChange('an identity removed', 'pending', 'email_key = null', /^email_key .*; none$/),
  entityChange(
    'an identity foreign to the record',
    'approved',
    `national_identification_key = sha256('x')`,
    /^national_identification_key none; /,
  ),
  entityChange("another entity's reference", 'business', `reference_id = 'x'`, /^reference_id/),
  entityChange(
    'a status without a step',
    'pending',
    `approval_status = 'approved'`,
    /ends with approved; pending$/,
  ),
  entityChange(
    'an impossible history',
    'pending',
    `approval_history = '[{"status":"pending"},{"status":"resubmitted"},{"status":"pending"}]'`,
    /a history of allowed steps/,
  ),
  {
    name: 'a second live entity of one identity, the index gone',
    table: 'entities',
    words: /the only entity of its registration_number that is not rejected; ent_zz besides$/,
    async plant(owner, { main, entities }) {
      await owner`drop index entity_registration_once`
      await owner`
        insert into entities select account_id, 'ent_zz', type, on_behalf_of, reference_id, details,
          approval_status, approval_status_description, approval_history, made_by, email_key,
          national_identification_key, name_address_key, registration_key, null, found_by, created_at,
          updated_at
        from entities where account_id = ${main.account.account_id} and id = ${entities.business}`
      return { key: entities.business }
    },
  },
  eventsChange(
    'an approval without its event',
    'approved',
    `update events set type = 'entity.updated' where type = 'entity.approval_approved'`,
    /1 event of its creation and 1 of its approval; 1 and 0/,
  ),
  eventsChange(
    'two creation events',
    'approved',
    `update events set type = 'entity.created' where type = 'entity.approval_approved'`,
    /; 2 and 0/,
  ),
  waiting(
    'a payout for an unknown entity',
    `update payouts set on_behalf_of = 'ent_x' where account_id = $1 and id = $2`,
    /^entity ent_x in its account; none$/,
  ),
  waiting(
    "a hold for another entity than the payout's",
    `update open_payouts set held_for = held_for || 'x' where account_id = $1 and id = $2`,
    /^a (payout held|hold) for ent_\w{20}x?; none$/,
  ),
  waiting(
    'a waiting payout missing from the list',
    'delete from holds where account_id = $1 and payout_id = $2',
    /^a hold for ent_\w{20}; none$/,
  ),
  waiting(
    'a list with a payout that does not wait',
    `update open_payouts set held_for = '' where account_id = $1 and id = $2`,
    /^a payout held for ent_\w{20}; none$/,
  ),
  {
    name: 'an ended review without released payouts',
    table: 'payouts',
    words: /^a row of ended_reviews, as ent_\w{20} is approved; none$/,
    async plant(owner, { main, entities, payouts }) {
      const { account_id } = main.account
      await owner`
        update entities set approval_status = 'approved', approval_history =
          '[{"status":"pending"},{"status":"approved"}]'
        where account_id = ${account_id} and id = ${entities.pending}`
      await owner`
        insert into events
          (account_id, sequence, created_at, told, type, object_id, hash)
        select account_id, sequence + 1, created_at, '-', 'entity.approval_approved',
          ${entities.pending}, sha256('')
        from events where account_id = ${account_id} order by sequence desc limit 1`
      await owner`
        update books set event_count = event_count + 1 where account_id = ${account_id}`
      const [first] = [payouts.waiting, payouts.internal_waiting].sort()
      return { key: first ?? '' }
    },
  },
]
