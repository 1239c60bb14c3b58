// Spreads the tables of accounts over the machines of a Citus cluster. All are cut alike by
// account_id, so that all rows of an account are on one machine. Tables of no account stay on the
// coordinator. Each step first checks whether it is done already; docs/decisions/0060 says why each
// is needed.
import { literal, SERVICE_ROLE, type Sql, TAKEN_ROLES, type TransactionSql } from './connect.ts'
import { DatabaseProblem } from './failure.ts'

/** The changes made now, and those made before. */
export interface Distributed {
  readonly database: string
  readonly shards: number
  /** host:port of the machines that keep shards. */
  readonly nodes: readonly string[]
  /** The tables that were cut now, and those that were cut before. */
  readonly tables: readonly string[]
  readonly tables_before: readonly string[]
  /**
   * Roles that may log in from now on: Citus connects to the machines under the role of the
   * session.
   */
  readonly roles: readonly string[]
  /** Triggers that read or wrote tables of no account. The service does their work from now on. */
  readonly triggers: readonly string[]
  /** Settings of the database, and of the service's role on the machines that keep shards. */
  readonly settings: readonly string[]
}

/** All other tables are cut as this one is. */
const FIRST = 'books'

/** Settings of the database, for every session that begins from then on. */
const SETTINGS = {
  // A setting of a transaction also holds on the machines that it works on.
  'citus.propagate_set_commands': 'local',
  'corridor.spread': 'on',
} as const

/** The settings of a session of the service (connect.ts), for the machines that it reaches. */
const SETTINGS_OF_SERVICE = {
  timezone: 'UTC',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

/**
 * Has no sub-select, which Citus refuses. Usually one account is named and compared directly; the
 * names of several are read anew for each row (docs/decisions/0055).
 */
const NAMED = `account_id = current_setting('corridor.accounts', true) or array_position(
  string_to_array(current_setting('corridor.accounts', true), ','), account_id) is not null`
const MAINTENANCE = `current_setting('corridor.maintenance', true) = 'on'`

/** Functions that statements about rows of an account call. */
const FUNCTIONS = [
  'take_shard(bigint)',
  'require_all_written(bigint, bigint)',
  'numbered_id(text, text, timestamptz, bigint)',
  'digest_row(jsonb, text[])',
]

/**
 * A write that goes to the machine of its shard bypasses the plans of Citus. It takes the lock that
 * Citus takes for its own writes; while it is held, the shard does not move. If the shard has moved
 * before, the table there is no shard any more, and the write fails.
 */
const TAKE_SHARD = `
  create or replace function take_shard(part bigint) returns void language plpgsql
  security definer set search_path to pg_catalog, public, pg_temp as $$
  begin
    perform lock_shard_metadata(5, array[part]);
    if not exists (select from pg_dist_placement join pg_dist_local_group using (groupid)
      where shardid = part)
    then
      raise exception 'shard % is on another machine', part using errcode = 'serialization_failure';
    end if;
  end $$`

/** What the dropped triggers did. The service does it from then on. */
const OF_TRIGGERS = [
  'keep_reference(text, text, text, boolean)',
  'release_reference(text, text)',
  'keep_noted(text, jsonb, jsonb)',
]

/** @throws DatabaseProblem, with nothing changed, when the database cannot be spread as it is */
export async function distribute(owner: Sql, shards: number): Promise<Distributed> {
  const { database, nodes } = await refuseUnspreadable(owner)
  await refuseLive(owner)
  const tables = await listTables(owner)
  const missing = tables.filter(({ cut }) => !cut).map(({ name }) => name)
  if (missing.length > 0) await refuseMoving(owner, missing)
  const roles = await letRolesLogIn(owner)
  // Comes before the triggers go: if it broke off after that, no service would do their work.
  const settings = await setForSpread(owner, database)
  await owner.unsafe(TAKE_SHARD)
  const triggers = await owner.begin(async tx => {
    // Triggers of rows run where the rows are, and read no other table.
    await tx`set local citus.enable_unsafe_triggers = on`
    await tx.unsafe(`set local citus.shard_count = ${shards}`)
    await tx`set local lock_timeout = 0`
    const dropped = await dropTriggers(tx)
    await tx`alter table accounts drop constraint if exists sandboxes_only`
    await tx`alter table accounts add constraint sandboxes_only check (sandbox)`
    // Live accounts are not spread, and so no payment whose ids a bank gives back is either.
    await tx`alter table rail_items drop constraint if exists end_to_end_id_once`
    for (const { name, cut } of tables) {
      await tx.unsafe(`alter policy accounts_named on ${name} using (${NAMED})`)
      await tx.unsafe(`alter policy maintenance on ${name} using (${MAINTENANCE})`)
      if (!cut) await cutTable(tx, name)
    }
    for (const name of FUNCTIONS) await tx`select create_distributed_function(${name})`
    for (const name of OF_TRIGGERS) {
      await tx.unsafe(`grant execute on function ${name} to ${SERVICE_ROLE}`)
    }
    return dropped
  })
  await grantOnMachines(owner)
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer as count from pg_dist_shard where logicalrelid = ${FIRST}::regclass`
  return {
    database,
    shards: row?.count ?? 0,
    nodes,
    tables: missing,
    tables_before: tables.filter(({ cut }) => cut).map(({ name }) => name),
    roles,
    triggers,
    settings,
  }
}

async function refuseUnspreadable(owner: Sql) {
  const [found] = await owner<{ database: string; there: boolean; loaded: boolean }[]>`
    select current_database() as database,
      current_setting('shared_preload_libraries') like '%citus%' as loaded,
      exists (select from pg_extension where extname = 'citus') as there`
  const { database = '', there = false, loaded = false } = found ?? {}
  if (!there) {
    const way = loaded
      ? `let an administrator run "create extension citus" in database ${database} of each machine`
      : 'run PostgreSQL with Citus, as docs/distributed.md has it'
    throw new DatabaseProblem(`the database has no Citus, so nothing can be spread: ${way}`)
  }
  const rows = await owner<{ node: string }[]>`
    select nodename || ':' || nodeport as node from pg_dist_node
    where noderole = 'primary' and shouldhaveshards and isactive order by 1`
  if (rows.length === 0) {
    throw new DatabaseProblem(
      'the cluster has no machine that keeps shards: add one on the coordinator, by ' +
        `"select citus_add_node('host', 5432)"`,
    )
  }
  return { database, nodes: rows.map(({ node }) => node) }
}

/** Some rules that keep money have no constraint there (docs/distributed.md). */
async function refuseLive(owner: Sql): Promise<void> {
  const [live] = await owner<{ account_id: string }[]>`
    select account_id from accounts where not sandbox limit 1`
  if (live === undefined) return
  throw new DatabaseProblem(
    `${live.account_id} is a live account, and a spread database is for trials with sandboxes ` +
      'alone: leave live accounts on one PostgreSQL (docs/distributed.md)',
  )
}

/** The tables with rows of accounts: those under row-level security. The first is cut first. */
function listTables(owner: Sql): Promise<{ name: string; cut: boolean }[]> {
  return owner<{ name: string; cut: boolean }[]>`
    select c.relname as name, p.logicalrelid is not null as cut
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity
    order by c.relname <> ${FIRST}, c.relname`
}

/**
 * Refuses a log-in that may not move rows: they are copied into their shards, which row-level
 * security allows to few.
 */
async function refuseMoving(owner: Sql, tables: readonly string[]): Promise<void> {
  const [session] = await owner<{ login: string; may: boolean; served: boolean }[]>`
    select quote_ident(current_user) as login, rolsuper or rolbypassrls as may,
      exists (
        select from pg_stat_activity
        where datname = current_database() and application_name like 'corridor%'
          and pid <> pg_backend_pid()
      ) as served
    from pg_roles where rolname = current_user`
  if (session?.served === true) {
    throw new DatabaseProblem(
      'the service or a command still works on the database: stop it, and run this again',
    )
  }
  if (session?.may === true) return
  for (const table of tables) {
    const [row] = await owner.unsafe(`select from ${table} limit 1`)
    if (row === undefined) continue
    throw new DatabaseProblem(
      `${session?.login} may not move rows past row-level security: let an administrator run ` +
        `"alter role ${session?.login} bypassrls", and run this again`,
    )
  }
}

async function letRolesLogIn(owner: Sql): Promise<string[]> {
  const rows = await owner<{ name: string }[]>`
    select rolname as name from pg_roles
    where rolname = any (${[...TAKEN_ROLES]}::text[]) and not rolcanlogin order by 1`
  for (const { name } of rows) await owner.unsafe(`alter role ${name} login`)
  return rows.map(({ name }) => name)
}

/**
 * Functions of triggers that read the account, or earlier requests, which are on another machine.
 */
const OF_ACCOUNT = ['may_be_made', 'state_of_account']

/**
 * Drops the triggers whose function works as the owner of the tables: it writes where others may
 * not.
 */
async function dropTriggers(tx: TransactionSql): Promise<string[]> {
  const rows = await tx<{ name: string; table: string }[]>`
    select t.tgname as name, c.relname as table from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relrowsecurity
      and (p.prosecdef or t.tgname = any (${OF_ACCOUNT}::text[]))
    order by 2, 1`
  for (const { name, table } of rows) await tx.unsafe(`drop trigger ${name} on ${table}`)
  return rows.map(({ name, table }) => `${table}.${name}`)
}

async function cutTable(tx: TransactionSql, name: string): Promise<void> {
  const beside = name === FIRST ? 'none' : FIRST
  await tx`select create_distributed_table(${name}, 'account_id', colocate_with => ${beside})`
}

/**
 * Grants the views on the machines. Citus copies views there, but only those rights that are
 * granted afterwards.
 */
async function grantOnMachines(owner: Sql): Promise<void> {
  const rows = await owner<{ view: string; role: string }[]>`
    select c.relname as view, r.rolname as role
    from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
      and r.rolname = any (${[...TAKEN_ROLES]}::text[]) and a.privilege_type = 'SELECT'
    order by 1, 2`
  for (const { view, role } of rows) await owner.unsafe(`grant select on ${view} to ${role}`)
  await owner.unsafe(`revoke execute on function take_shard(bigint) from public`)
  await owner.unsafe(`grant execute on function take_shard(bigint) to ${SERVICE_ROLE}`)
}

/**
 * Makes the settings that belong to the database and are not in it: a copy of the database lacks
 * them.
 */
export async function setForSpread(owner: Sql, database: string): Promise<string[]> {
  const of = quoted(database)
  for (const [name, value] of Object.entries(SETTINGS)) {
    await owner.unsafe(`alter database ${of} set ${name} = ${literal(value)}`)
  }
  // Citus copies these to the machines itself.
  for (const [name, value] of Object.entries(SETTINGS_OF_SERVICE)) {
    await owner.unsafe(
      `alter role ${SERVICE_ROLE} in database ${of} set ${name} = ${literal(value)}`,
    )
  }
  const lines = (settings: object) => Object.entries(settings).map(([n, v]) => `${n} = ${v}`)
  return [...lines(SETTINGS), ...lines(SETTINGS_OF_SERVICE)]
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
