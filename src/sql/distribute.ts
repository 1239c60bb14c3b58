// Spreads the tables of accounts over the machines of a Citus cluster. Citus distributes each by
// account_id and co-locates them, so that one machine has all rows of an account. Other tables stay
// on the coordinator. Each step first checks whether it is done already; docs/decisions/citus.md
// says why each is needed.
import {
  LOOK_UP_PLANS,
  literal,
  SERVICE_ROLE,
  SESSION_ROLES,
  type Sql,
  type TransactionSql,
} from './connect.ts'
import { DatabaseProblem } from './failure.ts'

/** The changes made now, and those made before. */
export interface Distributed {
  readonly database: string
  readonly shards: number
  /** host:port of the machines that keep shards. */
  readonly nodes: readonly string[]
  /** The tables that this run distributed, and those that were distributed before. */
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

/** Distributed first. All other tables are co-located with it. */
const FIRST = 'books'

/** Settings of the database, for every session that begins from then on. */
const SETTINGS = {
  // A setting of a transaction also holds on the machines that it works on.
  'citus.propagate_set_commands': 'local',
  'corridor.spread': 'on',
} as const

/** The service's session settings (connect.ts), for the sessions that Citus opens on machines. */
const SERVICE_SETTINGS = {
  timezone: 'UTC',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
  ...LOOK_UP_PLANS,
} as const

/**
 * The policy's condition: the transaction names the row's account. Citus refuses a sub-select in
 * it. The usual single name is compared directly; several names are split again for each row
 * (docs/decisions/citus.md).
 */
const IS_NAMED = `account_id = current_setting('corridor.accounts', true) or array_position(
  string_to_array(current_setting('corridor.accounts', true), ','), account_id) is not null`
const MAINTENANCE = `current_setting('corridor.maintenance', true) = 'on'`

/** Functions that statements about an account's rows call on the machine of the rows. */
const FUNCTIONS = [
  'take_shard(bigint)',
  'require_all_written(bigint, bigint)',
  'numbered_id(text, text, timestamptz, bigint)',
  'digest_row(jsonb, text[])',
]

/**
 * Creates the function that locks a shard. A write sent to its shard's machine bypasses Citus, so
 * it calls this function to take the lock of Citus's own writes: while a transaction holds it, the
 * shard does not move. The function fails when the shard has already moved.
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

/** Functions that do the work of the dropped triggers. The service calls them from then on. */
const TRIGGER_WORK = [
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
  // Precedes the drop of the triggers: a service learns from the settings to do the triggers' work.
  const settings = await setForSpread(owner, database)
  await owner.unsafe(TAKE_SHARD)
  const triggers = await owner.begin(async tx => {
    // Safe: a row's trigger runs on the row's machine, and reads no other table.
    await tx`set local citus.enable_unsafe_triggers = on`
    await tx.unsafe(`set local citus.shard_count = ${shards}`)
    await tx`set local lock_timeout = 0`
    const dropped = await dropTriggers(tx)
    await tx`alter table accounts drop constraint if exists sandboxes_only`
    await tx`alter table accounts add constraint sandboxes_only check (sandbox)`
    // Spans accounts, which Citus cannot check. Without live accounts, no bank returns these ids.
    await tx`alter table rail_items drop constraint if exists end_to_end_id_once`
    for (const { name, cut } of tables) {
      await tx.unsafe(`alter policy accounts_named on ${name} using (${IS_NAMED})`)
      await tx.unsafe(`alter policy maintenance on ${name} using (${MAINTENANCE})`)
      if (!cut) await distributeTable(tx, name)
    }
    for (const name of FUNCTIONS) await tx`select create_distributed_function(${name})`
    for (const name of TRIGGER_WORK) {
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

/** Refuses a database without Citus, or without a machine for shards. */
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

/** Refuses live accounts: a spread database has no constraint for some rules of money. */
async function refuseLive(owner: Sql): Promise<void> {
  const [live] = await owner<{ account_id: string }[]>`
    select account_id from accounts where not sandbox limit 1`
  if (live === undefined) return
  throw new DatabaseProblem(
    `${live.account_id} is a live account, and a spread database is for trials with sandboxes ` +
      'alone: leave live accounts on one PostgreSQL (docs/distributed.md)',
  )
}

/** Lists the tables under row-level security, FIRST first. `cut`: Citus already distributes it. */
function listTables(owner: Sql): Promise<{ name: string; cut: boolean }[]> {
  return owner<{ name: string; cut: boolean }[]>`
    select c.relname as name, p.logicalrelid is not null as cut
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity
    order by c.relname <> ${FIRST}, c.relname`
}

/**
 * Refuses while the service or a command has a session. Refuses a log-in that row-level security
 * keeps from copying existing rows into their shards.
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
    where rolname = any (${[...SESSION_ROLES]}::text[]) and not rolcanlogin order by 1`
  for (const { name } of rows) await owner.unsafe(`alter role ${name} login`)
  return rows.map(({ name }) => name)
}

/**
 * `may_be_made` and `leaves_a_dead_file` read tables of the coordinator. `state_of_account` lets
 * only a trigger change a state; on a machine, the coordinator's trigger looks like any other
 * statement.
 */
export const COORDINATOR_TRIGGERS: readonly string[] = [
  'may_be_made',
  'leaves_a_dead_file',
  'state_of_account',
]

/**
 * Drops COORDINATOR_TRIGGERS, and the triggers whose function runs as the tables' owner, because it
 * writes tables of no account. Returns their names as `table.trigger`.
 */
async function dropTriggers(tx: TransactionSql): Promise<string[]> {
  const rows = await tx<{ name: string; table: string }[]>`
    select t.tgname as name, c.relname as table from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relrowsecurity
      and (p.prosecdef or t.tgname = any (${COORDINATOR_TRIGGERS}::text[]))
    order by 2, 1`
  for (const { name, table } of rows) await tx.unsafe(`drop trigger ${name} on ${table}`)
  return rows.map(({ name, table }) => `${table}.${name}`)
}

async function distributeTable(tx: TransactionSql, name: string): Promise<void> {
  const other = name === FIRST ? 'none' : FIRST
  await tx`select create_distributed_table(${name}, 'account_id', colocate_with => ${other})`
}

/**
 * Grants the views and take_shard on the machines. Citus copies a view to the machines without the
 * rights granted before, so this repeats each grant.
 */
async function grantOnMachines(owner: Sql): Promise<void> {
  const rows = await owner<{ view: string; role: string }[]>`
    select c.relname as view, r.rolname as role
    from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
      and r.rolname = any (${[...SESSION_ROLES]}::text[]) and a.privilege_type = 'SELECT'
    order by 1, 2`
  for (const { view, role } of rows) await owner.unsafe(`grant select on ${view} to ${role}`)
  await owner.unsafe(`revoke execute on function take_shard(bigint) from public`)
  await owner.unsafe(`grant execute on function take_shard(bigint) to ${SERVICE_ROLE}`)
}

/**
 * Makes the settings of the database and of the service's role in it. PostgreSQL does not copy them
 * with a database, so a copy needs them again.
 */
export async function setForSpread(owner: Sql, database: string): Promise<string[]> {
  const quoted = quoteName(database)
  for (const [name, value] of Object.entries(SETTINGS)) {
    await owner.unsafe(`alter database ${quoted} set ${name} = ${literal(value)}`)
  }
  // Citus copies the role's settings to the machines.
  for (const [name, value] of Object.entries(SERVICE_SETTINGS)) {
    await owner.unsafe(
      `alter role ${SERVICE_ROLE} in database ${quoted} set ${name} = ${literal(value)}`,
    )
  }
  const lines = (settings: object) => Object.entries(settings).map(([n, v]) => `${n} = ${v}`)
  return [...lines(SETTINGS), ...lines(SERVICE_SETTINGS)]
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
