// References by which creditors find a payment: QRR of Switzerland, SCOR of ISO 11649, and the
// structured communication of Belgium. Sources: SIX (Implementation Guidelines for credit
// transfers), ISO 11649, Febelfin. Pure.

/** QRR: 27 digits. SCOR: RF and up to 23 characters. BBA: 12 digits, Belgium's. */
export type ReferenceKind = 'QRR' | 'SCOR' | 'BBA'

/** The stored forms. PostgreSQL has the same ones (payouts.creditor_reference_of_a_kind). */
const FORMS: Readonly<Record<ReferenceKind, RegExp>> = {
  QRR: /^[0-9]{27}$/,
  SCOR: /^RF[0-9]{2}[0-9A-Z]{1,21}$/,
  BBA: /^[0-9]{12}$/,
}

/** The pattern of references in requests, without blanks and marks. */
export const REFERENCE_PATTERN = Object.values(FORMS)
  .map(form => form.source)
  .join('|')

/** The IBANs of Switzerland and Liechtenstein with an IID 30000–31999, which need a QRR. */
const QR_IBAN = /^(CH|LI)[0-9]{2}3[01]/
export const QR_IBAN_PATTERN = QR_IBAN.source

/** The reference without the blanks and marks that invoices print, in capitals. */
export function bareReference(text: string): string {
  return text.replace(/[\s+/*-]/g, '').toUpperCase()
}

/** The kind of a bare reference, by its form; undefined for another text. */
export function referenceKind(reference: string): ReferenceKind | undefined {
  const kinds = Object.keys(FORMS) as ReferenceKind[]
  return kinds.find(kind => FORMS[kind].test(reference))
}

/** Why a bare reference is none of the three kinds; undefined when it is one. */
export function referenceFault(reference: string): string | undefined {
  const kind = referenceKind(reference)
  if (kind === undefined) {
    return (
      'Not a creditor reference: send 27 digits (QRR), RF with two check digits and up to 21 ' +
      'letters and digits (ISO 11649), or the 12 digits of a structured communication of Belgium.'
    )
  }
  return HOLDS[kind](reference)
    ? undefined
    : `The check digits of this ${TITLES[kind]} do not hold.`
}

/** Why this account is not paid with this bare reference, '' for none; undefined when it is. */
export function pairingFault(reference: string, iban: string): string | undefined {
  const needs_qrr = QR_IBAN.test(iban)
  const is_qrr = referenceKind(reference) === 'QRR'
  if (needs_qrr === is_qrr) return undefined
  return needs_qrr
    ? 'This account has a QR-IBAN: its bank takes a payment only with a QRR reference of 27 digits.'
    : 'A QRR reference belongs to a QR-IBAN, and this account has none.'
}

const TITLES: Readonly<Record<ReferenceKind, string>> = {
  QRR: 'QRR reference',
  SCOR: 'ISO 11649 reference',
  BBA: 'structured communication',
}

const HOLDS: Readonly<Record<ReferenceKind, (reference: string) => boolean>> = {
  QRR: isQrr,
  SCOR: reference => remainder97(reference.slice(4) + reference.slice(0, 4)) === 1n,
  BBA: isBelgian,
}

const CARRIES = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5]

/** The last digit is a check digit of modulus 10, recursive. Zeros alone name no invoice. */
function isQrr(reference: string): boolean {
  let carry = 0
  for (const digit of reference.slice(0, -1)) carry = CARRIES[(carry + Number(digit)) % 10] ?? 0
  return /[1-9]/.test(reference) && Number(reference.at(-1)) === (10 - carry) % 10
}

/** ISO 7064: letters count from A = 10. */
function remainder97(text: string): bigint {
  return BigInt(text.replace(/[A-Z]/g, letter => String(letter.charCodeAt(0) - 55))) % 97n
}

/** The last two digits are the first ten modulo 97, with 97 in place of 0. */
function isBelgian(reference: string): boolean {
  const remainder = Number(BigInt(reference.slice(0, 10)) % 97n)
  return Number(reference.slice(10)) === (remainder === 0 ? 97 : remainder)
}
