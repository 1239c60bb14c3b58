// Reads field :86: of MT940, which each country writes in its own way: German subfields behind ?20,
// code words between slashes, or free text. Pure.
import { joinTexts } from '../../adapters/iso20022/values.ts'
import { referencesIn } from '../../values/bank-format/code-word.ts'
import type { StatementLine } from './statement.ts'
import { plainAccount } from './text.ts'

/** What a field says, by code word. */
type Words = ReadonlyMap<string, string>

/** The line with what its :86: says. */
export function informationOf(lines: readonly string[], line: StatementLine): StatementLine {
  const joined = lines.join('')
  const [, business_code = '', mark] = /^(\d{3})([^\w\s])(?=\d\d)/.exec(joined) ?? []
  if (mark !== undefined) {
    const subfields = subfieldsOf(joined, mark)
    const words = tagsIn(usageOf(subfields))
    const name = ['32', '33'].map(place => subfields.get(place) ?? '').join('')
    const account = subfields.get('31') || words.get('IBAN') || ''
    const code = `${line.code}/${business_code}`
    const text = words.get('SVWZ') ?? words.get('') ?? ''
    return withWords({ ...line, code }, words, { name, account, text })
  }
  const words = codeWordsIn(joined)
  if (words !== undefined) {
    const [party_account = '', , party_name = ''] = words.get('CNTP')?.split('/') ?? []
    return withWords(line, words, {
      name: words.get('NAME') || words.get('BENM') || words.get('ORDP') || party_name,
      account: words.get('IBAN') || words.get('ACCT') || party_account,
      text: (words.get('REMI') ?? '').replace(/^(?:USTD|STRD\/(?:CUR|ISO))\/+/, ''),
    })
  }
  const text = lines.join(' ').trim()
  const [named = '', ...others] = referencesIn(text)
  return {
    ...line,
    end_to_end_id: others.length === 0 && named !== '' ? named : line.end_to_end_id,
    text: joinTexts([text, line.text]),
  }
}

interface Read {
  readonly name: string
  readonly account: string
  readonly text: string
}

/** The reference in :61: is another name of the payment, unless it is the same one cut off. */
function withWords(line: StatementLine, words: Words, { name, account, text }: Read) {
  const named = words.get('EREF') ?? ''
  const end_to_end_id = /^NOT ?PROVIDED$/i.test(named) ? '' : named
  const is_same = end_to_end_id.startsWith(line.end_to_end_id)
  const own = words.get('IREF') || words.get('KREF') || (is_same ? '' : line.end_to_end_id)
  return {
    ...line,
    end_to_end_id: end_to_end_id || line.end_to_end_id,
    instruction: end_to_end_id === '' ? (words.get('IREF') ?? words.get('KREF') ?? '') : own,
    uetr: (words.get('UETR') ?? '').toLowerCase(),
    block: words.get('PREF') ?? '',
    counterparty: plainAccount(account),
    counterparty_name: name,
    text: joinTexts([text.trim(), line.text, words.get('RTRN') ?? '']),
  }
}

/** Behind ?20 to ?29 and ?60 to ?63 stands one text in pieces of 27 characters. */
function usageOf(subfields: ReadonlyMap<string, string>): string {
  const places = [...subfields.keys()].filter(place => /^(?:2\d|6[0-3])$/.test(place)).sort()
  return places.map(place => subfields.get(place)).join('')
}

function subfieldsOf(joined: string, mark: string): ReadonlyMap<string, string> {
  const subfields = new Map<string, string>()
  const [, ...pieces] = joined.split(mark)
  let place = ''
  for (const piece of pieces) {
    // A mark without two digits behind it belongs to the text.
    const begins = /^\d\d/.test(piece)
    if (begins) place = piece.slice(0, 2)
    const text = begins ? piece.slice(2) : mark + piece
    subfields.set(place, (subfields.get(place) ?? '') + text)
  }
  return subfields
}

const TAG = /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP|COAM|OAMT|RREF)\+/g

/** `EREF+…SVWZ+…`; the text before the first tag has the word ''. */
function tagsIn(usage: string): Words {
  return splitBy(usage, TAG)
}

const CODE_WORDS = [
  ...['TRTP', 'EREF', 'IREF', 'KREF', 'PREF', 'UETR', 'MARF', 'MREF', 'CSID', 'BENM', 'ORDP'],
  ...['NAME', 'ACCT', 'IBAN', 'BIC', 'CNTP', 'REMI', 'PURP', 'ULTC', 'ULTB', 'ULTD', 'TRCD'],
  ...['EXCH', 'OCMT', 'CHGS', 'RTRN', 'ADDR', 'SVCL', 'SRCE', 'SREF', 'ID', 'ISDT', 'OAMT'],
  ...['CREF', 'NRTX'],
]
const WORD = new RegExp(`/(${CODE_WORDS.join('|')})/`, 'g')

/** Undefined for a text that does not begin with a code word. */
function codeWordsIn(joined: string): Words | undefined {
  const words = splitBy(joined.trim(), WORD)
  return words.size > 0 && !words.has('') ? words : undefined
}

/** The values between the words, without slashes and blanks around them. The first one counts. */
function splitBy(text: string, word: RegExp): Words {
  const found = [...text.matchAll(word)]
  const values = new Map<string, string>()
  const add = (name: string, value: string) => {
    const bare = value.trim().replace(/^\/+|\/+$/g, '')
    if (bare !== '' || name !== '') values.set(name, values.get(name) || bare)
  }
  add('', text.slice(0, found[0]?.index ?? text.length))
  for (const [i, match] of found.entries()) {
    add(match[1] ?? '', text.slice(match.index + match[0].length, found[i + 1]?.index))
  }
  return values
}
