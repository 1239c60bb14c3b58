// Runs the checks of a rail, one after the other. A check is skipped when a check that it needs has
// not passed, so that one fault fails one check.

/** A check has failed. The message is the finding. */
export class Finding extends Error {}

/** A check proves nothing here. The message says why. */
export class Skipped extends Error {}

/** What a check that has passed has seen, in words. */
export class Seen {
  readonly words: string

  constructor(words: string) {
    this.words = words
  }
}

export interface Check<Probe> {
  /** A sentence about the far end, true if the check passes. */
  readonly proves: string
  /** The names of checks that must have passed. Without them this check proves nothing. */
  readonly needs: readonly string[]
  /** Throws a Finding when the check fails, and Skipped when it proves nothing. */
  run(probe: Probe): Promise<unknown>
}

export interface Group<Probe> {
  readonly name: string
  /** By name, in the order of the run. */
  readonly checks: Readonly<Record<string, Check<Probe>>>
}

export interface CheckResult extends Pick<Check<never>, 'proves'> {
  readonly name: string
  readonly group: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped, or what it has seen; '' for nothing. */
  readonly detail: string
  readonly duration_ms: number
}

export interface Checked {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly checks: readonly CheckResult[]
}

export async function runEach<Probe>(
  groups: readonly Group<Probe>[],
  probe: Probe,
  onResult: (checked: CheckResult) => void = () => {},
): Promise<Checked> {
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
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  return { ...counts, checks }
}

/** `missing`: a check that this one needs and that has not passed. */
async function runCheck<Probe>(
  check: Check<Probe>,
  probe: Probe,
  missing: string | undefined,
): Promise<Pick<CheckResult, 'result' | 'detail'>> {
  if (missing !== undefined) return { result: 'skipped', detail: `${missing} has not passed` }
  try {
    const seen = await check.run(probe)
    return { result: 'passed', detail: seen instanceof Seen ? seen.words : '' }
  } catch (error) {
    if (error instanceof Finding) return { result: 'failed', detail: error.message }
    if (error instanceof Skipped) return { result: 'skipped', detail: error.message }
    throw error
  }
}
