// Rate files as tables: the rate of each valid line, and the message of each invalid one.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { formatDecimal } from '../../values/money/decimal.ts'
import { ECB_SOURCE } from './calendar.ts'
import { pairOf } from './guard.ts'
import {
  guessRateFormat,
  loadDefaultRates,
  parseEcbXml,
  parseRates,
  parseRatesCsv,
} from './load.ts'

const NOW = '2026-10-07T12:00:00.000000Z'
const DEFAULTS = { source: 'rates.csv', now: NOW }
const HEADER = 'base,quote,mid,source,as_of\n'

function csv(text: string) {
  const { lines, problems } = parseRatesCsv(text, DEFAULTS)
  return {
    rates: lines.map(({ line, value: r }) => [
      line,
      `${r.base}/${r.quote}`,
      formatDecimal(r.mid),
      r.source,
      r.as_of,
    ]),
    problems: problems.map(({ line, message }) => `${line}: ${message}`),
  }
}

const GOOD: readonly [name: string, text: string, rates: readonly (readonly unknown[])[]][] = [
  [
    'every column',
    `${HEADER}EUR,USD,1.1269,ECB,2026-10-06T14:00:00Z`,
    [[2, 'EUR/USD', '1.1269', 'ECB', '2026-10-06T14:00:00.000000Z']],
  ],
  [
    'source and as_of blank',
    `${HEADER}EUR,USD,1.1269,,`,
    [[2, 'EUR/USD', '1.1269', 'rates.csv', NOW]],
  ],
  [
    'no columns source and as_of',
    'base,quote,mid\nEUR,USD,1.1269\n',
    [[2, 'EUR/USD', '1.1269', 'rates.csv', NOW]],
  ],
  [
    'columns in another order, lower case, white space, CRLF',
    'Mid, quote ,base\r\n 0.50 , usd ,eur \r\n',
    [[2, 'EUR/USD', '0.5', 'rates.csv', NOW]],
  ],
  [
    'byte order mark, comments and empty lines, which count as lines; # inside a cell as text',
    `\uFEFF# one\n\n${HEADER}# four\nUSD,HKD,7.81,Desk #4,\nUSD,JPY,150,"a, # b",`,
    [
      [5, 'USD/HKD', '7.81', 'Desk #4', NOW],
      [6, 'USD/JPY', '150', 'a, # b', NOW],
    ],
  ],
  [
    'an offset, and a time five minutes ahead',
    `${HEADER}USD,HKD,7.81,a,2026-10-07T14:05:00+02:00`,
    [[2, 'USD/HKD', '7.81', 'a', '2026-10-07T12:05:00.000000Z']],
  ],
  [
    '30 fractional digits',
    `${HEADER}USD,HKD,0.000000000000000000000000000001,a,`,
    [[2, 'USD/HKD', '0.000000000000000000000000000001', 'a', NOW]],
  ],
]

for (const [name, text, rates] of GOOD) {
  test(`rates CSV, ${name}: accepted`, () => assert.deepEqual(csv(text), { rates, problems: [] }))
}

const positive = (text: string) => `mid "${text}" is not a positive decimal such as 1.1269`
const time = (text: string) => `as_of "${text}" is not a time such as 2026-01-31T16:00:00Z`

const BAD_LINES: readonly [line: string, ...messages: string[]][] = [
  ['EUR,XXX,1,,', 'unknown currency XXX'],
  [',USD,1,,', 'base is missing'],
  ['EUR,,1,,', 'quote is missing'],
  ['USD,usd,1,,', 'base and quote are both USD'],
  ['EUR,USD,,,', 'mid is missing'],
  ['EUR,USD,0,,', positive('0')],
  ['EUR,USD,0.000,,', positive('0.000')],
  ['EUR,USD,-1.1,,', positive('-1.1')],
  ['EUR,USD,+1.1,,', positive('+1.1')],
  ['EUR,USD,1e,,', positive('1e')],
  ['EUR,USD,1e99,,', positive('1e99')],
  ['EUR,USD,1e-40,,', positive('1e-40')],
  ['EUR,USD,0E5,,', positive('0E5')],
  ['EUR,USD,"1,1",,', positive('1,1')],
  ['EUR,USD,.5,,', positive('.5')],
  ['EUR,USD,NaN,,', positive('NaN')],
  ['EUR,USD,Infinity,,', positive('Infinity')],
  ['EUR,USD,١,,', positive('١')],
  [
    'EUR,USD,0.0000000000000000000000000000001,,',
    'mid 0.0000000000000000000000000000001 has more than 30 fractional digits',
  ],
  ['EUR,USD,1,,yesterday', time('yesterday')],
  ['EUR,USD,1,,2026-10-06', time('2026-10-06')],
  ['EUR,USD,1,,2026-10-06T14:00:00', time('2026-10-06T14:00:00')],
  ['EUR,USD,1,,2026-02-30T14:00:00Z', time('2026-02-30T14:00:00Z')],
  ['EUR,USD,1,,0001-01-01T00:00:00Z', time('0001-01-01T00:00:00Z')],
  ['EUR,USD,1,,2026-10-07T12:05:01Z', 'as_of 2026-10-07T12:05:01Z is in the future'],
  ['EUR,USD,1,a\u0000b,', 'source has control characters or more than 200 characters'],
  ['EUR,USD,1,a', '4 columns where the header has 5'],
  ['EUR,USD,1,a,,', '6 columns where the header has 5'],
  ['EUR,QQQ,-1,,x', 'unknown currency QQQ', positive('-1'), time('x')],
]

for (const [line, ...messages] of BAD_LINES) {
  test(`rates CSV, line ${JSON.stringify(line)}: ${messages.join('; ')}`, () => {
    const { problems } = csv(`${HEADER}GBP,USD,1.3,,\n${line}\n`)
    assert.deepEqual(
      problems,
      messages.map(message => `3: ${message}`),
    )
  })
}

const COLUMNS = 'the columns are base,quote,mid,source,as_of'
const BAD_FILES: readonly [name: string, text: string, problems: readonly string[]][] = [
  ['empty', '', ['1: no header line']],
  ['a pair twice', `${HEADER}EUR,USD,1,,\n\neur,usd,2,,`, ['4: EUR/USD is on line 2 already']],
  [
    'a pair in both directions',
    `${HEADER}USD,HKD,8,a,\nHKD,USD,0.125,a,`,
    ['3: HKD/USD is on line 2 already, the other way round'],
  ],
  ['without mid', 'base,quote\nEUR,USD', [`1: no column mid; ${COLUMNS}`]],
  ['an unknown column', 'base,quote,mid,rate\n', [`1: unknown column "rate"; ${COLUMNS}`]],
  ['a column twice', 'base,quote,mid,mid\n', ['1: column mid twice']],
  [
    'an open quotation mark',
    `${HEADER}EUR,USD,1,"a,`,
    ['2: not CSV: Quote Not Closed: the parsing is finished with an opening quote at line 2'],
  ],
]

for (const [name, text, problems] of BAD_FILES) {
  test(`rates CSV, ${name}: ${problems.join('; ')}`, () => {
    assert.deepEqual(csv(text).problems, problems)
  })
}

test('default rates: every row valid', async () => {
  const rates = await loadDefaultRates()
  assert.ok(rates.length > 25)
  assert.ok(rates.some(({ base, quote }) => base === 'EUR' && quote === 'USD'))
  assert.deepEqual(
    rates.filter(({ source }) => source !== ECB_SOURCE),
    [],
  )
})

function ecb(...days: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
 xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<Cube>
${days.join('\n')}
</Cube>
</gesmes:Envelope>`
}

function day(time: string, ...rates: readonly string[]): string {
  return [`<Cube time="${time}">`, ...rates, '</Cube>'].join('\n')
}

const USD = '<Cube currency="USD" rate="1.1269"/>'

test('ECB daily file in summer: every rate of EUR, as of 14:00Z', async () => {
  const text = await readFile('test/fixtures/eurofxref-daily.xml', 'utf8')
  const { lines, problems } = await parseRates(text, guessRateFormat(text), DEFAULTS)
  assert.deepEqual(problems, [])
  assert.equal(lines.length, text.match(/currency=/g)?.length)
  assert.deepEqual(lines[0], {
    line: 9,
    value: {
      base: 'EUR',
      quote: 'USD',
      mid: { digits: 11269n, scale: 4 },
      source: ECB_SOURCE,
      as_of: '2026-10-06T14:00:00.000000Z',
      pegged: false,
      sample: false,
    },
  })
})

const DAYS: readonly [day: string, as_of: string][] = [
  ['2026-01-15', '2026-01-15T15:00:00.000000Z'],
  ['2026-03-27', '2026-03-27T15:00:00.000000Z'],
  ['2026-03-30', '2026-03-30T14:00:00.000000Z'],
  ['2025-10-24', '2025-10-24T14:00:00.000000Z'],
  ['2025-10-27', '2025-10-27T15:00:00.000000Z'],
]
for (const [time, as_of] of DAYS) {
  test(`ECB file, day ${time}: as of ${as_of}`, async () => {
    const { lines } = await parseEcbXml(ecb(day(time, USD)), NOW)
    assert.equal(lines[0]?.value.as_of, as_of)
  })
}

test('ECB 90-day file, days in any order: rates of the newest day', async () => {
  const older = day('2026-10-05', '<Cube currency="USD" rate="1.1"/>')
  const newest = day('2026-10-06', USD)
  for (const days of [
    [newest, older],
    [older, newest],
  ]) {
    const { lines } = await parseEcbXml(ecb(...days), NOW)
    assert.deepEqual(
      lines.map(({ value }) => [formatDecimal(value.mid), value.as_of.slice(0, 10)]),
      [['1.1269', '2026-10-06']],
    )
  }
})

const NOT_ECB = '1: no <Cube time="…"> with rates: not an ECB rates file'
const BAD_XML: readonly [name: string, text: string, problems: readonly string[]][] = [
  ['HTML', '<html><body>Moved</body></html>', [NOT_ECB]],
  ['no day', ecb(), [NOT_ECB]],
  ['a day without rates', ecb('<Cube time="2026-10-06"/>'), [NOT_ECB]],
  ['no such day', ecb(day('2026-02-30', USD)), ['5: time "2026-02-30" is not a day']],
  ['a word for a day', ecb(day('today', USD)), ['5: time "today" is not a day']],
  ['a future day', ecb(day('2026-10-08', USD)), ['5: as_of 2026-10-08T14:00:00Z is in the future']],
  [
    'bad rates',
    ecb(
      day(
        '2026-10-06',
        USD,
        '<Cube currency="XXX" rate="1"/>',
        '<Cube currency="JPY" rate="N/A"/>',
        '<Cube currency="EUR" rate="1"/>',
        '<Cube currency="USD" rate="2"/>',
        '<Cube currency="GBP"/>',
      ),
    ),
    ['9: base and quote are both EUR', '10: EUR/USD is on line 6 already'],
  ],
]
for (const [name, text, problems] of BAD_XML) {
  test(`ECB file, ${name}: ${problems.join('; ')}`, async () => {
    const found = (await parseEcbXml(text, NOW)).problems.map(p => `${p.line}: ${p.message}`)
    assert.deepEqual(found, problems)
  })
}

test('ECB file, truncated: refused, naming the line', async () => {
  const [problem] = (await parseEcbXml(ecb(day('2026-10-06', USD)).slice(0, -30), NOW)).problems
  assert.match(problem?.message ?? '', /cut off inside Cube, which begins on line 5/)
})

test('ECB file, entities declared in the document: not expanded', async () => {
  const text = ecb(day('2026-10-06', '<Cube currency="&x;" rate="1"/>')).replace(
    '?>',
    '?><!DOCTYPE gesmes:Envelope [<!ENTITY x "USD">]>',
  )
  assert.equal((await parseEcbXml(text, NOW)).lines.length, 0)
})

const FORMATS: readonly [text: string, format: string][] = [
  ['base,quote,mid', 'csv'],
  ['# <rates>\nbase,quote,mid', 'csv'],
  ['<?xml version="1.0"?>', 'ecb'],
  ['\uFEFF\n  <gesmes:Envelope>', 'ecb'],
]
for (const [text, format] of FORMATS) {
  test(`rate file that begins ${JSON.stringify(text)}: read as ${format}`, () => {
    assert.equal(guessRateFormat(text), format)
  })
}

const AT = '2026-10-06T14:00:00.000000Z'
const LEFT = ['unknown currency BGN', 'no rate of JPY']
const PUBLICATIONS: readonly (readonly [name: string, text: string, left_out: string[]])[] = [
  [
    'XML with a former currency and one without a rate',
    ecb(
      day(
        '2026-10-06',
        USD,
        '<Cube currency="BGN" rate="1.9558"/>',
        '<Cube currency="JPY" rate="N/A"/>',
      ),
    ),
    LEFT,
  ],
  ['daily CSV', 'Date, USD, \n06 October 2026, 1.1269, \n', []],
  [
    'historical CSV',
    'Date,USD,BGN,JPY,\r\n2026-10-05,1.2,N/A,1,\r\n2026-10-06,1.1269,N/A,N/A,\r\n',
    LEFT,
  ],
]
for (const [name, text, left_out] of PUBLICATIONS) {
  test(`ECB file, ${name}: rates read, ${left_out.join(', ') || 'none'} left out`, async () => {
    assert.equal(guessRateFormat(text), 'ecb')
    const parsed = await parseRates(text, 'ecb', { source: '', now: NOW })
    assert.deepEqual(parsed.problems, [])
    assert.deepEqual(
      parsed.lines.map(({ value }) => [pairOf(value), formatDecimal(value.mid), value.as_of]),
      [['EUR/USD', '1.1269', AT]],
    )
    assert.deepEqual(
      parsed.left_out.map(({ message }) => message),
      left_out,
    )
  })
}

for (const [text, mid] of [
  ['3.3E-05', '0.000033'],
  ['1e2', '100'],
  ['1.25e1', '12.5'],
  ['12.5E+0', '12.5'],
  ['0.5e-2', '0.005'],
]) {
  test(`rate file, mid ${text}: read as exactly ${mid}`, () => {
    const parsed = parseRatesCsv(`base,quote,mid\nVND,EUR,${text}\n`, { source: 't', now: NOW })
    assert.deepEqual(
      parsed.lines.map(({ value }) => formatDecimal(value.mid)),
      [mid],
    )
  })
}
