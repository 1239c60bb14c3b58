// The numbers and bank codes that identify a bank account, by country and network. Sources:
// Nacha and the American Bankers Association (US), Pay.UK (GB), AusPayNet (AU), Payments NZ (NZ),
// Payments Canada (CA), HKICL (HK), the Association of Banks in Singapore (SG), Zengin-Net (JP),
// KFTC (KR), FISC (TW), Bank of Thailand (TH), LankaPay (LK), PASA (ZA), Reserve Bank of India
// (IN), People's Bank of China (CN), Banco de México (MX), Banco Central do Brasil (BR), Banco
// Central de la República Argentina (AR), Cámara de Compensación Electrónica (PE), Central Bank of
// Nigeria (NG), BCEAO and BEAC; the SWIFT IBAN registry for all others with IBANs. Without a
// published form of account numbers, any number passes.
import { isIbanCountry } from '../../parties/beneficiary/iban.ts'

/** Members of `bank.bank_codes`, or `bank_name`. Any of them is enough. */
export type Codes = readonly [string, ...string[]]

/** The form of an account number, without its spaces and dashes. */
export interface NumberForm {
  readonly pattern: RegExp
  readonly title: string
  readonly example: string
}

/** The members that identify an account: its IBAN, its number, or either. */
export interface Shape {
  readonly iban?: readonly Codes[]
  readonly number?: {
    readonly form: NumberForm
    readonly codes: readonly Codes[]
    /** Whether `country` is required, because the number and the codes do not show it. */
    readonly country: boolean
  }
  /** Members of the beneficiary that banks require as well. */
  readonly party: readonly string[]
}

export const BIC: Codes = ['swift_code', 'bic']

const ANY_NUMBER: NumberForm = {
  pattern: /^[0-9A-Za-z]{1,34}$/,
  title: 'An account number has at most 34 letters and digits',
  example: '123456789012',
}

const number = (form: NumberForm, ...codes: Codes[]): Shape => ({
  number: { form, codes, country: true },
  party: [],
})
const form = (pattern: RegExp, title: string, example: string): NumberForm => ({
  pattern,
  title,
  example,
})

const CODE_OR_BIC: Codes = ['bank_code', ...BIC]
const byBankCode = number(ANY_NUMBER, CODE_OR_BIC)
const byBankAndBranch = (what: NumberForm) => number(what, ['bank_code'], ['branch_code'])
/** In a country without a published form of codes, the bank's name is enough. */
const byBank = number(ANY_NUMBER, ['bank_code', ...BIC, 'bank_name'])
const byBic = number(ANY_NUMBER, BIC)

const GB: Shape = {
  iban: [],
  ...number(
    form(/^[0-9]{8}$/, 'An account number of the United Kingdom has 8 digits', '31926819'),
    ['sort_code'],
  ),
}

const BR: Shape = {
  iban: [],
  number: { form: ANY_NUMBER, codes: [['bank_code', 'ispb'], ['branch_code']], country: true },
  // Pix and TED need the CPF or CNPJ of the receiver.
  party: ['tax_id'],
}

const BY_COUNTRY: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['AR', number(form(/^[0-9]{22}$/, 'A CBU or CVU has 22 digits', '2850590940090418135201'))],
  [
    'AU',
    number(
      form(
        /^[0-9A-Za-z]{1,9}$/,
        'An account number of Australia has at most 9 letters and digits',
        '12345678',
      ),
      ['bsb'],
    ),
  ],
  ['BR', BR],
  [
    'CA',
    number(
      form(/^[0-9]{5,12}$/, 'An account number of Canada has 5 to 12 digits', '1234567'),
      ['transit_number', 'routing_number'],
      ['institution_number', 'routing_number'],
    ),
  ],
  ['CN', number(ANY_NUMBER, ['cnaps', ...BIC])],
  ['GB', GB],
  ['HK', byBankCode],
  ['IN', number(ANY_NUMBER, ['ifsc'])],
  ['JP', byBankAndBranch(form(/^[0-9]{7}$/, 'An account number of Japan has 7 digits', '1234567'))],
  ['KR', byBankCode],
  ['LK', byBankAndBranch(ANY_NUMBER)],
  ['MX', number(form(/^[0-9]{18}$/, 'A CLABE has 18 digits', '032180000118359719'))],
  ['NG', number(form(/^[0-9]{10}$/, 'A NUBAN has 10 digits', '0123456785'), CODE_OR_BIC)],
  [
    'NZ',
    number(
      form(
        /^[0-9]{15,16}$/,
        'An account number of New Zealand has 15 or 16 digits with bank, branch and suffix',
        '0123450123456700',
      ),
    ),
  ],
  ['PE', number(form(/^[0-9]{20}$/, 'A CCI has 20 digits', '00219300123456789012'))],
  ['SG', byBankCode],
  ['TH', byBankCode],
  ['TW', byBankCode],
  [
    'US',
    number(
      form(
        /^[0-9A-Za-z]{1,17}$/,
        'An account number of the United States has at most 17 letters and digits',
        '123456789',
      ),
      ['routing_number', 'aba'],
    ),
  ],
  ['ZA', number(ANY_NUMBER, ['branch_code'])],
  ...'BF BJ CF CG CI CM GA GQ GW ML NE SN TD TG'
    .split(' ')
    .map((country): [string, Shape] => [country, byBic]),
])

const byIban: Shape = { iban: [], party: [] }

/** Networks, by currency and name, that require other members than their countries. */
const BY_NETWORK: ReadonlyMap<string, Shape> = new Map([
  // T2 settles between banks, and identifies them by BIC.
  ['EUR target2', { iban: [BIC], party: [] }],
])

/** The shape of an account for a local payout to this country, over one network or, for '', any. */
export function localShape(country: string, currency: string, network: string): Shape {
  const own = BY_NETWORK.get(`${currency} ${network}`) ?? BY_COUNTRY.get(country)
  return own ?? (isIbanCountry(country) ? byIban : byBank)
}

/** Format 34x of field 59 in MT 103: no slash at the beginning, no two slashes together. */
const SWIFT_NUMBER: NumberForm = {
  pattern: /^(?!\/)(?!.*\/\/)[A-Za-z0-9/?:().,'+ -]{1,34}$/,
  title: 'An account has at most 34 characters that SWIFT carries',
  example: '123456789012',
}

/**
 * The shape of an account for a payout by SWIFT: the BIC, and the IBAN if the country has IBANs.
 * Since November 2026, banks refuse an address without town and country (CBPR+, Standards Release
 * 2026).
 */
export function swiftShape(country: string): Shape {
  const party = ['address.city', 'address.country']
  const iban = { iban: [BIC], party }
  const byNumber = { number: { form: SWIFT_NUMBER, codes: [BIC], country: false }, party }
  if (country === '') return { ...iban, ...byNumber }
  return isIbanCountry(country) ? iban : byNumber
}
