// A model of entities and their duplicates by chapters 11 and 12 of the specification, which scans
// a list. It shares no code with the product and uses no database, so that it can judge both.

export type EntityType = 'individual' | 'business'
export type Status =
  | 'pending'
  | 'submitted'
  | 'resubmitted'
  | 'approved'
  | 'rejected'
  | 'requires_action'
export type Verdict = 'approved' | 'rejected' | 'requires_action'

type Member = string | null | undefined | { readonly [part: string]: string | null | undefined }
/** Members of an entity, as in a request. */
export type Members = { readonly [member: string]: Member }

/** One entity ever made. */
export interface Modelled {
  readonly account: number
  readonly id: string
  readonly type: EntityType
  readonly members: Members
  readonly status: Status
}

/** Every entity ever made, in the order of creation. */
export type World = Modelled[]

/** The answer that the service must give: an entity in its new state, or a refusal. */
export type Expected =
  | {
      readonly status: 200
      readonly id: string
      readonly approval_status: Status
      /** For people and tallies: `new`, `itself`, or `duplicate by email`. */
      readonly why: string
    }
  | { readonly status: 400 | 404 | 409; readonly reason: string; readonly why: string }

// Comparison of texts: §duplicate.comparison.

/** Unicode's White_Space property, all 25 characters. */
const WHITE_SPACE = pointsOf(
  '9-d 20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000', // PropList.txt
)

/** Unicode's Default_Ignorable_Code_Point property: all 4,174 invisible characters. */
const INVISIBLE = pointsOf(
  'ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ' +
    'ffa0 fff0-fff8 1bca0-1bca3 1d173-1d17a e0000-e0fff', // DerivedCoreProperties.txt
)

export const whiteSpace = (): string[] => [...WHITE_SPACE]
export const invisible = (): string[] => [...INVISIBLE]

function pointsOf(ranges: string): ReadonlySet<string> {
  const points = new Set<string>()
  for (const range of ranges.split(' ')) {
    const [first = '', last = first] = range.split('-')
    for (let point = parseInt(first, 16); point <= parseInt(last, 16); point++) {
      points.add(String.fromCodePoint(point))
    }
  }
  return points
}

/**
 * Full case folding of one character: the lines C and F of Unicode's CaseFolding.txt. Folding is the
 * small form of the capital form of the small form (so that ẞ passes ß and SS on its way to ss),
 * with two exceptions in that file: the dotless ı keeps apart from i, and Cherokee, whose small
 * letters came later, folds to its capitals.
 */
export function foldCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0
  if (point === 0x131) return character
  if (point >= 0x13a0 && point <= 0x13f5) return character
  if (point >= 0x13f8 && point <= 0x13fd) return String.fromCodePoint(point - 8)
  if (point >= 0xab70 && point <= 0xabbf) return String.fromCodePoint(point - 0xab70 + 0x13a0)
  return character.toLowerCase().toUpperCase().toLowerCase()
}

const comparables = new Map<string, string>()

/**
 * The form in which two texts are compared; '' when the text is blank. Dropping and folding
 * characters may leave parts that compose, so the result is composed again: Αΐ and ΑΪ́ differ in
 * case alone.
 */
export function comparable(text: string): string {
  const known = comparables.get(text)
  if (known !== undefined) return known
  const seen = [...text.normalize('NFC')].filter(character => !INVISIBLE.has(character))
  const composed = [...seen.join('').normalize('NFC')]
  const first = composed.findIndex(character => !WHITE_SPACE.has(character))
  const last = composed.findLastIndex(character => !WHITE_SPACE.has(character))
  const trimmed = first === -1 ? [] : composed.slice(first, last + 1)
  const folded = trimmed.map(foldCharacter).join('').normalize('NFC')
  comparables.set(text, folded)
  return folded
}

/** The comparable form of a member or of its part (`registration_address.city`); '' when absent. */
export function comparableAt(members: Members, path: string): string {
  const [member = '', part] = path.split('.')
  const value = members[member]
  const text = part === undefined || typeof value !== 'object' ? value : value?.[part]
  return typeof text === 'string' ? comparable(text) : ''
}

// The rules.

interface Rule {
  readonly name: string
  /** Fields that must be set and equal in both entities: §duplicate.takes_part. */
  readonly needs: readonly string[]
  /**
   * Fields that must be equal, but may be blank in both entities: §duplicate.takes_part and
   * §duplicate.scope.
   */
  readonly alike: readonly string[]
}

/** §duplicate.individual and §duplicate.business, each list in the order of priority. */
export const RULES: Readonly<Record<EntityType, readonly Rule[]>> = {
  individual: [
    { name: 'email', needs: ['email'], alike: [] },
    {
      name: 'national identification',
      needs: ['national_identification_number.type', 'national_identification_number.number'],
      alike: [],
    },
    {
      name: 'name and address',
      needs: [
        'name',
        'registration_address.country',
        'registration_address.line1',
        'registration_address.city',
      ],
      alike: [
        'registration_address.state',
        'registration_address.postal_code',
        'on_behalf_of',
        'vertical',
      ],
    },
  ],
  business: [
    {
      name: 'registration number and country',
      needs: ['registration_number', 'registration_address.country'],
      alike: [],
    },
  ],
}

function matches(rule: Rule, one: Members, other: Members): boolean {
  const takesPart = rule.needs.every(path => comparableAt(one, path) !== '')
  const all = [...rule.needs, ...rule.alike]
  return takesPart && all.every(path => comparableAt(one, path) === comparableAt(other, path))
}

/** The rule by which two entities of one account and type are the same, if there is any. */
export function sameBy(type: EntityType, one: Members, other: Members): string | undefined {
  return RULES[type].find(rule => matches(rule, one, other))?.name
}

/** Whether the record is a duplicate of an entity other than itself, and by which rule. */
export function findDuplicate(
  world: World,
  record: Pick<Modelled, 'account' | 'type' | 'members'>,
  self?: string,
): { readonly first: Modelled; readonly rule: string } | undefined {
  const compared = world
    .filter(e => e.account === record.account && e.type === record.type) // §duplicate.compared
    .filter(e => e.status !== 'rejected') // rule 8
    .filter(e => e.id !== self) // §duplicate.after_change
  // §duplicate.first: the first rule with a match decides, then the earliest created.
  for (const rule of RULES[record.type]) {
    const first = compared.find(e => matches(rule, record.members, e.members))
    if (first !== undefined) return { first, rule: rule.name }
  }
  return undefined
}

// The endpoints. Each changes the world and returns the expected answer.

/** `id` is the id of the new entity, if the request makes one. */
export function create(world: World, account: number, body: Members, id: string): Expected {
  const type = body.type === 'business' ? 'business' : 'individual'
  const { type: _, ...members } = body
  if (!knowsPrincipal(world, account, body)) return refused(404, 'entity_not_found')
  const duplicate = findDuplicate(world, { account, type, members })
  if (duplicate !== undefined) return answered(duplicate.first, `duplicate by ${duplicate.rule}`)
  const made: Modelled = { account, id, type, members, status: 'pending' }
  world.push(made)
  return answered(made, 'new')
}

export function update(world: World, account: number, id: string, body: Members): Expected {
  const entity = find(world, account, id)
  if (entity === undefined) return refused(404, 'not_found')
  const { type, ...sent } = body
  if (type !== undefined && type !== entity.type) return refused(400, 'invalid_field')
  // An unchanged principal may have been rejected in the meantime.
  const moves = sent.on_behalf_of !== entity.members.on_behalf_of
  if (moves && !knowsPrincipal(world, account, body)) return refused(404, 'entity_not_found')
  // A sent member replaces the whole old one, null clears it, and a missing member stays.
  const all = Object.entries({ ...entity.members, ...sent })
  const members: Members = Object.fromEntries(all.filter(([, value]) => value !== null))
  const duplicate = findDuplicate(world, { ...entity, members }, id)
  if (duplicate !== undefined) return answered(duplicate.first, `duplicate by ${duplicate.rule}`)
  const again = entity.status === 'approved' && isReviewedAgain(entity.members, members)
  const status = again ? 'resubmitted' : entity.status
  const reviewed = status === 'submitted' || status === 'resubmitted'
  if (reviewed && lacksRegistration({ ...entity, members })) return refused(400, 'invalid_field')
  return answered(replace(world, { ...entity, members, status }), 'itself')
}

const SUBMITTED: Partial<Record<Status, Status>> = {
  pending: 'submitted',
  requires_action: 'resubmitted',
}

export function submit(world: World, account: number, id: string): Expected {
  const entity = find(world, account, id)
  if (entity === undefined) return refused(404, 'not_found')
  const duplicate = findDuplicate(world, entity, id)
  if (duplicate !== undefined) return answered(duplicate.first, `duplicate by ${duplicate.rule}`)
  if (lacksRegistration(entity)) return refused(400, 'invalid_field')
  const status = SUBMITTED[entity.status]
  if (status === undefined) return refused(409, 'invalid_transition')
  return answered(replace(world, { ...entity, status }), 'itself')
}

/** A business has registration number and country when it is submitted (§entity.submission). */
function lacksRegistration({ type, members }: Pick<Modelled, 'type' | 'members'>): boolean {
  const needed = ['registration_number', 'registration_address.country']
  return type === 'business' && needed.some(path => comparableAt(members, path) === '')
}

const REVIEWED: Record<Status, readonly Verdict[]> = {
  pending: ['approved', 'rejected', 'requires_action'],
  submitted: ['approved', 'rejected', 'requires_action'],
  resubmitted: ['approved', 'rejected', 'requires_action'],
  requires_action: ['approved', 'rejected'],
  approved: ['rejected', 'requires_action'],
  rejected: ['approved'],
}

/**
 * The operator's review. A rejected entity can be approved again only while no live entity
 * duplicates it.
 */
export function review(world: World, account: number, id: string, status: Verdict): Expected {
  const entity = find(world, account, id)
  if (entity === undefined) return refused(404, 'not_found')
  if (!REVIEWED[entity.status].includes(status)) return refused(409, 'invalid_transition')
  const taken = entity.status === 'rejected' && findDuplicate(world, entity, id) !== undefined
  if (taken) return refused(409, 'entity_duplicate')
  return answered(replace(world, { ...entity, status }), 'itself')
}

// Small parts.

/**
 * The account's own notes. A change of any other member of an approved entity needs a new review.
 */
const NOT_REVIEWED = ['description', 'reference_id', 'metadata']

function isReviewedAgain(before: Members, after: Members): boolean {
  return Object.keys({ ...before, ...after }).some(
    member =>
      !NOT_REVIEWED.includes(member) &&
      stored(member, before[member]) !== stored(member, after[member]),
  )
}

/**
 * A stored member as one text: as it was sent, but a country in capitals without white space; ''
 * for an absent, null or empty member. Empty parts are left out.
 */
export function stored(member: string, value: Member): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return value
  const parts = Object.entries(value)
    .map(([part, text]) => [part, part === 'country' ? comparable(text ?? '').toUpperCase() : text])
    .filter(([, text]) => text !== '')
  return parts.length === 0 ? '' : `${member} ${JSON.stringify(parts.sort())}`
}

/** `on_behalf_of` names an entity of the account that is not rejected, or nobody. */
function knowsPrincipal(world: World, account: number, body: Members): boolean {
  const { on_behalf_of } = body
  if (typeof on_behalf_of !== 'string' || comparable(on_behalf_of) === '') return true
  const principal = find(world, account, on_behalf_of)
  return principal !== undefined && principal.status !== 'rejected'
}

/** Another account's entity counts as unknown: §access.tenancy. */
function find(world: World, account: number, id: string): Modelled | undefined {
  return world.find(e => e.account === account && e.id === id)
}

function replace(world: World, entity: Modelled): Modelled {
  world[world.findIndex(e => e.id === entity.id)] = entity
  return entity
}

function answered({ id, status }: Modelled, why: string): Expected {
  return { status: 200, id, approval_status: status, why }
}

function refused(status: 400 | 404 | 409, reason: string): Expected {
  return { status, reason, why: `refused ${reason}` }
}
