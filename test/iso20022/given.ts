// Batches for the tests of ISO 20022, fixed and arbitrary, and the bytes of files as banks send them.
import fc from 'fast-check'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import type {
  BankLine,
  BankProfile,
  FileBatch,
  FileItem,
  PostalAddress,
  SettlementAccount,
} from '../../src/values/bank-format/bank-format.ts'

/** Each run tries other cases; `SEED=…` replays one. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

export function profile(written: unknown = 'generic'): BankProfile {
  const { value, messages } = iso20022.readProfile(written)
  if (value === undefined) throw new Error(messages.join('; '))
  return value
}

export const ADDRESS: PostalAddress = {
  street: 'Rue du Rhône 8',
  town: 'Genève',
  postcode: '1204',
  state: '',
  country: 'CH',
}

export const ACCOUNT: SettlementAccount = {
  name: 'main',
  holder: 'Payout Company Ltd',
  address: { street: 'High Street 1', town: 'Dublin', postcode: 'D01', state: '', country: 'IE' },
  currency: 'EUR',
  iban: 'IE29AIBK93115212345678',
  account: '',
  bic: 'AIBKIE2D',
  clearing_code: '',
}

export const ITEM: FileItem = {
  end_to_end_id: 'A1B2C3D4E5F6G7H',
  uetr: '8a562c67-ca16-48ba-b074-65581be6f001',
  amount: 123_45n,
  currency: 'EUR',
  charge_bearer: 'SHAR',
  creditor: {
    name: 'Zoë Müller',
    kind: 'person',
    address: ADDRESS,
    iban: 'CH9300762011623852957',
    account: '',
    bic: 'UBSWCHZH80A',
    clearing_code: '',
    bank_name: 'UBS',
    account_type: '',
  },
  remittance: 'Invoice 17 & thanks <3',
  creditor_reference: '',
  ultimate_debtor: null,
  purpose: 'SUPP',
}

export function batch(
  items: readonly FileItem[] = [ITEM],
  written: unknown = 'generic',
): FileBatch {
  return {
    msg_id: 'M00000000000001A',
    created_at: '2026-11-23T09:30:00.123456Z',
    execution_date: '2026-11-24',
    settlement_account: ACCOUNT,
    profile: profile(written),
    items,
  }
}

const letters = (min: number, max: number) =>
  fc.string({
    unit: fc.constantFrom(...'abcdefgzAZ09 -\'.,()/&<>"éüßøłŞĀжиёΩσ–’'),
    minLength: min,
    maxLength: max,
  })

const word = letters(0, 60).map(text => `a${text}`)

const address: fc.Arbitrary<PostalAddress> = fc.record({
  street: letters(0, 90),
  town: word,
  postcode: letters(0, 20),
  state: letters(0, 40),
  country: fc.constantFrom('DE', 'JP', 'KW', 'US', 'CH'),
})

/** Without one of its own, an account is named by an IBAN; with one, by a BIC or a clearing code. */
const account = fc.constantFrom(
  { iban: 'DE89370400440532013000', account: '', bic: '', clearing_code: '' },
  { iban: 'KW81CBKU0000000000001234560101', account: '', bic: 'CBKUKWKW', clearing_code: '' },
  { iban: '', account: '0001-234567', bic: 'BOTKJPJTXXX', clearing_code: '' },
  { iban: '', account: '9876543210', bic: '', clearing_code: 'USABA021000021' },
)

export const anyItem: fc.Arbitrary<FileItem> = fc
  .record({
    // Twelve of them in yen, beside one in dinars, still have a sum of 18 digits.
    amount: fc.bigInt(1n, 10_000_000_000_000n),
    currency: fc.constantFrom('EUR', 'EUR', 'JPY', 'KWD', 'USD'),
    charge_bearer: fc.constantFrom('DEBT', 'CRED', 'SHAR', 'SLEV'),
    name: word,
    kind: fc.constantFrom('person', 'company'),
    address,
    account,
    bank_name: letters(0, 30),
    remittance: letters(0, 200),
    creditor_reference: fc.constantFrom('', '', 'RF18539007547034', '090933755493'),
    ultimate_debtor: fc.option(
      fc.record({
        name: word,
        type: fc.constantFrom('individual', 'business'),
        id: letters(0, 64),
      }),
    ),
    purpose: fc.constantFrom('', 'SALA', 'SUPP'),
  })
  .map(({ name, kind, address, account, bank_name, ...item }) => ({
    ...item,
    end_to_end_id: '',
    uetr: '',
    creditor: { name, kind, address, ...account, bank_name, account_type: '' },
  }))

/** Ids of a payment, of no other. */
export function ids(i: number): Pick<FileItem, 'end_to_end_id' | 'uetr'> {
  const uetr = `8a562c67-ca16-48ba-b074-${String(i).padStart(12, '0')}`
  return { end_to_end_id: `E${String(i).padStart(14, '0')}`, uetr }
}

export const anyBatch: fc.Arbitrary<FileBatch> = fc
  .record({
    items: fc.array(anyItem, { minLength: 1, maxLength: 12 }),
    pain001: fc.constantFrom('pain.001.001.03', 'pain.001.001.09'),
    character_set: fc.constantFrom('swift', 'latin', 'utf8'),
    batch_booking: fc.boolean(),
    service_level: fc.constantFrom('', 'URGP', 'NURG'),
  })
  .map(({ items, pain001, service_level, ...rest }) =>
    batch(
      items.map((item, i) => ({ ...item, ...ids(i) })),
      { name: 'any', ...rest, iso20022: { pain001, service_level } },
    ),
  )

/** The bytes in pieces of some size, as a network brings them. */
export async function* chunksOf(
  bytes: Uint8Array | string,
  size = 1_000,
): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  for (let i = 0; i < all.length; i += size) yield all.subarray(i, i + size)
}

export function readAll(bytes: Uint8Array | string, size = 1_000): Promise<BankLine[]> {
  return Array.fromAsync(iso20022.read(chunksOf(bytes, size), profile()))
}

const ISO = 'urn:iso:std:iso:20022:tech:xsd'

/** A message in its document. */
export function message(kind: string, root: string, content: string): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${ISO}:${kind}">` +
    `<${root}>${content}</${root}></Document>\n`
  )
}

/** A pain.002 about the file MSG-1. */
export function statusReport(content: string, kind = 'pain.002.001.10'): string {
  return message(
    kind,
    'CstmrPmtStsRpt',
    `<GrpHdr><MsgId>R-1</MsgId><CreDtTm>2026-11-24T10:00:00Z</CreDtTm></GrpHdr>${content}`,
  )
}

export function originalFile(status = ''): string {
  return (
    '<OrgnlGrpInfAndSts><OrgnlMsgId>MSG-1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>' +
    `${status === '' ? '' : `<GrpSts>${status}</GrpSts>`}</OrgnlGrpInfAndSts>`
  )
}
