// The problem of a member that names no currency. Pure.
import type { Problem } from '../errors.ts'
import { hintOrStop } from '../text/nearest.ts'
import { CURRENCIES } from './currency.ts'

/** The problem of an unknown code at this member; none for a known code, or for no code. */
export function currencyProblems(
  member: string,
  code: string | null | undefined,
): readonly Problem[] {
  if (code == null || CURRENCIES.has(code)) return []
  const message = `There is no currency ${code}${hintOrStop(code, CURRENCIES.keys())}`
  return [{ reason: 'currency', message, remarks: member }]
}
