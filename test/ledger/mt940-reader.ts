// A reader of MT940 as the standard has it, strict about every field, line and character. Shares no
// code with what writes statements.
import assert from 'node:assert/strict'

/** Minor units, by the decimals that were written. */
export interface Mt940Balance {
  readonly date: string
  readonly currency: string
  readonly amount: string
}

export interface Mt940Line {
  readonly value_date: string
  readonly entry_date: string
  readonly mark: 'C' | 'D' | 'RC' | 'RD'
  /** Signed, with a decimal point. */
  readonly amount: string
  readonly code: string
  readonly reference: string
  readonly ours: string
  /** :86: joined. */
  readonly information: string
}

export interface Mt940Message {
  readonly reference: string
  readonly account: string
  readonly number: number
  readonly page: number
  readonly opening: Mt940Balance & { readonly tag: '60F' | '60M' }
  readonly lines: readonly Mt940Line[]
  readonly closing: Mt940Balance & { readonly tag: '62F' | '62M' }
  readonly available: Mt940Balance | null
  /** :86: after the balances, about the whole statement; '' for none. */
  readonly note: string
  /** Characters of its text block. */
  readonly length: number
}

const X = "[A-Za-z0-9/\\-?:().,'+ ]"
const AMOUNT = '(?=.{2,15}$)\\d+,\\d*'
const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d+,\d*)$/
const STATEMENT_LINE = new RegExp(
  `^(\\d{6})(\\d{4})(C|D|RC|RD)(\\d+,\\d*)(N[A-Z0-9]{3})(${X}{1,16}?)(?://(${X}{1,16}))?$`,
)

/** Every message of a file; fails at the first thing that is not MT940. */
export function readMt940(text: string): Mt940Message[] {
  assert.match(text, new RegExp(`^(${X}|\\r\\n)*$`), 'the x character set')
  assert.ok(text.endsWith('\r\n-\r\n'))
  return text
    .slice(0, -'-\r\n'.length)
    .split('\r\n-\r\n')
    .map(block => block.replace(/(\r\n)?$/, '\r\n'))
    .map(readMessage)
}

function readMessage(block: string): Mt940Message {
  const fields: { tag: string; lines: string[] }[] = []
  for (const line of block.slice(0, -2).split('\r\n')) {
    const [, tag, rest = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(line) ?? []
    assert.doesNotMatch(line, /^-/)
    if (tag !== undefined) fields.push({ tag, lines: [rest] })
    else {
      assert.doesNotMatch(line, /^:/)
      fields.at(-1)?.lines.push(line)
    }
  }
  const tags = fields.map(({ tag }) => tag).join(' ')
  assert.match(tags, /^20 25 28C 60[FM]( 61 86)* 62[FM]( 64)?( 86)?$/)
  const single = (tag: RegExp): string => {
    const found = fields.filter(field => tag.test(field.tag))
    assert.equal(found.length, 1, String(tag))
    assert.equal(found[0]?.lines.length, 1)
    return found[0]?.lines[0] ?? ''
  }
  const [, number, page] = /^(\d{1,5})\/(\d{1,5})$/.exec(single(/^28C$/)) ?? assert.fail('28C')
  const reference = single(/^20$/)
  assert.match(reference, new RegExp(`^(?!/)(?!.*//)${X}{1,16}(?<!/)$`))
  const account = single(/^25$/)
  assert.match(account, new RegExp(`^${X}{1,35}$`))
  const available = fields.find(({ tag }) => tag === '64')
  return {
    reference,
    account,
    number: Number(number),
    page: Number(page),
    opening: { ...readBalance(single(/^60[FM]$/)), tag: tags.includes('60F') ? '60F' : '60M' },
    lines: readLines(fields),
    closing: { ...readBalance(single(/^62[FM]$/)), tag: tags.includes('62F') ? '62F' : '62M' },
    available: available === undefined ? null : readBalance(available.lines[0] ?? ''),
    note: tags.endsWith('64 86') ? (fields.at(-1)?.lines.join('') ?? '') : '',
    length: block.length,
  }
}

function readLines(fields: readonly { tag: string; lines: string[] }[]): Mt940Line[] {
  return fields.flatMap((field, i) => {
    if (field.tag !== '61') return []
    const [first = '', ...more] = field.lines
    assert.deepEqual(more, [], 'no supplementary details')
    const [
      ,
      value_date = '',
      entry_date = '',
      mark = '',
      amount = '',
      code = '',
      reference = '',
      ours = '',
    ] = STATEMENT_LINE.exec(first) ?? assert.fail(`:61:${first}`)
    assert.match(reference, /^(?!\/)(?!.*\/\/).*(?<!\/)$/)
    const information = fields[i + 1]?.lines ?? []
    assert.ok(information.length >= 1 && information.length <= 6)
    for (const line of information) assert.ok(line.length >= 1 && line.length <= 65, line)
    const negative = mark === 'D' || mark === 'RC'
    return {
      value_date: dateOf(value_date),
      entry_date,
      mark: mark as Mt940Line['mark'],
      amount: `${negative ? '-' : ''}${readAmount(amount)}`,
      code,
      reference,
      ours,
      information: information.join(''),
    }
  })
}

function readBalance(text: string): Mt940Balance {
  const [, mark, date = '', currency = '', amount = ''] = BALANCE.exec(text) ?? assert.fail(text)
  return { date: dateOf(date), currency, amount: `${mark === 'D' ? '-' : ''}${readAmount(amount)}` }
}

/** 15d: the comma always stands, and at least one digit ahead of it. */
function readAmount(text: string): string {
  assert.match(text, new RegExp(`^${AMOUNT}$`))
  return text.replace(',', '.').replace(/\.$/, '')
}

function dateOf(text: string): string {
  const date = `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4)}`
  assert.ok(new Date(date).toISOString().startsWith(date), text)
  return date
}
