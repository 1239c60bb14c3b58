// The alpha-2 codes of countries: the 249 that ISO 3166-1 officially assigns, and XK for Kosovo,
// which SWIFT, the IBAN registry and the European Union use from the codes left to users.
import { invalidField, type Problem } from '../errors.ts'

/** The codes in upper case, in alphabetical order. */
export const COUNTRIES: ReadonlySet<string> = new Set(
  `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
  BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
  EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
  HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
  LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
  TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`
    .trim()
    .split(/\s+/),
)

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** `Germany`; text that is no country's code as it is. */
export function countryName(code: string): string {
  return isCountry(code) ? (NAMES.of(code) ?? code) : code
}

/** Whether a country has this code. Takes only upper case. */
export function isCountry(code: string): boolean {
  return COUNTRIES.has(code)
}

/** Checks that a code, if it is sent, is of a country. */
export function checkCountry(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || isCountry(code)) return []
  return [invalidField(remarks, `${remarks} is not an ISO 3166-1 alpha-2 country code.`)]
}
