// NACHA files as a format of bank files: ACH credits out, returns and notifications of change in.
import type { BankFormat, BankProfile, NachaProfile } from '../bank-format.ts'
import { readShared, type SharedDefaults } from '../bank-profile.ts'
import type { Read } from '../csv.ts'
import { Members } from '../members.ts'
import { parseMajor } from '../money/decimal.ts'
import { isSwiftText } from '../swift-text.ts'
import { checkAch } from './check.ts'
import { checkItem, isRoutingNumber } from './item.ts'
import { readAch } from './read.ts'
import { writeAch } from './write.ts'

/** Twelve digits of cents: the sum of a file. */
const MOST_OF_A_FILE = '9999999999.99'

/**
 * Banks report nothing of a credit that arrives, so silence is what a payout settles on. The
 * receiver's bank returns by its second banking day: five days cover a weekend with a holiday. A
 * later return reverses the payout.
 */
const ABSENT: SharedDefaults = {
  settles_on: 'accepted',
  silent_after_days: 5,
  most_amount: MOST_OF_A_FILE,
  address: 'any',
}

function readProfile(written: unknown): Read<BankProfile> {
  if (typeof written === 'string') {
    return {
      messages: ['names no profile: each of ACH has the ids of a company; write one as JSON'],
    }
  }
  const members = new Members(written, '')
  const shared = readShared(members, 'nacha', ABSENT)
  const most = parseMajor(shared.most_amount ?? '', 2)
  if (most !== undefined && most > (parseMajor(MOST_OF_A_FILE, 2) ?? 0n)) {
    members.problem('most_amount', `must be at most ${MOST_OF_A_FILE}, the most of a file`)
  }
  const nacha = readNacha(members.object('nacha'))
  const { problems } = members
  return problems.length > 0
    ? { messages: problems }
    : { value: { ...shared, iso20022: null, nacha } }
}

function readNacha(members: Members): NachaProfile {
  members.only([
    'immediate_destination',
    'immediate_destination_name',
    'immediate_origin',
    'immediate_origin_name',
    'company_id',
    'company_name',
    'odfi',
    'entry_description',
    'same_day',
  ])
  return {
    immediate_destination: routing(members, 'immediate_destination'),
    immediate_destination_name: plain(members, 'immediate_destination_name', 23),
    immediate_origin: assigned(members, 'immediate_origin', 9),
    immediate_origin_name: plain(members, 'immediate_origin_name', 23),
    company_id: assigned(members, 'company_id', 10),
    company_name: plain(members, 'company_name', 16),
    odfi: routing(members, 'odfi'),
    entry_description: plain(members, 'entry_description', 10),
    same_day: members.flag('same_day', false),
  }
}

function routing(members: Members, name: string): string {
  const text = members.text(name, 9)
  if (text !== '' && !isRoutingNumber(text)) {
    members.problem(name, 'must be a routing number: nine digits, the last checks the others')
  }
  return text
}

/** What the bank has assigned, to the character. */
function assigned(members: Members, name: string, least: number): string {
  const text = members.text(name, 10)
  if (text !== '' && (text.length < least || !/^[0-9A-Z]+$/.test(text))) {
    const count = least === 10 ? '10' : `${least} to 10`
    members.problem(name, `must be the ${count} characters 0-9 A-Z that the bank has assigned`)
  }
  return text
}

/** A file has these characters and no others; nothing of a company's name is guessed. */
function plain(members: Members, name: string, most: number): string {
  const text = members.text(name, most)
  if (!isSwiftText(text)) {
    members.problem(name, "must be of A-Z a-z 0-9 / - ? : ( ) . , ' + and spaces")
  }
  return text
}

export const NACHA: BankFormat = {
  name: 'nacha',
  extension: 'ach',
  readProfile,
  checkItem: (item, _account, profile) => checkItem(item, profile),
  write: writeAch,
  check: async (bytes, { nacha }) =>
    nacha === null ? ['the profile has no nacha'] : checkAch(bytes, nacha),
  read: chunks => readAch(chunks),
}
