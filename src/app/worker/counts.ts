// Counts waiting work for metrics and the log: payouts, parties and bank files.
import {
  countAlerts,
  countFiles,
  countQuarantined,
  listProblems,
} from '../../adapters/bank-file/alert-store.ts'
import { countTroubles, countWallets } from '../../adapters/evm/trouble-store.ts'
import { countPending } from '../../controls/approval/store.ts'
import { readUpkeepAges, UPKEEP_KINDS } from '../../ledger/audit/upkeep-store.ts'
import { countHeldByScreening } from '../../payouts/advance/screening-store.ts'
import { countByHand, countOverdue, countUnaskedPayouts } from '../../payouts/lists/count-store.ts'
import { countExceptions } from '../../rails/exception-store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { listNewest, readRequired } from '../../screening/list-store.ts'
import { countParties } from '../../screening/party-store.ts'
import { isSpread } from '../../sql/shard.ts'
import { listCovers } from '../../treasury/cover-store.ts'
import { daysLeft } from '../../values/calendar/rules.ts'
import { CALENDARS } from '../../values/calendar/tables.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor } from '../../values/money/decimal.ts'

const COUNT_EVERY_MS = 30_000

/** Counts now and every 30 seconds. Returns the function that ends it. */
export function startCounting(
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  const count = () => {
    work().catch(onError)
  }
  const counting = setInterval(count, COUNT_EVERY_MS)
  count()
  return () => clearInterval(counting)
}

export async function countWaiting(deps: Deps): Promise<void> {
  const { sql, finder, rails, log, metrics, reference } = deps
  const paused = reference.current().rails.filter(({ paused_reason }) => paused_reason !== '')
  const names = paused.map(({ name }) => name)
  const left_alone = await countUnaskedPayouts(finder, [...rails.keys(), ...names])
  metrics.railsPaused.reset()
  for (const rail of names) metrics.railsPaused.set({ rail }, 1)
  metrics.payoutsLeftAlone.reset()
  for (const { rail, payouts } of left_alone) {
    metrics.payoutsLeftAlone.set({ rail }, payouts)
    log.error({ rail, payouts }, 'payouts are left alone: this process may not ask their rail')
  }
  metrics.payoutsOverdue.set(await countOverdue(finder, names))
  const [exceptions, alerts, troubles] = await Promise.all([
    countExceptions(finder),
    countAlerts(sql, finder),
    countTroubles(sql),
  ])
  metrics.railExceptions.reset()
  for (const { rail, kind, exceptions: count } of exceptions) {
    metrics.railExceptions.set({ rail, kind }, count)
  }
  for (const { rail, kind, alerts: count } of [...alerts, ...troubles]) {
    metrics.railExceptions.set({ rail, kind }, count)
  }
  for (const calendar of Object.values(CALENDARS)) {
    const left = daysLeft(calendar, new Date().toISOString())
    metrics.calendarDaysLeft.set({ calendar: calendar.name }, left)
  }
  metrics.payoutsScreening.reset()
  for (const { screening, payouts } of await countHeldByScreening(finder)) {
    metrics.payoutsScreening.set({ state: screening }, payouts)
  }
  const pending = await countPending(finder)
  metrics.payoutsPendingApproval.set(pending.payouts)
  metrics.approvalsEndIn.set(Math.max(0, pending.first_ends_in_s))
  const byHand = await countByHand(finder)
  metrics.payoutsByHand.reset()
  metrics.payoutsByHandOldest.reset()
  for (const { status, payouts, oldest_s } of byHand) {
    metrics.payoutsByHand.set({ status }, payouts)
    metrics.payoutsByHandOldest.set({ status }, oldest_s)
  }
}

/** Payouts that accounts at banks do not cover. */
export async function countAwaitingFunds({
  operators: { audit },
  metrics,
}: Pick<Deps, 'operators' | 'metrics'>): Promise<void> {
  const covers = isSpread() ? [] : await listCovers(audit)
  metrics.payoutsAwaitingFunds.reset()
  metrics.payoutsAwaitingFundsSum.reset()
  metrics.payoutsAwaitingFundsOldest.reset()
  for (const { nostro, currency, waiting, waiting_count, waiting_since } of covers) {
    metrics.payoutsAwaitingFunds.set({ nostro }, Number(waiting_count))
    const scale = 10 ** currencyExponent(currency)
    metrics.payoutsAwaitingFundsSum.set({ nostro }, Number(waiting) / scale)
    const since_s = waiting_since === null ? 0 : (Date.now() - Date.parse(waiting_since)) / 1000
    metrics.payoutsAwaitingFundsOldest.set({ nostro }, Math.max(0, since_s))
  }
}

/** Unsent or unanswered files, and received files and lines that were not applied. */
export async function countBankFiles({ sql, metrics }: Deps): Promise<void> {
  const [files, quarantined, problems] = await Promise.all([
    countFiles(sql),
    countQuarantined(sql),
    listProblems(sql),
  ])
  metrics.bankFiles.reset()
  metrics.bankFilesOldest.reset()
  for (const { rail, state, count, unsent_s } of files) {
    metrics.bankFiles.set({ rail, state }, count)
    if (unsent_s !== null) metrics.bankFilesOldest.set({ rail }, unsent_s)
  }
  metrics.bankFilesProblem.reset()
  for (const { rail, since_s } of problems) metrics.bankFilesProblem.set({ rail }, since_s)
  metrics.bankFilesQuarantined.reset()
  for (const { rail, files, lines } of quarantined) {
    metrics.bankFilesQuarantined.set({ rail, what: 'files' }, files)
    metrics.bankFilesQuarantined.set({ rail, what: 'lines' }, lines)
  }
}

/** Hot wallets: what they have, what no block has taken yet, and what their providers show. */
export async function countChains({ sql, rails, metrics }: Deps): Promise<void> {
  measureRails(rails, metrics)
  const wallets = await countWallets(sql)
  metrics.walletGasPayments.reset()
  metrics.walletOpenPayments.reset()
  metrics.walletOldestUnmined.reset()
  for (const { rail, wallet, gas_left, open, oldest_s } of wallets) {
    const labels = { rail, wallet }
    if (gas_left !== null) metrics.walletGasPayments.set(labels, Number(gas_left))
    metrics.walletOpenPayments.set(labels, open)
    metrics.walletOldestUnmined.set(labels, oldest_s)
  }
}

function measureRails(rails: Deps['rails'], metrics: Deps['metrics']): void {
  const { walletBalance, providerLag, providerLeftOut, providerOtherAnswers } = metrics
  for (const metric of [walletBalance, providerLag, providerLeftOut, providerOtherAnswers]) {
    metric.reset()
  }
  for (const rail of rails.keys()) {
    const { providers = [], balances = [] } = rails.get(rail)?.measures?.() ?? {}
    for (const { name: provider, lag, left_out, other_answers } of providers) {
      providerLag.set({ rail, provider }, lag)
      providerLeftOut.set({ rail, provider }, left_out ? 1 : 0)
      providerOtherAnswers.inc({ rail, provider }, other_answers)
    }
    for (const { wallet, currency, amount } of balances) {
      const major = Number(formatMajor(amount, currencyExponent(currency)))
      walletBalance.set({ rail, wallet, currency }, major)
    }
  }
}

/** The ages of what people renew: required sanctions lists, backups and verifications. */
export async function measureAges({ sql, config, metrics }: Deps): Promise<void> {
  const [newest, { required }] = await Promise.all([listNewest(sql), readRequired(sql)])
  metrics.listAge.reset()
  for (const { list, is_sample, age_s } of newest) {
    if (!is_sample && required.includes(list)) metrics.listAge.set({ list }, age_s)
  }
  // Its own tools take the backups of an external database.
  const kinds = UPKEEP_KINDS.filter(kind => kind !== 'backup' || config.database_url === undefined)
  metrics.upkeepAge.reset()
  for (const { kind, age_s } of await readUpkeepAges(sql, kinds)) {
    metrics.upkeepAge.set({ kind }, age_s)
  }
}

/** Parties that may be on a list, and those that were not compared with the lists. */
export async function countWaitingParties({ finder, metrics }: Deps): Promise<void> {
  const counts = await countParties(finder)
  metrics.partiesScreening.reset()
  for (const { state, parties } of counts) metrics.partiesScreening.set({ state }, parties)
}
