// Compares every row that the audit log covers with its newest change there.
import { EMPTY_HASH } from '../ledger/rules.ts'
import { nameRows, type Rule, rule, type Verification } from './rows.ts'

interface AuditedTable {
  readonly table: string
  /** A view to read instead, if the auditor may not read all columns. It has the log's names. */
  readonly view?: string
  readonly key: readonly string[]
  readonly skipped?: readonly string[]
  readonly as_digest?: true
}

/** Not from the triggers in the database: whoever edits rows in secret drops them first. */
const AUDITED_TABLES: readonly AuditedTable[] = [
  { table: 'users', key: ['name'] },
  { table: 'second_factors', view: 'second_factor_digests', key: ['user_name'] },
  { table: 'recovery_codes', key: ['secret_digest'] },
  { table: 'second_factor_rules', key: ['scope'] },
  { table: 'user_identities', key: ['issuer', 'subject'] },
  { table: 'invitations', key: ['invitation_id'] },
  { table: 'account_roles', key: ['user_name', 'account_id', 'role'] },
  { table: 'user_keys', key: ['key_id'] },
  { table: 'means_given', key: ['number'] },
  { table: 'user_passwords', view: 'password_digests', key: ['user_name'] },
  { table: 'login_links', key: ['secret_digest'] },
  { table: 'sessions', key: ['secret_digest'], skipped: ['last_seen_at'] },
  { table: 'accounts', key: ['account_id'] },
  { table: 'api_keys', key: ['key_id'] },
  { table: 'rates', key: ['base', 'quote'], skipped: ['loaded_at'] },
  {
    table: 'fees',
    key: ['payout_type', 'payout_currency', 'destination_country', 'network', 'charge_type'],
    skipped: ['fee_id'],
  },
  { table: 'pricing_policies', key: ['policy_id'] },
  { table: 'limits', key: ['limit_id'] },
  { table: 'clock_corrections', key: ['number'] },
  { table: 'approval_rules', key: ['rule_id'] },
  { table: 'screening_settings', key: ['only_row'] },
  { table: 'privacy_settings', key: ['only_row'] },
  { table: 'nostros', key: ['name'] },
  { table: 'house_journals', key: ['number'] },
  { table: 'funding_keys', key: ['id'] },
  { table: 'account_pools', key: ['account_id'] },
  { table: 'safeguarding_shares', key: ['pool', 'currency'] },
  { table: 'safeguarding_days', key: ['day', 'pool', 'currency', 'number'], skipped: ['external'] },
  { table: 'closes', key: ['month'], skipped: ['trial_balance', 'positions'] },
  { table: 'rails', key: ['name'] },
  {
    table: 'routes',
    key: [
      ...['account_id', 'payout_type', 'network', 'currency', 'country'],
      ...['min_amount', 'max_amount', 'rail'],
    ],
  },
  {
    table: 'webhook_endpoints',
    key: ['account_id', 'id'],
    skipped: ['fanned_out', 'delivery_count'],
    as_digest: true,
  },
]

/** All accounts share the log's chain, so a verification of one account skips this check. */
export async function checkReference(run: Verification): Promise<void> {
  if (run.account_id !== null) return
  for (const one of [CHAIN, HEAD, ...AUDITED_TABLES.map(rowsThatDiffer)]) await nameRows(run, one)
}

/** Each row equals its newest change. A later migration adds the columns that a change lacks. */
function rowsThatDiffer(audited: AuditedTable): Rule {
  const { table, view = table, key, skipped = [], as_digest = false } = audited
  const names = `array[${skipped.map(name => `'${name}'`).join(', ')}]::text[]`
  const now = as_digest
    ? `jsonb_build_object('account_id', t.account_id, 'id', t.id, 'digest',
          encode(sha256(convert_to((to_jsonb(t) - ${names})::text, 'UTF8')), 'hex'))`
    : `(to_jsonb(t) - array['secret_hash', 'secret'] - ${names})
          || case when to_jsonb(t) ?| array['secret_hash', 'secret']
            then jsonb_build_object('secret_digest', encode(sha256(convert_to(
              coalesce(to_jsonb(t) ->> 'secret_hash', to_jsonb(t) ->> 'secret'), 'UTF8')), 'hex'))
            else '{}' end`
  const keyOf = (row: string) =>
    `jsonb_build_array(${key.map(column => `${row} -> '${column}'`).join(', ')})`
  return rule(table)`
    with newest as (
      select distinct on (key) key, after from (
        select ${keyOf('coalesce(after, before)')} as key, after, change_id
        from audit_log where table_name = '${table}'
      ) c order by key, change_id desc
    ), stored as (
      select ${keyOf('row')} as key, row, count(*) over (partition by ${keyOf('row')}) as times
      from (select ${now} as row from ${view} t) t
    )
    select coalesce(s.row ->> 'account_id', n.after ->> 'account_id', '') as account_id,
      coalesce(s.key, n.key)::text as key,
      coalesce('as of its newest change, ' || n.after::text, 'a change in the audit log')
        as expected,
      coalesce(case when times > 1 then times || ' rows, ' else '' end || s.row::text, 'none')
        as found
    from stored s full join newest n on n.key = s.key
    where times > 1 or (s.key is null and n.after is not null)
      or (s.key is not null and n.after is null)
      or exists (
        select from jsonb_each(n.after) was
        where s.row ? was.key and s.row -> was.key is distinct from was.value
      )`
}

/** Changes have numbers without gaps, and hashes of their content and the previous hash. */
const CHAIN = rule('audit_log')`
  select '' as account_id, 'change_id ' || change_id as key,
    'the hash of its content and of the change before it' as expected,
    coalesce(encode(hash, 'hex'), 'none') as found
  from (
    select c.*, lag(hash) over numbers as previous, lag(change_id) over numbers as number_before
    from audit_log c window numbers as (order by change_id)
  ) c
  where change_id <> coalesce(number_before, 0) + 1
    or hash is distinct from sha256(
      coalesce(previous, decode('${EMPTY_HASH}', 'hex')) || convert_to(concat_ws(E'\\n', change_id,
        to_json(table_name), to_json(changed_by), to_json(act), to_json(via), origin,
        to_json(reason), changed_at, coalesce(before::text, 'null'),
        coalesce(after::text, 'null')), 'UTF8'))`

const HEAD = rule('reference_version')`
  select '' as account_id, '' as key,
    'one row: change ' || coalesce(c.change_id, 0) || ' ' || coalesce(encode(c.hash, 'hex'), '')
      as expected,
    coalesce(v.rows, 'none') as found
  from (
    select count(*) as times, bool_and(only_row) as only_rows, min(change_count) as change_count,
      string_agg(coalesce(change_count::text, 'none') || ' '
        || coalesce(encode(change_head, 'hex'), 'none'), ', ') as rows,
      string_agg(encode(change_head, 'hex'), '') as change_head
    from reference_version
  ) v
  left join (select * from audit_log order by change_id desc limit 1) c on true
  where v.times <> 1 or v.only_rows is distinct from true
    or v.change_count is distinct from coalesce(c.change_id, 0)
    or v.change_head is distinct from coalesce(encode(c.hash, 'hex'), '${EMPTY_HASH}')`
