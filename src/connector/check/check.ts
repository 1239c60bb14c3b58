// What a check of a connector is, and the run of all of them: one after the other, each with what
// it proves. A check is skipped if one that it needs has failed, so that a fault shows where it is.
import type { Payment } from '../protocol.ts'
import { Finding, Probe, type ProbeOptions, Skipped } from './probe.ts'

export interface Check {
  /** What a connector does, if the check passes. */
  readonly proves: string
  /** Checks that must have passed: without them the check proves nothing of its own. */
  readonly needs: readonly string[]
  /** Throws a Finding when it fails, and Skipped when it proves nothing. */
  run(probe: Probe): Promise<void>
}

export interface Group {
  readonly name: string
  /** By their names, in the order in which they run. */
  readonly checks: Readonly<Record<string, Check>>
}

export interface Checked extends Pick<Check, 'proves'> {
  readonly name: string
  readonly group: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; '' when it passed. */
  readonly detail: string
  readonly duration_ms: number
}

/** A payment that the connector took during the run, so that a later run can ask for it. */
export type KeptPayment = Pick<Payment, 'id' | 'amount' | 'currency' | 'reference'>

export interface CheckReport {
  readonly url: string
  readonly started_at: string
  /** The name that the connector gives itself; '' for none. */
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly checks: readonly Checked[]
  readonly payments: readonly KeptPayment[]
}

/** Runs the checks in order and tells the result of each. */
export async function runChecks(
  groups: readonly Group[],
  options: ProbeOptions,
  tell: (checked: Checked) => void = () => {},
): Promise<CheckReport> {
  const started_at = new Date().toISOString()
  const probe = new Probe(options)
  const checks: Checked[] = []
  const passed = new Set<string>()
  for (const { name: group, checks: ofGroup } of groups) {
    for (const [name, check] of Object.entries(ofGroup)) {
      const missing = check.needs.find(needed => !passed.has(needed))
      const started = performance.now()
      const { result, detail } = await judge(check, probe, missing)
      const duration_ms = Math.trunc(performance.now() - started)
      if (result === 'passed') passed.add(name)
      const { proves } = check
      const checked = { name, group, proves, result, detail, duration_ms }
      checks.push(checked)
      tell(checked)
    }
  }
  const count = (wanted: Checked['result']) => checks.filter(one => one.result === wanted).length
  return {
    url: options.url,
    started_at,
    name: probe.capabilities?.name ?? '',
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    checks,
    payments: probe.taken.map(({ id, order: { amount, currency }, reference }) => {
      return { id, amount, currency, reference }
    }),
  }
}

/** `missing` is a check that it needs and that has not passed. */
async function judge(
  check: Check,
  probe: Probe,
  missing: string | undefined,
): Promise<Pick<Checked, 'result' | 'detail'>> {
  if (missing !== undefined) return { result: 'skipped', detail: `${missing} has not passed` }
  try {
    await check.run(probe)
    return { result: 'passed', detail: '' }
  } catch (error) {
    if (error instanceof Finding) return { result: 'failed', detail: error.message }
    if (error instanceof Skipped) return { result: 'skipped', detail: error.message }
    throw error
  }
}
