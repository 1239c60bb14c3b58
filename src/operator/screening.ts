// Lists and shows what screening has found, and records people's decisions.
import { pathId } from '../http/docs.ts'
import { Closed, integerOrNull, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { digestOfMatches, type MatchDecision } from '../screening/match.ts'
import { type ListedEntry as Entry, LIST_TITLES } from '../screening/screening.ts'
import { idPatternOf } from '../values/id.ts'
import { toSecond } from '../values/text/age.ts'
import { visible } from '../values/text/visible.ts'
import { type ActionGroup, paging, reading, writing } from './action.ts'
import { requireLists } from './lists.ts'
import { AccountId, PageQuery, Reason } from './request.ts'
import {
  decide,
  kindOf,
  listFound,
  SCREENED,
  SCREENED_KINDS,
  type ShownMatch,
  type ShownScreening,
  showScreening,
} from './screened.ts'
import { screeningWords } from './screening-words.ts'

const STATES = ['waits', 'open', 'confirmed'] as const

const PREFIXES = Object.values(SCREENED)

const OBJECT = {
  id: Type.String({
    pattern: idPatternOf(PREFIXES),
    description: 'The id of the payout or the party.',
  }),
  of: Literals(SCREENED_KINDS, {
    description: 'Whether it is a payout, an entity or a beneficiary.',
  }),
}
const Status = Type.String({
  description:
    'The status of the payout; for an entity, the status of its review; a beneficiary is ' +
    'active or erased.',
})

export const HeldResponse = Type.Object(
  {
    ...OBJECT,
    account_id: AccountId,
    name: Type.String({
      description:
        'The party with the best match that nobody has cleared; without a match, the payee, or ' +
        'the party itself.',
    }),
    listed_name: Type.String({ description: 'The listed name of that match; empty for none.' }),
    score: integerOrNull({ description: 'The score of that match, of 1000; null for none.' }),
    screening: Literals(STATES, { description: 'Why screening holds it.' }),
    delisted: Type.Boolean({
      description:
        'Whether every entry that was found is now delisted; a person must still decide.',
    }),
    status: Status,
    since: Timestamp,
  },
  {
    title: 'HeldByScreening',
    description: 'A payout that screening holds, or a party that may be listed.',
  },
)

const Texts = (description: string) => Type.Array(Type.String(), { description })

/** Members that a party and a listed entry share. */
const Known = {
  kind: Type.String({ description: 'Such as person, organisation or bank.' }),
  countries: Texts('ISO 3166-1 alpha-2 codes.'),
  ids: Type.Array(
    Type.Object({ kind: Type.String(), number: Type.String(), country: Type.String() }),
    { description: 'Numbers, wallets and BICs, each with its issuing country if known.' },
  ),
}

const ScreenedParty = Type.Object(
  {
    party: Type.String({ description: 'The role, such as beneficiary or representative_1.' }),
    name: Type.String(),
    birth_date: Type.String({ description: 'YYYY-MM-DD; empty when it is not known.' }),
    ...Known,
    address: Type.String({ description: 'On one line.' }),
  },
  { title: 'ScreenedParty' },
)

const ListedEntry = Type.Object(
  {
    names: Type.Array(Type.Object({ text: Type.String(), weak: Type.Boolean() }), {
      description: 'The main name first. The list itself calls a weak alias unspecific.',
    }),
    births: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: 'The first and the last possible birth date of each, YYYY-MM-DD.',
    }),
    ...Known,
    programmes: Texts('The sanctions programmes, in the words of the list.'),
    remarks: Type.String({ description: 'What the list says besides.' }),
  },
  { title: 'ListedEntry', description: 'An entry of a list, as it was when it was found.' },
)

const EarlierDecision = Type.Object(
  {
    id: Type.String({ description: 'The id of the payout or the party of that decision.' }),
    state: Type.String(),
    decided_at: textOrNull({ format: 'date-time' }),
    decided_by: Type.String(),
    reason: Type.String(),
  },
  { title: 'EarlierDecision' },
)

export const Match = Type.Object(
  {
    party: Type.String(),
    party_changed: Type.Boolean({
      description: 'Whether the data of the party are no longer those that were compared.',
    }),
    list: Type.String(),
    list_title: Type.String({ description: 'The name and the publisher of the list.' }),
    entry_id: Type.String(),
    entry: Type.Union([ListedEntry, Type.Null()]),
    listed_name: Type.String({ description: 'The name of the entry that fitted.' }),
    listed: Type.Boolean({ description: 'Whether its list still has the entry.' }),
    score: Type.Integer(),
    pieces: Type.Array(
      Type.Object({ piece: Type.String(), score: Type.Integer(), text: Type.String() }),
      { description: 'The compared facts in words, each with the score after it.' },
    ),
    state: Type.String(),
    found_at: Timestamp,
    decided_at: textOrNull({ format: 'date-time' }),
    decided_by: Type.String(),
    reason: Type.String(),
    earlier_decisions: Type.Array(EarlierDecision, {
      description: 'About the same party and entry, elsewhere in the account; the newest first.',
    }),
  },
  { title: 'ScreeningMatch' },
)

export const ScreeningResponse = Type.Object(
  {
    ...OBJECT,
    account_id: AccountId,
    status: Status,
    screening: Type.String({
      description: 'What screening waits for; empty when it does not wait for a person.',
    }),
    screened_at_version: integerOrNull({
      description: 'For a payout: the version of the lists at which it may go out.',
    }),
    digest: Type.String({
      description:
        'SHA-256 of the matches that wait for a person; empty when none does. Whoever ' +
        'clears them sends it. It is required when matches were added after the first ones.',
    }),
    parties: Type.Array(ScreenedParty, {
      description: 'The parties as they are now. One of a native name has a role of its own.',
    }),
    matches: Type.Array(Match),
  },
  {
    title: 'Screening',
    description: 'The list entries that the parties of a payout, or one party, may be.',
  },
)

const DecidedResponse = Type.Object(
  {
    ...OBJECT,
    state: Literals(['cleared', 'confirmed'] as const),
    matches: Type.Integer({ description: 'How many matches were decided now.' }),
    screening: textOrNull({
      description: 'What screening waits for now; null for a payout that nothing holds any more.',
    }),
  },
  { title: 'ScreeningDecision' },
)

const DecideScreeningRequest = Closed(
  {
    reason: Reason,
    digest: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'The `digest` as it was shown to you.',
      }),
    ),
  },
  { title: 'DecideScreeningRequest' },
)

const LIST_HELP = `
  waits      for lists to be current, or to be screened in a moment
  open       for a person: corridor screening show, then clear or confirm
  confirmed  blocked: the money of a payout stays held until a person fails it,
             payouts of a party are held, and an entity is not approved

Example:
  corridor screening list --state open`

const list = paging({
  name: 'screening list',
  path: '/v3/operator/screening',
  operationId: 'listHeldByScreening',
  summary: 'List payouts that screening holds and parties that may be listed, the oldest first.',
  description: 'Payouts come first, then entities, then beneficiaries.',
  query: PageQuery(PREFIXES, {
    account_id: AccountId,
    of: Literals(SCREENED_KINDS, { description: 'Only objects of this kind.' }),
    state: Literals(STATES, { description: 'Only what screening holds for this reason.' }),
  }),
  response: HeldResponse,
  find: (audit, { account_id = '', of, state = '', starting_after = '' }, limit) =>
    listFound(audit, { account_id, of: of ?? '', state, starting_after }, limit + 1),
  present: found => found,
  command: {
    words: ({ rows }) =>
      rows.map(
        ({ id, account_id, name, listed_name, score, screening, delisted, status, since }) => ({
          id,
          account: account_id,
          name: visible(name),
          listed: score === null ? '' : `${visible(listed_name)} (${score})`,
          'waits for': delisted ? `${screening}, delisted` : screening,
          status,
          since: toSecond(since),
        }),
      ),
    json: ({ rows }) => ({ object: 'list', results: rows }),
    none: 'screening holds nothing',
    options: { account_id: 'of one account' },
    help: LIST_HELP,
  },
})

const OF = { id: 'of a payout, an entity or a beneficiary' }

const show = reading({
  name: 'screening show',
  path: '/v3/operator/screening/:id',
  operationId: 'getScreening',
  summary:
    'Show the list entries that the parties of a payout, or one party, may be, with the ' +
    'parts of each score.',
  params: pathId(...PREFIXES),
  response: ScreeningResponse,
  find: (audit, { id }) => showScreening(audit, id),
  present: presentScreening,
  command: {
    words: screeningWords,
    json: presentScreening,
    subject: 'id',
    options: OF,
    help: '\nExample:\n  corridor screening show pot_01m7xpm2m0c6hkd4r9ye',
  },
})

const CLEAR_HELP = `
Clears all its matches. They do not come back for the same party and the same
entry, until one of them changes. When a list has added to what was found first,
--digest says what you were shown. CORRIDOR_USER must say who you are.

Example:
  corridor screening clear pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Born in 1990, the listed person in 1967"`

const CONFIRM_HELP = `
Nothing is given back: what the law asks of you decides that. Where it lets the
account have its money again, corridor payout transition … failed --reason does
it. CORRIDOR_USER must say who you are.

Example:
  corridor screening confirm pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "Passport number agrees; reported to the authority"`

export const screening: ActionGroup = {
  actions: [
    list,
    show,
    decision({
      word: 'clear',
      state: 'cleared',
      summary:
        'Say that a party, or every party of a payout, is not the listed one. The payout then ' +
        'continues.',
      help: CLEAR_HELP,
    }),
    decision({
      word: 'confirm',
      state: 'confirmed',
      summary:
        'Say that a party, or a party of a payout, is the listed one. The money of the payout ' +
        'is kept.',
      help: CONFIRM_HELP,
    }),
    requireLists,
  ],
}

interface Decision extends Pick<MatchDecision, 'state'> {
  readonly word: 'clear' | 'confirm'
  readonly summary: string
  readonly help: string
}

function decision({ word, state, summary, help }: Decision) {
  return writing({
    name: `screening ${word}`,
    path: `/v3/operator/screening/:id/${word}`,
    operationId: `${word}Screening`,
    summary,
    params: pathId(...PREFIXES),
    body: DecideScreeningRequest,
    asksPassword: true,
    byPerson: true,
    actsAgain: true,
    response: DecidedResponse,
    refusals: ['invalid_transition', 'approval_outdated'],
    async run(acting, { id, ...asked }) {
      const { matches, screening } = await decide(acting, id, { state, ...asked })
      return acting.show({ id, of: kindOf(id), state, matches: matches.length, screening })
    },
    command: {
      words({ id, of, matches, screening }) {
        const count = matches === 1 ? 'one match' : `${matches} matches`
        const after = of === 'payout' ? AFTER_PAYOUT : AFTER_PARTY
        return `${id}  ${count} ${state}${after[screening ?? '']}`
      },
      subject: 'id',
      options: {
        ...OF,
        reason: 'why, for the audit log; one line',
        digest: 'of what you were shown, as screening show says it',
      },
      help,
    },
  })
}

export function presentScreening(found: ShownScreening) {
  const { id, of, account_id, status, screening, screened, parties, matches } = found
  return {
    ...{ id, of, account_id, status, screening },
    screened_at_version: screened === null ? null : Number(screened),
    digest: digestOfMatches(matches),
    parties: parties.map(({ party, query, address }) => ({ party, ...query, address })),
    matches: matches.map(presentMatch),
  }
}

function presentMatch(match: ShownMatch) {
  const { party, party_changed, list, entry_id, entry, listed_name, listed } = match
  const { score, pieces, state, found_at, decided_at, decided_by, reason } = match
  return {
    ...{ party, party_changed, list, list_title: LIST_TITLES[list], entry_id },
    entry: entry === undefined ? null : presentEntry(entry),
    ...{ listed_name, listed, score, pieces, state, found_at, decided_at, decided_by, reason },
    earlier_decisions: match.earlier.map(({ object_id, state, ...decision }) => {
      const { decided_at, decided_by, reason } = decision
      return { id: object_id, state, decided_at, decided_by, reason }
    }),
  }
}

function presentEntry({ kind, names, births, countries, ids, programmes, ...more }: Entry) {
  return { kind, names, births, countries, ids, programmes, remarks: more.remarks ?? '' }
}

/** What follows a decision about a payout, by what screening does with it then. */
const AFTER_PAYOUT: Readonly<Record<string, string>> = {
  '': '; nothing was held any more',
  waits: '; it goes on as soon as a service runs',
  confirmed: '; it is blocked, and its money kept',
}

const AFTER_PARTY: Readonly<Record<string, string>> = {
  '': '; nothing of it waits for a person',
  confirmed: '; its payouts are held, and an entity is not approved',
}
