// Writes a file of payments as ISO 20022 pain.001.001.09 or .03
// (CustomerCreditTransferInitiation): one PmtInf for each charge bearer and currency. Sums are
// exact. Pure.
import type {
  BankAccount,
  BankProfile,
  FileBatch,
  FileItem,
  Iso20022Profile,
  ItemPlace,
  UltimateDebtor,
  WrittenFile,
} from '../../values/bank-format/bank-format.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { formatMajor, pow10 } from '../../values/money/decimal.ts'
import { type ReferenceKind, referenceKind } from '../../values/network/creditor-reference.ts'
import { escapeXml, textElement } from '../../values/text/xml.ts'
import { checkItem, type WrittenParty, writeItem, writeParty } from './item.ts'

interface Version {
  readonly bic: 'BIC' | 'BICFI'
  readonly has_uetr: boolean
  readonly date: (day: string) => string
}

const VERSIONS: Readonly<Record<Iso20022Profile['pain001'], Version>> = {
  'pain.001.001.03': { bic: 'BIC', has_uetr: false, date: day => day },
  'pain.001.001.09': { bic: 'BICFI', has_uetr: true, date: day => `<Dt>${day}</Dt>` },
}

/** DecimalNumber has eighteen digits. */
const SUM_DIGITS = 18
/** A growing text of all payments would be copied too often, so texts of this many are joined. */
const PAYMENTS_A_TEXT = 1_000

interface Group {
  readonly id: string
  readonly items: readonly FileItem[]
}

/** Writes the file. Throws for a payment that `checkItem` refuses: callers leave it out before. */
export function writePain001(batch: FileBatch): WrittenFile {
  const { items, profile, settlement_account } = batch
  const iso = isoOf(profile)
  if (items.length === 0) throw new Error('a file has at least one payment')
  for (const item of items) {
    const [problem] = checkItem(item, settlement_account, profile)
    if (problem !== undefined) throw new Error(`payment ${item.end_to_end_id}: ${problem}`)
  }
  for (const name of ['end_to_end_id', 'uetr'] as const) {
    const ids = new Set<string>()
    for (const { [name]: id } of items) {
      if (ids.has(id)) throw new Error(`${id} stands in the file twice`)
      ids.add(id)
    }
  }
  const places = new Map<string, ItemPlace>()
  const groups = groupsOf(batch)
  for (const { id, items } of groups) {
    for (const { end_to_end_id } of items) {
      places.set(end_to_end_id, { payment_information_id: id, instruction_id: end_to_end_id })
    }
  }
  const control_sum = sumOf(items)
  const parts = [
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${iso.pain001}">\n<CstmrCdtTrfInitn>\n`,
    header(batch, control_sum),
    ...groups.flatMap(group => paymentInformation(batch, group)),
    '</CstmrCdtTrfInitn>\n</Document>\n',
  ]
  const bytes = Buffer.concat(parts.map(part => Buffer.from(part, 'utf8')))
  return { bytes, count: items.length, control_sum, execution_date: batch.execution_date, places }
}

/** The ISO 20022 members of a profile. Throws for a profile of another format. */
export function isoOf({ name, iso20022 }: BankProfile): Iso20022Profile {
  if (iso20022 === null) throw new Error(`the bank profile ${name} is not of ISO 20022`)
  return iso20022
}

/**
 * CtrlSum, an exact decimal with as many places as the currency has. Over several currencies ISO
 * adds the bare numbers.
 */
export function sumOf(items: readonly Pick<FileItem, 'amount' | 'currency'>[]): string {
  const places = Math.max(...new Set(items.map(({ currency }) => currencyExponent(currency))))
  const sum = items.reduce(
    (sum, { amount, currency }) => sum + amount * pow10(places - currencyExponent(currency)),
    0n,
  )
  if (sum >= pow10(SUM_DIGITS)) throw new Error(`the sum of the file has over ${SUM_DIGITS} digits`)
  return formatMajor(sum, places)
}

/** The groups in the order of their first payments. */
function groupsOf({ msg_id, items }: FileBatch): Group[] {
  const alike = Map.groupBy(items, item => `${item.charge_bearer} ${item.currency}`)
  return Array.from(alike.values(), (items, i) => ({ id: `${msg_id}-${i + 1}`, items }))
}

function header(
  { msg_id, created_at, items, settlement_account, profile }: FileBatch,
  control_sum: string,
): string {
  const { holder: name, address } = settlement_account
  const party = writeParty({ name, address }, profile)
  const iso = isoOf(profile)
  return (
    `<GrpHdr>${textElement('MsgId', msg_id)}<CreDtTm>${created_at.slice(0, 19)}Z</CreDtTm>` +
    `<NbOfTxs>${items.length}</NbOfTxs><CtrlSum>${control_sum}</CtrlSum>` +
    `<InitgPty>${textElement('Nm', party.name)}` +
    `${partyId(iso.initiator_id, iso)}</InitgPty></GrpHdr>\n`
  )
}

function paymentInformation(batch: FileBatch, { id, items }: Group): string[] {
  const { settlement_account, profile, execution_date } = batch
  const iso = isoOf(profile)
  const version = VERSIONS[iso.pain001]
  const { holder: name, address, currency } = settlement_account
  const [first] = items
  const opening =
    `<PmtInf>\n${textElement('PmtInfId', id)}<PmtMtd>TRF</PmtMtd>` +
    `<BtchBookg>${profile.batch_booking}</BtchBookg>` +
    `<NbOfTxs>${items.length}</NbOfTxs><CtrlSum>${sumOf(items)}</CtrlSum>${paymentType(iso)}` +
    `<ReqdExctnDt>${version.date(execution_date)}</ReqdExctnDt>` +
    `<Dbtr>${party(writeParty({ name, address }, profile))}` +
    `${partyId(iso.debtor_id, iso)}</Dbtr>` +
    `<DbtrAcct>${accountId(settlement_account)}${textElement('Ccy', currency)}</DbtrAcct>` +
    `<DbtrAgt>${agent(settlement_account, version)}</DbtrAgt>` +
    `${textElement('ChrgBr', first?.charge_bearer ?? '')}\n`
  const parts = [opening]
  for (let i = 0; i < items.length; i += PAYMENTS_A_TEXT) {
    const payments = items.slice(i, i + PAYMENTS_A_TEXT)
    parts.push(payments.map(item => transaction(item, profile, version)).join(''))
  }
  return [...parts, '</PmtInf>\n']
}

function paymentType({ service_level, local_instrument }: Iso20022Profile): string {
  const level = service_level === '' ? '' : `<SvcLvl>${textElement('Cd', service_level)}</SvcLvl>`
  const instrument =
    local_instrument === '' ? '' : `<LclInstrm>${textElement('Cd', local_instrument)}</LclInstrm>`
  return level + instrument === '' ? '' : `<PmtTpInf>${level}${instrument}</PmtTpInf>`
}

/** One CdtTrfTxInf, on a line of its own. */
function transaction(item: FileItem, profile: BankProfile, version: Version): string {
  const { end_to_end_id, uetr, amount, currency, creditor, purpose } = item
  const { creditor: written, bank_name, ultimate_debtor, remittance } = writeItem(item, profile)
  // A bank with a BIC needs no name.
  const bank = agent({ ...creditor, bank_name: creditor.bic === '' ? bank_name : '' }, version)
  const agent_element =
    creditor.bic !== '' || creditor.clearing_code !== '' ? `<CdtrAgt>${bank}</CdtrAgt>` : ''
  const purpose_element = purpose === '' ? '' : `<Purp>${textElement('Cd', purpose)}</Purp>`
  return (
    `<CdtTrfTxInf><PmtId>${textElement('InstrId', end_to_end_id)}` +
    `${textElement('EndToEndId', end_to_end_id)}` +
    `${version.has_uetr ? textElement('UETR', uetr) : ''}</PmtId>` +
    `<Amt><InstdAmt Ccy="${escapeXml(currency)}">` +
    `${formatMajor(amount, currencyExponent(currency))}</InstdAmt></Amt>` +
    `${ultimateDebtor(ultimate_debtor)}${agent_element}<Cdtr>${party(written)}</Cdtr>` +
    `<CdtrAcct>${accountId(creditor)}</CdtrAcct>${purpose_element}` +
    `${remittanceInformation(item.creditor_reference, remittance)}</CdtTrfTxInf>\n`
  )
}

/** The entity that the payment is for, with its number if it has one. */
function ultimateDebtor(debtor: UltimateDebtor | null): string {
  if (debtor === null) return ''
  const { name, type, id } = debtor
  const [kind, scheme] = type === 'business' ? ['OrgId', 'COID'] : ['PrvtId', 'NIDN']
  const other = `<Othr>${textElement('Id', id)}<SchmeNm><Cd>${scheme}</Cd></SchmeNm></Othr>`
  const number = id === '' ? '' : `<Id><${kind}>${other}</${kind}></Id>`
  return `<UltmtDbtr>${textElement('Nm', name)}${number}</UltmtDbtr>`
}

/** Type and issuer of a creditor reference, as SIX and the European Payments Council have them. */
const REFERENCE_TYPES: Readonly<Record<ReferenceKind, string>> = {
  QRR: '<CdOrPrtry><Prtry>QRR</Prtry></CdOrPrtry>',
  SCOR: '<CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry><Issr>ISO</Issr>',
  BBA: '<CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry><Issr>BBA</Issr>',
}

/** RmtInf holds the creditor reference or the text: banks refuse both together. */
function remittanceInformation(reference: string, text: string): string {
  const kind = referenceKind(reference)
  const unstructured = textElement('Ustrd', text)
  if (kind === undefined) return unstructured === '' ? '' : `<RmtInf>${unstructured}</RmtInf>`
  const type = `<Tp>${REFERENCE_TYPES[kind]}</Tp>`
  const structured = `<CdtrRefInf>${type}${textElement('Ref', reference)}</CdtrRefInf>`
  return `<RmtInf><Strd>${structured}</Strd></RmtInf>`
}

function party({ name, address }: WrittenParty): string {
  const { street, town, postcode, state, country } = address
  const lines =
    textElement('StrtNm', street) +
    textElement('PstCd', postcode) +
    textElement('TwnNm', town) +
    textElement('CtrySubDvsn', state) +
    textElement('Ctry', country)
  return `${textElement('Nm', name)}${lines === '' ? '' : `<PstlAdr>${lines}</PstlAdr>`}`
}

function partyId(id: string, { id_scheme }: Iso20022Profile): string {
  if (id === '') return ''
  const scheme = id_scheme === '' ? '' : `<SchmeNm>${textElement('Cd', id_scheme)}</SchmeNm>`
  return `<Id><OrgId><Othr>${textElement('Id', id)}${scheme}</Othr></OrgId></Id>`
}

function accountId({ iban, account }: BankAccount): string {
  const id = iban === '' ? `<Othr>${textElement('Id', account)}</Othr>` : textElement('IBAN', iban)
  return `<Id>${id}</Id>`
}

/** The European Payments Council writes NOTPROVIDED for a bank that only the IBAN names. */
function agent(bank: BankAccount & { readonly bank_name?: string }, { bic }: Version): string {
  const { clearing_code, bank_name = '' } = bank
  const member =
    clearing_code === ''
      ? ''
      : `<ClrSysMmbId><ClrSysId>${textElement('Cd', clearing_code.slice(0, 5))}</ClrSysId>` +
        `${textElement('MmbId', clearing_code.slice(5))}</ClrSysMmbId>`
  const named = textElement(bic, bank.bic) + member + textElement('Nm', bank_name)
  return `<FinInstnId>${named === '' ? '<Othr><Id>NOTPROVIDED</Id></Othr>' : named}</FinInstnId>`
}
