// Makes the queries to the lists: a beneficiary by each name, an entity, its representatives. Pure.
import { hash } from 'node:crypto'
import { BIC_NAMES } from '../parties/beneficiary/bank-code.ts'
import { canonicalDestination } from '../parties/beneficiary/destination.ts'
import type { BeneficiaryRequest, DestinationDetails } from '../parties/beneficiary/request.ts'
import type { EntityRecord } from '../parties/entity/entity.ts'
import type { ID_KINDS, Party, PartyId } from './screening.ts'

export interface NamedParty {
  /** The role, such as `beneficiary` or `representative_1`. */
  readonly party: string
  readonly query: Party
  /** SHA-256 of the query, in hex. A changed party has another one. */
  readonly hash: string
  /** On one line, for people; '' for none. Screening does not compare it. */
  readonly address: string
}

type Beneficiary = Pick<BeneficiaryRequest, 'name' | 'type'> & Partial<BeneficiaryRequest>

/** A payout's beneficiary, and its entity with representatives. */
export function partiesOf(beneficiary: Beneficiary, entity: EntityRecord | undefined) {
  return [
    ...beneficiaryParties(beneficiary),
    ...(entity === undefined ? [] : entityParties(entity)),
  ]
}

/**
 * A beneficiary, once by `name` and once by `name_local`, and its bank. A request has the codes of
 * its destination as sent, and a row in their standard form: both are one party with one hash.
 */
export function beneficiaryParties(details: Beneficiary): NamedParty[] {
  const { name, name_local = '', type, address, date_of_birth = '' } = details
  const { national_identification_number, registration_number, tax_id } = details
  const country = countryOf(address?.country)
  const destination =
    details.destination_details && canonicalDestination(details.destination_details)
  const wallet = destination?.wallet?.deposit_address
  const about = {
    kind: kindOf(type),
    birth_date: type === 'individual' ? date_of_birth : '',
    countries: country,
    address: lineOf(address),
    ids: [
      ...idOf('national', national_identification_number, country),
      ...idOf('registration', registration_number, country),
      ...idOf('tax', tax_id, country),
      ...idOf('wallet', wallet, []),
    ],
  }
  const local = name_local.trim() === '' ? [] : [named('beneficiary_local', name_local, about)]
  return [named('beneficiary', name, about), ...local, ...bankParties(destination)]
}

/** The bank that a beneficiary is paid at, by its BICs and its name. */
function bankParties(destination: DestinationDetails | undefined): NamedParty[] {
  const { bank_name = '', bank_codes = {}, country, iban } = destination?.bank ?? {}
  const ids = BIC_NAMES.flatMap(code => idOf('bank', bank_codes[code], []))
  if (ids.length === 0 && bank_name.trim() === '') return []
  const countries = countryOf(country ?? iban?.trim().slice(0, 2))
  return [named('bank', bank_name, { kind: 'bank', birth_date: '', countries, ids, address: '' })]
}

/** Who has paid us, of whom a bank tells no more than a name. */
export function payerParty(name: string): NamedParty {
  const about = { kind: 'unknown' as const, birth_date: '', countries: [], ids: [], address: '' }
  return named('payer', name, about)
}

/** An entity and its representatives. */
export function entityParties({ type, details }: EntityRecord): NamedParty[] {
  const { registration_address, operating_address, registration_number, tax_id } = details
  const registered = countryOf(registration_address?.country)
  const countries = [...new Set([...registered, ...countryOf(operating_address?.country)])]
  const own = named('entity', details.name, {
    kind: kindOf(type),
    birth_date: '',
    countries,
    address: lineOf(registration_address ?? operating_address),
    ids: [
      ...nationalId(details.national_identification_number, registered),
      ...idOf('registration', registration_number, registered),
      ...idOf('tax', tax_id, registered),
    ],
  })
  const persons = (details.representatives ?? []).flatMap((representative, i) => {
    const { first_name, middle_name, last_name, date_of_birth = '' } = representative
    const name = [first_name, middle_name, last_name].filter(Boolean).join(' ')
    if (name.trim() === '') return []
    const nation = countryOf(representative.nationality)
    const lives = countryOf(representative.address?.country)
    const about = {
      kind: 'person' as const,
      birth_date: date_of_birth,
      countries: [...new Set([...nation, ...lives])],
      address: lineOf(representative.address),
      ids: nationalId(representative.national_identification_number, nation),
    }
    return [named(`representative_${i + 1}`, name, about)]
  })
  return [own, ...persons]
}

interface About extends Omit<Party, 'name'> {
  readonly address: string
}

function named(party: string, name: string, { address, ...about }: About): NamedParty {
  const { kind, birth_date, countries, ids } = about
  const query: Party = { name, kind, birth_date: dateOf(birth_date), countries, ids }
  return { party, query, hash: hash('sha256', JSON.stringify(query), 'hex'), address }
}

function lineOf(address: EntityRecord['details']['registration_address']): string {
  const { line1, line2, city, state, postal_code, country } = address ?? {}
  return [line1, line2, postal_code, city, state, country].filter(Boolean).join(', ')
}

function kindOf(type: 'individual' | 'business'): Party['kind'] {
  return type === 'individual' ? 'person' : 'organisation'
}

/** '' for a text that is no date: screening sees requests before their validation. */
function dateOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : ''
}

function countryOf(code: string | undefined): string[] {
  const country = (code ?? '').trim().toUpperCase()
  return /^[A-Z]{2}$/.test(country) ? [country] : []
}

function nationalId(
  id: { readonly type?: string; readonly number?: string } | undefined,
  country: readonly string[],
): PartyId[] {
  const passport = /passport/i.test(id?.type ?? '')
  return idOf(passport ? 'passport' : 'national', id?.number, country)
}

function idOf(
  kind: (typeof ID_KINDS)[number],
  number: string | undefined,
  [country = '']: readonly string[],
): PartyId[] {
  return number === undefined || number.trim() === '' ? [] : [{ kind, number, country }]
}
