// Knows the local payout networks by currency and the chains of wallet payouts.
// Sources: the operators' published scheme names; SEPA reach from the European Payments Council's
// list of SEPA scheme countries. It must not know how to reach a network: that is a rail's affair.

/** A domestic payment system. `name` is unique within `currency`; `countries` are alpha-2 codes. */
export interface Network {
  readonly name: string
  readonly currency: string
  readonly countries: readonly string[]
  readonly title: string
}

/**
 * A chain for wallet payouts. `network` is the token standard or network label; never a testnet.
 */
export interface Chain {
  readonly type: string
  readonly network: string
  readonly title: string
  readonly currencies: readonly string[]
}

type Row = readonly [currency: string, name: string, countries: string, title: string]

const EURO_AREA = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'
// The 41 scheme countries, then the territories the Council counts under FI, FR and GB.
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
  ['COP', 'ach', 'CO', 'ACH Colombia'],
  ['COP', 'cenit', 'CO', 'CENIT'],
  ['CRC', 'sinpe', 'CR', 'SINPE'],
  ['CZK', 'certis', 'CZ', 'CERTIS'],
  ['DKK', 'intradagclearing', 'DK FO GL', 'Intradagclearing'],
  ['DKK', 'straksclearing', 'DK FO GL', 'Straksclearing'],
  ['DKK', 'sumclearing', 'DK FO GL', 'Sumclearing'],
  ['EGP', 'instapay', 'EG', 'Instant Payment Network (InstaPay)'],
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
  ['VND', 'napas', 'VN', 'NAPAS'],
  ['XAF', 'sygma', 'CF CG CM GA GQ TD', 'SYGMA'],
  ['XOF', 'star_uemoa', 'BF BJ CI GW ML NE SN TG', 'STAR-UEMOA'],
  ['ZAR', 'eft', 'ZA', 'Electronic Funds Transfer'],
  ['ZAR', 'payshap', 'ZA', 'PayShap'],
  ['ZAR', 'rtc', 'ZA', 'Real-Time Clearing'],
  ['ZAR', 'samos', 'ZA', 'SAMOS'],
]

/** Every network, in the order of currency and name. */
export const NETWORKS: readonly Network[] = ROWS.map(([currency, name, countries, title]) => ({
  name,
  currency,
  countries: countries.split(' '),
  title,
}))

// USDC is Circle's native token, except Binance's pegged one on BNB Smart Chain; Circle left TRON
// in
// 2024. USDT is Tether's own on Avalanche, Ethereum, Solana and TRON, bridged or pegged elsewhere.
// A chain that carries none of our currencies (Bitcoin) has no row.
/** Every chain a wallet payout can name. */
export const CHAINS: readonly Chain[] = [
  { type: 'arbitrum', network: 'ARBITRUM', title: 'Arbitrum One', currencies: ['USDC', 'USDT'] },
  { type: 'avalanche', network: 'AVAXC', title: 'Avalanche C-Chain', currencies: ['USDC', 'USDT'] },
  { type: 'base', network: 'BASE', title: 'Base', currencies: ['USDC'] },
  { type: 'bsc', network: 'BEP20', title: 'BNB Smart Chain', currencies: ['USDC', 'USDT'] },
  { type: 'ethereum', network: 'ERC20', title: 'Ethereum', currencies: ['USDC', 'USDT'] },
  { type: 'optimism', network: 'OPTIMISM', title: 'OP Mainnet', currencies: ['USDC', 'USDT'] },
  { type: 'polygon', network: 'POLYGON', title: 'Polygon PoS', currencies: ['USDC', 'USDT'] },
  { type: 'solana', network: 'SPL', title: 'Solana', currencies: ['USDC', 'USDT'] },
  { type: 'stellar', network: 'STELLAR', title: 'Stellar', currencies: ['USDC'] },
  { type: 'tron', network: 'TRC20', title: 'TRON', currencies: ['USDT'] },
]

/** The network of an exact currency code and a name in any case; undefined when there is none. */
export function findNetwork(currency: string, name: string): Network | undefined {
  const wanted = name.toLowerCase()
  return NETWORKS.find(network => network.currency === currency && network.name === wanted)
}

/** The networks of an exact currency code, by name; empty when there is none. */
export function networksOf(currency: string): readonly Network[] {
  return NETWORKS.filter(network => network.currency === currency)
}

/** The chain of a type in any case ("Ethereum", "tron"); undefined when there is none. */
export function findChain(type: string): Chain | undefined {
  const wanted = type.toLowerCase()
  return CHAINS.find(chain => chain.type === wanted)
}
