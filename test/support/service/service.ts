// Starts the real service on a test database, called without a socket, with funded accounts, rates
// and keys. A test replaces at most the clock, the rates and the rail.

import type { FastifyBaseLogger, FastifyInstance, InjectOptions } from 'fastify'
import { DAILY_QUOTA, hashSecret, makeApiKey, type Scope } from '../../../src/accounts/rules.ts'
import { insertApiKey } from '../../../src/accounts/store.ts'
import {
  insertAccountRole,
  insertUser,
  insertUserKey,
  listUsers,
} from '../../../src/accounts/user/store.ts'
import type { AccountRole, UserRole } from '../../../src/accounts/user/user.ts'
import { buildApp } from '../../../src/app/app.ts'
import type { createFunded } from '../../../src/cli/account.ts'
import type { Context } from '../../../src/cli/context.ts'
import { type Config, readConfig } from '../../../src/config/config.ts'
import type { Limit } from '../../../src/controls/limit/limit.ts'
import { insertLimit } from '../../../src/controls/limit/store.ts'
import { Lane } from '../../../src/engine/lane.ts'
import {
  createAccount,
  type OpenedAccount,
  openAccount,
} from '../../../src/operator/account-operations.ts'
import type { Fee } from '../../../src/prices/fee/rules.ts'
import { replaceFees } from '../../../src/prices/fee/store.ts'
import type { PolicyName, Scope as PricingScope } from '../../../src/prices/policy/rules.ts'
import { insertPolicies } from '../../../src/prices/policy/store.ts'
import { upsertRates } from '../../../src/prices/rate/store.ts'
import { MANUAL } from '../../../src/rails/rail.ts'
import type { Route } from '../../../src/rails/rules.ts'
import { upsertRoute } from '../../../src/rails/store.ts'
import { type Deps, openDeps } from '../../../src/runtime/deps.ts'
import { makeMetrics, writeMetrics } from '../../../src/runtime/metrics.ts'
import { connect, databaseNow, type Sql } from '../../../src/sql/connect.ts'
import { bookMoney, fundAccount } from '../../../src/statements/funding/operations.ts'
import { newAccountId, newId } from '../../../src/values/id.ts'
import { parseDecimal } from '../../../src/values/money/decimal.ts'
import { newSecret, newUserSecret } from '../../../src/values/secret.ts'
import { createDatabase, type TestDatabase } from '../database/database.ts'
import { anyRoute, feeRow } from '../given/in-memory.ts'
import { parsed } from '../given/parsed.ts'
import { keepMetrics, serviceLog } from './logs.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
  readonly json: any
}

/** Requests with one account's key. */
export interface Client extends OpenedAccount {
  get(url: string, headers?: Record<string, string>): Promise<Answer>
  /** Sends text or bytes as they are, any other `body` as JSON. */
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  put(url: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface TestService {
  readonly database: TestDatabase
  readonly app: FastifyInstance
  readonly deps: Deps
  /** Sends any request, without credentials. */
  inject(options: InjectOptions): Promise<Answer>
  /** Opens an account; `fund` is in minor units, by currency. */
  openAccount(options?: AccountOptions): Promise<Client>
  /** Opens many accounts in few transactions. */
  openAccounts(options: readonly AccountOptions[]): Promise<Client[]>
  /** Makes one more key of an account. */
  addKey(of: OpenedAccount, scope: Scope): Promise<Client>
  /** Sets rates such as `{ 'EUR/USD': '1.1' }`, as of now by default. */
  setRates(rates: Readonly<Record<string, string>>, as_of?: string): Promise<void>
  setFees(fees: readonly Partial<Fee>[]): Promise<void>
  /**
   * Replaces all routes of live accounts; a route without a rail, such as `{ currency: 'HKD' }`,
   * leads to the manual rail.
   */
  setRoutes(routes: readonly Partial<Route>[]): Promise<void>
  /** Adds limits, by default over the last 24 hours; they do not count existing payouts. */
  setLimits(limits: readonly Partial<Limit>[]): Promise<void>
  /** Sets pricing policies from now on, by default for the installation. */
  setPricing(values: PricingValues, scope?: Partial<PricingScope>): Promise<void>
  /**
   * Another service on the same database with its own reference data, by default with the same
   * settings.
   */
  anotherProcess(settings?: Partial<Config>): Promise<AnotherProcess>
  /** Ends the service and all sessions on its database, and keeps the database. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

export type PricingValues = Readonly<Partial<Record<PolicyName, string | number>>>

export type TestSettings = Partial<Config> & { readonly pricing?: PricingValues }

export interface AnotherProcess {
  readonly deps: Deps
  inject(options: InjectOptions): Promise<Answer>
  close(): Promise<void>
}

export interface AccountOptions {
  readonly currencies?: readonly string[]
  readonly primary?: string
  readonly fund?: Readonly<Record<string, bigint>>
  /** True by default: the simulator settles only sandbox accounts. */
  readonly sandbox?: boolean
  /** 0 (off) by default: most tests make the same payout many times. */
  readonly duplicate_window_s?: number
  readonly daily_rows?: number
  readonly daily_mb?: number
}

/**
 * Starts a service without workers: a test that needs settlement calls settleOnce, or starts the
 * worker.
 */
export async function startTestService(
  { pricing = {}, ...config }: TestSettings = {},
  log: FastifyBaseLogger = serviceLog(),
): Promise<TestService> {
  const database = await createDatabase()
  const full: Config = {
    ...readConfig({ LOG_LEVEL: 'silent', DATABASE_URL: database.url }),
    ...config,
  }
  const { app, deps, inject, close } = await startProcess(database.url, full, log)
  const operator = openOperator(database.url, full)
  const setPricing = async (values: PricingValues, scope: Partial<PricingScope> = {}) => {
    const whole = { account_id: null, from_currency: null, to_currency: null, ...scope }
    await deps.sql.begin(async tx => {
      const now = await databaseNow(tx as unknown as Sql)
      const policies = Object.entries(values).map(([name, value]) => {
        return { ...whole, name: name as PolicyName, value: String(value), effective_from: now }
      })
      await insertPolicies(tx, policies)
    })
    await deps.reference.refresh()
  }
  if (Object.keys(pricing).length > 0) await setPricing(pricing)
  const disconnect = async () => {
    await operator.sql.end({ timeout: 5 })
    await close()
  }
  return {
    database,
    app,
    deps,
    inject,
    async openAccount(options = {}) {
      const wanted = { ...wantedAccount(options), fund: fundsOf(options) }
      const opened = await openFunded(operator, wanted)
      await deps.reference.refresh()
      return client(opened, inject)
    },
    async openAccounts(options) {
      const commands = options.map(option => openCommand(wantedAccount(option)))
      const funds = commands.flatMap(({ account: { account_id } }, i) =>
        fundsOf(options[i] ?? {}).map(fund => ({ account_id, ...fund, source: newId('esc') })),
      )
      const patient = { max_batch: 500, max_wait_ms: 60_000 }
      const opening = new Lane(operator.sql, openAccount, patient)
      await Promise.all(commands.map(command => opening.run(command)))
      const funding = new Lane(operator.sql, fundAccount, patient)
      await Promise.all(funds.map(command => funding.run(command)))
      await deps.reference.refresh()
      return commands.map(({ account, key: { key_id }, secret }) =>
        client({ account, key_id, secret }, inject),
      )
    },
    async addKey({ account }, scope) {
      const secret = newSecret(account)
      const { account_id } = account
      const key_id = newId('key')
      const secret_hash = hashSecret(secret)
      const key = { key_id, account_id, scope, name: 'test', secret_hash }
      await insertApiKey(deps.sql, { ...key, owner: null, makes_only: false })
      await deps.reference.refresh()
      return client({ account, key_id, secret }, inject)
    },
    async setRates(rates, as_of = new Date().toISOString()) {
      const rows = Object.entries(rates).map(([pair, text]) => {
        const [base = '', quote = ''] = pair.split('/')
        const mid = parseDecimal(text)
        if (mid === undefined) throw new Error(`rate ${text}`)
        return { base, quote, mid, source: 'test', as_of, pegged: false, sample: false }
      })
      await upsertRates(deps.sql, rows)
      await deps.reference.refresh()
    },
    async setFees(fees) {
      await deps.sql.begin(tx => replaceFees(tx, fees.map(feeRow)))
      await deps.reference.refresh()
    },
    async setRoutes(routes) {
      await deps.sql`delete from routes`
      // The test may name rails without a row, so the constraint on their names must go.
      if (routes.some(({ rail = 'manual' }) => rail !== 'manual')) {
        await letRoutesNameAnyRail(database.owner)
      }
      for (const route of routes) await upsertRoute(deps.sql, { ...ANY_PAYOUT, ...route })
      await deps.reference.refresh()
    },
    async setLimits(limits) {
      await deps.sql.begin(async tx => {
        for (const limit of limits) {
          await insertLimit(tx, { ...ANY_LIMIT, ...limit, limit_id: newId('lim') })
        }
      })
      await deps.reference.refresh()
    },
    setPricing,
    anotherProcess: settings => startProcess(database.url, { ...full, ...settings }, log),
    async disconnect() {
      await disconnect()
      await database.owner.end({ timeout: 5 })
    },
    async close() {
      await disconnect()
      await database.drop()
    },
  }
}

async function startProcess(url: string, config: Config, log: FastifyBaseLogger) {
  const deps = await openDeps(url, config, log, makeMetrics())
  const app = await buildApp(deps)
  await app.ready()
  return {
    app,
    deps,
    async inject(options: InjectOptions): Promise<Answer> {
      const response = await app.inject(options)
      const { statusCode: status, headers, payload: text } = response
      return { status, headers, text, json: parsed(text) }
    },
    async close() {
      await app.close()
      await deps.close()
      keepMetrics((await writeMetrics(deps.metrics)).join(''))
    },
  }
}

function wantedAccount(options: AccountOptions) {
  const { currencies = ['USD', 'EUR', 'HKD'], primary = currencies[0] ?? 'USD' } = options
  const { sandbox = true, duplicate_window_s = 0 } = options
  const { daily_rows, daily_mb } = { ...DAILY_QUOTA, ...options }
  const us_state = 'none' as const
  const settings = { sandbox, duplicate_window_s, daily_rows, daily_mb, us_state }
  return { name: 'Test', currencies, primary_currency: primary, ...settings }
}

function fundsOf({ fund = {} }: AccountOptions) {
  return Object.entries(fund).map(([currency, amount]) => ({ currency, amount }))
}

function openCommand(wanted: ReturnType<typeof wantedAccount>) {
  const account = { ...wanted, account_id: newAccountId(), deposit_address: newId('dep') }
  const secret = newId('key')
  const options = { scope: 'write', name: 'test', secret } as const
  return { account, key: makeApiKey(account.account_id, options, newId), secret }
}

/** A route of every payout to the manual rail. */
const ANY_PAYOUT: Route = { ...anyRoute, rail: MANUAL }

/** A limit on the number of an account's payouts within 24 hours. */
const ANY_LIMIT: Omit<Limit, 'limit_id'> = {
  account_id: null,
  key_id: null,
  rail: null,
  network: null,
  new_for_hours: null,
  each: 'account',
  currency: null,
  cap: 0n,
  per: 'hours',
  zone: null,
  hours: 24,
}

/**
 * Runs operations as CLI commands do, over one connection for all of a test: each command would
 * open its own.
 */
function openOperator(url: string, config: Config): Pick<Context, 'sql' | 'run' | 'config'> {
  const cli = { max: 1, application_name: 'corridor cli', operator: config.user }
  const sql = connect(url, { ...cli, as: 'service' })
  return {
    config,
    sql,
    run: ({ operation, command }) => new Lane(sql, operation, { max_batch: 1 }).run(command),
  }
}

/** Opens an account and books its opening balances, as an operator. */
export async function openFunded(
  { run, config }: Pick<Context, 'run' | 'config'>,
  { fund, ...wanted }: Parameters<typeof createFunded>[1],
): Promise<OpenedAccount> {
  const opened = await createAccount(
    (operation, command) => run({ operation, command, act: null }),
    wanted,
    config.user,
  )
  const { account_id } = opened.account
  const words = { kind: 'funding', reference: '', reason: '', by: '' } as const
  for (const amount of fund) {
    const command = { ...words, account_id, ...amount, source: newId('esc') }
    await run({ operation: bookMoney, command, act: null })
  }
  return opened
}

/**
 * Drops the constraint on rail names. The service may read both tables at the same time, which can
 * deadlock (40P01): then tries again.
 */
async function letRoutesNameAnyRail(owner: Sql): Promise<void> {
  for (;;) {
    try {
      await owner`alter table routes drop constraint if exists taken_by_a_known_rail`
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error
    }
  }
}

/** The key of a user whom the test has made. */
export interface PersonClient {
  readonly user: string
  readonly key_id: string
  readonly secret: string
  /** The headers of a request in the user's name, for this account if given. */
  headers(account_id?: string): Record<string, string>
}

/** Makes a user with a key and these roles on accounts. */
export async function addPerson(
  service: Pick<TestService, 'deps' | 'database'>,
  person: NewPerson,
): Promise<PersonClient> {
  return (await addPeople(service, [person]))[0] as PersonClient
}

/** Makes several of them. */
export async function addPeople(
  { deps, database }: Pick<TestService, 'deps' | 'database'>,
  people: readonly NewPerson[],
): Promise<PersonClient[]> {
  const sql = deps.sql
  const first = people[0]?.role !== 'operator' && (await listUsers(sql)).length === 0
  if (first) {
    await insertUser(sql, { name: 'first', full_name: 'The first operator', role: 'operator' })
  }
  const made: PersonClient[] = []
  for (const { user, role = 'member', roles = [] } of people) {
    const secret = newUserSecret()
    const key_id = newId('usk')
    await insertUser(sql, { name: user, full_name: user, role })
    for (const [account_id, given] of roles) {
      await insertAccountRole(sql, { user_name: user, account_id, role: given })
    }
    const key = { key_id, user_name: user, secret_hash: hashSecret(secret), name: 'test' }
    await insertUserKey(database.owner, key)
    const authorization = basic(key_id, secret)
    const headers = (account_id?: string) => ({
      authorization,
      ...(account_id !== undefined && { 'corridor-account': account_id }),
    })
    made.push({ user, key_id, secret, headers })
  }
  await deps.reference.refresh()
  return made
}

export interface NewPerson {
  readonly user: string
  readonly role?: UserRole
  readonly roles?: readonly (readonly [account_id: string, role: AccountRole])[]
}

export function basic(key_id: string, secret: string): string {
  return `Basic ${Buffer.from(`${key_id}:${secret}`).toString('base64')}`
}

/** A client of a running app for an existing account and key. */
export function client(
  opened: OpenedAccount,
  inject: (options: InjectOptions) => Promise<Answer>,
): Client {
  const authorization = basic(opened.key_id, opened.secret)
  const write =
    (method: 'POST' | 'PUT') =>
    (url: string, body: unknown, headers: Record<string, string> = {}) => {
      const raw = typeof body === 'string' || Buffer.isBuffer(body)
      const payload = raw ? body : JSON.stringify(body)
      const all = { authorization, 'content-type': 'application/json', ...headers }
      return inject({ method, url, headers: all, payload })
    }
  return {
    ...opened,
    get: (url, headers = {}) =>
      inject({ method: 'GET', url, headers: { authorization, ...headers } }),
    post: write('POST'),
    put: write('PUT'),
  }
}
