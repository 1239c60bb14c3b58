// Prometheus metrics of one process. Labels are never ids, names or amounts.
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricValueWithName,
  Registry,
} from 'prom-client'
import { clock } from '../ledger/clock.ts'
import { nextTurn } from '../values/event-loop.ts'
import { chainMetrics } from './chain-metrics.ts'
import { treasuryMetrics } from './treasury-metrics.ts'

export type Metrics = ReturnType<typeof makeMetrics>

export function makeMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new PartedHistogram('route', {
      name: 'corridor_http_request_seconds',
      help: 'Duration of HTTP requests, from the request line to the end of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    batches: new PartedHistogram('operation', {
      name: 'corridor_lane_batch_seconds',
      help: 'Duration of committed batches: load, decide, store and commit.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    }),
    batchSizes: new PartedHistogram('operation', {
      name: 'corridor_lane_batch_commands',
      help: 'Number of commands in committed batches.',
      labelNames: ['operation'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
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
    notifications: new Counter({
      name: 'corridor_notifications_total',
      help: 'Notifications of people by kind, way (email or webhook) and result: sent or failed.',
      labelNames: ['kind', 'way', 'result'],
      registers,
    }),
    ...waitingMetrics(registers),
    ...screeningMetrics(registers),
    ...archiveMetrics(registers),
    ...verifyMetrics(registers),
    ...treasuryMetrics(registers),
    ...fileMetrics(registers),
    ...chainMetrics(registers),
    ...rateMetrics(registers),
  }
}

interface Shape<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly Label[]
  readonly buckets: number[]
}

/** A histogram in parts: the library reads a whole one in one go, which blocks other requests. */
class PartedHistogram<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly Label[]
  readonly type = 'histogram'
  readonly #by: Label
  readonly #shape: Shape<Label>
  readonly #parts = new Map<string, Histogram<Label>>()

  constructor(by: Label, shape: Shape<Label>) {
    this.name = shape.name
    this.help = shape.help
    this.labelNames = shape.labelNames
    this.#by = by
    this.#shape = shape
  }

  get parts(): Iterable<Metric> {
    return this.#parts.values()
  }

  observe(labels: Record<Label, string>, value: number): void {
    let part = this.#parts.get(labels[this.#by])
    if (part === undefined) {
      part = new Histogram({ ...this.#shape, registers: [] })
      this.#parts.set(labels[this.#by], part)
    }
    part.observe(labels, value)
  }
}

/** The most lines that are written in one turn of the event loop. */
export const LINES_A_TURN = 250

/** Writes in turns, and returns parts of the text: joining some megabytes takes long, too. */
export async function writeMetrics(metrics: Metrics): Promise<string[]> {
  const { registry, requests, batches, batchSizes } = metrics
  const chunks: string[] = []
  for (const metric of registry.getMetricsAsArray() as unknown as Metric[]) {
    await writeValues(chunks, metric, true)
  }
  for (const histogram of [requests, batches, batchSizes]) {
    chunks.push(headOf(histogram))
    for (const part of histogram.parts) await writeValues(chunks, part, false)
  }
  return chunks
}

/** Leaves out a metric that the database cannot count now: the others are needed most then. */
async function writeValues(chunks: string[], metric: Metric, withHead: boolean): Promise<void> {
  await nextTurn()
  const data = await Promise.resolve(metric.get()).catch(() => undefined)
  if (data === undefined) return
  const { name, values } = data
  if (withHead) chunks.push(headOf({ ...data, type: String(data.type) }))
  for (let at = 0; at < values.length; at += LINES_A_TURN) {
    if (at > 0) await nextTurn()
    const some = values.slice(at, at + LINES_A_TURN) as MetricValueWithName<string>[]
    chunks.push(some.map(value => `${lineOf(name, value)}\n`).join(''))
  }
}

function headOf({ name, help, type }: Record<'name' | 'help' | 'type', string>): string {
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`
}

function lineOf(name: string, { metricName, labels, value }: MetricValueWithName<string>): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escapeText(String(text)).replaceAll('"', '\\"')}"`,
  )
  const shown = String(value)
    .replace(/^(?=I)/, '+')
    .replace('Infinity', 'Inf')
  return `${metricName ?? name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${shown}`
}

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

function waitingMetrics(registers: Registry[]) {
  return {
    payoutsLeftAlone: new Gauge({
      name: 'corridor_payouts_left_alone',
      help: 'Payouts that are due, but whose rail this process may not ask.',
      labelNames: ['rail'],
      registers,
    }),
    payoutsOverdue: new Gauge({
      name: 'corridor_payouts_overdue',
      help: 'Payouts due for five minutes whose rail may be asked, and that no worker has taken.',
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
    listAge: new Gauge({
      name: 'corridor_screening_list_age_seconds',
      help: 'Time since a sanctions list that must be current was imported; absent before that.',
      labelNames: ['list'],
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

function archiveMetrics(registers: Registry[]) {
  return {
    archiveWaiting: new Gauge({
      name: 'corridor_archive_waiting_segments',
      help: 'Segments of the log, of 16 MiB each, that are finished and not in the archive yet.',
      registers,
    }),
    archiveLag: new Gauge({
      name: 'corridor_archive_lag_seconds',
      help: 'Time for which the oldest of these segments has waited.',
      registers,
    }),
    archiveLost: new Gauge({
      name: 'corridor_archive_gap',
      help: '1 while no backup is newer than what the archive of the log lacks: take a backup.',
      registers,
    }),
  }
}

function verifyMetrics(registers: Registry[]) {
  return {
    upkeepAge: new Gauge({
      name: 'corridor_upkeep_age_seconds',
      help:
        'Time since corridor verify, or corridor backup of the embedded database, has last ' +
        'succeeded; before that, since the first live account was made.',
      labelNames: ['kind'],
      registers,
    }),
    verifyLag: new Gauge({
      name: 'corridor_verify_lag_journals',
      help: 'Journals that the service has not verified yet.',
      registers,
    }),
    verifyFaults: new Gauge({
      name: 'corridor_verify_faults',
      help: 'Rows that differ from the books: corridor verify --all names them.',
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
      help:
        'Rates in the rate book by state: good or stale (not quoted to live accounts); pegs are ' +
        'pegged or peg_stale.',
      labelNames: ['state'],
      registers,
    }),
    databaseAway: new Gauge({
      name: 'corridor_database_away',
      help: '1 while this process refuses requests, because the database has not answered.',
      registers,
    }),
    clockJumped: new Gauge({
      name: 'corridor_clock_jumped',
      help: '1 while nothing is written because the clock of the database has jumped.',
      registers,
      collect() {
        this.set(clock.jump === null ? 0 : 1)
      },
    }),
    rateGoodFor: new Gauge({
      name: 'corridor_rate_good_for_seconds',
      help: 'Time until the next good rate becomes stale.',
      registers,
    }),
    rateAge: new Gauge({
      name: 'corridor_rate_newest_age_seconds',
      help: 'Age of the newest rate that is neither a peg nor a sample; absent without one.',
      registers,
    }),
  }
}

export function batchMetrics({ batches, batchSizes }: Metrics) {
  return (operation: string, size: number, seconds: number): void => {
    batches.observe({ operation }, seconds)
    batchSizes.observe({ operation }, size)
  }
}
