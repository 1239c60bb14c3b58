// Prometheus metrics of one process. Labels are routes, operations and statuses, never ids, names
// or amounts.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof makeMetrics>

export function makeMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'corridor_http_request_seconds',
      help: 'Duration of HTTP requests, from the request line to the end of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    batches: new Histogram({
      name: 'corridor_lane_batch_seconds',
      help: 'Duration of committed batches: load, decide, store and commit.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
      registers,
    }),
    batchSizes: new Histogram({
      name: 'corridor_lane_batch_commands',
      help: 'Number of commands in committed batches.',
      labelNames: ['operation'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    railReports: new Counter({
      name: 'corridor_rail_reports_total',
      help: 'Reports of rails by result: applied, nothing_new, contradicted, refused or unclear.',
      labelNames: ['rail', 'result'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'corridor_webhook_attempts_total',
      help:
        'Webhook attempts by result (succeeded, refused, unanswered or unrecorded) and account ' +
        '(live or sandbox).',
      labelNames: ['result', 'account'],
      registers,
    }),
    webhookDelay: new Histogram({
      name: 'corridor_webhook_delay_seconds',
      help: 'Delay from an event of a live account to the first attempt to deliver it.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600],
      registers,
    }),
    ...waitingMetrics(registers),
    ...screeningMetrics(registers),
    ...fileMetrics(registers),
    ...rateMetrics(registers),
  }
}

function waitingMetrics(registers: Registry[]) {
  return {
    payoutsLeftAlone: new Gauge({
      name: 'corridor_payouts_left_alone',
      help: 'Payouts that are due, but whose rail this process may not ask.',
      labelNames: ['rail'],
      registers,
    }),
    payoutsPendingApproval: new Gauge({
      name: 'corridor_payouts_pending_approval',
      help: 'Payouts of live accounts that wait until people approve them.',
      registers,
    }),
    approvalsEndIn: new Gauge({
      name: 'corridor_approvals_end_in_seconds',
      help:
        'Time until the first payout of a live account that waits for approval fails unless ' +
        'people approve it; 0 when none waits.',
      registers,
    }),
    railsPaused: new Gauge({
      name: 'corridor_rails_paused',
      help: 'Rails that the operator has paused, each 1. Their payouts wait.',
      labelNames: ['rail'],
      registers,
    }),
    railExceptions: new Gauge({
      name: 'corridor_rail_exceptions',
      help: 'Payouts, files for banks, and rails that wait until a person has looked at them.',
      labelNames: ['rail', 'kind'],
      registers,
    }),
    payoutsByHand: new Gauge({
      name: 'corridor_payouts_by_hand',
      help: 'Payouts of live accounts that people must pay, by status.',
      labelNames: ['status'],
      registers,
    }),
    calendarDaysLeft: new Gauge({
      name: 'corridor_calendar_days_left',
      help: 'Days until a settlement calendar ends; at 0, payouts with its cut-offs are refused.',
      labelNames: ['calendar'],
      registers,
    }),
    payoutsByHandOldest: new Gauge({
      name: 'corridor_payouts_by_hand_oldest_seconds',
      help: 'Age of the oldest payout that people must pay, by status.',
      labelNames: ['status'],
      registers,
    }),
  }
}

function screeningMetrics(registers: Registry[]) {
  return {
    payoutsScreening: new Gauge({
      name: 'corridor_payouts_screening',
      help: 'Payouts that screening holds: they wait for lists or a person, or are confirmed.',
      labelNames: ['state'],
      registers,
    }),
    partiesScreening: new Gauge({
      name: 'corridor_parties_screening',
      help: 'Entities and beneficiaries that may be listed, and those still to be compared.',
      labelNames: ['state'],
      registers,
    }),
  }
}

function fileMetrics(registers: Registry[]) {
  return {
    bankFiles: new Gauge({
      name: 'corridor_bank_files',
      help: 'Files for banks that are not answered yet, by state.',
      labelNames: ['rail', 'state'],
      registers,
    }),
    bankFilesOldest: new Gauge({
      name: 'corridor_bank_files_unsent_oldest_seconds',
      help: 'Age of the oldest file for a bank that is sealed and not sent.',
      labelNames: ['rail'],
      registers,
    }),
    bankFilesProblem: new Gauge({
      name: 'corridor_bank_files_problem_seconds',
      help: 'Time for which files could not be sealed or exchanged; absent while they can.',
      labelNames: ['rail'],
      registers,
    }),
    bankFilesQuarantined: new Gauge({
      name: 'corridor_bank_files_quarantined',
      help: 'What banks have sent that was not applied: whole files, and lines nobody has closed.',
      labelNames: ['rail', 'what'],
      registers,
    }),
  }
}

function rateMetrics(registers: Registry[]) {
  return {
    rateFeeds: new Counter({
      name: 'corridor_rate_feed_total',
      help: 'Fetches of the rate feed by result: changed, unchanged, refused or failed.',
      labelNames: ['result'],
      registers,
    }),
    rates: new Gauge({
      name: 'corridor_rates',
      help: 'Rates in the rate book by state: good, stale (not quoted to live accounts) or pegged.',
      labelNames: ['state'],
      registers,
    }),
    clockJumped: new Gauge({
      name: 'corridor_clock_jumped',
      help: '1 while nothing is written because the clock of the database has jumped.',
      registers,
    }),
    rateGoodFor: new Gauge({
      name: 'corridor_rate_good_for_seconds',
      help: 'Time until the next good rate becomes stale.',
      registers,
    }),
  }
}

/** Makes the function that records each batch of a lane. */
export function batchMetrics({ batches, batchSizes }: Metrics) {
  return (operation: string, size: number, seconds: number): void => {
    batches.observe({ operation }, seconds)
    batchSizes.observe({ operation }, size)
  }
}
