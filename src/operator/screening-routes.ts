// GET /v3/operator/screening and /{id}, and POST /v3/operator/screening/{id}/clear and /confirm:
// the screening of payouts, and of parties by themselves.
import { success } from '../http/answer.ts'
import { pathId } from '../http/docs.ts'
import { Closed, integerOrNull, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { idPatternOf } from '../id.ts'
import type { MatchDecision } from '../screening/match.ts'
import type { Deed } from './deed.ts'
import { authorOf, operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { AccountId, checkWords, PageQuery, Reason } from './request.ts'
import {
  decide,
  kindOf,
  listFound,
  presentScreening,
  SCREENED,
  SCREENED_KINDS,
  showScreening,
} from './screening.ts'

const STATES = ['waits', 'open', 'confirmed'] as const

const PREFIXES = Object.values(SCREENED)

/** The object that an answer is about. */
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

export const Match = Type.Object(
  {
    party: Type.String(),
    list: Type.String(),
    entry_id: Type.String(),
    listed: Type.Boolean({ description: 'Whether its list still has the entry.' }),
    score: Type.Integer(),
    pieces: Type.Array(Type.Unknown(), { description: 'The parts that the score is made of.' }),
    state: Type.String(),
    found_at: Timestamp,
    decided_at: textOrNull({ format: 'date-time' }),
    decided_by: Type.String(),
    reason: Type.String(),
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

const HeldQuery = PageQuery(PREFIXES, {
  account_id: AccountId,
  of: Literals(SCREENED_KINDS, { description: 'Only objects of this kind.' }),
  state: Literals(STATES, { description: 'Only what screening holds for this reason.' }),
})

export function deskScreeningRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/screening', {
    operationId: 'listHeldByScreening',
    summary: 'List payouts that screening holds and parties that may be listed, the oldest first.',
    description: 'Payouts come first, then entities, then beneficiaries.',
    querystring: HeldQuery,
    item: HeldResponse,
    find: ({ account_id = '', of, state = '', starting_after = '' }, { audit }, limit) =>
      listFound(audit, { account_id, of: of ?? '', state, starting_after }, limit + 1),
    present: found => found,
  })
  routes.read('/v3/operator/screening/:id', {
    operationId: 'getScreening',
    summary:
      'Show the list entries that the parties of a payout, or one party, may be, with the ' +
      'parts of each score.',
    params: pathId(...PREFIXES),
    response: ScreeningResponse,
    answer: async ({ params }, desk) => presentScreening(await showScreening(desk, params.id)),
  })
  decisionRoute(routes, {
    name: 'clear',
    state: 'cleared',
    summary:
      'Say that a party, or every party of a payout, is not the listed one. The payout then ' +
      'continues.',
  })
  decisionRoute(routes, {
    name: 'confirm',
    state: 'confirmed',
    summary:
      'Say that a party, or a party of a payout, is the listed one. The money of the payout ' +
      'is kept.',
  })
}

interface Decision extends Pick<MatchDecision, 'state'> {
  readonly name: 'clear' | 'confirm'
  readonly summary: string
}

function decisionRoute(routes: DeskRoutes, { name, state, summary }: Decision): void {
  routes.write(`/v3/operator/screening/:id/${name}`, {
    config: { asksPassword: true, check: checkWords },
    operationId: `${name}Screening`,
    summary,
    params: pathId(...PREFIXES),
    body: DecideScreeningRequest,
    response: DecidedResponse,
    refusals: ['invalid_transition', 'approval_outdated'],
    async answer(request, desk) {
      const { id } = request.params
      const author = authorOf(request, `screening ${name}`)
      const desks = {
        audit: desk.audit,
        run: <C, S, O>(deed: Deed<C, S, O>) => desk.run(author, deed),
      }
      const decision = { state, ...request.body }
      const { matches, screening } = await decide(desks, operatorOf(request).name, id, decision)
      return success({ id, of: kindOf(id), state, matches: matches.length, screening })
    },
  })
}
