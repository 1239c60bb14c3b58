// Texts of entities as duplicates compare them, as a table: what is there, what is asked, who
// answers (§duplicate.comparison, §duplicate.takes_part). Each member that counts is sent blank, in
// disguise, and all but the same.
import {
  at,
  business,
  individual,
  judgeTables,
  named,
  nin,
  type Row,
  registered,
  type Thing,
} from '../support/oracle/entity-table.ts'

/** A member that counts, a text for it, and an entity that has such a text there. */
type Member = readonly [member: string, text: string, having: (text: string) => Thing]

const NEEDED: readonly Member[] = [
  ['email', 'Anna.Weiß@Example.com', email => individual({ email })],
  ['identification type', 'Reisepaß', type => individual(nin(type, '1'))],
  ['identification number', 'c01 ß/é', number => individual(nin('passport', number))],
  ['line1', 'Große Allee 4', line1 => individual(at({ line1 }))],
  ['city', 'Gießen é', city => individual(at({ city }))],
  ['country', 'DE', country => individual(at({ country }))],
  ['registration number', 'HRB 2041 é', number => business(registered(number, 'DE'))],
  ['country of a business', 'DE', country => business(registered('1', country))],
]
const MAY_BE_BLANK: readonly Member[] = [
  ['state', 'Süd ß', state => individual(at({ state }))],
  ['postal code', '10 969 ß', postal_code => individual(at({ postal_code }))],
  ['vertical', 'Größe é', vertical => individual(at(), { vertical })],
]
const NAME: Member = ['name', 'Änne Weiß', name => individual(at(), named(name))]

const BLANKS = ['', ' ', '\t\n', '\u00a0\u3000', '\u0085', '\u200b', '\ufeff \u2060']

const blank = NEEDED.flatMap(([member, , having]) =>
  BLANKS.map((text): Row => [`${member} ${quoted(text)}`, having(text), having(text), 'new']),
)
const absent: readonly Row[] = [
  {},
  { national_identification_number: { number: '1' } },
  { national_identification_number: { type: '1' } },
  { registration_address: { country: 'DE', line1: 'x' } },
  { registration_address: { country: 'DE', city: 'x' } },
  { registration_address: { line1: 'x', city: 'x' } },
].map(body => [JSON.stringify(body), individual(body), individual(body), 'new'])
const absentInBusinesses: readonly Row[] = [
  {},
  { registration_number: '1' },
  { registration_number: '1', registration_address: { city: 'x' } },
  at(),
].map(body => [JSON.stringify(body), business(body), business(body), 'new'])

const mayBeBlank = MAY_BE_BLANK.flatMap(([member, filled, having]) =>
  BLANKS.flatMap((text): Row[] => [
    [`${member} ${quoted(text)} and none`, having(text), individual(at()), 'first'],
    [`no ${member} and ${quoted(text)}`, individual(at()), having(text), 'first'],
    [`${member} and ${quoted(text)}`, having(filled), having(text), 'new'],
  ]),
)

const disguised = [NAME, ...NEEDED, ...MAY_BE_BLANK].flatMap(([member, text, having]): Row[] => {
  const within = `${text[0]}\u200b${text.slice(1)}`
  return [
    [`${member} in capitals`, having(text), having(text.toUpperCase()), 'first'],
    [`${member} in small letters`, having(text), having(text.toLowerCase()), 'first'],
    [`${member} with space around`, having(` ${text}\t`), having(`\u00a0${text}\u3000`), 'first'],
    [`${member} decomposed`, having(text), having(text.normalize('NFD')), 'first'],
    [`${member} with something invisible`, having(text), having(`\ufeff${within}`), 'first'],
  ]
})

const nearly = [NAME, ...NEEDED, ...MAY_BE_BLANK]
  .filter(([member]) => !/email|country/.test(member))
  .flatMap(([member, text, having]): Row[] => [
    [`${member} with a full stop`, having(text), having(`${text}.`), 'new'],
    [`${member} with inner space`, having(text), having(`${text[0]} ${text.slice(1)}`), 'new'],
    [`${member} without its accents`, having(`${text}é`), having(`${text}e`), 'new'],
  ])

/** Two names at one address. */
const NAMES: readonly (readonly [what: string, there: string, asked: string, who: string])[] = [
  ['U+0085 around', 'Anna', '\u0085Anna\u0085', 'first'],
  ['NBSP around', 'Anna', '\u00a0Anna\u00a0', 'first'],
  ['ideographic space around', 'Anna', '\u3000Anna\u3000', 'first'],
  ['line and paragraph separators around', 'Anna', '\u2028Anna\u2029', 'first'],
  ['two spaces within', 'Anna Weber', 'Anna  Weber', 'new'],
  ['no space within', 'Anna Weber', 'AnnaWeber', 'new'],
  ['NBSP within', 'Anna Weber', 'Anna\u00a0Weber', 'new'],
  ['a full stop', 'A Weber', 'A. Weber', 'new'],
  ['a hyphen', 'Anna Lena', 'Anna-Lena', 'new'],
  ['another apostrophe', 'O’Neill', "O'Neill", 'new'],
  ['an accent', 'Rene', 'René', 'new'],
  ['Cyrillic а', 'Anna', 'Ann\u0430', 'new'],
  ['full-width letters', 'Anna', '\uff21nna', 'new'],
  ['composed, then decomposed', 'Ren\u00e9', 'Rene\u0301', 'first'],
  ['decomposed, then composed', 'Rene\u0301', 'Ren\u00e9', 'first'],
  ['a mark after something invisible', 'Rene\u034f\u0301', 'Ren\u00e9', 'first'],
  ['zero-width joiner', 'Anna', 'An\u200dna', 'first'],
  ['soft hyphen', 'Anna', 'An\u00adna', 'first'],
  ['variation selector', 'Anna', 'Anna\ufe0f', 'first'],
  ['white space behind something invisible', 'Anna', 'Anna \u200b', 'first'],
  ['ß and ss', 'Weiß', 'Weiss', 'first'],
  ['ß and SS', 'Weiß', 'WEISS', 'first'],
  ['ẞ and ß', 'WEIẞ', 'weiß', 'first'],
  ['final sigma and capitals', 'Νίκος', 'ΝΊΚΟΣ', 'first'],
  ['final sigma and σ', 'Νικος', 'Νικοσ', 'first'],
  ['İ and i with a dot', 'İzmir', 'i\u0307zmir', 'first'],
  ['İ and i', 'İzmir', 'izmir', 'new'],
  ['ı and i', 'Işıl', 'Işil', 'new'],
  ['ı and I', 'ışık', 'IŞIK', 'new'],
  ['ﬁ and fi', 'ﬁnn', 'Finn', 'first'],
  ['ŉ and ʼn', 'ŉ', 'ʼN', 'first'],
  ['ΐ and its capitals', 'Αΐ', 'ΑΪ\u0301', 'first'],
  ['Cherokee', 'Ꭰ', 'ꭰ', 'first'],
]
const names = NAMES.map(([what, there, asked, who]): Row => {
  return [what, individual(at(), named(there)), individual(at(), named(asked)), who]
})

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, c => `\\u${c.charCodeAt(0).toString(16)}`)
}

judgeTables({
  'blank, §duplicate.takes_part': blank,
  'absent, §duplicate.takes_part': [...absent, ...absentInBusinesses],
  'blank on both sides, §duplicate.takes_part': mayBeBlank,
  'disguised, §duplicate.comparison': disguised,
  'nearly the same, §duplicate.comparison': nearly,
  'names, §duplicate.comparison': names,
})
