// The local networks of payouts by currency, and the bounds of one payment in each. Sources: the
// scheme names that operators publish; for the reach of SEPA the list of scheme countries of the
// European Payments Council; for the four currencies of Hong Kong HKICL. Only rails know how to
// reach a network.

/** A domestic payment system. `name` is unique in its currency; `countries` are alpha-2 codes. */
export interface Network {
  readonly name: string
  readonly currency: string
  readonly countries: readonly string[]
  readonly title: string
  /** The bounds of one payment that the network's operator publishes. */
  readonly limits: Limits
}

/** Minor units of the network's currency; null without a published bound. */
export interface Limits {
  readonly minimum: bigint | null
  readonly maximum: bigint | null
}

type Row = readonly [currency: string, name: string, countries: string, title: string]

const EURO_AREA = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'
// The 41 scheme countries, then the territories that the Council counts with FI, FR and GB.
const SEPA =
  `${EURO_AREA} CZ DK HU PL RO SE IS LI NO CH GB AD MC SM VA AL MD ME MK RS ` +
  'AX BL GF GP MF MQ PM RE YT GG GI IM JE'
const UNITED_STATES = 'US AS GU MP PR VI'
const UNITED_KINGDOM = 'GB GG IM JE'

const ROWS: readonly Row[] = [
  ['AED', 'aani', 'AE', 'Aani instant payments'],
  ['AED', 'uaefts', 'AE', 'UAE Funds Transfer System'],
  ['ARS', 'coelsa', 'AR', 'COELSA immediate transfers'],
  ['AUD', 'becs', 'AU', 'Bulk Electronic Clearing System'],
  ['AUD', 'npp', 'AU', 'New Payments Platform'],
  ['BDT', 'beftn', 'BD', 'Bangladesh Electronic Funds Transfer Network'],
  ['BDT', 'npsb', 'BD', 'National Payment Switch Bangladesh'],
  ['BHD', 'fawri', 'BH', 'Fawri'],
  ['BHD', 'fawri_plus', 'BH', 'Fawri+'],
  ['BRL', 'pix', 'BR', 'Pix'],
  ['BRL', 'ted', 'BR', 'Transferência Eletrônica Disponível'],
  ['CAD', 'eft', 'CA', 'Electronic Funds Transfer (ACSS)'],
  ['CAD', 'interac_etransfer', 'CA', 'Interac e-Transfer'],
  ['CAD', 'lynx', 'CA', 'Lynx'],
  ['CHF', 'sic', 'CH LI', 'Swiss Interbank Clearing'],
  ['CNY', 'beps', 'CN', 'Bulk Electronic Payment System'],
  ['CNY', 'cips', 'CN', 'Cross-border Interbank Payment System'],
  ['CNY', 'cnaps', 'CN', 'China National Advanced Payment System'],
  ['CNY', 'hvps', 'CN', 'High Value Payment System'],
  ['CNY', 'ibps', 'CN', 'Internet Banking Payment System'],
  ['CNY', 'rmb_chats', 'HK', 'Renminbi CHATS'],
  ['COP', 'ach', 'CO', 'ACH Colombia'],
  ['COP', 'cenit', 'CO', 'CENIT'],
  ['CRC', 'sinpe', 'CR', 'SINPE'],
  ['CZK', 'certis', 'CZ', 'CERTIS'],
  ['DKK', 'intradagclearing', 'DK FO GL', 'Intradagclearing'],
  ['DKK', 'straksclearing', 'DK FO GL', 'Straksclearing'],
  ['DKK', 'sumclearing', 'DK FO GL', 'Sumclearing'],
  ['EGP', 'instapay', 'EG', 'Instant Payment Network (InstaPay)'],
  ['EUR', 'eur_chats', 'HK', 'Euro CHATS'],
  ['EUR', 'sepa', SEPA, 'SEPA Credit Transfer'],
  ['EUR', 'sepa_instant', SEPA, 'SEPA Instant Credit Transfer'],
  ['EUR', 'target2', `${EURO_AREA} DK PL RO`, 'T2 (TARGET2 until March 2023)'],
  ['GBP', 'bacs', UNITED_KINGDOM, 'Bacs'],
  ['GBP', 'chaps', UNITED_KINGDOM, 'CHAPS'],
  ['GBP', 'faster_payments', UNITED_KINGDOM, 'Faster Payments'],
  ['GHS', 'gip', 'GH', 'GhIPSS Instant Pay'],
  ['HKD', 'chats', 'HK', 'Clearing House Automated Transfer System'],
  ['HKD', 'fps', 'HK', 'Faster Payment System'],
  ['HUF', 'giro', 'HU', 'GIRO Interbank Clearing System'],
  ['HUF', 'viber', 'HU', 'VIBER'],
  ['IDR', 'bi_fast', 'ID', 'BI-FAST'],
  ['IDR', 'bi_rtgs', 'ID', 'BI-RTGS'],
  ['IDR', 'skn', 'ID', 'Sistem Kliring Nasional Bank Indonesia'],
  ['ILS', 'masav', 'IL', 'Masav'],
  ['ILS', 'zahav', 'IL', 'Zahav'],
  ['INR', 'imps', 'IN', 'Immediate Payment Service'],
  ['INR', 'neft', 'IN', 'National Electronic Funds Transfer'],
  ['INR', 'rtgs', 'IN', 'Real Time Gross Settlement'],
  ['INR', 'upi', 'IN', 'Unified Payments Interface'],
  ['JOD', 'cliq', 'JO', 'CliQ'],
  ['JPY', 'zengin', 'JP', 'Zengin Data Telecommunication System'],
  ['KES', 'kepss', 'KE', 'Kenya Electronic Payment and Settlement System'],
  ['KES', 'pesalink', 'KE', 'PesaLink'],
  ['KRW', 'bok_wire', 'KR', 'BOK-Wire+'],
  ['LKR', 'cefts', 'LK', 'Common Electronic Fund Transfer Switch'],
  ['LKR', 'slips', 'LK', 'Sri Lanka Interbank Payment System'],
  ['MXN', 'spei', 'MX', 'Sistema de Pagos Electrónicos Interbancarios'],
  ['MYR', 'duitnow', 'MY', 'DuitNow'],
  ['MYR', 'ibg', 'MY', 'Interbank GIRO'],
  ['MYR', 'rentas', 'MY', 'RENTAS'],
  ['NGN', 'neft', 'NG', 'NIBSS Electronic Funds Transfer'],
  ['NGN', 'nip', 'NG', 'NIBSS Instant Payment'],
  ['NOK', 'nics', 'NO', 'Norwegian Interbank Clearing System'],
  ['NZD', 'becs', 'NZ', 'Bulk Electronic Clearing System'],
  ['PEN', 'cce', 'PE', 'Cámara de Compensación Electrónica'],
  ['PHP', 'instapay', 'PH', 'InstaPay'],
  ['PHP', 'pesonet', 'PH', 'PESONet'],
  ['PKR', 'raast', 'PK', 'Raast'],
  ['PLN', 'elixir', 'PL', 'Elixir'],
  ['PLN', 'express_elixir', 'PL', 'Express Elixir'],
  ['RON', 'regis', 'RO', 'ReGIS'],
  ['RON', 'transfond', 'RO', 'TRANSFOND SENT'],
  ['RSD', 'ips', 'RS', 'NBS IPS'],
  ['SAR', 'sarie', 'SA', 'Saudi Arabian Riyal Interbank Express'],
  ['SEK', 'bankgirot', 'SE', 'Bankgirot'],
  ['SEK', 'rix_inst', 'SE', 'RIX-INST'],
  ['SGD', 'fast', 'SG', 'Fast And Secure Transfers'],
  ['SGD', 'giro', 'SG', 'Interbank GIRO'],
  ['SGD', 'meps', 'SG', 'MEPS+'],
  ['THB', 'bahtnet', 'TH', 'BAHTNET'],
  ['THB', 'promptpay', 'TH', 'PromptPay'],
  ['TRY', 'eft', 'TR', 'EFT (Central Bank of the Republic of Türkiye)'],
  ['TRY', 'fast', 'TR', 'FAST (Central Bank of the Republic of Türkiye)'],
  ['TWD', 'fisc', 'TW', 'FISC Interbank Remittance System'],
  ['UAH', 'sep', 'UA', 'System of Electronic Payments of the National Bank of Ukraine'],
  ['USD', 'ach', UNITED_STATES, 'Automated Clearing House'],
  ['USD', 'fednow', 'US', 'FedNow'],
  ['USD', 'fedwire', UNITED_STATES, 'Fedwire Funds Service'],
  ['USD', 'rtp', 'US', 'RTP network'],
  ['USD', 'usd_chats', 'HK', 'US dollar CHATS'],
  ['VND', 'napas', 'VN', 'NAPAS'],
  ['XAF', 'sygma', 'CF CG CM GA GQ TD', 'SYGMA'],
  ['XOF', 'star_uemoa', 'BF BJ CI GW ML NE SN TG', 'STAR-UEMOA'],
  ['ZAR', 'eft', 'ZA', 'Electronic Funds Transfer'],
  ['ZAR', 'payshap', 'ZA', 'PayShap'],
  ['ZAR', 'rtc', 'ZA', 'Real-Time Clearing'],
  ['ZAR', 'samos', 'ZA', 'SAMOS'],
]

const UNBOUNDED: Limits = { minimum: null, maximum: null }
const atMost = (maximum: bigint): Limits => ({ minimum: null, maximum })

/**
 * The published bounds by currency and name. A bank may set lower ones.
 * Sources: Pay.UK (Faster Payments, February 2022; Bacs), The Clearing House (RTP, February 2025),
 * Federal Reserve Financial Services (FedNow, November 2025), Association of Banks in Singapore
 * (FAST), Bank Indonesia (BI-FAST), National Payments Corporation of India and Reserve Bank of
 * India (IMPS, RTGS), Bangko Sentral ng Pilipinas (InstaPay). SEPA Instant has had none since
 * October 2025 (European Payments Council).
 */
const LIMITS: ReadonlyMap<string, Limits> = new Map([
  ['GBP bacs', atMost(20_000_000_00n)],
  ['GBP faster_payments', atMost(1_000_000_00n)],
  ['IDR bi_fast', atMost(250_000_000_00n)],
  ['INR imps', atMost(500_000_00n)],
  ['INR rtgs', { minimum: 200_000_00n, maximum: null }],
  ['PHP instapay', atMost(50_000_00n)],
  ['SGD fast', atMost(200_000_00n)],
  ['USD fednow', atMost(10_000_000_00n)],
  ['USD rtp', atMost(10_000_000_00n)],
])

/** Every network, ordered by currency and name. */
export const NETWORKS: readonly Network[] = ROWS.map(([currency, name, countries, title]) => ({
  name,
  currency,
  countries: countries.split(' '),
  title,
  limits: LIMITS.get(`${currency} ${name}`) ?? UNBOUNDED,
}))

const BY_CURRENCY = Map.groupBy(NETWORKS, network => network.currency)

/** Finds a network by its currency and its name in any case. */
export function findNetwork(currency: string, name: string): Network | undefined {
  const wanted = name.toLowerCase()
  return networksOf(currency).find(network => network.name === wanted)
}

export function networksOf(currency: string): readonly Network[] {
  return BY_CURRENCY.get(currency) ?? NO_NETWORKS
}

const NO_NETWORKS: readonly Network[] = []

/** The message that the currency has no network of this name; undefined when there is one. */
export function networkFault(currency: string, name: string): string | undefined {
  if (findNetwork(currency, name) !== undefined) return undefined
  const known = networksOf(currency).map(network => network.name)
  const hint = known.length > 0 ? `known ones are ${known.join(', ')}` : 'none is known'
  return `No such local network for ${currency}; ${hint}.`
}

/**
 * The message that no local network carries the currency to this country, '' for any country;
 * undefined when one does. The table of networks is complete: without a network, only SWIFT pays.
 */
export function carriageFault(currency: string, country: string): string | undefined {
  const carried = networksOf(currency).some(
    ({ countries }) => country === '' || countries.includes(country),
  )
  if (carried) return undefined
  const where = country === '' ? '' : ` to ${country}`
  return `No local network carries ${currency}${where}; send a payout of type swift.`
}

/** The message that an amount in minor units is outside a network's bounds; undefined inside. */
export function limitFault(currency: string, name: string, amount: bigint): string | undefined {
  const network = findNetwork(currency, name)
  if (network === undefined) return undefined
  const { minimum, maximum } = network.limits
  const carries = `${network.title} carries`
  const unit = `${currency} minor units in one payment; this comes to ${amount}.`
  if (minimum !== null && amount < minimum) return `${carries} at least ${minimum} ${unit}`
  return maximum !== null && amount > maximum ? `${carries} at most ${maximum} ${unit}` : undefined
}
