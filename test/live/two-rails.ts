// A live account with routes to two rails, the bank first. What the rails say is a script of each test;
// the worker, the lanes and the rows are the product's.

import { wakePayouts } from '../../src/payouts/advance/wake-store.ts'
import type { Rail, RailReport, RailStatus } from '../../src/rails/rail.ts'
import type { Route } from '../../src/rails/rules.ts'
import { transactConfined } from '../../src/sql/confine.ts'
import { closeVerified } from '../support/assert/books.ts'
import {
  addRails,
  pay as payFrom,
  exceptionsOf as readExceptions,
  statusOf as readStatus,
} from '../support/service/payouts.ts'
import { startTestService, type TestSettings } from '../support/service/service.ts'
import { report, settleRound } from '../support/service/settling.ts'

export const NOT_TAKEN: RailReport = {
  ...report(),
  not_taken: { code: 'closed', message: 'The bank takes no HKD today.' },
}

export async function openTwoRails(settings: TestSettings = {}) {
  const service = await startTestService({ rail_timeout_ms: 20_000, ...settings })
  await service.setFees([{}])
  await service.setRates({ 'USD/HKD': '7.8' })
  await addRails(service, 'bank', 'second')
  const live = await service.openAccount({ sandbox: false, fund: { USD: 100_000_000_000n } })
  const { account_id } = live.account
  const toBoth = (ofBank: Partial<Route> = {}) =>
    service.setRoutes([
      { rail: 'bank', priority: 2, ...ofBank },
      { rail: 'second', priority: 1 },
    ])
  await toBoth()
  return {
    service,
    live,
    /** Routes to both rails; that of the bank with these members. */
    toBoth,
    pay: async (amount = 1000): Promise<string> => (await payFrom(live, { amount })).id,
    statusOf: (id: string) => readStatus(live, id),
    /** As `1 bank not_taken`: number, rail, and how it has ended. */
    async attemptsOf(id: string): Promise<string[]> {
      const rows = await service.database.owner<{ attempt: string }[]>`
        select concat_ws(' ', number, rail, coalesce(nullif(ended_as, ''), 'open')) as attempt
        from payout_attempts where payout_id = ${id} order by number`
      return rows.map(({ attempt }) => attempt)
    },
    /** As `1 no_other_route closed`: attempt, kind, and whether a person has closed it. */
    exceptionsOf: (id: string) => readExceptions(service, id),
    settle: (rails: Readonly<Record<string, Rail>>) => settleRound(service, rails),
    /** What comes of news about a payout, or about one of its attempts. */
    async wake(id: string, attempt?: number): Promise<string[]> {
      const news = { account_id, id, ...(attempt !== undefined && { attempt }) }
      const woken = await transactConfined(service.deps.sql, [account_id], tx =>
        wakePayouts(tx, [news]),
      )
      return woken.map(({ result }) => result)
    },
    /** A person, who is Anna, moves the payout by hand. */
    async moveByHand(payout_id: string, ...statuses: readonly RailStatus[]): Promise<void> {
      const moved = { account_id, payout_id, by: 'operator' } as const
      for (const status of statuses) {
        const { steps } = report(status)
        await service.deps.lanes.advancePayout.run({ ...moved, steps, person: { name: 'anna' } })
      }
    },
    close: () => closeVerified(service),
  }
}
