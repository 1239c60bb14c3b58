// Checks a written file by the network's rules for credits: its counts, sums and hashes, and the
// fields of each batch and entry. Pure.
import { type NachaProfile, UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { isRoutingNumber } from './item.ts'
import { BLOCKING_FACTOR, REMITTANCE, readRecord, WIDTH } from './record.ts'
import { type Entry, Records } from './records.ts'
import { SAME_DAY_INDICATORS, SAME_DAY_LIMIT } from './settlement.ts'
import { CREDITS_ONLY } from './write.ts'

type Rule = readonly [holds: boolean, fault: string]

/** The problems of a file's bytes; [] when it may be sent. */
export function checkAch(bytes: Uint8Array, nacha: NachaProfile): string[] {
  try {
    return checkLines(Buffer.from(bytes).toString('latin1'), nacha)
  } catch (error) {
    if (error instanceof UnreadableFile) return [error.message]
    throw error
  }
}

function checkLines(file: string, nacha: NachaProfile): string[] {
  const lines = file.split('\n')
  if (lines.pop() !== '') return ['the last line has no end']
  if (lines.length % BLOCKING_FACTOR !== 0) return ['the last block is not filled up']
  const records = new Records()
  const used: UsedValues = { traces: new Set(), ids: new Set(), last: ['', ''] }
  const faults: string[] = []
  lines.forEach((text, i) => {
    const line = i + 1
    if (text.length !== WIDTH || /[^ -~]/.test(text)) {
      throw new UnreadableFile(`not ${WIDTH} characters of ASCII text`, line)
    }
    const entry = records.take({ line, text })
    if (entry !== undefined) faults.push(...checkEntry(entry, nacha, used))
  })
  records.end()
  return faults
}

/** The values that must not repeat in a file. */
interface UsedValues {
  readonly traces: Set<string>
  readonly ids: Set<string>
  /** The batch number and trace number of the previous entry. */
  last: readonly [batch: string, trace: string]
}

function checkEntry(from: Entry, nacha: NachaProfile, used: UsedValues): string[] {
  const { entry, batch } = from
  const rules: readonly Rule[] = [
    ...headerRules(from, nacha),
    [/^[23]2$/.test(entry.transaction_code), `transaction code ${entry.transaction_code}`],
    [
      isRoutingNumber(`${entry.rdfi}${entry.check_digit}`),
      `the routing number ${entry.rdfi}${entry.check_digit} is not valid`,
    ],
    [
      /^[0-9A-Za-z-]+$/.test(entry.account),
      'the account number has characters other than letters, digits and hyphens',
    ],
    [from.defect === '', from.defect],
    [from.amount > 0n, 'the amount is zero'],
    [
      batch.descriptive_date === '' || from.amount <= SAME_DAY_LIMIT,
      'the amount is more than the network settles on the same day',
    ],
    [/^[0-9A-Z]{15}$/.test(entry.individual_id), 'the individual id is not 15 characters'],
    [!used.ids.has(entry.individual_id), `${entry.individual_id} stands in the file twice`],
    [entry.individual_name !== '', 'there is no name'],
    [entry.trace_number.startsWith(batch.odfi), 'the trace number is of another bank'],
    [!used.traces.has(entry.trace_number), `the trace number ${entry.trace_number} repeats`],
    [
      batch.batch_number !== used.last[0] || entry.trace_number > used.last[1],
      'trace numbers do not rise',
    ],
    ...addendaRules(from),
  ]
  used.ids.add(entry.individual_id)
  used.traces.add(entry.trace_number)
  used.last = [batch.batch_number, entry.trace_number]
  return rules.flatMap(([holds, fault]) => (holds ? [] : [`line ${from.line}: ${fault}`]))
}

function headerRules({ file, batch }: Entry, nacha: NachaProfile): readonly Rule[] {
  const same_day = batch.effective_entry_date === file.creation_date
  return [
    [file.immediate_destination === nacha.immediate_destination.trim(), 'another destination'],
    [file.immediate_origin === nacha.immediate_origin.trim(), 'another origin'],
    [file.record_size === '094' && file.blocking_factor === '10', 'other sizes than 094 and 10'],
    [/^[A-Z0-9]$/.test(file.file_id_modifier), 'the file id modifier is not A-Z or 0-9'],
    [batch.service_class === CREDITS_ONLY, `service class ${batch.service_class} in our file`],
    [['PPD', 'CCD'].includes(batch.entry_class), `entry class "${batch.entry_class}"`],
    [batch.company_id === nacha.company_id, 'the company id is not ours'],
    [batch.company_name !== '', 'the batch names no company'],
    [batch.entry_description !== '', 'the batch has no description'],
    [batch.odfi === nacha.odfi.slice(0, 8), 'the originating bank is another'],
    [
      isDate(batch.effective_entry_date),
      `the effective entry date ${batch.effective_entry_date} is not a date`,
    ],
    [batch.effective_entry_date >= file.creation_date, 'the effective entry date is over'],
    [
      SAME_DAY_INDICATORS.includes(batch.descriptive_date) === same_day,
      'the same-day indicator and the effective entry date differ',
    ],
    [batch.settlement_date === '', 'the operator of the network writes the settlement date'],
  ]
}

function addendaRules({ entry, addenda }: Entry): readonly Rule[] {
  const rules = addenda.map(({ line, text }): Rule => {
    const { number, entry_number } = readRecord(REMITTANCE, text, line)
    const holds = number === '0001' && entry_number === entry.trace_number.slice(8)
    return [holds, 'the addenda are of another entry']
  })
  return [...rules, [addenda.length <= 1, 'PPD and CCD have one record of addenda']]
}

/** Whether the text is a real day, as YYMMDD. */
function isDate(text: string): boolean {
  const iso = text.replace(/^(\d\d)(\d\d)(\d\d)$/, '20$1-$2-$3')
  const date = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso)
}
