// A service with the UN's sanctions list, for tests of screening: lists that come, a person's commands,
// and payouts by a rail that pays. The worker, the lanes and the rows are the product's.

import assert from 'node:assert/strict'
import { screenParties } from '../../src/app/worker/screen-parties.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { Context } from '../../src/cli/context.ts'
import { decide, listFound, showScreening } from '../../src/operator/screened.ts'
import { presentScreening } from '../../src/operator/screening.ts'
import type { Rail, RailPayout } from '../../src/rails/rail.ts'
import { omitUndefined } from '../../src/values/omit-undefined.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { openContext } from '../support/service/operate.ts'
import { addRails, statusOf } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { railOf, report } from '../support/service/settling.ts'
import { readLists, readUnList, takeUnList } from '../support/service/un-list.ts'

/** On a cluster there are sandboxes alone. */
export const RAIL = onCluster ? 'simulator' : 'bank'

export const REASON = ['--reason', 'Born in another year.'] as const

/** A beneficiary of this name. */
export const payee = (name: string) => {
  return { ...localPayout.beneficiary_details, type: 'individual', name }
}

export interface MadePayout {
  readonly id: string
  readonly beneficiary: string
  readonly status: string
  readonly status_description: string
}

export class Office {
  readonly service: TestService
  /** In the name of anna. */
  readonly cli: Cli
  /** What her commands run on, for what is no test of the command line. */
  readonly operators: { readonly context: Context; close(): Promise<void> }
  /** The UN's list as it is published today: Eric Badege is on it. */
  readonly un: string
  /** The account of the present test. */
  live!: Client
  /** The payouts that the rail was handed of that account. */
  got: string[] = []
  readonly rail: Rail = railOf({
    submit: async ({ id, account_id }: RailPayout) => {
      if (account_id === this.live.account.account_id) this.got.push(id)
      return { ...report('succeeded'), ask_again_in_ms: null }
    },
    inquire: async () => undefined,
  })

  constructor(service: TestService, cli: Cli, operators: Office['operators'], un: string) {
    this.service = service
    this.cli = cli
    this.operators = operators
    this.un = un
  }

  static async open(): Promise<Office> {
    const service = await startTestService({ rail_timeout_ms: 20_000 })
    const cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
    await service.setFees([{}, { payout_type: 'service_account' }])
    await service.setRates({ 'USD/HKD': '7.8' })
    await addRails(service, 'bank')
    return new Office(service, cli, await openContext(service, 'anna'), await readUnList())
  }

  /** Before each test: a new account whose payouts go to the rail. */
  async renew(): Promise<void> {
    const fund = { USD: 10_000_000n }
    this.live = await this.service.openAccount({ sandbox: onCluster, fund })
    this.got = []
    await this.service.setRoutes([{ rail: 'bank', priority: 1 }])
  }

  async close(): Promise<void> {
    const verdict = await verify(this.service.database.owner, { account_id: null, all: true })
    await this.cli.close()
    await this.operators.close()
    await this.service.close()
    assert.deepEqual(problemsBesidesActs(verdict), [])
  }

  /** The list as if it had another name instead. */
  without(name: string, text = this.un): string {
    assert.ok(text.includes(name))
    return text.replace(name, 'NOBODY')
  }

  /** The list comes, and this process has it. */
  async listIs(text: string): Promise<void> {
    await takeUnList(this.service, text, { reason: 'As published.' })
    await readLists(this.service)
  }

  /** Runs a command, which must do it. */
  async runs(...args: readonly string[]) {
    const ran = await this.cli.run(...args)
    assert.equal(ran.code, 0, ran.stderr)
    return ran
  }

  /** Runs a command, which must refuse; returns what it says. */
  async fails(...args: readonly string[]): Promise<string> {
    const ran = await this.cli.run(...args)
    assert.equal(ran.code, 1, ran.stdout)
    return ran.stderr
  }

  decides(act: 'clear' | 'confirm', id: string, digest?: string) {
    const state = act === 'clear' ? ('cleared' as const) : ('confirmed' as const)
    const [, reason] = REASON
    const operator = { name: 'anna', is_login: false }
    const anna = { ...this.operators.context, operator }
    return decide(anna, id, omitUndefined({ state, reason, digest }))
  }

  async show(id: string) {
    return presentScreening(await showScreening(this.operators.context.audit, id))
  }

  /** What waits of an account's parties of this kind. */
  list(of: 'entity' | 'beneficiary', { account: { account_id } } = this.live) {
    const filter = { account_id, of, state: '', starting_after: '' }
    return listFound(this.operators.context.audit, filter, 100)
  }

  async pay(name: string, more: object = {}, client = this.live): Promise<MadePayout> {
    const body = { ...localPayout, amount: 1000, beneficiary_details: payee(name), ...more }
    const answer = await client.post('/v3/payout', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data
  }

  statusOf(id: string): Promise<string> {
    return statusOf(this.live, id)
  }

  /** Two rounds of a worker: one compares what waits for lists, the other hands over. */
  async settle(rail = this.rail, deps = this.service.deps): Promise<void> {
    for (let round = 0; round < 2; round++) {
      deps.screening.again()
      await settleOnce({ ...deps, rails: new Map([[RAIL, rail]]) })
    }
  }

  /** Rounds of a worker until no entity and no beneficiary is left to compare. */
  async screenAll(deps = this.service.deps): Promise<void> {
    while ((await screenParties(deps)) > 0);
  }

  async makeEntity(name: string, client = this.live): Promise<string> {
    const made = await client.post('/v3/entity', { type: 'individual', name })
    assert.equal(made.status, 200, made.text)
    return made.json.data.id
  }

  async makeBeneficiary(name: string): Promise<string> {
    const made = await this.live.post('/v3/beneficiary', payee(name))
    assert.equal(made.status, 200, made.text)
    return made.json.data.id
  }

  async rename(id: string, name: string): Promise<void> {
    const kind = id.startsWith('ent_') ? 'entity' : 'beneficiary'
    const answer = await this.live.put(`/v3/${kind}/${id}`, { name })
    assert.equal(answer.status, 200, answer.text)
  }
}
