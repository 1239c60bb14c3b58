// POST and GET /v3/beneficiary, GET and PUT /v3/beneficiary/{id}, POST …/archive and …/unarchive,
// GET …/notice and POST …/accept_notice.
import type { FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/rules.ts'
import type { Runs } from '../../engine/lanes.ts'
import type { Finds, Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { makingOf } from '../../http/author.ts'
import { pathId } from '../../http/docs.ts'
import type { Answered } from '../../http/idempotency/operations.ts'
import { found } from '../../values/errors.ts'
import type { Beneficiary } from './beneficiary.ts'
import { listNotices } from './notice-store.ts'
import type { WriteBeneficiary } from './operations.ts'
import {
  AcceptNoticeRequest,
  ArchiveRequest,
  BeneficiaryQuery,
  BeneficiaryRequest,
  BeneficiaryUpdate,
} from './request.ts'
import {
  BeneficiaryResponse,
  NoticesResponse,
  presentBeneficiary,
  presentNotice,
} from './response.ts'
import { type BeneficiaryOutcome, checkBeneficiary, type PayeeRule } from './rules.ts'
import { listBeneficiaries } from './store.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly writeBeneficiary: Runs<WriteBeneficiary, Answered<BeneficiaryOutcome>>
  }
  readonly readers: { readonly beneficiary: Finds<Beneficiary> }
}

export function beneficiaryRoutes(routes: AccountRoutes, deps: Needs, rule: PayeeRule): void {
  const check = (request: BeneficiaryUpdate, account: Account) =>
    checkBeneficiary(request, account, rule)
  routes.write('/v3/beneficiary', {
    config: { check },
    operationId: 'createBeneficiary',
    summary: 'Record who can be paid, and where.',
    description:
      'Each call makes a beneficiary, even when there is one with the same details. An account ' +
      'that no payout could pay is refused, as by its payouts. A ' +
      'payout with `beneficiary_details` makes a beneficiary by itself. Where a rule of the ' +
      'operator requires it, the beneficiary is `pending_approval` until people have ' +
      'approved it.',
    body: BeneficiaryRequest,
    response: BeneficiaryResponse,
    idempotent: true,
    refusals: ['currency', 'type_mismatch', 'object_full'],
    answer(request, claim) {
      const change = { kind: 'create', request: request.body } as const
      return deps.lanes.writeBeneficiary.run({ ...callOf(request), claim: claim(), change })
    },
  })
  routes.page('/v3/beneficiary', {
    operationId: 'listBeneficiaries',
    summary: 'List beneficiaries, newest first.',
    description: 'Archived beneficiaries are left out, unless `archived=true` asks for them.',
    querystring: BeneficiaryQuery,
    item: BeneficiaryResponse,
    find: listBeneficiaries,
    present: rows => rows.map(presentBeneficiary),
  })
  routes.read('/v3/beneficiary/:id', {
    operationId: 'getBeneficiary',
    summary: 'Fetch a beneficiary.',
    params: pathId('bnf'),
    response: BeneficiaryResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      return presentBeneficiary(found(await deps.readers.beneficiary({ account_id, id })))
    },
  })
  updateRoute(routes, deps, check)
  for (const act of ['archive', 'unarchive'] as const) archiveRoute(routes, deps, act)
  noticeRoutes(routes, deps)
}

/** The account, and the maker of the change, who may not approve it. */
function callOf(request: FastifyRequest) {
  return { account_id: request.account.account_id, ...makingOf(request) }
}

function updateRoute(
  routes: AccountRoutes,
  deps: Needs,
  check: (request: BeneficiaryUpdate, account: Account) => void,
): void {
  routes.write('/v3/beneficiary/:id', {
    method: 'PUT',
    config: { check },
    operationId: 'updateBeneficiary',
    summary: 'Change a beneficiary, for payouts that are still to be made.',
    description:
      'A member that is sent replaces the earlier value as a whole, null removes it, and ' +
      'members that are left out stay. A changed destination gets a new `destination` id. ' +
      'Payouts keep the details they were made with. Where a rule requires it, a change ' +
      'waits for an approval as a new beneficiary does.',
    params: pathId('bnf'),
    body: BeneficiaryUpdate,
    response: BeneficiaryResponse,
    refusals: ['not_found', 'currency', 'type_mismatch', 'object_full'],
    answer(request) {
      const { body: update, params } = request
      const change = { kind: 'update', id: params.id, update } as const
      return deps.lanes.writeBeneficiary.run({ ...callOf(request), claim: null, change })
    },
  })
}

const ACTS = {
  archive: {
    operationId: 'archiveBeneficiary',
    summary: 'Archive a beneficiary: ordinary lists leave it out, and it cannot be paid.',
    description:
      'A payout to an archived beneficiary is refused with `beneficiary_archived`. Payouts ' +
      'that are already made continue. The record of the beneficiary and its approval stay. ' +
      'A beneficiary that is already archived is answered as it is.',
  },
  unarchive: {
    operationId: 'unarchiveBeneficiary',
    summary: 'Unarchive a beneficiary.',
    description:
      'The beneficiary can be paid again as before. A beneficiary that is not archived is ' +
      'answered as it is.',
  },
} as const

function archiveRoute(routes: AccountRoutes, deps: Needs, act: keyof typeof ACTS): void {
  routes.write(`/v3/beneficiary/:id/${act}`, {
    config: { optionalBody: true },
    ...ACTS[act],
    params: pathId('bnf'),
    body: ArchiveRequest,
    response: BeneficiaryResponse,
    idempotent: true,
    refusals: ['not_found'],
    answer(request, claim) {
      const change = { kind: act, id: request.params.id } as const
      return deps.lanes.writeBeneficiary.run({ ...callOf(request), claim: claim(), change })
    },
  })
}

/** The most notices of an answer; each has at most 5 KB. */
const MOST_NOTICES = 100

function noticeRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/beneficiary/:id/notice', {
    operationId: 'getBeneficiaryNotices',
    summary: 'Show what banks ask to correct at a beneficiary.',
    description:
      'A bank that credits a payment in spite of a wrong detail names the right one in a ' +
      'notification of change. Nacha expects that the next payment has it.',
    params: pathId('bnf'),
    response: NoticesResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      const key = { account_id, id }
      found(await deps.readers.beneficiary(key))
      const rows = await deps.read(account_id, tx => listNotices(tx, key, MOST_NOTICES + 1))
      const notices = rows.slice(0, MOST_NOTICES).map(presentNotice)
      const truncated = rows.length > MOST_NOTICES
      return { object: 'beneficiary_notices', beneficiary: id, notices, truncated }
    },
  })
  routes.write('/v3/beneficiary/:id/accept_notice', {
    operationId: 'acceptBeneficiaryNotice',
    summary: 'Take over the value that a bank corrects at a beneficiary.',
    description:
      'It is judged like a change by PUT /v3/beneficiary/{id}: the value is checked and ' +
      'screened, and where a rule requires it, the beneficiary waits for an approval. The ' +
      'notice is then `accepted`. With an accepted notice, or a beneficiary that has the value ' +
      'already, nothing changes. If the beneficiary no longer has the value that the bank calls ' +
      'wrong, the answer is `notice_outdated`; if the bank names no value of a beneficiary, it ' +
      'is `notice_without_value`.',
    params: pathId('bnf'),
    body: AcceptNoticeRequest,
    response: BeneficiaryResponse,
    idempotent: true,
    refusals: [
      'not_found',
      'notice_outdated',
      'notice_without_value',
      'beneficiary_archived',
      'party_erased',
      'object_full',
    ],
    answer(request, claim) {
      const { account, body: notice, params } = request
      const change = { kind: 'accept', id: params.id, notice, account } as const
      return deps.lanes.writeBeneficiary.run({ ...callOf(request), claim: claim(), change })
    },
  })
}
