// pain.001: what is written is valid by ISO's schema, its sums are those of the payments, and a file
// that was changed is refused. Nobody is paid whose name cannot be written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import type { FileBatch, FileItem } from '../../src/values/bank-format/bank-format.ts'
import { share } from '../support/share.ts'
import { ACCOUNT, ADDRESS, anyBatch, batch, ITEM, ids, profile, seed } from './given.ts'

console.log(`SEED=${seed}`)

const textOf = (given: FileBatch) => Buffer.from(iso20022.write(given).bytes).toString('utf8')
const problemsOf = (item: Partial<FileItem>, written: unknown = 'generic') =>
  iso20022.checkItem({ ...ITEM, ...item }, ACCOUNT, profile(written))
const creditor = (change: Partial<FileItem['creditor']>) => ({
  creditor: { ...ITEM.creditor, ...change },
})

test("pain.001, random payments: valid by ISO's schema, sums equal those of the payments", async () => {
  await fc.assert(
    fc.asyncProperty(anyBatch, async given => {
      const { bytes, count, control_sum, places } = iso20022.write(given)
      assert.deepEqual(await iso20022.check(bytes, given.profile), [])
      assert.equal(count, given.items.length)
      assert.deepEqual([...places.keys()].sort(), given.items.map(i => i.end_to_end_id).sort())
      const text = Buffer.from(bytes).toString('utf8')
      const [whole, ...groups] = Array.from(text.matchAll(/<CtrlSum>(.*?)</g), ([, sum]) => sum)
      assert.equal(whole, control_sum)
      assert.equal(thousandths(whole), sumOf(given.items))
      const by_group = text.split('<PmtInf>').slice(1)
      assert.equal(groups.length, by_group.length)
      for (const [i, group] of by_group.entries()) {
        const ids = new Set(Array.from(group.matchAll(/<EndToEndId>(.*?)</g), ([, id]) => id))
        const items = given.items.filter(item => ids.has(item.end_to_end_id))
        assert.equal(thousandths(groups[i]), sumOf(items))
        assert.equal(new Set(items.map(item => item.charge_bearer)).size, 1)
      }
    }),
    { numRuns: share(75, 1_000), seed },
  )
})

/** Exactly, without the code under test: no currency has more than three places here. */
function thousandths(text = ''): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(3, '0'))
}

function sumOf(items: readonly FileItem[]): bigint {
  const places: Record<string, bigint> = { JPY: 1000n, EUR: 10n, USD: 10n, KWD: 1n }
  return items.reduce((sum, { amount, currency }) => sum + amount * (places[currency] ?? 0n), 0n)
}

test("pain.001, amounts: with the currency's decimals, exact sums", () => {
  const sum = (currency: string, ...amounts: bigint[]) => {
    const items = amounts.map((amount, i) => ({ ...ITEM, amount, currency, ...ids(i) }))
    return iso20022.write(batch(items)).control_sum
  }
  assert.equal(sum('JPY', 1000n, 1n), '1001')
  assert.equal(sum('KWD', 1n, 1_234_567n), '1234.568')
  assert.equal(sum('EUR', 10n, 20n), '0.30')
  assert.equal(sum('EUR', 9_007_199_254_740_991n, 2n), '90071992547409.93')
  assert.throws(() => sum('EUR', ...Array<bigint>(200).fill(9_007_199_254_740_991n)), /digits/)
})

test('pain.001, file changed in any place: refused', async () => {
  const given = batch([
    ITEM,
    { ...ITEM, ...ids(2), amount: 7n },
    { ...ITEM, ...ids(3), charge_bearer: 'DEBT' },
  ])
  const text = textOf(given)
  const mutants = [...new Set(mutantsOf(text))].filter(mutant => mutant !== text)
  assert.ok(mutants.length >= 200, `${mutants.length} mutants`)
  for (const mutant of mutants) {
    const problems = await iso20022.check(Buffer.from(mutant), given.profile)
    assert.notDeepEqual(problems, [], mutant)
  }
})

/** Elements taken out, doubled, renamed and swapped, and values spoiled, one change a mutant. */
function* mutantsOf(text: string): Generator<string> {
  const optional =
    /^(CdtrAgt|PstlAdr|StrtNm|PstCd|Purp|RmtInf|Ustrd|BICFI|BtchBookg|Ccy|InstrId|UETR)$/
  const free =
    /^(Nm|StrtNm|PstCd|TwnNm|Ctry|Ustrd|Cd|IBAN|BICFI|Ccy|MsgId|PmtInfId|InstrId|EndToEndId)$/
  for (const { 0: element, 1: name = '', 2: value = '', index } of text.matchAll(
    /<(\w+)(?: [^>]*)?>([^<]*)<\/\1>/g,
  )) {
    const replaced = (by: string) => text.slice(0, index) + by + text.slice(index + element.length)
    if (!optional.test(name) && !/^(Nm|TwnNm|Ctry|ChrgBr|Cd|CtrlSum)$/.test(name))
      yield replaced('')
    if (name !== 'Ustrd') yield replaced(element + element)
    yield replaced(element.replaceAll(name, `${name}X`))
    yield replaced(element.replace(`>${value}<`, '><'))
    yield replaced(`<Other/>${element}`)
    if (!free.test(name) && /\d/.test(value)) {
      yield replaced(element.replace(`>${value}<`, `>${value.replace(/\d$/, 'x')}<`))
    }
    if (/^(InstdAmt|NbOfTxs|CtrlSum)$/.test(name)) {
      yield replaced(element.replace(/\d</, digit => `${(Number(digit[0]) + 1) % 10}<`))
      yield replaced(element.replace(`>${value}<`, `>-${value}<`))
      yield replaced(element.replace(`>${value}<`, `>${value}e1<`))
    }
  }
  yield text.replace(`${ids(2).end_to_end_id}</EndToEndId>`, `${ITEM.end_to_end_id}</EndToEndId>`)
  yield text.replace(ids(2).uetr, ITEM.uetr)
  yield text.replace('123.45</InstdAmt>', '123.451</InstdAmt>')
  yield text.replace('Ccy="EUR">123', 'Ccy="JPY">123')
  yield text.replace('Ccy="EUR"', '')
  yield text.replace('pain.001.001.09', 'pain.001.001.03')
  yield text.replace('encoding="UTF-8"', 'encoding="UTF-16"')
  yield text.replace('</Document>', '')
  yield text.slice(0, -200)
  yield `${text}<more/>`
  yield `<!DOCTYPE Document [<!ENTITY a "b">]>${text}`
}

test('pain.001, versions .03 and .09: each with its own elements, invalid as the other version', async () => {
  const old = { name: 'old', iso20022: { pain001: 'pain.001.001.03' } }
  const [three, nine] = [textOf(batch([ITEM], old)), textOf(batch())]
  assert.match(nine, /<UETR>8a562c67-ca16-48ba-b074-65581be6f001<\/UETR>/)
  assert.match(nine, /<ReqdExctnDt><Dt>2026-11-24<\/Dt><\/ReqdExctnDt>.*<BICFI>/)
  assert.match(three, /<ReqdExctnDt>2026-11-24<\/ReqdExctnDt>.*<BIC>/)
  assert.doesNotMatch(three, /UETR|BICFI/)
  assert.notDeepEqual(await iso20022.check(Buffer.from(three), profile()), [])
  assert.notDeepEqual(await iso20022.check(Buffer.from(nine), profile(old)), [])
})

test('pain.001, groups: one per charge bearer and currency, each payment in its own group', () => {
  const items = [
    ITEM,
    { ...ITEM, ...ids(1), charge_bearer: 'DEBT' as const },
    { ...ITEM, ...ids(2), currency: 'JPY' },
    { ...ITEM, ...ids(3) },
  ]
  const { places } = iso20022.write(batch(items))
  assert.deepEqual(
    Array.from(places, ([id, place]) => [id, place.payment_information_id, place.instruction_id]),
    [
      [ITEM.end_to_end_id, 'M00000000000001A-1', ITEM.end_to_end_id],
      ['E00000000000003', 'M00000000000001A-1', 'E00000000000003'],
      ['E00000000000001', 'M00000000000001A-2', 'E00000000000001'],
      ['E00000000000002', 'M00000000000001A-3', 'E00000000000002'],
    ],
  )
  const twice = (...same: (keyof FileItem)[]) => {
    const copy = Object.fromEntries(same.map(name => [name, ITEM[name]]))
    return () => iso20022.write(batch([ITEM, { ...ITEM, ...ids(1), ...copy }]))
  }
  assert.throws(twice('end_to_end_id'), /A1B2C3D4E5F6G7H stands in the file twice/)
  assert.throws(twice('uetr'), /81be6f001 stands in the file twice/)
  assert.throws(() => iso20022.write(batch([])), /at least one payment/)
})

test('pain.001, character set of the bank: other letters replaced', () => {
  const utf8 = { name: 'utf8', character_set: 'utf8' }
  const chinese = { ...ITEM, ...creditor({ name: '山田 太郎' }) }
  assert.match(textOf(batch([chinese], utf8)), /<Nm>山田 太郎<\/Nm>/)
  for (const [name, texts] of [
    ['generic', ['Zoe Muller', 'Rue du Rhone 8', 'Geneve', 'Invoice 17 + thanks .3']],
    ['swiss', ['Zoë Müller', 'Rue du Rhône 8', 'Genève', 'Invoice 17 &amp; thanks &lt;3']],
  ] as const) {
    const spelled = textOf(batch([ITEM], name))
    for (const text of texts) assert.ok(spelled.includes(`>${text}<`), text)
  }
})

test('pain.001, customer text contains a code word of references: code word removed', () => {
  for (const remittance of ['EREF+1NGPF6GJVKTQZJS', 'rent eref : 1NGPF6GJVKTQZJS', 'xEREF:1']) {
    for (const set of ['swift', 'utf8']) {
      const written = textOf(batch([{ ...ITEM, remittance }], { name: 'b', character_set: set }))
      assert.match(written, /<Ustrd>[^<]*EREF\.[^<]*<\/Ustrd>/i)
      assert.doesNotMatch(written, /EREF\s*[:+]/i)
    }
  }
})

const REFUSED: readonly [string, Partial<FileItem>, unknown, RegExp][] = [
  ['a name without equivalents', creditor({ name: '山田 Taro' }), 'generic', /not read: 山 田/],
  ['a name with an emoji', creditor({ name: 'Ann 🙂' }), 'swiss', /not read: 🙂/],
  ['a name without a letter', creditor({ name: '...' }), 'generic', /no letter/],
  ['a name of 141', creditor({ name: 'a'.repeat(141) }), 'generic', /141 characters.* reads 140/],
  [
    'SEPA: a name of 71',
    { ...creditor({ name: 'a'.repeat(71) }), charge_bearer: 'SLEV' },
    'sepa',
    /reads 70/,
  ],
  [
    'SEPA: another currency',
    { currency: 'USD', charge_bearer: 'SLEV' },
    'sepa',
    /SEPA carries EUR/,
  ],
  ['SEPA: another charge bearer', { charge_bearer: 'DEBT' }, 'sepa', /charge bearer SLEV/],
  [
    'SEPA: an IBAN outside SEPA',
    { ...creditor({ iban: 'AE070331234567890123456' }), charge_bearer: 'SLEV' },
    'sepa',
    /SEPA does not reach accounts of AE/,
  ],
  ['no town', creditor({ address: { ...ADDRESS, town: '' } }), 'generic', /has no town/],
  ['no country', creditor({ address: { ...ADDRESS, country: '' } }), 'generic', /no country/],
  ['no account', creditor({ iban: '' }), 'generic', /neither IBAN nor account/],
  ['no bank', creditor({ iban: '', account: '12', bic: '' }), 'generic', /no BIC and no clearing/],
  [
    'an IBAN with spaces',
    creditor({ iban: 'CH93 0076 2011' }),
    'generic',
    /IBAN .* not of its form/,
  ],
  ['a BIC of seven', creditor({ bic: 'UBSWCHZ' }), 'generic', /BIC .* not of its form/],
  ['a clearing code', creditor({ clearing_code: '021000021' }), 'generic', /clearing code/],
  ['a currency without ISO code', { currency: 'USDC' }, 'generic', /has no currency USDC/],
  ['an amount of zero', { amount: 0n }, 'generic', /not positive/],
  ['19 digits', { amount: 10n ** 18n }, 'generic', /more digits/],
  ['an UETR of version 1', { uetr: '8a562c67-ca16-18ba-b074-65581be6f001' }, 'generic', /uetr/],
  ['an id with a space', { end_to_end_id: 'A B' }, 'generic', /end_to_end_id "A B"/],
]

for (const [name, item, written, expected] of REFUSED) {
  test(`pain.001, payment with ${name}: refused, the reason names the field`, () => {
    assert.match(problemsOf(item, written).join('; '), expected)
    assert.throws(() => iso20022.write(batch([{ ...ITEM, ...item }], written)), expected)
  })
}

test('pain.001, address rule "none": sends the stored address', () => {
  const item = creditor({ address: { ...ADDRESS, town: '', country: '' } })
  assert.deepEqual(problemsOf(item, 'rejections-only'), [])
})

for (const pain001 of ['pain.001.001.03', 'pain.001.001.09']) {
  test(`${pain001}, profile with the bank's party ids: written with their scheme, valid`, async () => {
    const members = { pain001, initiator_id: 'AB-17', debtor_id: 'CD 18' }
    const of = (more: object) => batch([ITEM], { name: 'ids', iso20022: { ...members, ...more } })
    const text = textOf(of({ id_scheme: 'CUST' }))
    const id = (value: string) =>
      `<Id><OrgId><Othr><Id>${value}</Id><SchmeNm><Cd>CUST</Cd></SchmeNm></Othr></OrgId></Id>`
    assert.ok(text.includes(`${id('AB-17')}</InitgPty>`), text)
    assert.ok(text.includes(`${id('CD 18')}</Dbtr>`), text)
    for (const given of [of({}), of({ id_scheme: 'CUST' })]) {
      assert.deepEqual(await iso20022.check(iso20022.write(given).bytes, given.profile), [])
    }
    assert.ok(!textOf(of({})).includes('SchmeNm'))
  })
}

test('bank profile, id of 36 characters, trailing slash or letter outside the SWIFT set: refused at its member', () => {
  for (const debtor_id of ['1'.repeat(36), 'A/', ' A', 'Ä', 7]) {
    const { messages = [] } = iso20022.readProfile({ name: 'ids', iso20022: { debtor_id } })
    assert.ok(messages[0]?.startsWith('iso20022.debtor_id: must be an id'), String(debtor_id))
  }
})

const elementOf = (text: string, name: string) =>
  new RegExp(`<${name}>.*?</${name}>`).exec(text)?.[0] ?? ''
const [QRR, QR_IBAN] = ['210000000003139471430009017', 'CH4431999123000889012']

for (const [what, creditor_reference, change, type] of [
  ['a QRR', QRR, { iban: QR_IBAN }, '<Prtry>QRR</Prtry></CdOrPrtry>'],
  ['a SCOR', 'RF18539007547034', {}, '<Cd>SCOR</Cd></CdOrPrtry><Issr>ISO</Issr>'],
  ['a Belgian one', '090933755493', {}, '<Cd>SCOR</Cd></CdOrPrtry><Issr>BBA</Issr>'],
] as const) {
  test(`pain.001, creditor reference, ${what}: structured, in place of the text, in each version`, async () => {
    for (const pain001 of ['pain.001.001.03', 'pain.001.001.09']) {
      const given = batch([{ ...ITEM, ...creditor(change), creditor_reference }], {
        name: 'any',
        iso20022: { pain001 },
      })
      assert.equal(
        elementOf(textOf(given), 'RmtInf'),
        `<RmtInf><Strd><CdtrRefInf><Tp><CdOrPrtry>${type}</Tp>` +
          `<Ref>${creditor_reference}</Ref></CdtrRefInf></Strd></RmtInf>`,
      )
      assert.deepEqual(await iso20022.check(iso20022.write(given).bytes, given.profile), [])
    }
  })
}

test('pain.001, QR-IBAN without QRR, QRR without QR-IBAN, or wrong check digit: payment refused', () => {
  assert.match(problemsOf(creditor({ iban: QR_IBAN })).join(), /only with a QRR/)
  assert.match(problemsOf({ creditor_reference: QRR }).join(), /belongs to a QR-IBAN/)
  assert.match(problemsOf({ creditor_reference: 'RF19539007547034' }).join(), /do not hold/)
})

test("pain.001, ultimate debtor: name and number before the creditor's bank, in each version", async () => {
  const business = { name: 'Kaya Trading', type: 'business', id: 'HRB 17' } as const
  const person = { name: 'Ada Lovelace', type: 'individual', id: '' } as const
  for (const pain001 of ['pain.001.001.03', 'pain.001.001.09']) {
    const given = batch(
      [business, person].map((ultimate_debtor, i) => ({ ...ITEM, ...ids(i), ultimate_debtor })),
      { name: 'any', iso20022: { pain001 } },
    )
    const text = textOf(given)
    assert.match(
      text,
      /<\/Amt><UltmtDbtr><Nm>Kaya Trading<\/Nm><Id><OrgId><Othr><Id>HRB 17<\/Id><SchmeNm><Cd>COID<\/Cd><\/SchmeNm><\/Othr><\/OrgId><\/Id><\/UltmtDbtr><CdtrAgt>/,
    )
    assert.match(text, /<UltmtDbtr><Nm>Ada Lovelace<\/Nm><\/UltmtDbtr>/)
    assert.deepEqual(await iso20022.check(iso20022.write(given).bytes, given.profile), [])
  }
})

test("pain.001, ultimate debtor's name in letters outside the bank's set: refused; its number: omitted", () => {
  const debtor = { type: 'individual', name: 'Ada Lovelace', id: '' } as const
  const of = (change: object) => ({ ultimate_debtor: { ...debtor, ...change } })
  assert.match(problemsOf(of({ name: '株式会社' })).join(), /name of the ultimate debtor/)
  assert.match(problemsOf(of({ name: 'A'.repeat(141) })).join(), /name of the ultimate debtor/)
  for (const id of ['身分17', '1'.repeat(36)]) {
    const text = textOf(batch([{ ...ITEM, ...of({ id }) }]))
    assert.equal(elementOf(text, 'UltmtDbtr'), '<UltmtDbtr><Nm>Ada Lovelace</Nm></UltmtDbtr>')
  }
})
