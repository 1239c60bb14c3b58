// The operations that write beneficiaries. Creation, update and archiving by an account share one
// lane, so that its commands run in order. Approval by people and archiving by operators have
// operations of their own. Payouts insert the beneficiaries that they make themselves.
import type { Making } from '../../accounts/maker.ts'
import type { ApprovalRules, KeyFacts } from '../../controls/approval/approval.ts'
import type { AskedDecision } from '../../controls/approval/rules.ts'
import {
  findApprovers,
  findLatestApprovals,
  insertBeneficiaryApprovals,
  insertBeneficiaryDecisions,
  updateBeneficiaryApprovals,
} from '../../controls/approval/store.ts'
import type { Operation } from '../../engine/operation.ts'
import { success } from '../../http/answer.ts'
import type { Claiming, Reply } from '../../http/idempotency/kept-reply.ts'
import { lockBooks } from '../../ledger/store.ts'
import { accountsOf } from '../../sql/shard.ts'
import { storeBooks } from '../../statements/balance-transaction/operations.ts'
import { found } from '../../values/errors.ts'
import { type BookId, byName, type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { type DecidedBeneficiary, type DecidingState, decideApprovalOf } from './approval.ts'
import { noticeName } from './notice.ts'
import { closeNotices, findNotices } from './notice-store.ts'
import { presentBeneficiary } from './response.ts'
import {
  type BeneficiaryChange,
  type BeneficiaryOutcome,
  type BeneficiaryState,
  checkNotErased,
  decideBeneficiary,
} from './rules.ts'
import {
  findBeneficiaries,
  insertBeneficiaries,
  updateApprovalStatus,
  updateArchived,
  updateBeneficiaries,
} from './store.ts'

export interface WriteBeneficiary extends Claiming, Making {
  readonly change: BeneficiaryChange
}

interface BeneficiaryReference {
  /** Returns once the rules in memory are at least of this version of prices. */
  pricing(price_version: bigint | null): Promise<unknown>
  approvalRules(): ApprovalRules
  keys(): ReadonlyMap<string, KeyFacts>
  readonly bookId: BookId
}

/** POST and PUT /v3/beneficiary, its archiving and unarchiving, and accepting a bank's notice. */
export function writeBeneficiary(
  reference: BeneficiaryReference,
): Operation<WriteBeneficiary, BeneficiaryState, BeneficiaryOutcome> {
  return {
    name: 'write_beneficiary',

    async load(tx, commands) {
      const [{ books, price_version }, named, open, noticed] = await Promise.all([
        lockBooks(tx, accountsOf(commands)),
        findBeneficiaries(tx, namedBy(commands)),
        findLatestApprovals(tx, namedBy(commands)),
        findNotices(tx, notifiedBy(commands)),
      ])
      await reference.pricing(price_version)
      const context = { rules: reference.approvalRules(), keys: reference.keys() }
      const notices = new Map(noticed.map(stored => [noticeName(stored), stored]))
      const beneficiaries = byName(named)
      return { books, beneficiaries, notices, open, context, bookId: reference.bookId }
    },

    decide: (state, command) =>
      decideBeneficiary(state, command.account_id, command.change, command),

    store(tx, outcomes, state) {
      const rows = (did: BeneficiaryOutcome['did']) =>
        outcomes.filter(o => o.did === did).map(o => o.beneficiary)
      const [created, changed] = [rows('created'), uniqueKeys(rows('changed'))]
      const archived = uniqueKeys(rows('archived'))
      // When one batch changes a beneficiary twice, people approve the last content. A command that
      // changes nothing asks for no approval, and an earlier approval stays.
      const requested = new Map(
        outcomes.flatMap(({ beneficiary, did, requested }) =>
          did === 'created' || did === 'changed' ? [[nameOf(beneficiary), requested] as const] : [],
        ),
      )
      const approvals = [...requested.values()].filter(approval => approval !== null)
      return Promise.all([
        ...storeBooks(tx, state.books, outcomes),
        insertBeneficiaries(
          tx,
          created.map(beneficiary => ({ ...beneficiary, screened: null })),
        ),
        updateBeneficiaries(tx, changed),
        updateArchived(tx, archived),
        closeNotices(
          tx,
          outcomes.flatMap(({ accepted }) => accepted ?? []),
        ),
        // Must come after the beneficiaries: a trigger compares the approvals with them.
        insertBeneficiaryApprovals(tx, approvals),
      ])
    },
  }
}

function namedBy(commands: readonly WriteBeneficiary[]): readonly Key[] {
  const keys = commands.flatMap(({ account_id, change }) =>
    change.kind === 'create' ? [] : [{ account_id, id: change.id }],
  )
  return uniqueKeys(keys)
}

export function answerBeneficiary({ beneficiary }: BeneficiaryOutcome): Reply {
  return success(presentBeneficiary(beneficiary))
}

function notifiedBy(commands: readonly WriteBeneficiary[]): readonly Key[] {
  const keys = commands.flatMap(({ account_id, change }) =>
    change.kind === 'accept' ? [{ account_id, id: change.notice.payout }] : [],
  )
  return uniqueKeys(keys)
}

interface DecideBeneficiary extends Key {
  readonly asked: AskedDecision
}

/** A person approves or rejects a beneficiary. */
export const decideBeneficiaryApproval: Operation<
  DecideBeneficiary,
  DecidingState,
  DecidedBeneficiary
> = {
  name: 'decide_beneficiary',

  async load(tx, commands) {
    const account_ids = accountsOf(commands)
    const keys = uniqueKeys(commands)
    const [{ books }, beneficiaries, open, approvers] = await Promise.all([
      lockBooks(tx, account_ids),
      findBeneficiaries(tx, keys),
      findLatestApprovals(tx, keys),
      findApprovers(tx, account_ids),
    ])
    return { books, beneficiaries: byName(beneficiaries), open, approvers }
  },

  decide(state, command) {
    const beneficiary = found(state.beneficiaries.get(nameOf(command)))
    checkNotErased(beneficiary, '')
    return decideApprovalOf(state, beneficiary, command.asked)
  },

  store(tx, outcomes, state) {
    const ended = outcomes.flatMap(({ ended }) => ended ?? [])
    const changed = outcomes.flatMap(({ ended, beneficiary }) =>
      ended === null ? [] : [beneficiary],
    )
    return Promise.all([
      ...storeBooks(tx, state.books, outcomes),
      insertBeneficiaryDecisions(
        tx,
        outcomes.map(({ decision }) => decision),
      ),
      updateBeneficiaryApprovals(tx, ended),
      updateApprovalStatus(tx, changed),
    ])
  },
}
