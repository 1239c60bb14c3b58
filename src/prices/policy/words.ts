// Says in words how a row changes a pricing policy. Pure.
import type { Instant } from '../../values/instant.ts'
import {
  DEFAULTS,
  describeScope,
  indexPolicies,
  inForce,
  type Policies,
  type Policy,
  rowsOf,
  SANDBOX_DEFAULTS,
} from './rules.ts'

/** `spread_bps for pair USD/HKD: 50 from now on; until then 25, for the installation`. */
export function describeChange(policies: Policies, row: Policy, now: Instant): string {
  const before = inForce(policies, row.name, row, row.effective_from)
  const rows = rowsOf(policies)
  const after = inForce(indexPolicies([...rows, row]), row.name, row, row.effective_from)
  const when = row.effective_from > now ? `from ${row.effective_from}` : 'from now on'
  const until = `until then ${valueWords(row, before)}`
  return `${row.name} for ${describeScope(row)}: ${valueWords(row, after)} ${when}; ${until}`
}

/** A value in force for the row, and the scope it was set for if that differs from the row's. */
function valueWords(row: Policy, source: Policy | undefined): string {
  if (source === undefined) {
    const [value, of_sandboxes] = [DEFAULTS[row.name], SANDBOX_DEFAULTS[row.name]]
    const sandbox_words = value === of_sandboxes ? '' : ` (${of_sandboxes} of sandboxes)`
    return `${value}, the default${sandbox_words}`
  }
  const same = describeScope(source) === describeScope(row)
  return same ? `${source.value}` : `${source.value}, as set for ${describeScope(source)}`
}
