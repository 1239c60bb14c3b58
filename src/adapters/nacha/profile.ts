// Reads the profile of a bank that takes ACH files, as an operator writes it in JSON. Reports every
// problem at once. Pure.
import type { BankProfile, NachaProfile } from '../../values/bank-format/bank-format.ts'
import {
  type Check,
  type Checks,
  checkMembers,
  isBoolean,
  isObject,
  isText,
  isWhole,
  MOST_SILENT_DAYS,
  sharedChecks,
} from '../../values/bank-format/profile.ts'
import { parseMajor } from '../../values/money/decimal.ts'
import type { Read } from '../../values/text/csv.ts'
import { isSwiftText } from '../../values/text/swift-text.ts'
import { MEANINGS } from '../iso20022/status.ts'
import { RETURN_DAYS } from './codes.ts'
import { isRoutingNumber } from './item.ts'

/** The largest sum of a file: twelve digits of cents. */
const MOST_OF_A_FILE = '9999999999.99'

/**
 * The values of absent members. Banks do not report that a credit arrived, so a payout settles when
 * no return comes in time. A return reaches the sending bank by the second banking day after the
 * settlement. The third day lets that bank pass the return on. A later return reverses the payout.
 */
const DEFAULTS = {
  settles_on: 'accepted',
  meanings: {},
  silent_after_days: RETURN_DAYS + 1,
  silent_calendar: 'fed',
  batch_booking: false,
  most_items: 10_000,
  most_amount: MOST_OF_A_FILE,
  resend_is_safe: false,
  release_by_person: false,
  character_set: 'swift',
  address: 'any',
} as const satisfies Partial<BankProfile>

const shared = sharedChecks(MEANINGS)

/** An ACH profile needs days of silence, their calendar and a limit, so none of them is null. */
const CHECKS: Checks<Omit<BankProfile, 'iso20022' | 'nacha'>> & { readonly about: Check } = {
  ...shared,
  silent_after_days: value =>
    isWhole(RETURN_DAYS, MOST_SILENT_DAYS)(value) === undefined
      ? undefined
      : `a whole number of days from ${RETURN_DAYS} to ${MOST_SILENT_DAYS}, as banks answer ACH ` +
        'credits by returns alone, and have so long for them',
  silent_calendar: value =>
    value === 'fed' ? undefined : 'fed, the banking days by which ACH settles',
  most_amount: value => {
    const amount = typeof value === 'string' ? parseMajor(value, 2) : undefined
    const most = parseMajor(MOST_OF_A_FILE, 2) ?? 0n
    return amount !== undefined && amount > 0n && amount <= most
      ? undefined
      : `an amount as text, of at most "${MOST_OF_A_FILE}"`
  },
  about: isText,
}

const isRouting: Check = value =>
  typeof value === 'string' && isRoutingNumber(value)
    ? undefined
    : 'a routing number: nine digits, the last of which checks the others'

/** An id of `least` to 10 characters, as the bank has assigned it. */
const isAssigned =
  (least: number): Check =>
  value => {
    const fits = typeof value === 'string' && value.length >= least && value.length <= 10
    if (fits && /^[0-9A-Z]+$/.test(value)) return undefined
    return `the ${least === 10 ? '10' : `${least} to 10`} characters 0-9 A-Z that the bank assigned`
  }

/** Only the operator knows how to write a company's name in the characters of a file. */
const isFieldText =
  (most: number): Check =>
  value =>
    typeof value === 'string' && value.trim() !== '' && value.length <= most && isSwiftText(value)
      ? undefined
      : `1 to ${most} characters of A-Z a-z 0-9 / - ? : ( ) . , ' + and space`

const NACHA_CHECKS: Checks<NachaProfile> = {
  immediate_destination: isRouting,
  immediate_destination_name: isFieldText(23),
  immediate_origin: isAssigned(9),
  immediate_origin_name: isFieldText(23),
  company_id: isAssigned(10),
  company_name: isFieldText(16),
  odfi: isRouting,
  entry_description: isFieldText(10),
  same_day: isBoolean,
}

/** A profile, or all of its problems. None is shipped, because each has the ids of a company. */
export function readProfile(written: unknown): Read<BankProfile> {
  if (!isObject(written)) return { messages: ['a profile of ACH is an object: none is shipped'] }
  const { nacha, iso20022 = null, ...plain } = written
  const own = { same_day: false, ...(isObject(nacha) ? nacha : {}) }
  const messages = [
    ...missingMembers('', Object.keys(shared), { ...DEFAULTS, ...plain }),
    ...checkMembers('', plain, CHECKS),
    ...missingMembers('nacha.', Object.keys(NACHA_CHECKS), own),
    ...checkMembers('nacha.', own, NACHA_CHECKS),
    ...(iso20022 === null ? [] : ['iso20022: this is a profile of ACH']),
  ]
  if (messages.length > 0) return { messages }
  const { about: _, ...rest } = plain as Partial<BankProfile> & { readonly about?: string }
  const profile = { ...DEFAULTS, ...rest, iso20022: null, nacha: own as unknown as NachaProfile }
  return { value: profile as BankProfile }
}

function missingMembers(path: string, names: readonly string[], members: object): string[] {
  return names
    .filter(name => !Object.hasOwn(members, name))
    .map(name => `${path}${name}: is missing`)
}
