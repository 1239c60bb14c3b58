// The statements that ask more than one shard, and why each may: where it stands, and what its text
// says. Each of them is one that Citus can send to all shards, and gather, as rules.ts judges, unless
// no spread database is sent it.

export interface Reviewed {
  /** The file of the product, or the folder. */
  readonly file: string
  /** What the text says, with single spaces; '' for every statement of the file. */
  readonly says: string
  readonly why: string
  /** No spread database is sent it. */
  readonly unsent?: true
  /** Its parts stand apart in the file. */
  readonly composed?: true
}

const FOUND = 'finds work of all accounts by index on each shard; what it finds is done by account'
const OPERATOR = 'the operator asks over all accounts, seldom'
const WHOLE =
  'sent to a database that is not spread; another way of the same is sent to one that is'
const LIVE = 'of live accounts alone, and none of them is on a spread database'
const NAMED = 'a bank names a payment by its id alone; what it says is written by account'
const FILE = 'asks for the payments of one file, which may be of any accounts'
const KEPT = 'a spread database keeps all events: none are removed there'
const ERASED = 'a spread database erases and archives nothing'
const MATCHED = 'sent where a party has matches on a list, which is seldom'
const CLOCK = 'a person confirms the clock: once, over the books of all accounts'
const VERIFY = 'verify reads everything, which a spread database gathers before'
const METRIC = 'counts over all accounts, once a scrape, from narrow tables'

export const REVIEWED: readonly Reviewed[] = [
  { file: 'src/verify/', says: '', why: VERIFY, unsent: true },
  { file: 'src/treasury/', says: '', why: LIVE, unsent: true },
  { file: 'src/adapters/evm/', says: '', why: LIVE, unsent: true },
  { file: 'src/operator/income.ts', says: 'from account_days p', why: LIVE },
  {
    file: 'src/ledger/clock-store.ts',
    says: 'insert into clock_corrections',
    why: CLOCK,
    unsent: true,
  },
  { file: 'src/ledger/clock-store.ts', says: 'update books set', why: CLOCK, unsent: true },
  { file: 'src/ledger/clock-store.ts', says: 'update idempotency_keys', why: CLOCK, unsent: true },
  { file: 'src/app/worker/index-names.ts', says: 'from books where event_count >=', why: FOUND },
  { file: 'src/webhooks/queue-store.ts', says: 'as to_fan_out', why: FOUND },
  {
    file: 'src/webhooks/queue-store.ts',
    says: 'with clock as materialized',
    why: WHOLE,
    unsent: true,
  },
  { file: 'src/webhooks/queue-store.ts', says: 'with recursive queues', why: WHOLE, unsent: true },
  { file: 'src/webhooks/queue-store.ts', says: 'where (account_id, endpoint_id) >', why: FOUND },
  {
    file: 'src/payouts/advance/hold-store.ts',
    says: 'from ended_reviews where due_at <=',
    why: FOUND,
  },
  {
    file: 'src/payouts/advance/claim-store.ts',
    says: 'where ask_rail_at <= statement',
    why: FOUND,
  },
  {
    file: 'src/http/idempotency/store.ts',
    says: 'select account_id from idempotency_keys',
    why: FOUND,
  },
  {
    file: 'src/payouts/create/duplicate-store.ts',
    says: 'select account_id from payout',
    why: FOUND,
  },
  { file: 'src/quotes/expired-store.ts', says: 'select account_id from books', why: FOUND },
  { file: 'src/payouts/advance/attempt-store.ts', says: 'where ask_again_at <=', why: FOUND },
  {
    file: 'src/payouts/advance/attempt-store.ts',
    says: 'update payout_attempts',
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/statements/event/cut-store.ts',
    says: 'insert into archived_seals',
    why: KEPT,
    unsent: true,
  },
  {
    file: 'src/statements/event/archive-store.ts',
    says: "encode(r.was, 'hex') as was",
    why: ERASED,
    unsent: true,
  },
  { file: 'src/privacy/store.ts', says: 'as is_sandbox', why: ERASED, unsent: true },
  { file: 'src/privacy/store.ts', says: 'insert into erasures', why: ERASED, unsent: true },
  { file: 'src/privacy/store.ts', says: "set answer = ''", why: ERASED, unsent: true },
  { file: 'src/controls/limit/use-store.ts', says: 'where starts_at <=', why: FOUND },
  { file: 'src/adapters/bank-file/item-store.ts', says: 'i.seal_at <= clock', why: FOUND },
  ...['end_to_end_id =', 'uetr =', 'instruction_id =', 'payment_information_id ='].map(id => {
    return { file: 'src/adapters/bank-file/item-store.ts', says: `${id} `, why: NAMED }
  }),
  { file: 'src/adapters/bank-file/item-store.ts', says: 'where i.msg_id = $1 ', why: FILE },
  { file: 'src/adapters/bank-file/item-store.ts', says: 'where msg_id = $1 ', why: FILE },
  { file: 'src/adapters/bank-file/alert-store.ts', says: 'where msg_id = ', why: FILE },
  {
    file: 'src/adapters/bank-file/inbox-store.ts',
    says: 'where closed_at is null and rail',
    why: FOUND,
  },
  {
    file: 'src/notifications/store.ts',
    says: 'from payout_approvals a join books b',
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/notifications/store.ts',
    says: 'select t.type, b.account_id, count(*)::integer as count from books b',
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/notifications/store.ts',
    says: 'select h.sort, h.account_id, count(*)::integer as count',
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/notifications/store.ts',
    says: 'select x.account_id, x.currency as of from balances x',
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/notifications/store.ts',
    says: "select 'fault' as sort, f.account_id",
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/notifications/store.ts',
    says: "select 'endpoint' as sort, e.account_id",
    why: LIVE,
    unsent: true,
  },
  {
    file: 'src/adapters/bank-file/item-store.ts',
    says: 'insert into rail_item_evidence',
    why: LIVE,
    unsent: true,
  },
  { file: 'src/sandbox/request-log/store.ts', says: '::text is null or account_id', why: OPERATOR },
  { file: 'src/rails/exception-store.ts', says: 'group by', why: METRIC },
  {
    file: 'src/rails/exception-store.ts',
    says: 'where closed_at is null and (payout_id',
    why: OPERATOR,
  },
  { file: 'src/payouts/lists/count-store.ts', says: 'group by', why: METRIC },
  {
    file: 'src/payouts/lists/count-store.ts',
    says: 'where ask_rail_at <= statement_timestamp() - make_interval',
    why: OPERATOR,
  },
  { file: 'src/controls/approval/store.ts', says: 'a.expires_at <= statement', why: FOUND },
  { file: 'src/controls/approval/store.ts', says: 'as first_ends_in_s', why: METRIC },
  { file: 'src/payouts/advance/screening-store.ts', says: 'where screened is null', why: FOUND },
  { file: 'src/payouts/advance/screening-store.ts', says: 'group by', why: METRIC },
  { file: 'src/payouts/advance/screening-store.ts', says: 'case screening when', why: OPERATOR },
  {
    file: 'src/screening/party-store.ts',
    says: 'from screening_queue where due_at <=',
    why: FOUND,
  },
  { file: 'src/screening/party-store.ts', says: 'where (account_id, id) >', why: FOUND },
  { file: 'src/screening/match-store.ts', says: 'from screening_clears c join json', why: MATCHED },
  { file: 'src/screening/match-store.ts', says: 'insert into screening_matches', why: MATCHED },
  { file: 'src/screening/party-store.ts', says: 'group by state', why: METRIC },
  { file: 'src/screening/party-store.ts', says: 'min(found_at)', why: OPERATOR },
  {
    file: 'src/payouts/lists/list-store.ts',
    says: 'from books b cross join lateral',
    why: OPERATOR,
  },
  { file: 'src/payouts/advance/hold-store.ts', says: 'with recursive holding', why: OPERATOR },
  {
    file: 'src/payouts/advance/hold-store.ts',
    says: 'where (account_id, entity_id) >',
    why: OPERATOR,
  },
  { file: 'src/ledger/store.ts', says: 'from books order by account_id', why: OPERATOR },
  {
    file: 'src/ledger/store.ts',
    says: 'where k.account_id = any ($1::text[])',
    why: WHOLE,
    unsent: true,
    composed: true,
  },
  { file: 'src/ledger/store.ts', says: 'from books where $1::text is null', why: OPERATOR },
  { file: 'src/ledger/store.ts', says: 'from balances where $1::text is null', why: OPERATOR },
  { file: 'src/statements/event/store.ts', says: 'event_count as count from books', why: OPERATOR },
  { file: 'src/statements/event/store.ts', says: 'sum(event_count)', why: OPERATOR },
  { file: 'src/parties/entity/store.ts', says: "approval_status in ('submitted'", why: OPERATOR },
  { file: 'src/parties/entity/store.ts', says: 'from books b cross join lateral', why: OPERATOR },
  {
    file: 'src/statements/balance-transaction/store.ts',
    says: 'from books b cross join lateral',
    why: OPERATOR,
  },
  { file: 'src/controls/limit/store.ts', says: 'from books b join limit_sums', why: OPERATOR },
  { file: 'src/operator/webhooks.ts', says: '', why: OPERATOR },
  {
    file: 'src/search/store.ts',
    says: 'select account_id, id from payout_outcomes',
    why: OPERATOR,
  },
  { file: 'src/sql/keys.ts', says: 'from books b cross join lateral', why: OPERATOR },
]
