// The local payment networks, and the forms of their keys. They are schemes and e-wallets that pay
// to a key, such as a telephone number, instead of a bank account. Sources: the alias types that
// schemes publish; for telephone numbers ITU-T E.164 and the national numbering plans. A valid form
// says nothing about a key's owner.
import { isCnpj, isCpf } from './check-digit.ts'
import type { Network } from './local.ts'

/** A form of keys. `type` is a value of `deposit_key_type`. */
export interface KeyForm {
  readonly type: string
  /** The form of a key without marks. */
  readonly pattern: RegExp
  /** Marks that people write in such a key. Banks store none. */
  readonly marks?: RegExp
  /** Whether the check digits hold, once the pattern matches. */
  readonly holds?: (key: string) => boolean
  readonly title: string
  readonly example: string
}

/** `name` is unique in its currency; `countries` are alpha-2 codes. */
export interface PaymentNetwork extends Omit<Network, 'limits'> {
  readonly keys: readonly KeyForm[]
}

/** Mobile numbers by country: calling code, form of the national number, and an example of it. */
const PHONES: ReadonlyMap<string, readonly [code: string, national: string, example: string]> =
  new Map([
    ['AE', ['971', '5[0-9]{8}', '501234567']],
    ['AU', ['61', '4[0-9]{8}', '412345678']],
    ['BD', ['880', '1[3-9][0-9]{8}', '1712345678']],
    ['BR', ['55', '[1-9]{2}9?[0-9]{8}', '11912345678']],
    ['CA', ['1', '[2-9][0-9]{2}[2-9][0-9]{6}', '4162345678']],
    ['CH', ['41', '7[4-9][0-9]{7}', '791234567']],
    ['CN', ['86', '1[3-9][0-9]{9}', '13812345678']],
    ['CO', ['57', '3[0-9]{9}', '3101234567']],
    ['CR', ['506', '[5-8][0-9]{7}', '83123456']],
    ['DK', ['45', '[2-9][0-9]{7}', '20123456']],
    ['ES', ['34', '[67][0-9]{8}', '612345678']],
    ['GH', ['233', '[235][0-9]{8}', '241234567']],
    ['HK', ['852', '[4-9][0-9]{7}', '51234567']],
    ['ID', ['62', '8[0-9]{8,11}', '81234567890']],
    ['IN', ['91', '[6-9][0-9]{9}', '9812345678']],
    ['JO', ['962', '7[789][0-9]{7}', '791234567']],
    ['KE', ['254', '[17][0-9]{8}', '712345678']],
    ['MY', ['60', '1[0-9]{8,9}', '123456789']],
    ['NO', ['47', '[49][0-9]{7}', '41234567']],
    ['NP', ['977', '9[78][0-9]{8}', '9812345678']],
    ['PE', ['51', '9[0-9]{8}', '912345678']],
    ['PH', ['63', '9[0-9]{9}', '9171234567']],
    ['PK', ['92', '3[0-9]{9}', '3001234567']],
    ['PL', ['48', '[4-8][0-9]{8}', '512345678']],
    ['RW', ['250', '7[2389][0-9]{7}', '781234567']],
    ['SE', ['46', '7[0-9]{8}', '701234567']],
    ['SG', ['65', '[89][0-9]{7}', '81234567']],
    ['TH', ['66', '[689][0-9]{8}', '812345678']],
    ['TZ', ['255', '[67][0-9]{8}', '712345678']],
    ['UG', ['256', '7[0-9]{8}', '712345678']],
    ['US', ['1', '[2-9][0-9]{2}[2-9][0-9]{6}', '2025550123']],
    ['VN', ['84', '[35789][0-9]{8}', '912345678']],
    ['ZA', ['27', '[6-8][0-9]{8}', '821234567']],
    ['ZM', ['260', '[79][0-9]{8}', '971234567']],
  ])

/** Countries without a trunk prefix 0 before a national number. */
const NO_TRUNK_ZERO = 'BR CA CO CR DK ES HK IN NO NP PE PL SG US'.split(' ')

/** A mobile number in international form with a +, or in national form, without spaces. */
function phone(country: string): KeyForm {
  const known = PHONES.get(country)
  if (known === undefined) throw new Error(`no telephone numbers of ${country}`)
  const [code, national, example] = known
  const trunk = NO_TRUNK_ZERO.includes(country) ? '' : '0'
  return {
    type: 'phone',
    pattern: new RegExp(`^(?:\\+${code}|${trunk})${national}$`),
    marks: /[\s().-]/g,
    title: `A mobile number begins with +${code}`,
    example: `+${code}${example}`,
  }
}

/** A form of numbers with check digits, and with dots, strokes and dashes for people. */
const checked = (form: KeyForm, holds: (key: string) => boolean): KeyForm => ({
  ...form,
  marks: /[\s./-]/g,
  holds,
})

const key = (type: string, pattern: RegExp, title: string, example: string): KeyForm => ({
  type,
  pattern,
  title,
  example,
})

const digits = (type: string, count: number, what: string, example: string) =>
  key(type, new RegExp(`^[0-9]{${count}}$`), `${what} has ${count} digits`, example)

/** Forms of keys other than telephone numbers. */
const KEYS = {
  abn: digits('abn', 11, 'An Australian business number', '51824753556'),
  // Since July 2026 a CNPJ may have letters before its check digits (RFB, IN 2229/2024).
  cnpj: checked(
    key(
      'cnpj',
      /^[0-9A-Z]{12}[0-9]{2}$/,
      'A CNPJ has 12 letters or digits and 2 check digits',
      '12345678000195',
    ),
    isCnpj,
  ),
  cpf: checked(
    key('cpf', /^[0-9]{11}$/, 'A CPF has 9 digits and 2 check digits', '52998224725'),
    isCpf,
  ),
  business_registration: digits(
    'business_registration',
    12,
    'A registration number of Malaysia',
    '202001234567',
  ),
  cliq_alias: key(
    'alias',
    /^[A-Za-z][A-Za-z0-9]{2,9}$/,
    'A CliQ alias has 3 to 10 letters or digits and begins with a letter',
    'HARBOUR1',
  ),
  email: key(
    'email',
    /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/,
    'An e-mail address has an @ and a domain',
    'anna@example.com',
  ),
  evp: key(
    'evp',
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    'A random key is a UUID in small letters',
    '123e4567-e89b-42d3-a456-426655440000',
  ),
  ewallet_id: digits('ewallet_id', 15, 'An e-wallet id', '140000123456789'),
  fps_id: key('fps_id', /^(?:[0-9]{7}|[0-9]{9})$/, 'An FPS id has 7 or 9 digits', '1234567'),
  mykad: digits('national_id', 12, 'A MyKad number', '900101145678'),
  nric: key(
    'nric',
    /^[STFGM][0-9]{7}[A-Z]$/,
    'An NRIC or FIN has a letter, 7 digits and a letter',
    'S1234567D',
  ),
  swish_number: key(
    'swish_number',
    /^123[0-9]{7}$/,
    'A Swish number begins with 123 and has 10 digits',
    '1231234567',
  ),
  thai_id: digits('national_id', 13, 'A national id of Thailand', '1101700230708'),
  thai_tax_id: digits('tax_id', 13, 'A tax id of Thailand', '0105536000315'),
  uen: key(
    'uen',
    /^(?:[0-9]{8,9}[A-Z]|[RST][0-9]{2}[A-Z]{2}[0-9]{4}[A-Z])(?:[A-Z0-9]{3})?$/,
    'A UEN has 9 or 10 digits and letters, and perhaps a suffix of 3',
    '201912345K',
  ),
  vpa: key(
    'vpa',
    /^[A-Za-z0-9._-]{2,255}@[A-Za-z][A-Za-z0-9]{1,63}$/,
    'A virtual payment address has a name, an @ and a bank handle',
    'harbour@okbank',
  ),
} as const

type Row = readonly [
  currency: string,
  name: string,
  countries: string,
  title: string,
  keys: readonly (KeyForm | 'phone')[],
]

const { email, cpf, cnpj, evp } = KEYS

const ROWS: readonly Row[] = [
  ['AED', 'aani', 'AE', 'Aani', ['phone', email]],
  ['AUD', 'payid', 'AU', 'PayID', ['phone', email, KEYS.abn]],
  ['BDT', 'bkash', 'BD', 'bKash', ['phone']],
  ['BDT', 'nagad', 'BD', 'Nagad', ['phone']],
  ['BRL', 'pix', 'BR', 'Pix key', [cpf, cnpj, 'phone', email, evp]],
  ['CAD', 'interac', 'CA', 'Interac e-Transfer', [email, 'phone']],
  ['CHF', 'twint', 'CH', 'TWINT', ['phone']],
  ['CNY', 'alipay', 'CN', 'Alipay', ['phone', email]],
  ['CNY', 'wechat_pay', 'CN', 'WeChat Pay', ['phone']],
  ['COP', 'daviplata', 'CO', 'DaviPlata', ['phone']],
  ['COP', 'nequi', 'CO', 'Nequi', ['phone']],
  ['CRC', 'sinpe_movil', 'CR', 'SINPE Móvil', ['phone']],
  ['DKK', 'mobilepay', 'DK', 'MobilePay', ['phone']],
  ['EUR', 'bizum', 'ES', 'Bizum', ['phone']],
  ['GHS', 'mtn_momo', 'GH', 'MTN MoMo', ['phone']],
  ['HKD', 'fps', 'HK', 'FPS proxy', ['phone', email, KEYS.fps_id]],
  ['IDR', 'dana', 'ID', 'DANA', ['phone']],
  ['IDR', 'gopay', 'ID', 'GoPay', ['phone']],
  ['IDR', 'linkaja', 'ID', 'LinkAja', ['phone']],
  ['IDR', 'ovo', 'ID', 'OVO', ['phone']],
  ['IDR', 'shopeepay', 'ID', 'ShopeePay', ['phone']],
  ['INR', 'upi', 'IN', 'Unified Payments Interface', [KEYS.vpa]],
  ['JOD', 'cliq', 'JO', 'CliQ', [KEYS.cliq_alias, 'phone']],
  ['KES', 'airtel_money', 'KE', 'Airtel Money', ['phone']],
  ['KES', 'mpesa', 'KE', 'M-PESA', ['phone']],
  ['MYR', 'duitnow', 'MY', 'DuitNow', ['phone', KEYS.mykad, KEYS.business_registration]],
  ['MYR', 'touch_n_go', 'MY', 'Touch ’n Go eWallet', ['phone']],
  ['NOK', 'vipps', 'NO', 'Vipps', ['phone']],
  ['NPR', 'esewa', 'NP', 'eSewa', ['phone']],
  ['NPR', 'khalti', 'NP', 'Khalti', ['phone']],
  ['PEN', 'plin', 'PE', 'Plin', ['phone']],
  ['PEN', 'yape', 'PE', 'Yape', ['phone']],
  ['PHP', 'coins_ph', 'PH', 'Coins.ph', ['phone']],
  ['PHP', 'gcash', 'PH', 'GCash', ['phone']],
  ['PHP', 'grabpay', 'PH', 'GrabPay', ['phone']],
  ['PHP', 'maya', 'PH', 'Maya', ['phone']],
  ['PKR', 'easypaisa', 'PK', 'Easypaisa', ['phone']],
  ['PKR', 'jazzcash', 'PK', 'JazzCash', ['phone']],
  ['PKR', 'raast', 'PK', 'Raast ID', ['phone']],
  ['PLN', 'blik', 'PL', 'BLIK to a telephone number', ['phone']],
  ['RWF', 'mtn_momo', 'RW', 'MTN MoMo', ['phone']],
  ['SEK', 'swish', 'SE', 'Swish', ['phone', KEYS.swish_number]],
  ['SGD', 'paynow', 'SG', 'PayNow', ['phone', KEYS.nric, KEYS.uen]],
  [
    'THB',
    'promptpay',
    'TH',
    'PromptPay',
    ['phone', KEYS.thai_id, KEYS.thai_tax_id, KEYS.ewallet_id],
  ],
  ['THB', 'truemoney', 'TH', 'TrueMoney', ['phone']],
  ['TZS', 'airtel_money', 'TZ', 'Airtel Money', ['phone']],
  ['TZS', 'mpesa', 'TZ', 'M-Pesa', ['phone']],
  ['UGX', 'airtel_money', 'UG', 'Airtel Money', ['phone']],
  ['UGX', 'mtn_momo', 'UG', 'MTN MoMo', ['phone']],
  ['USD', 'zelle', 'US', 'Zelle', [email, 'phone']],
  ['VND', 'momo', 'VN', 'MoMo', ['phone']],
  ['VND', 'zalopay', 'VN', 'ZaloPay', ['phone']],
  ['ZAR', 'payshap', 'ZA', 'PayShap ID', ['phone']],
  ['ZMW', 'airtel_money', 'ZM', 'Airtel Money', ['phone']],
  ['ZMW', 'mtn_momo', 'ZM', 'MTN MoMo', ['phone']],
]

/** Every local payment network, ordered by currency and name. */
export const PAYMENT_NETWORKS: readonly PaymentNetwork[] = ROWS.map(
  ([currency, name, country, title, keys]) => ({
    name,
    currency,
    countries: [country],
    title,
    keys: keys.map(form => (form === 'phone' ? phone(country) : form)),
  }),
)

/**
 * The networks of this name, in any case, in all currencies. Other payment services end the name in
 * its currency: `pix_brl` is `pix` in reais.
 */
export function paymentNetworksNamed(name: string): readonly PaymentNetwork[] {
  return BY_NAME.get(foldedNetwork(name)) ?? NONE
}

/** Every price asks, with '' for a payout over no such network. */
const BY_NAME: ReadonlyMap<string, readonly PaymentNetwork[]> = namesOf(PAYMENT_NETWORKS)
const NONE: readonly PaymentNetwork[] = []

function namesOf(networks: readonly PaymentNetwork[]) {
  const named = new Map<string, PaymentNetwork[]>()
  for (const network of networks) {
    const { name, currency } = network
    for (const one of [name, `${name}_${currency.toLowerCase()}`])
      named.getOrInsertComputed(one, () => []).push(network)
  }
  return named
}

/** A name as quotes show it: in small letters, without outer white space. */
export function foldedNetwork(name: string): string {
  return name.trim().toLowerCase()
}

/** Our name of a network; the name as sent, folded, for an unknown one. */
export function paymentNetworkName(name: string): string {
  return paymentNetworksNamed(name)[0]?.name ?? foldedNetwork(name)
}

export function paymentNetworksOf(currency: string): readonly PaymentNetwork[] {
  return PAYMENT_NETWORKS.filter(network => network.currency === currency)
}

/** The message that no network has this name and currency ('' is any); undefined if one has. */
export function paymentNetworkFault(currency: string, name: string): string | undefined {
  const named = paymentNetworksNamed(name)
  if (named.length === 0) {
    const known = [...new Set(PAYMENT_NETWORKS.map(network => network.name))].sort()
    return `Not a known local payment network; known ones are ${known.join(', ')}.`
  }
  if (currency === '' || named.some(network => network.currency === currency)) return undefined
  const currencies = named.map(network => network.currency).join(', ')
  return `${named[0]?.name} pays in ${currencies}, not in ${currency}.`
}

export function keyForms(name: string): readonly KeyForm[] {
  return paymentNetworksNamed(name).flatMap(network => network.keys)
}

/** The type of a key by our name. Other payment services call Pix's key of chance `random`. */
export function keyType(sent: string): string {
  const type = sent.trim().toLowerCase()
  return type === 'random' ? 'evp' : type
}

/** A key without outer white space and the marks of its form. */
export function bareKey(key: string, { marks }: KeyForm): string {
  const trimmed = key.trim()
  return marks === undefined ? trimmed : trimmed.replace(marks, '')
}

/** The forms that a key fits, among the forms of its type; '' is any type. */
export function formsOf(key: string, forms: readonly KeyForm[], type: string): readonly KeyForm[] {
  return forms.filter(form => {
    if (type !== '' && form.type !== type) return false
    const bare = bareKey(key, form)
    return form.pattern.test(bare) && (form.holds?.(bare) ?? true)
  })
}
