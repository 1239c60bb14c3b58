// A beneficiary or an entity that is compared with the lists by itself, and what follows from what
// was found of it. Pure.
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import type { Entity } from '../entity/entity.ts'
import type { Key } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { StoredMatch } from './match.ts'
import { beneficiaryParties, entityParties, type NamedParty } from './parties.ts'

/** Whether a party may be listed: '' for not, `open` until a person decides, or `confirmed`. */
export type PartyScreening = '' | 'open' | 'confirmed'

/** A party as it was when it was read to be compared. */
export interface ReadParty extends Key {
  readonly updated_at: Instant
  /** Whom the lists are asked about. */
  readonly asked: readonly NamedParty[]
}

/** What is stored of a party beside its details, read under the lock of its account's book. */
export interface LockedParty extends Key {
  readonly updated_at: Instant
  readonly screening: PartyScreening
}

/** The table of a party. */
export function tableOf(id: string): 'beneficiaries' | 'entities' {
  return id.startsWith('bnf_') ? 'beneficiaries' : 'entities'
}

export function readBeneficiary(beneficiary: Beneficiary): ReadParty {
  const { account_id, id, updated_at, details } = beneficiary
  return { account_id, id, updated_at, asked: beneficiaryParties(details) }
}

export function readEntity(entity: Entity): ReadParty {
  const { account_id, id, updated_at } = entity
  return { account_id, id, updated_at, asked: entityParties(entity) }
}

/** The worst of what its matches say. */
export function screeningOf(states: readonly StoredMatch['state'][]): PartyScreening {
  if (states.includes('confirmed')) return 'confirmed'
  return states.includes('open') ? 'open' : ''
}
