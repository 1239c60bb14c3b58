// The SQL statements of passwords, login links, sessions and attempts to log in.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { sql as part, type Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import { deleteDevices } from './device-store.ts'
import {
  ATTEMPT_MINUTES,
  CONFIRMED_MINUTES,
  IDLE_MINUTES,
  LINK_MINUTES,
  LONGEST_HOURS,
  type MOST_ATTEMPTS,
  type Session,
} from './session.ts'

/**
 * The stored hash of a password; undefined for a disabled user, an unknown one, and one without.
 */
export async function findPassword(sql: Sql, user_name: string): Promise<string | undefined> {
  const [row] = await sql<{ secret_hash: string }[]>`
    select p.secret_hash from user_passwords p join users on name = user_name
    where user_name = ${user_name} and disabled_at is null`
  return row?.secret_hash
}

/**
 * Sets the password, ends every session of the user, except one if it is given, and forgets the
 * user's devices.
 */
export async function upsertPassword(
  tx: TransactionSql,
  user_name: string,
  hashed: string,
  except: Buffer | null = null,
) {
  await tx`
    insert into user_passwords (user_name, secret_hash) values (${user_name}, ${hashed})
    on conflict (user_name) do update
      set secret_hash = excluded.secret_hash, set_at = clock_timestamp()`
  await endSessions(tx, user_name, except)
}

/** Makes a login link and ends the user's earlier ones. Undefined for a disabled user. */
export async function insertLink(tx: TransactionSql, user_name: string, token_hash: Buffer) {
  await tx`
    update login_links set ended_at = clock_timestamp()
    where user_name = ${user_name} and ended_at is null`
  const [link] = await tx<{ expires_at: Instant }[]>`
    insert into login_links (secret_hash, user_name, expires_at)
    select ${token_hash}, name, clock_timestamp() + make_interval(mins => ${LINK_MINUTES})
    from users where name = ${user_name} and disabled_at is null returning expires_at`
  return link
}

/** The name of the user of a valid login link; undefined for every other token. */
export async function findLink(sql: Sql, token_hash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ user_name: string }[]>`
    select user_name from login_links
    where secret_hash = ${token_hash} and ended_at is null and expires_at > clock_timestamp()`
  return row?.user_name
}

/**
 * Spends a login link; returns its user's name. Of two requests at once, only one gets the name.
 */
export async function spendLink(tx: TransactionSql, token_hash: Buffer) {
  const [row] = await tx<{ user_name: string }[]>`
    update login_links set ended_at = clock_timestamp()
    where secret_hash = ${token_hash} and ended_at is null and expires_at > clock_timestamp()
    returning user_name`
  return row?.user_name
}

/** Of a new row of `sessions`. */
const BEGUN = part`user_name, created_at,
  created_at + make_interval(hours => ${LONGEST_HOURS}) as expires_at,
  confirmed_at > clock_timestamp() - make_interval(mins => ${CONFIRMED_MINUTES}) as confirmed,
  session_lacks(user_name, factor_at) as lacks, by_provider`

/** How a person has proved who they are. */
export interface Proof {
  /** By the provider of log-ins; else by the password, just now. */
  readonly by_provider: boolean
  /** When it was at the provider, in seconds since 1970; null if it does not say. */
  readonly auth_time: number | null
  /** Whether it was by several factors. */
  readonly has_factor: boolean
}

const BY_PASSWORD: Proof = { by_provider: false, auth_time: null, has_factor: false }

/** Begins a session; a trigger writes it to the history. Undefined for a disabled user. */
export async function insertSession(
  tx: TransactionSql,
  user_name: string,
  token_hash: Buffer,
  { by_provider, auth_time, has_factor }: Proof = BY_PASSWORD,
) {
  // With the lock, a transaction that disables the user comes after, and ends this session too.
  const [session] = await tx<Session[]>`
    insert into sessions (secret_hash, user_name, by_provider, confirmed_at, factor_at)
    select ${token_hash}, name, ${by_provider},
      case when ${by_provider}
        then least(clock_timestamp(), to_timestamp(${auth_time ?? 0}::double precision))
        else clock_timestamp() end,
      case when ${has_factor} then clock_timestamp() end
    from users
    where name = ${user_name} and disabled_at is null for share
    returning ${BEGUN}`
  return session
}

/** A session with another token in place of one that is open. */
export interface Renewal {
  readonly of: Buffer
  readonly as: Buffer
  /** Whether the person has proved the second factor: now, as the old session says, or not. */
  readonly factor: 'now' | 'kept' | 'none'
}

/**
 * Ends a session, and begins another in its place, with the time of its password. Undefined when
 * the session is over, or its user disabled.
 */
export async function renewSession(tx: TransactionSql, { of, as, factor }: Renewal) {
  const [ended] = await tx<Ended[]>`
    update sessions set ended_at = clock_timestamp()
    where secret_hash = ${of} and ended_at is null
    returning user_name, confirmed_at, factor_at, by_provider`
  if (ended === undefined) return undefined
  const [session] = await tx<Session[]>`
    insert into sessions (secret_hash, user_name, by_provider, confirmed_at, factor_at)
    select ${as}, name, ${ended.by_provider}, ${ended.confirmed_at}::timestamptz,
      case ${factor} when 'now' then clock_timestamp()
        when 'kept' then ${ended.factor_at}::timestamptz end
    from users where name = ${ended.user_name} and disabled_at is null for share
    returning ${BEGUN}`
  return session
}

interface Ended {
  readonly user_name: string
  readonly confirmed_at: Instant
  readonly factor_at: Instant | null
  readonly by_provider: boolean
}

/**
 * The session of a token; undefined when it is over. Writes the time of this use, to the minute.
 */
export async function findSession(sql: Sql, token_hash: Buffer): Promise<Session | undefined> {
  const [session] = await sql<Session[]>`
    with found as (
      select * from sessions
      where secret_hash = ${token_hash} and ended_at is null
        and last_seen_at > clock_timestamp() - make_interval(mins => ${IDLE_MINUTES})
        and created_at > clock_timestamp() - make_interval(hours => ${LONGEST_HOURS})
    ), seen as (
      update sessions s set last_seen_at = clock_timestamp() from found f
      where s.secret_hash = f.secret_hash and s.ended_at is null
        and s.last_seen_at < clock_timestamp() - interval '1 minute'
    )
    select user_name, created_at,
      created_at + make_interval(hours => ${LONGEST_HOURS}) as expires_at,
      confirmed_at > clock_timestamp() - make_interval(mins => ${CONFIRMED_MINUTES}) as confirmed,
      session_lacks(user_name, factor_at) as lacks, by_provider
    from found`
  return session
}

/** Writes the time at which a session gave its password. False when the session is over. */
export async function confirmSession(tx: TransactionSql, token_hash: Buffer): Promise<boolean> {
  const { count } = await tx`
    update sessions set confirmed_at = clock_timestamp()
    where secret_hash = ${token_hash} and ended_at is null`
  return count === 1
}

export async function endSession(tx: TransactionSql, token_hash: Buffer): Promise<void> {
  await tx`
    update sessions set ended_at = clock_timestamp()
    where secret_hash = ${token_hash} and ended_at is null`
}

/**
 * Ends every open session of a user, except one if it is given, and forgets the user's devices;
 * returns how many sessions it has ended.
 */
export async function endSessions(
  sql: Tag,
  user_name: string,
  except: Buffer | null = null,
): Promise<number> {
  await deleteDevices(sql, user_name)
  const { count } = await sql`
    update sessions set ended_at = clock_timestamp()
    where user_name = ${user_name} and ended_at is null
      and secret_hash is distinct from ${except}::bytea`
  return count
}

/** The counters of an attempt. */
export interface Source {
  readonly user_name: string
  readonly network: string
  /** The hash of the token of the known device or the session; null of strangers. */
  readonly device: Buffer | null
  readonly means: 'password' | 'code'
}

/** An attempt to log in, with the counts of the user's recent attempts, this one included. */
export interface Attempt {
  readonly number: string
  /** From the same network, or from the same device. */
  readonly of_network: number
  readonly of_all: number
}

/**
 * Inserts an attempt and counts the user's attempts of the last ATTEMPT_MINUTES: the strangers', or
 * the device's. The insert commits before the count, so attempts at the same time count each other.
 * Undefined, and no row, when there were too many already.
 */
export async function countAttempt(
  sql: Sql,
  { user_name, network, device, means }: Source,
  most: typeof MOST_ATTEMPTS,
) {
  const recent = part`
    select count(*)::integer as of_all,
      count(*) filter (where network = ${network} or device is not null)::integer as of_network
    from login_attempts
    where user_name = ${user_name} and device is not distinct from ${device} and means = ${means}
      and attempted_at > clock_timestamp() - make_interval(mins => ${ATTEMPT_MINUTES})`
  const [attempt] = await sql<{ number: string }[]>`
    insert into login_attempts (user_name, network, device, means)
    select ${user_name}, ${network}, ${device}::bytea, ${means} from (${recent}) recent
    where of_network <= ${most.of_network} and of_all <= ${most.of_all}
    returning number::text`
  if (attempt === undefined) return undefined
  const [counted] = await sql<{ of_network: number; of_all: number }[]>`${recent}`
  return { of_network: 0, of_all: 0, ...attempt, ...counted }
}

/** Marks an attempt as refused, and writes the reason to the history if the user exists. */
export async function keepRefused(
  tx: TransactionSql,
  { number }: Pick<Attempt, 'number'>,
  why: 'wrong password' | 'wrong code' | 'too many attempts',
): Promise<void> {
  await tx`select keep_refused_login(${number}::text::bigint, ${why})`
}

/** Deletes a user's attempts from a network or a device, once the user has logged in from it. */
export async function forgetAttempts(sql: Sql, { user_name, network, device, means }: Source) {
  await sql`
    delete from login_attempts
    where user_name = ${user_name} and device is not distinct from ${device} and means = ${means}
      and (network = ${network} or device is not null)`
}

/** Deletes the attempts that are too old to count; returns how many. */
export async function deleteOldAttempts({ sql }: { readonly sql: Sql }): Promise<number> {
  const { count } = await sql`
    delete from login_attempts
    where attempted_at < clock_timestamp() - make_interval(mins => ${ATTEMPT_MINUTES})`
  return count
}

/** Which of these sessions are not over, by the token's hash in hex. Does not count as a use. */
export async function listOpenSessions(sql: Sql, hashes: readonly string[]): Promise<string[]> {
  const rows = await sql<{ hash: string }[]>`
    select encode(secret_hash, 'hex') as hash from sessions
    where secret_hash in (select decode(h, 'hex') from unnest(${hashes as string[]}::text[]) h)
      and ended_at is null
      and last_seen_at > clock_timestamp() - make_interval(mins => ${IDLE_MINUTES})
      and created_at > clock_timestamp() - make_interval(hours => ${LONGEST_HOURS})
      and session_lacks(user_name, factor_at) is null`
  return rows.map(({ hash }) => hash)
}

export async function listLastSeen(sql: Sql): Promise<ReadonlyMap<string, Instant>> {
  const rows = await sql<{ user_name: string; last: Instant }[]>`
    select user_name, max(last_seen_at) as last from sessions group by user_name`
  return new Map(rows.map(({ user_name, last }) => [user_name, last]))
}
