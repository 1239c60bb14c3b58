// The SQL statements of second factors, of recovery codes, and of who must have a second factor.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import { type SecondFactor, STEP_S } from './second-factor.ts'

/** Keeps the secret of a factor that waits for its first code; false when the user has a factor. */
export async function upsertFactor(tx: TransactionSql, user_name: string, secret: string) {
  const { count } = await tx`
    insert into second_factors (user_name, secret) values (${user_name}, ${secret})
    on conflict (user_name) do update
      set secret = excluded.secret, made_at = clock_timestamp(), last_step = 0
      where second_factors.enrolled_at is null`
  return count === 1
}

/** The user's factor; undefined without one. `enrolled`: whether it counts, or waits. */
export async function findFactor(sql: Tag, user_name: string, enrolled: boolean) {
  const [factor] = await sql<SecondFactor[]>`
    select secret, last_step,
      floor(extract(epoch from clock_timestamp()) / ${STEP_S})::bigint as step
    from second_factors
    where user_name = ${user_name} and (enrolled_at is not null) = ${enrolled}`
  return factor
}

/**
 * Takes the code of a step for this secret. Of two requests at once with one code, only one gets
 * true, and none after another secret has come.
 */
export async function takeStep(
  tx: TransactionSql,
  user_name: string,
  step: bigint,
  secret: string,
) {
  const { count } = await tx`
    update second_factors set last_step = ${step}
    where user_name = ${user_name} and last_step < ${step} and secret = ${secret}`
  return count === 1
}

/** The factor counts from now on, with these recovery codes. False when it counted before. */
export async function enrolFactor(
  tx: TransactionSql,
  user_name: string,
  hashes: readonly Buffer[],
): Promise<boolean> {
  const { count } = await tx`
    update second_factors set enrolled_at = clock_timestamp()
    where user_name = ${user_name} and enrolled_at is null`
  if (count === 0) return false
  for (const secret_hash of hashes) {
    await tx`
      insert into recovery_codes (secret_hash, user_name) values (${secret_hash}, ${user_name})`
  }
  return true
}

/** Uses a recovery code up. Of two requests at once, only one gets true. */
export async function useRecoveryCode(tx: TransactionSql, user_name: string, secret_hash: Buffer) {
  const { count } = await tx`
    update recovery_codes set used_at = clock_timestamp()
    where user_name = ${user_name} and secret_hash = ${secret_hash} and used_at is null`
  return count === 1
}

/** Removes the user's factor and recovery codes; false without a factor. */
export async function deleteFactor(sql: Tag, user_name: string): Promise<boolean> {
  await sql`delete from recovery_codes where user_name = ${user_name}`
  const { count } = await sql`delete from second_factors where user_name = ${user_name}`
  return count === 1
}

/** When the factor of the user was enrolled, and the recovery codes that are left. */
export async function findFactorState(sql: Sql, user_name: string) {
  const [state] = await sql<{ enrolled_at: Instant; codes_left: number }[]>`
    select enrolled_at, (
      select count(*)::integer from recovery_codes r
      where r.user_name = f.user_name and used_at is null
    ) as codes_left
    from second_factors f where user_name = ${user_name} and enrolled_at is not null`
  return state
}

/** When each user has enrolled a factor, by user. */
export async function listEnrolled(sql: Tag): Promise<ReadonlyMap<string, Instant>> {
  const rows = await sql<{ user_name: string; enrolled_at: Instant }[]>`
    select user_name, enrolled_at from second_factors where enrolled_at is not null`
  return new Map(rows.map(({ user_name, enrolled_at }) => [user_name, enrolled_at]))
}

/** Who must have a second factor: the users of the installation, or those of an account. */
export interface FactorRule {
  /** `installation`, or the id of an account. */
  readonly scope: string
  readonly required_at: Instant
}

export async function listFactorRules(sql: Tag): Promise<FactorRule[]> {
  return sql<FactorRule[]>`select scope, required_at from second_factor_rules order by scope desc`
}

/** Adds a rule; returns it, or the earlier one. */
export async function insertFactorRule(sql: Tag, scope: string): Promise<FactorRule> {
  await sql`insert into second_factor_rules (scope) values (${scope}) on conflict do nothing`
  const [rule] = await sql<FactorRule[]>`
    select scope, required_at from second_factor_rules where scope = ${scope}`
  return rule as FactorRule
}

/** Removes a rule; undefined when there is none. */
export async function deleteFactorRule(sql: Tag, scope: string): Promise<FactorRule | undefined> {
  const [rule] = await sql<FactorRule[]>`
    delete from second_factor_rules where scope = ${scope} returning scope, required_at`
  return rule
}
