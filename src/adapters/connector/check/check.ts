// Runs the checks of a connector, one after the other. A check is skipped when a check that it
// needs has not passed, so that one fault fails one check.
import type { Payment } from '../protocol.ts'
import { Finding, Probe, type ProbeOptions, Skipped } from './probe.ts'

export interface Check {
  /** A sentence about the connector, true if the check passes. */
  readonly proves: string
  /** The names of checks that must have passed. Without them this check proves nothing. */
  readonly needs: readonly string[]
  /** Throws a Finding when the check fails, and Skipped when it proves nothing. */
  run(probe: Probe): Promise<void>
}

export interface Group {
  readonly name: string
  /** By name, in the order of the run. */
  readonly checks: Readonly<Record<string, Check>>
}

export interface CheckResult extends Pick<Check, 'proves'> {
  readonly name: string
  readonly group: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; '' when it passed. */
  readonly detail: string
  readonly duration_ms: number
}

/** A payment that the connector took during the run. A later run can ask for it. */
export type KeptPayment = Pick<Payment, 'id' | 'amount' | 'currency' | 'reference'>

export interface CheckReport {
  readonly url: string
  readonly started_at: string
  /** The name that the connector gives itself; '' for none. */
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly checks: readonly CheckResult[]
  readonly payments: readonly KeptPayment[]
}

export async function runChecks(
  groups: readonly Group[],
  options: ProbeOptions,
  onResult: (checked: CheckResult) => void = () => {},
): Promise<CheckReport> {
  const started_at = new Date().toISOString()
  const probe = new Probe(options)
  const checks: CheckResult[] = []
  const passed = new Set<string>()
  for (const { name: group, checks: ofGroup } of groups) {
    for (const [name, check] of Object.entries(ofGroup)) {
      const missing = check.needs.find(needed => !passed.has(needed))
      const started = performance.now()
      const { result, detail } = await runCheck(check, probe, missing)
      const duration_ms = Math.trunc(performance.now() - started)
      if (result === 'passed') passed.add(name)
      const { proves } = check
      const checked = { name, group, proves, result, detail, duration_ms }
      checks.push(checked)
      onResult(checked)
    }
  }
  const count = (result: CheckResult['result']) =>
    checks.filter(check => check.result === result).length
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

/** `missing`: a check that this one needs and that has not passed. */
async function runCheck(
  check: Check,
  probe: Probe,
  missing: string | undefined,
): Promise<Pick<CheckResult, 'result' | 'detail'>> {
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
