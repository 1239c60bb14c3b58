// Converts a payment into the texts of a pain.001, and lists why no pain.001 can carry it. A name
// is never cut, and none of its letters is replaced. Pure.
import type {
  BankAccount,
  BankProfile,
  FileItem,
  PostalAddress,
  SettlementAccount,
  UltimateDebtor,
} from '../../values/bank-format/bank-format.ts'
import { withoutCodeWord } from '../../values/bank-format/code-word.ts'
import { findCurrency } from '../../values/money/currency.ts'
import { pow10 } from '../../values/money/decimal.ts'
import { pairingFault, referenceFault } from '../../values/network/creditor-reference.ts'
import { findNetwork } from '../../values/network/local.ts'
import { isSwiftText, swiftText } from '../../values/text/swift-text.ts'
import { cleanXml } from '../../values/text/xml.ts'

export interface WrittenParty {
  readonly name: string
  readonly address: PostalAddress
}

export const SEPA = 'SEPA'

/** ISO's Max140Text; the SEPA rulebooks have 70. */
const NAME_LENGTH = 140
const SEPA_NAME_LENGTH = 70
const REMITTANCE_LENGTH = 140
/** ISO's Max35Text. */
const ID_LENGTH = 35
/** The longest texts in PostalAddress6 and PostalAddress24. */
const ADDRESS_LENGTHS = { street: 70, town: 35, postcode: 16, state: 35, country: 2 } as const
/** ActiveOrHistoricCurrencyAndAmount has eighteen digits, at most five of them in the fraction. */
const AMOUNT_DIGITS = 18
const FRACTION_DIGITS = 5

const IBAN = /^[A-Z]{2}\d{2}[A-Za-z0-9]{1,30}$/
const BIC: Readonly<Record<string, RegExp>> = {
  'pain.001.001.03': /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$/,
  'pain.001.001.09': /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/,
}
const UETR = /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/

/** The texts of a payment in the character set of the bank. */
export function writeItem(
  { creditor, remittance, ultimate_debtor }: FileItem,
  profile: BankProfile,
) {
  return {
    creditor: writeParty(creditor, profile),
    ultimate_debtor: ultimate_debtor && writeDebtor(ultimate_debtor, profile),
    bank_name: cut(convert(creditor.bank_name, profile), NAME_LENGTH),
    remittance: cut(convert(remittance, profile), REMITTANCE_LENGTH),
  }
}

export function writeParty(
  { name, address }: { readonly name: string; readonly address: PostalAddress },
  profile: BankProfile,
): WrittenParty {
  const field = (name: keyof PostalAddress) =>
    cut(convert(address[name], profile), ADDRESS_LENGTHS[name])
  const written = {
    street: field('street'),
    town: field('town'),
    postcode: field('postcode'),
    state: field('state'),
    country: field('country'),
  }
  const is_left_out = profile.address === 'if_complete' && !isComplete(written)
  return { name: convert(name, profile), address: is_left_out ? NO_ADDRESS : written }
}

const NO_ADDRESS: PostalAddress = { street: '', town: '', postcode: '', state: '', country: '' }

function hasTown({ town }: PostalAddress): boolean {
  return /[\p{L}\p{N}]/u.test(town)
}

function isComplete(address: PostalAddress): boolean {
  return hasTown(address) && /^[A-Z]{2}$/.test(address.country)
}

/** Why a file to this bank cannot carry this payment; [] when it can. */
export function checkItem(item: FileItem, account: SettlementAccount, profile: BankProfile) {
  const { creditor } = item
  return [
    ...checkIds(item, profile),
    ...checkAmount(item, profile),
    ...checkParty('creditor', creditor, profile, profile.address === 'town_and_country'),
    ...checkAccount('creditor', creditor, profile),
    ...checkReference(item),
    ...(item.ultimate_debtor === null
      ? []
      : checkName('ultimate debtor', item.ultimate_debtor.name, profile)),
    ...checkSettlementAccount(account, profile),
    ...checkSepa(item, profile),
  ]
}

/** Why a file to this bank cannot carry payments from this account; [] when it can. */
export function checkSettlementAccount(account: SettlementAccount, profile: BankProfile) {
  const holder = { name: account.holder, address: account.address }
  return [
    // A scheme without the payee's address may need the payer's.
    ...checkParty('holder of the settlement account', holder, profile, profile.address !== 'any'),
    ...checkAccount('settlement account', account, profile),
  ]
}

function checkIds({ end_to_end_id, uetr, purpose }: FileItem, profile: BankProfile): string[] {
  return [
    ...problem(!/^[0-9A-Z]{1,35}$/.test(end_to_end_id), `end_to_end_id "${end_to_end_id}"`),
    ...problem(versionOf(profile) === 'pain.001.001.09' && !UETR.test(uetr), `uetr "${uetr}"`),
    ...problem(!/^[A-Z0-9]{0,4}$/.test(purpose), `purpose "${purpose}"`),
  ].map(text => `${text} is not of its form`)
}

function checkAmount({ amount, currency }: FileItem, { iso20022 }: BankProfile): string[] {
  const exponent = findCurrency(currency)?.exponent
  if (exponent === undefined || exponent > FRACTION_DIGITS || !/^[A-Z]{3}$/.test(currency)) {
    return [`ISO 20022 has no currency ${currency}`]
  }
  const most = iso20022?.service_level === SEPA ? 99_999_999_999n : pow10(AMOUNT_DIGITS) - 1n
  return [
    ...problem(amount <= 0n, `amount ${amount} is not positive`),
    ...problem(amount > most, `amount ${amount} has more digits than the bank reads`),
  ]
}

/** A bank refuses a QR-IBAN without its reference, and a reference with a wrong digit. */
function checkReference({ creditor_reference: reference, creditor: { iban } }: FileItem): string[] {
  const fault = reference === '' ? undefined : referenceFault(reference)
  const message = fault ?? pairingFault(reference, iban)
  return message === undefined ? [] : [message]
}

/**
 * Leaves out a debtor's number that the bank does not read in full: half a number names somebody
 * else.
 */
function writeDebtor(debtor: UltimateDebtor, profile: BankProfile): UltimateDebtor {
  const { text, lost } = convertText(debtor.id, profile.character_set)
  const is_whole = lost.length === 0 && text.length <= ID_LENGTH && /[\p{L}\p{N}]/u.test(text)
  return { ...debtor, name: convert(debtor.name, profile), id: is_whole ? text : '' }
}

function checkName(who: string, name: string, profile: BankProfile): string[] {
  const { text, lost } = convertText(name, profile.character_set)
  const most = profile.iso20022?.service_level === SEPA ? SEPA_NAME_LENGTH : NAME_LENGTH
  return [
    ...problem(
      lost.length > 0,
      `name of the ${who} has characters that the bank does not read: ${lost.join(' ')}`,
    ),
    ...problem(!/[\p{L}\p{N}]/u.test(text), `name of the ${who} has no letter`),
    ...problem(
      text.length > most,
      `name of the ${who} has ${text.length} characters, and the bank reads ${most}`,
    ),
  ]
}

function checkParty(
  who: string,
  party: { readonly name: string; readonly address: PostalAddress },
  profile: BankProfile,
  is_required: boolean,
): string[] {
  const { address } = writeParty(party, profile)
  return [
    ...checkName(who, party.name, profile),
    ...problem(is_required && !hasTown(address), `address of the ${who} has no town`),
    ...problem(
      !(is_required ? /^[A-Z]{2}$/ : /^([A-Z]{2})?$/).test(address.country),
      `address of the ${who} has no country of two letters`,
    ),
  ]
}

function checkAccount(who: string, bank: BankAccount, profile: BankProfile): string[] {
  const { iban, account, bic, clearing_code } = bank
  const bic_form = BIC[versionOf(profile)] ?? /^$/
  return [
    ...problem(iban === '' && account === '', `${who} has neither IBAN nor account number`),
    ...problem(iban !== '' && !IBAN.test(iban), `IBAN "${iban}" of the ${who} is not of its form`),
    ...problem(
      iban === '' && account !== '' && !/^[A-Za-z0-9/\-?:().,'+]{1,34}$/.test(account),
      `account number "${account}" of the ${who} is not of its form`,
    ),
    ...problem(bic !== '' && !bic_form.test(bic), `BIC "${bic}" of the ${who} is not of its form`),
    ...problem(
      clearing_code !== '' && !/^[A-Z]{5}[A-Za-z0-9]{1,30}$/.test(clearing_code),
      `clearing code "${clearing_code}" of the ${who} is not of its form`,
    ),
    ...problem(
      who === 'creditor' && iban === '' && bic === '' && clearing_code === '',
      `the bank of the ${who} has no BIC and no clearing code, and there is no IBAN`,
    ),
  ]
}

const SEPA_COUNTRIES: ReadonlySet<string> = new Set(findNetwork('EUR', 'sepa')?.countries)

/** The SEPA rulebook's own rules for a credit transfer. */
function checkSepa(item: FileItem, { iso20022 }: BankProfile): string[] {
  if (iso20022?.service_level !== SEPA) return []
  const { currency, charge_bearer, creditor } = item
  const country = creditor.iban.slice(0, 2)
  return [
    ...problem(currency !== 'EUR', `SEPA carries EUR and no ${currency}`),
    ...problem(
      charge_bearer !== 'SLEV',
      `SEPA has the charge bearer SLEV and not ${charge_bearer}`,
    ),
    ...problem(creditor.iban === '', 'SEPA needs an IBAN of the creditor'),
    ...problem(
      creditor.iban !== '' && !SEPA_COUNTRIES.has(country),
      `SEPA does not reach accounts of ${country}`,
    ),
  ]
}

function versionOf({ iso20022 }: BankProfile): string {
  return iso20022?.pain001 ?? ''
}

function convert(text: string, { character_set }: BankProfile): string {
  return convertText(text, character_set).text
}

/** Cuts the text to this length in UTF-16 units, between two characters. */
function cut(text: string, length: number): string {
  let short = ''
  for (const character of text) {
    if (short.length + character.length > length) return short.trimEnd()
    short += character
  }
  return short
}

function problem(exists: boolean, text: string): string[] {
  return exists ? [text] : []
}

type CharacterSet = BankProfile['character_set']

interface Converted {
  readonly text: string
  /**
   * Letters, digits and pictures without an equivalent in the set, each once, in order. A lost
   * punctuation mark is not listed: a full stop in its place does not name another person.
   */
  readonly lost: readonly string[]
}

/** `swiftText` replaces an unknown character by it. */
const UNKNOWN = '.'

const MARK = /^[\p{P}\p{Sm}\p{Sc}\p{Sk}]$/u

/** Characters that direct or hide text: invisible, they could disguise who is paid. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu

/** The text on one line in the character set of the bank. */
function convertText(text: string, set: CharacterSet): Converted {
  const plain = PLAIN.test(text)
    ? text
    : cleanXml(text.normalize('NFC').replace(/\s+/gu, ' ').replace(INVISIBLE, ''))
  const convert = CONVERTERS[set]
  const lost = new Set<string>()
  let converted = ''
  for (const character of plain) {
    const written = convert(character)
    if (isLost(character, written)) lost.add(character)
    converted += written
  }
  const line = withoutCodeWord(converted.replace(/ {2,}/g, ' ').trim())
  return {
    // The European Payments Council refuses a slash at either end, and two in a row.
    text: set === 'swift' ? line.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '') : line,
    lost: [...lost],
  }
}

/** Printable ASCII with single blanks, as most texts are: there is nothing to normalize. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

const CONVERTERS: Readonly<Record<CharacterSet, (character: string) => string>> = {
  swift: toSwift,
  latin: character => (isLatin(character) ? character : toSwift(character)),
  utf8: character => character,
}

function isLost(character: string, written: string): boolean {
  return character === '\ufffd' || (written === UNKNOWN && !MARK.test(character))
}

function toSwift(character: string): string {
  return isSwiftText(character) ? character : swiftText(character)
}

/** ISO 8859-1 without its control characters. */
function isLatin(character: string): boolean {
  return /^[\u0020-\u007e\u00a0-\u00ff]$/.test(character)
}
