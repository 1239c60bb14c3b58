// Reads the profile of a bank as an operator writes it in JSON: the members that all formats share.
// What a format alone knows, it reads itself. Pure.
import type { BankProfile } from './bank-format.ts'
import type { Members } from './members.ts'
import { parseDecimal } from './money/decimal.ts'

export type SharedProfile = Omit<BankProfile, 'iso20022' | 'nacha'>

const SHARED: readonly (keyof SharedProfile)[] = [
  'name',
  'settles_on',
  'meanings',
  'silent_after_days',
  'batch_booking',
  'most_items',
  'most_amount',
  'resend_is_safe',
  'release_by_person',
  'character_set',
  'address',
]

/** What a format takes a missing member for. */
export type SharedDefaults = Pick<
  SharedProfile,
  'settles_on' | 'silent_after_days' | 'most_amount' | 'address'
>

/** Adds what is wrong to the problems of `members`. `own` is the member of the format itself. */
export function readShared(
  members: Members,
  own: 'iso20022' | 'nacha',
  absent: SharedDefaults,
): SharedProfile {
  members.only([...SHARED, own])
  return {
    name: members.text('name', 70),
    settles_on: members.oneOf('settles_on', ['accepted', 'acsc', 'booked'], absent.settles_on),
    meanings: readMeanings(members),
    silent_after_days: members.has('silent_after_days')
      ? members.integer('silent_after_days', 1, 1, 60)
      : absent.silent_after_days,
    batch_booking: members.flag('batch_booking', false),
    most_items: members.integer('most_items', 10_000, 1, 100_000),
    most_amount: members.has('most_amount') ? readAmount(members) : absent.most_amount,
    resend_is_safe: members.flag('resend_is_safe', false),
    release_by_person: members.flag('release_by_person', false),
    character_set: members.oneOf('character_set', ['swift', 'latin', 'utf8'], 'swift'),
    address: members.oneOf('address', ['town_and_country', 'any'], absent.address),
  }
}

/** From a code of the bank to the code of the standard. */
function readMeanings(members: Members): Record<string, string> {
  const meanings = members.object('meanings', {})
  return Object.fromEntries(meanings.names().map(code => [code, meanings.text(code, 35)]))
}

function readAmount(members: Members): string {
  const text = members.text('most_amount', 30)
  const amount = parseDecimal(text)
  if (text !== '' && (amount === undefined || amount.digits === 0n)) {
    members.problem('most_amount', 'must be an amount as text, such as "1000000.00"')
  }
  return text
}
