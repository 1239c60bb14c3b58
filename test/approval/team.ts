// An account whose payouts and beneficiaries people approve: its people, what they ask over HTTP, and
// statements past the service, in its role and in the owner's.
import assert from 'node:assert/strict'
import type { AccountRole } from '../../src/accounts/user/user.ts'
import type { ApprovalRule } from '../../src/controls/approval/approval.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  type Answer,
  addPeople,
  addPerson,
  type Client,
  type PersonClient,
  type TestService,
} from '../support/service/service.ts'

/** Whoever has headers for the account: a person, or a key. */
export type Caller = Pick<PersonClient, 'headers'>

export type Statement = (tx: TransactionSql) => PromiseLike<unknown>

const PATHS: Readonly<Record<string, string>> = {
  bnf: '/v3/beneficiary',
  pim: '/v3/payout_import',
  pob: '/v3/payout_batch',
  pot: '/v3/payout',
}

/** The path of an object, or of what is about it. */
export const pathOf = (id: string, more = '') => `${PATHS[id.slice(0, 3)]}/${id}${more}`

export class Team {
  readonly service: TestService
  readonly account: Client
  readonly id: string

  constructor(service: TestService, account: Client) {
    this.service = service
    this.account = account
    this.id = account.account.account_id
  }

  /** Makes a user with these roles on the account. */
  person(user: string, ...roles: readonly AccountRole[]): Promise<PersonClient> {
    return addPerson(this.service, { user, roles: roles.map(role => [this.id, role] as const) })
  }

  /** Makes approvers of these names. */
  approvers(users: readonly string[]): Promise<PersonClient[]> {
    const roles = [[this.id, 'approver']] as const
    return addPeople(
      this.service,
      users.map(user => ({ user, roles })),
    )
  }

  /** Adds a rule of the account; returns the function that removes it. */
  addRule(rule: Partial<ApprovalRule> = {}): Promise<() => Promise<void>> {
    return addApprovalRule(this.service, { account_id: this.id, ...rule })
  }

  ask(who: Caller, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, more = {}) {
    const headers = { ...who.headers(this.id), ...more }
    return this.service.inject({ method, url, headers, ...(payload && { payload }) })
  }

  /** The object as the account reads it. */
  async read(id: string) {
    return (await this.account.get(pathOf(id))).json.data
  }

  async statusOf(id: string): Promise<string> {
    return (await this.read(id)).status
  }

  /** What approvers are shown. */
  async shown(id: string) {
    return (await this.account.get(pathOf(id, '/approval'))).json.data
  }

  /** Approves what is shown now, or what `more` says. */
  async approve(who: Caller, id: string, more: object = {}, headers = {}): Promise<Answer> {
    const payload = { digest: (await this.shown(id)).digest, ...more }
    return this.ask(who, 'POST', pathOf(id, '/approve'), payload, headers)
  }

  reject(who: Caller, id: string, reason = 'Not ours.'): Promise<Answer> {
    return this.ask(who, 'POST', pathOf(id, '/reject'), { reason })
  }

  /** The types of the events about an object, the oldest first. */
  async eventsOf(id: string): Promise<string[]> {
    const { results } = (await this.account.get(`/v3/event?object_id=${id}`)).json.data
    return results.map(({ type }: { type: string }) => type).reverse()
  }

  async refusesWithoutARow(answer: Promise<Answer>, status: number, reason: string) {
    const before = await rowVersions(this.service.database.owner)
    assertRefused(await answer, status, reason)
    assert.deepEqual(await rowVersions(this.service.database.owner), before)
  }

  asService(statement: Statement): Promise<void> {
    const { sql } = this.service.deps
    return transactConfined(sql, [this.id], async tx => void (await statement(tx)))
  }

  asOwner(statement: Statement): Promise<unknown> {
    return this.service.database.owner.begin(async tx => {
      await tx`set local corridor.maintenance = on`
      await statement(tx)
    })
  }

  /** PostgreSQL refuses the statement to both. */
  async assertRefusesBoth(what: string, statement: Statement, why: RegExp): Promise<void> {
    await assert.rejects(this.asService(statement), why, `the service: ${what}`)
    await assert.rejects(this.asOwner(statement), why, `the owner: ${what}`)
  }
}
