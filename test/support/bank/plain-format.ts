// A bank file format that a test can read: one line for each payment, and one line of JSON for each
// report of the bank. It keeps the contract of BankFormat and follows no standard.
import {
  type BankFormat,
  type BankLine,
  type BankProfile,
  EMPTY_LINE,
  UnreadableFile,
} from '../../../src/values/bank-format/bank-format.ts'
import { currencyExponent } from '../../../src/values/money/currency.ts'
import { formatMajor } from '../../../src/values/money/decimal.ts'

export const PROFILE: BankProfile = {
  name: 'plain',
  settles_on: 'booked',
  meanings: {},
  silent_after_days: null,
  silent_calendar: null,
  batch_booking: false,
  most_items: 1_000,
  most_amount: null,
  resend_is_safe: false,
  release_by_person: false,
  character_set: 'utf8',
  address: 'any',
  iso20022: null,
  nacha: null,
}

/** A report about one payment, without content. */
const EMPTY_REPORT: BankLine = { ...EMPTY_LINE, level: 'transaction' }

/** A file of the bank: one line for each report, and END, without which the file is cut off. */
export function plainReport(says: readonly Partial<BankLine>[]): string {
  const lines = says.map(report =>
    JSON.stringify(report, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
  )
  return [...lines, 'END', ''].join('\n')
}

/** The payments of a file that was written in this format. */
export function plainPayments(text: string) {
  return text
    .split('\n')
    .filter(line => line.startsWith('PAY '))
    .map(line => {
      const [, end_to_end_id = '', amount = '0', currency = ''] = line.split(' ')
      return { end_to_end_id, amount: BigInt(amount), currency }
    })
}

export const PLAIN: BankFormat = {
  name: 'iso20022',
  extension: 'txt',
  readProfile: written => ({ value: { ...PROFILE, ...(written as Partial<BankProfile>) } }),
  checkSettlementAccount: () => [],
  checkItem: ({ creditor }) => (creditor.name.includes('#') ? ['the name has a #'] : []),
  write({ msg_id, items, execution_date }) {
    const exponent = currencyExponent(items[0]?.currency ?? '')
    const sum = items.reduce((total, { amount }) => total + amount, 0n)
    const control_sum = formatMajor(sum, exponent)
    const lines = items.map(({ end_to_end_id, amount, currency, creditor }) =>
      ['PAY', end_to_end_id, amount, currency, creditor.name].join(' '),
    )
    const head = `FILE ${msg_id} ${items.length} ${control_sum} ${execution_date}`
    const place = (end_to_end_id: string) =>
      [
        end_to_end_id,
        { payment_information_id: `${msg_id}-1`, instruction_id: `I${end_to_end_id}` },
      ] as const
    return {
      bytes: Buffer.from([head, ...lines, 'END', ''].join('\n')),
      count: items.length,
      control_sum,
      execution_date,
      places: new Map(items.map(item => place(item.end_to_end_id))),
    }
  },
  check: async bytes => (Buffer.from(bytes).toString().endsWith('END\n') ? [] : ['it has no end']),
  async *read(chunks) {
    let number = 0
    let ended = false
    for await (const line of linesOf(chunks)) {
      number += 1
      if (ended) throw new UnreadableFile('something after the end', number)
      if (line === 'END') ended = true
      else yield parseReport(line, number)
    }
    if (!ended) throw new UnreadableFile('it is cut off', number)
  },
}

function parseReport(line: string, number: number): BankLine {
  try {
    const { amount, ...report } = JSON.parse(line)
    const money = { amount: amount === undefined || amount === null ? null : BigInt(amount) }
    return { ...EMPTY_REPORT, ...report, ...money, position: `line ${number}` }
  } catch {
    throw new UnreadableFile('no JSON', number)
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of chunks) {
    try {
      rest += decoder.decode(chunk, { stream: true })
    } catch {
      throw new UnreadableFile('it is not UTF-8')
    }
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > 1_000_000)
      throw new UnreadableFile('a line has more than 1,000,000 characters')
    yield* lines
  }
  if (rest !== '') yield rest
}
