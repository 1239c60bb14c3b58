// Reads the corrected data of a notification of change: the change code says which value stands
// where. Source: Nacha Operating Rules, Appendix Five. Pure.
import type { PayeeValues } from '../../values/bank-format/bank-format.ts'
import { isRoutingNumber } from './item.ts'

/** The places of values in the corrected data, counted from 1. All other places are blank. */
const PLACES = {
  C01: { account_number: [1, 17] },
  C02: { routing_number: [1, 9] },
  C03: { routing_number: [1, 9], account_number: [13, 29] },
  C04: { name: [1, 22] },
  C05: { account_type: [1, 2] },
  C06: { account_number: [1, 17], account_type: [21, 22] },
  C07: { routing_number: [1, 9], account_number: [10, 26], account_type: [27, 28] },
} as const satisfies Readonly<Record<string, Places>>

type Name = keyof PayeeValues
type Places = { readonly [N in Name]?: readonly [first: number, last: number] }

/**
 * The values of the payee, by name. {} for codes about the sender's own values. {} also for a value
 * that is missing, misplaced or of another form: a person reads it.
 */
export function correctedValues(code: string, data: string): PayeeValues {
  const places: Places | undefined = Object.hasOwn(PLACES, code)
    ? PLACES[code as keyof typeof PLACES]
    : undefined
  if (places === undefined) return {}
  let rest = data
  const values: { [N in Name]?: string } = {}
  for (const name of Object.keys(places) as Name[]) {
    const [first, last] = places[name] ?? [1, 0]
    const value = readValue(name, data.slice(first - 1, last).trim())
    if (value === undefined) return {}
    values[name] = value
    rest =
      rest.slice(0, first - 1).padEnd(first - 1) + ' '.repeat(last - first + 1) + rest.slice(last)
  }
  return rest.trim() === '' ? (values as PayeeValues) : {}
}

function readValue(name: Name, text: string): string | undefined {
  switch (name) {
    case 'name':
      return /[A-Za-z0-9]/.test(text) ? text : undefined
    case 'account_number':
      return /^[0-9A-Za-z-]*[1-9A-Za-z][0-9A-Za-z-]*$/.test(text) ? text : undefined
    case 'routing_number':
      return isRoutingNumber(text) ? text : undefined
    case 'account_type':
      return accountType(text)
  }
}

/** The kind of account in a transaction code. A payee has no account of a ledger or a loan. */
function accountType(code: string): 'checking' | 'savings' | undefined {
  if (!/^[23][2-47-9]$/.test(code)) return undefined
  return code.startsWith('2') ? 'checking' : 'savings'
}
