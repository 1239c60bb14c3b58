// The scenario payout: payouts per second over HTTP on one hot account, beside pgbench writing the
// same rows a request at a time, alternately in one run on one database.
import type { Generator } from './load.ts'
import { type Measured, measureLoad, type Seconds } from './measure.ts'
import { median, spread } from './numbers.ts'
import { type Options, targetOf } from './options.ts'
import { preparePayoutBaseline } from './payout-baseline.ts'
import { makeBeneficiary, type PayoutName, payOnce, payoutBody } from './payout-sample.ts'
import { type Baseline, type BaselineResult, CLIENTS, STYLES, type Style } from './pgbench.ts'
import { keep, say, whole } from './report.ts'
import { type Target, withTargets } from './target.ts'

const CONNECTIONS = [64, 256]

/** How long everything takes, in seconds, and how often it is done. */
interface Plan extends Seconds {
  readonly rounds: number
  readonly pgbench_s: number
  readonly payouts: readonly PayoutName[]
}

const FULL: Plan = {
  rounds: 3,
  warm_up_s: 3,
  load_s: 10,
  pgbench_s: 5,
  payouts: ['USD→USD', 'USD→HKD'],
}
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4, pgbench_s: 2, payouts: ['USD→USD'] }

interface MeasuredPayout extends Measured {
  readonly payout: PayoutName
}

interface Round {
  readonly http: readonly MeasuredPayout[]
  readonly pgbench: Readonly<Record<Style, BaselineResult>>
}

/** Resolves to false when a request failed. */
export function benchPayouts(options: Options): Promise<boolean> {
  const { quick, write, pgbench, generator, machine, postgres } = options
  const plan = quick ? QUICK : FULL
  return withTargets(1, targetOf(postgres), async targets => {
    const [target] = targets as [Target]
    const beneficiary = await makeBeneficiary(target)
    const sample = await payOnce(target, payoutBody('USD→USD', beneficiary))
    const baseline = await preparePayoutBaseline(pgbench, target.database_url, sample.id)
    const rounds: Round[] = []
    for (let i = 1; i <= plan.rounds; i++) {
      say(`\nround ${i} of ${plan.rounds}`)
      rounds.push(await runRound(plan, generator, target, beneficiary, baseline))
    }
    say('')
    const summary = summarize(plan, rounds)
    if (write) await keep('payout', { machine, generator, postgres, plan, rounds, summary })
    return rounds.every(round => round.http.every(({ failures }) => failures === 0))
  })
}

async function runRound(
  plan: Plan,
  generator: Generator,
  target: Target,
  beneficiary: string,
  baseline: Baseline,
): Promise<Round> {
  const http: MeasuredPayout[] = []
  for (const payout of plan.payouts) {
    for (const connections of CONNECTIONS) {
      const template = JSON.stringify(payoutBody(payout, beneficiary))
      const load = {
        url: `${target.address}/v3/payout`,
        authorization: target.authorization,
        bodies: { templates: [template], fresh_from: 0, existing_to: 1, keyed: true },
        connections,
      }
      const measured = await measureLoad(generator, target, load, plan)
      http.push({ ...measured, payout })
      say(
        `  ${payout}, ${String(connections).padStart(3)} connections: ${whole(measured.per_second)} payouts/s, ` +
          `p50 ${whole(measured.p50_ms)} ms, p99 ${whole(measured.p99_ms)} ms, ` +
          `${measured.failures} not 2xx; CPU s per 1,000: service ${measured.service_cpu_s.toFixed(3)}, ` +
          `database ${measured.database_cpu_s.toFixed(3)}`,
      )
    }
  }
  const plain = await baseline.run('plain', plan.pgbench_s)
  const pipelined = await baseline.run('pipelined', plan.pgbench_s)
  const pgbench = { plain, pipelined }
  for (const style of STYLES) {
    const { per_second, clients, latency_ms } = pgbench[style]
    say(
      `  pgbench, ${style}: ${whole(per_second)}/s at its best, ${clients} clients, ${latency_ms} ms`,
    )
  }
  return { http, pgbench }
}

/**
 * The lines that are quoted: each ratio is taken within its round, then the median of the rounds.
 */
function summarize(plan: Plan, rounds: readonly Round[]) {
  return plan.payouts.flatMap(payout =>
    CONNECTIONS.map(connections => {
      const pick = (round: Round) =>
        round.http.find(m => m.payout === payout && m.connections === connections) as MeasuredPayout
      const ratios = rounds.map(round => pick(round).per_second / round.pgbench.plain.per_second)
      const hard = rounds.map(round => pick(round).per_second / round.pgbench.pipelined.per_second)
      const line = {
        payout,
        connections,
        per_second: median(rounds.map(round => pick(round).per_second)),
        p99_ms: median(rounds.map(round => pick(round).p99_ms)),
        pgbench_per_second: median(rounds.map(round => round.pgbench.plain.per_second)),
        ratio: median(ratios),
        ratio_to_pipelined: median(hard),
      }
      say(
        `${payout}, ${connections} connections: payouts/s over HTTP: ${whole(line.per_second)} ` +
          `(p99 ${whole(line.p99_ms)} ms) · pgbench best of {${CLIENTS.join(',')}} clients: ` +
          `${whole(line.pgbench_per_second)}/s · ratio ${spread(ratios)}× ` +
          `(pgbench pipelined: ${spread(hard)}×)`,
      )
      return line
    }),
  )
}
