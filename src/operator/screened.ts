// What screening has found and holds, of payouts and of parties, and people's decisions about it.
import type { Act } from '../ledger/audit/act.ts'
import { findBeneficiaries } from '../parties/beneficiary/store.ts'
import { findEntities } from '../parties/entity/store.ts'
import { decideScreening } from '../payouts/advance/screening-operation.ts'
import { type HeldFilter, listHeldByScreening } from '../payouts/advance/screening-store.ts'
import { findOpenPayouts } from '../payouts/state-store.ts'
import { findEntries, findListed } from '../screening/list-store.ts'
import type { MatchDecision, StoredMatch } from '../screening/match.ts'
import {
  type EarlierDecision,
  findEarlier,
  findMatches,
  findUndecided,
} from '../screening/match-store.ts'
import { decideParty } from '../screening/operations.ts'
import {
  beneficiaryParties,
  entityParties,
  type NamedParty,
  partiesOf,
} from '../screening/parties.ts'
import { findParty, listListedParties } from '../screening/party-store.ts'
import type { ListedEntry } from '../screening/screening.ts'
import { SNAPSHOT } from '../sql/confine.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { byName, nameOf, uniqueKeys } from '../values/id.ts'
import type { Acting } from './action.ts'
import { accountIdOf, known } from './operator-write.ts'

/** Each with the prefix of its ids. */
export const SCREENED = { payout: 'pot', entity: 'ent', beneficiary: 'bnf' } as const
type ScreenedKind = keyof typeof SCREENED
export const SCREENED_KINDS = Object.keys(SCREENED) as ScreenedKind[]

/** Undefined for another prefix. */
export function kindOf(id: string): ScreenedKind | undefined {
  return SCREENED_KINDS.find(kind => id.startsWith(`${SCREENED[kind]}_`))
}

/** A payout that screening holds, or a party that may be listed. */
interface FoundByScreening {
  readonly id: string
  readonly of: ScreenedKind
  readonly account_id: string
  readonly screening: 'waits' | 'open' | 'confirmed'
  /** A payout's status, an entity's approval status, or for a beneficiary `active` or `erased`. */
  readonly status: string
  readonly since: string
  /** The party with the best match that nobody has cleared; without one, the payee or the party. */
  readonly name: string
  /** The name of that match, and its score of 1000; '' and null for none. */
  readonly listed_name: string
  readonly score: number | null
  /** Whether no list has the entries of its matches any more. A person still decides. */
  readonly delisted: boolean
}

type ListedObject = Omit<FoundByScreening, 'delisted' | 'name' | 'listed_name' | 'score'>

/** Held payouts, then entities and beneficiaries that may be listed; of each the oldest first. */
export async function listFound(
  audit: Sql,
  filter: HeldFilter & { readonly of: ScreenedKind | '' },
  limit: number,
): Promise<FoundByScreening[]> {
  const cursorKind = kindOf(filter.starting_after)
  const kinds = SCREENED_KINDS.filter(kind => filter.of === '' || kind === filter.of)
  const results: ListedObject[] = []
  for (const kind of kinds.slice(cursorKind === undefined ? 0 : kinds.indexOf(cursorKind))) {
    const starting_after = kind === cursorKind ? filter.starting_after : ''
    const left = limit - results.length
    if (left > 0) results.push(...(await listOf(kind, audit, { ...filter, starting_after }, left)))
  }
  const [matches, parties] = await Promise.all([
    findUndecided(audit, results),
    audit.begin(SNAPSHOT, tx => findParties(tx, results)),
  ])
  const listed = await findListed(audit, matches)
  const byObject = Map.groupBy(matches, match => match.object_id)
  return results.map(({ id, of, account_id, screening, status, since }) => {
    const found = byObject.get(id) ?? []
    const delisted = found.length > 0 && !found.some(match => listed.has(entryName(match)))
    const [best] = found.toSorted((a, b) => b.score - a.score)
    const own = parties.get(id) ?? []
    const { query = { name: '' } } = own.find(({ party }) => party === best?.party) ?? own[0] ?? {}
    const { listed_name = '', score = null } = best ?? {}
    const named = { name: query.name, listed_name, score }
    return { id, of, account_id, ...named, screening, delisted, status, since }
  })
}

/** The parties of each object, by its id. */
async function findParties(
  tx: TransactionSql,
  objects: readonly ListedObject[],
): Promise<ReadonlyMap<string, readonly NamedParty[]>> {
  const keysOf = (kind: ScreenedKind) => objects.filter(({ of }) => of === kind)
  const payouts = await findOpenPayouts(tx, keysOf('payout'))
  const principals = payouts.flatMap(({ account_id, particulars: { on_behalf_of: id } }) =>
    id === '' ? [] : [{ account_id, id }],
  )
  const entities = await findEntities(tx, uniqueKeys([...keysOf('entity'), ...principals]))
  const beneficiaries = await findBeneficiaries(tx, keysOf('beneficiary'))
  const entityOf = byName(entities)
  return new Map<string, readonly NamedParty[]>([
    ...entities.map(entity => [entity.id, entityParties(entity)] as const),
    ...beneficiaries.map(({ id, details }) => [id, beneficiaryParties(details)] as const),
    ...payouts.map(({ id, account_id, beneficiary_details, particulars }) => {
      const principal = entityOf.get(nameOf({ account_id, id: particulars.on_behalf_of }))
      return [id, partiesOf(beneficiary_details, principal)] as const
    }),
  ])
}

function entryName({ list, entry_id }: { readonly list: string; readonly entry_id: string }) {
  return `${list} ${entry_id}`
}

const TABLES = { entity: 'entities', beneficiary: 'beneficiaries' } as const

async function listOf(
  of: ScreenedKind,
  audit: Sql,
  filter: HeldFilter,
  limit: number,
): Promise<ListedObject[]> {
  if (of === 'payout') {
    const held = await listHeldByScreening(audit, filter, limit)
    return held.map(({ updated_at: since, ...payout }) => ({ ...payout, of, since }))
  }
  const parties = await listListedParties(audit, TABLES[of], filter, limit)
  return parties.map(({ found_at: since, ...party }) => ({ ...party, of, since }))
}

export interface ShownScreening {
  readonly id: string
  readonly of: ScreenedKind
  readonly account_id: string
  readonly status: string
  /** What a payout waits for: `waits`, `open`, `confirmed` or ''; of a party the last three. */
  readonly screening: string
  /** The version of the lists at which a payout may go out; null: not yet, or a party. */
  readonly screened: bigint | null
  /** False for a payout that is over. */
  readonly is_open: boolean
  /** The parties as they are now. */
  readonly parties: readonly NamedParty[]
  readonly matches: readonly ShownMatch[]
}

export interface ShownMatch extends StoredMatch {
  /** Whether the list still has the entry. A person decides about it in either case. */
  readonly listed: boolean
  /** The entry as it was found. */
  readonly entry: ListedEntry | undefined
  /** Whether the party's data are no longer those that were compared. */
  readonly party_changed: boolean
  /** Decisions about the same party and entry, of other objects of the account. */
  readonly earlier: readonly EarlierDecision[]
}

/** Of a payout, with the matches of its parties. Refuses (404) an unknown id. */
export async function showScreening(audit: Sql, id: string): Promise<ShownScreening> {
  const account_id = await accountIdOf(audit, kindOf(id) ?? 'payout', id)
  const find = { payout: findPayout, entity: findEntity, beneficiary: findBeneficiary }
  const key = { account_id, object_id: id }
  const { object, matches, earlier } = await audit.begin(SNAPSHOT, async tx => {
    const object = await find[kindOf(id) ?? 'payout'](tx, { account_id, id })
    const matches = await findMatches(tx, key)
    return { object, matches, earlier: await findEarlier(tx, key, matches) }
  })
  const [listed, entries] = await Promise.all([
    findListed(audit, matches),
    findEntries(audit, matches),
  ])
  const shown = matches.map((match): ShownMatch => {
    const { party_hash } = match
    const now = object.parties.find(({ party }) => party === match.party)
    return {
      ...match,
      listed: listed.has(entryName(match)),
      entry: entries.get(match.entry_digest),
      party_changed: now?.hash !== party_hash,
      earlier: earlier.filter(
        one => one.party_hash === party_hash && entryName(one) === entryName(match),
      ),
    }
  })
  return { ...object, matches: shown }
}

type ObjectKey = Parameters<typeof findParty>[1]
type ShownObject = Omit<ShownScreening, 'matches'>

async function findPayout(tx: TransactionSql, key: ObjectKey): Promise<ShownObject> {
  const [payout] = await findOpenPayouts(tx, [key])
  const { status, screening, screened, is_open, ...paid } = known('payout', key.id, payout)
  const { beneficiary_details, particulars } = paid
  const [entity] = await findEntities(tx, [{ ...key, id: particulars.on_behalf_of }])
  const parties = partiesOf(beneficiary_details, entity)
  return { ...key, of: 'payout', status, screening, screened, is_open, parties }
}

async function findEntity(tx: TransactionSql, key: ObjectKey): Promise<ShownObject> {
  const [[entity], party] = await Promise.all([findEntities(tx, [key]), findParty(tx, key)])
  const { approval_status: status, ...record } = known('entity', key.id, entity)
  const { screening } = known('entity', key.id, party)
  const parties = entityParties(record)
  return { ...key, of: 'entity', status, screening, screened: null, is_open: true, parties }
}

async function findBeneficiary(tx: TransactionSql, key: ObjectKey): Promise<ShownObject> {
  const [[row], party] = await Promise.all([findBeneficiaries(tx, [key]), findParty(tx, key)])
  const { details } = known('beneficiary', key.id, row)
  const { screening } = known('beneficiary', key.id, party)
  const [of, parties] = ['beneficiary' as const, beneficiaryParties(details)]
  return { ...key, of, status: details.status, screening, screened: null, is_open: true, parties }
}

interface Decided {
  readonly matches: readonly StoredMatch[]
  /** What the object waits for now, '' for nothing; null for a payout that is not held. */
  readonly screening: string | null
}

export async function decide(
  { audit, run, operator: { name: person } }: Pick<Acting<unknown>, 'audit' | 'run' | 'operator'>,
  id: string,
  { state, reason, ...shown }: Pick<MatchDecision, 'state' | 'reason' | 'digest'>,
): Promise<Decided> {
  const account_id = await accountIdOf(audit, kindOf(id) ?? 'payout', id)
  const decision = { account_id, state, person, reason, ...shown }
  const act = (before: string, { matches, screening }: Decided): Act => ({
    table_name: 'screening_matches',
    reason,
    before: { account_id, id, screening: before },
    after: {
      account_id,
      id,
      screening,
      matches: matches.map(m => `${m.party} ${m.list} ${m.entry_id} ${state}`).join(', '),
    },
  })
  return kindOf(id) === 'payout'
    ? run({
        operation: decideScreening,
        command: { ...decision, payout_id: id },
        act: decided => act(decided.payout.screening, decided),
      })
    : run({
        operation: decideParty,
        command: { ...decision, party_id: id },
        act: decided => act(decided.party.screening, decided),
      })
}
