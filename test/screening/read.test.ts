// Files of lists as their publishers have them: what is read from each format, and what is refused.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { storedEntry } from '../../src/screening/list-rules.ts'
import { readList } from '../../src/screening/lists/read.ts'
import { LISTS, type ListedEntry, type ListName } from '../../src/screening/screening.ts'
import { UnreadableFile } from '../../src/values/bank-format/bank-format.ts'

const FOLDER = new URL('../../', import.meta.url)

function shipped(list: ListName): Promise<string> {
  return readFile(new URL(`src/screening/sample/${list}.xml`, FOLDER), 'utf8')
}

const advanced = () =>
  readFile(new URL('test/fixtures/screening/ofac-advanced.xml', FOLDER), 'utf8')

/** Read in chunks that end anywhere. */
function read(text: string, list: ListName) {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += 1_000) yield bytes.subarray(i, i + 1_000)
  }
  return readList(chunks(), list)
}

async function entryOf(text: string, list: ListName, entry_id: string): Promise<ListedEntry> {
  const { entries } = await read(text, list)
  return entries.find(e => e.entry_id === entry_id) ?? assert.fail(entry_id)
}

function strong(...texts: readonly string[]) {
  return texts.map(text => ({ text, weak: false }))
}

function day(date: string) {
  return { from: date, to: date }
}

test('OFAC XML: names, weak aliases, births, countries, ids and programmes read', async () => {
  const text = await shipped('ofac')
  const file = await read(text, 'ofac')
  assert.deepEqual([file.format, file.published_on], ['OFAC XML', '2026-11-23'])
  assert.equal(file.entries.length, 6)
  assert.deepEqual(await entryOf(text, 'ofac', '8279'), {
    entry_id: '8279',
    kind: 'person',
    names: [
      ...strong('Viktor Anatolijevitch BOUT', 'Vitali SERGITOV'),
      { text: 'BUTT', weak: true },
    ],
    births: [day('1967-01-13'), day('1970-01-13')],
    countries: ['TJ'],
    ids: [],
    programmes: ['DRCONGO'],
  })
  const bank = await entryOf(text, 'ofac', '16681')
  assert.deepEqual(
    [bank.kind, bank.countries, bank.ids],
    [
      'organisation',
      ['RU'],
      [
        { kind: 'registration', number: '1027800000084', country: 'RU' },
        { kind: 'tax', number: '7831000122', country: 'RU' },
      ],
    ],
  )
  assert.deepEqual((await entryOf(text, 'ofac', '20157')).countries, ['KP'])
})

test('OFAC advanced XML: the same entries, with original scripts and referenced ids', async () => {
  const text = await advanced()
  const file = await read(text, 'ofac')
  assert.deepEqual([file.format, file.published_on], ['OFAC advanced XML', '2026-11-23'])
  assert.deepEqual(await entryOf(text, 'ofac', '8279'), {
    entry_id: '8279',
    kind: 'person',
    names: [...strong('BOUT Viktor Anatolijevitch', 'БУТ Виктор'), { text: 'BUTT', weak: true }],
    births: [day('1967-01-13')],
    countries: ['TJ', 'RU'],
    ids: [
      { kind: 'passport', number: '29N0006765', country: 'RU' },
      { kind: 'wallet', number: '1LsAm99AmC7Kcz8HrLwqUS9uUoiw6cvtTQ', country: '' },
    ],
    programmes: ['DRCONGO'],
  })
  const kinds = file.entries.map(({ entry_id, kind }) => `${entry_id} ${kind}`)
  assert.deepEqual(kinds, ['8279 person', '15036 vessel', '16681 organisation'])
})

test('UN consolidated XML: four name parts, original script, aliases, and ranges of birth years', async () => {
  const text = await shipped('un')
  assert.deepEqual(await entryOf(text, 'un', 'QDi.006'), {
    entry_id: 'QDi.006',
    kind: 'person',
    names: [
      ...strong('AIMAN MUHAMMED RABI AL-ZAWAHIRI', 'أيمن محمد ربيع الظواهري', 'Ayman Al-Zawahari'),
      { text: 'The Doctor', weak: true },
    ],
    births: [day('1951-06-19')],
    countries: ['EG'],
    ids: [{ kind: 'passport', number: '1084010', country: 'EG' }],
    programmes: ['Al-Qaida'],
  })
  const badege = await entryOf(text, 'un', 'CDi.001')
  assert.deepEqual(
    [badege.names, badege.births, badege.countries],
    [strong('ERIC BADEGE'), [{ from: '1971-01-01', to: '1971-12-31' }], ['CD', 'RW']],
  )
  const komid = await entryOf(text, 'un', 'KPe.001')
  assert.equal(komid.kind, 'organisation')
  assert.deepEqual(komid.names.slice(2), [
    ...strong('CHANGGWANG SINYONG CORPORATION', 'EXTERNAL TECHNOLOGY GENERAL CORPORATION'),
  ])
})

test('UN XML, date of birth as a range of years or "approximately": read as a range', async () => {
  const born = async (inside: string) => {
    const text = (await shipped('un')).replace(
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1971</YEAR>',
      inside,
    )
    return (await entryOf(text, 'un', 'CDi.001')).births
  }
  const between = '<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1974</FROM_YEAR>'
  assert.deepEqual(await born(`${between}<TO_YEAR>1976</TO_YEAR>`), [
    { from: '1974-01-01', to: '1976-12-31' },
  ])
  assert.deepEqual(await born('<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><YEAR>1960</YEAR>'), [
    { from: '1959-01-01', to: '1961-12-31' },
  ])
  assert.deepEqual(await born('<NOTE>unknown</NOTE>'), [])
})

test('EU full XML: attributes, weak names, approximate birth years, country 00 as none', async () => {
  const text = await shipped('eu')
  assert.deepEqual(await entryOf(text, 'eu', 'EU.77.33'), {
    entry_id: 'EU.77.33',
    kind: 'person',
    names: strong('Tarek Mikhail Aziz', 'Tariq Aziz'),
    births: [{ from: '1935-01-01', to: '1937-12-31' }],
    countries: ['IQ'],
    ids: [{ kind: 'passport', number: '34409/129', country: 'IQ' }],
    programmes: ['IRQ'],
  })
  const saddam = await entryOf(text, 'eu', 'EU.27.28')
  assert.deepEqual(saddam.names[1], { text: 'Abu Ali', weak: true })
  assert.deepEqual(saddam.births, [day('1937-04-28')])
})

test('UK XML: primary name first in any spelling, dd/mm read as unknown day', async () => {
  const akhund = await entryOf(await shipped('uk'), 'uk', 'AFG0006')
  assert.deepEqual(akhund.names, [
    { text: 'MOHAMMAD HASSAN AKHUND', weak: false },
    { text: 'MULLAH HASSAN', weak: true },
    { text: 'محمد حسن آخوند', weak: false },
  ])
  assert.deepEqual(akhund.births, [
    { from: '1945-01-01', to: '1945-12-31' },
    { from: '1946-01-01', to: '1946-12-31' },
  ])
  assert.deepEqual(akhund.countries, ['AF'])
})

test('list files, remarks of a record: on one line and cut at 2,000 characters; another digest', async () => {
  const long = `A note\n  ${'x'.repeat(3_000)}`
  const cases: [ListName, string, string, string][] = [
    ['ofac', '8279', '<uid>8279</uid>', `$&<remarks>${long}</remarks>`],
    ['un', 'CDi.001', '<REFERENCE_NUMBER>CDi.001', `<COMMENTS1>${long}</COMMENTS1>$&`],
    ['eu', '', '<nameAlias', `<remark>${long}</remark>$&`],
    ['uk', '', '<UniqueID>', `<OtherInformation>${long}</OtherInformation>$&`],
  ]
  for (const [list, id, place, remarks] of cases) {
    const text = await shipped(list)
    assert.ok(text.includes(place), list)
    const [plain] = (await read(text, list)).entries.filter(one => id === '' || one.entry_id === id)
    const { entries } = await read(text.replace(place, remarks), list)
    const entry = entries.find(one => one.entry_id === plain?.entry_id) ?? assert.fail(list)
    assert.equal(entry.remarks, `A note ${'x'.repeat(1_993)}`, list)
    assert.equal(plain?.remarks, undefined)
    assert.notEqual(storedEntry(entry).digest, storedEntry(plain ?? entry).digest)
  }
})

test('sample lists: accepted as their own list, refused as another', async () => {
  const samples: readonly ListName[] = ['ofac', 'un', 'eu', 'uk']
  for (const sample of samples) {
    const text = await shipped(sample)
    const takers = await Promise.all(
      LISTS.map(list =>
        read(text, list).then(
          () => list,
          (error: unknown) => {
            assert.ok(error instanceof UnreadableFile)
            assert.match(error.message, /^this is .*, a file of \w+ and not of /)
            return undefined
          },
        ),
      ),
    )
    const expected = sample === 'ofac' ? ['ofac', 'ofac-cons'] : [sample]
    assert.deepEqual(
      takers.filter(list => list !== undefined),
      expected,
    )
  }
})

test('list file truncated or of another kind: refused with the reason', async () => {
  const un = await shipped('un')
  const rows: readonly (readonly [text: string, message: RegExp])[] = [
    ['', /the file is empty/],
    ['no list at all', /line 1/],
    ['<html></html>', /<html> begins none of the formats that are read: OFAC XML, /],
    [un.slice(0, un.length / 2), /cut off inside/],
    [un.replace('<CONS', '<!DOCTYPE x [<!ENTITY e "e">]><CONS'), /a DOCTYPE is not read/],
    [un.replace('dateGenerated', 'generated'), /does not say when it was published/],
    [un.replace(/dateGenerated="[\d-]+/, 'dateGenerated="2026-02-30'), /does not say when it was/],
    [un.replace(/<INDIVIDUAL>[\s\S]*<\/ENTITY>/, ''), /the file names nobody|line \d+/],
    ['<CONSOLIDATED_LIST dateGenerated="2026-11-23"/>', /the file names nobody/],
    [un.replace('BADEGE', 'x'.repeat(70_000)), /the text of \w+ has more than 65536 characters/],
  ]
  for (const [text, message] of rows) {
    await assert.rejects(read(text, 'un'), (error: unknown) => {
      assert.ok(error instanceof UnreadableFile, String(error))
      assert.match(error.message, message)
      return true
    })
  }
})

test('list file, records without a name, with a duplicate id or none: others read, skipped ones named', async () => {
  const [un, uk] = [await shipped('un'), await shipped('uk')]
  const nameless = un.replace('<FIRST_NAME>ERIC</FIRST_NAME>', '').replace('BADEGE', '- .')
  const without = await read(nameless, 'un')
  assert.deepEqual(
    [without.entries.map(({ entry_id }) => entry_id), without.left_out_count, without.left_out],
    [['QDi.006', 'KPe.001'], 1, ['record 1, entry CDi.001: no name']],
  )
  const idsOf = async (text: string, list: ListName) =>
    (await read(text, list)).entries.map(({ entry_id }) => entry_id)
  assert.deepEqual(await idsOf(un.replace('QDi.006', 'CDi.001'), 'un'), [
    'CDi.001',
    'CDi.001 #2',
    'KPe.001',
  ])
  const unnumbered = un.replace('<REFERENCE_NUMBER>CDi.001', '<REFERENCE_NUMBER>')
  assert.deepEqual(await idsOf(unnumbered.replace('6907993', ''), 'un'), [
    'without id: ERIC BADEGE',
    'QDi.006',
    'KPe.001',
  ])
  assert.equal((await read(uk, 'uk')).left_out_count, 0)
  const many = un.replace('</ENTITIES>', `${'<ENTITY/>'.repeat(60)}</ENTITIES>`)
  const told = await read(many, 'un')
  assert.deepEqual([told.entries.length, told.left_out_count, told.left_out.length], [3, 60, 50])
})

test('wallet addresses in list files: read from their element, and from remarks by checksum', async () => {
  const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
  const un = await shipped('un')
  const remarks = `<COMMENTS1>Wallet ${address}; not TJRabPrwbZy45sbavfcjinPJC18kjpRTv9.</COMMENTS1>`
  const entry = await entryOf(un.replace('<INDIVIDUAL>', `<INDIVIDUAL>${remarks}`), 'un', 'CDi.001')
  assert.deepEqual(
    entry.ids.filter(({ kind }) => kind === 'wallet'),
    [{ kind: 'wallet', number: address, country: '' }],
  )
})

test('list file, publication date without day or month: refused by every format', async () => {
  const [uk, ofac] = [await shipped('uk'), await shipped('ofac')]
  const rows: readonly (readonly [text: string, list: ListName])[] = [
    [uk.replace(/(?<=<DateGenerated>)[^<]*/, 'dd/11/2026'), 'uk'],
    [uk.replace(/(?<=<DateGenerated>)[^<]*/, 'dd/mm/2026'), 'uk'],
    [ofac.replace(/(?<=<Publish_Date>)[^<]*/, '11/2026'), 'ofac'],
    [(await advanced()).replace('<Day>23</Day></DateOfIssue>', '</DateOfIssue>'), 'ofac'],
  ]
  for (const [text, list] of rows) {
    await assert.rejects(read(text, list), /the file does not say when it was published/)
  }
})

test('list file with too many entries: refused before all are in memory', async () => {
  const many = Buffer.from('<sdnEntry/>'.repeat(20_000))
  let chunk_count = 0
  async function* chunks() {
    yield Buffer.from('<sdnList>')
    for (; chunk_count < 20; chunk_count++) yield many
  }
  await assert.rejects(readList(chunks(), 'ofac'), /the file has more than 200000 entries/)
  assert.equal(chunk_count, 10)
})
