// The checks of a connector and their report.
import type { Check as AnyCheck, Group as AnyGroup, Checked, CheckResult } from '../../checks.ts'
import { runEach } from '../../checks.ts'
import type { Payment } from '../protocol.ts'
import { Probe, type ProbeOptions } from './probe.ts'

export type Check = AnyCheck<Probe>
export type Group = AnyGroup<Probe>

/** A payment that the connector took during the run. A later run can ask for it. */
export type KeptPayment = Pick<Payment, 'id' | 'amount' | 'currency' | 'reference'>

export interface CheckReport extends Checked {
  readonly url: string
  readonly started_at: string
  /** The name that the connector gives itself; '' for none. */
  readonly name: string
  readonly payments: readonly KeptPayment[]
}

export async function runChecks(
  groups: readonly Group[],
  options: ProbeOptions,
  onResult: (checked: CheckResult) => void = () => {},
): Promise<CheckReport> {
  const started_at = new Date().toISOString()
  const probe = new Probe(options)
  const checked = await runEach(groups, probe, onResult)
  return {
    url: options.url,
    started_at,
    name: probe.capabilities?.name ?? '',
    ...checked,
    payments: probe.taken.map(({ id, order: { amount, currency }, reference }) => {
      return { id, amount, currency, reference }
    }),
  }
}
