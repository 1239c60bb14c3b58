// The operation that writes beneficiaries: creation, update and archiving share one lane, so that
// an account's commands run in order. Payouts insert the beneficiaries that they make themselves.
import type { ApprovalRules, KeyFacts } from '../approval/approval.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import type { TransactionSql } from '../db/connect.ts'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import type { Answering, Claiming } from '../http/idempotency/kept-reply.ts'
import { type BookId, type Key, nameOf, uniqueKeys } from '../id.ts'
import { lockBooks } from '../ledger/store.ts'
import type { Making } from './approval.ts'
import { findLatestApprovals, insertBeneficiaryApprovals } from './approval-store.ts'
import type { Beneficiary } from './beneficiary.ts'
import { presentBeneficiary } from './response.ts'
import {
  type BeneficiaryChange,
  type BeneficiaryOutcome,
  type BeneficiaryState,
  decideBeneficiary,
} from './rules.ts'
import {
  findBeneficiaries,
  insertBeneficiaries,
  updateArchived,
  updateBeneficiaries,
} from './store.ts'

export interface WriteBeneficiary extends Claiming, Making {
  readonly change: BeneficiaryChange
}

/** What a decision needs besides the database. */
interface BeneficiaryReference {
  /** Returns when rules are as new as this version of prices. */
  pricing(price_version: bigint | null): Promise<unknown>
  approvalRules(): ApprovalRules
  keys(): ReadonlyMap<string, KeyFacts>
  readonly bookId: BookId
}

export type WrittenBeneficiary = BeneficiaryOutcome & Answering

/** POST and PUT /v3/beneficiary, and its acts. */
export function writeBeneficiary(
  reference: BeneficiaryReference,
): Operation<WriteBeneficiary, BeneficiaryState, WrittenBeneficiary> {
  return {
    name: 'write_beneficiary',

    async load(tx, commands) {
      const account_ids = commands.map(({ account_id }) => account_id)
      const [{ books, price_version }, beneficiaries, open] = await Promise.all([
        lockBooks(tx, account_ids),
        loadNamed(tx, commands),
        findLatestApprovals(tx, namedBy(commands)),
      ])
      await reference.pricing(price_version)
      const asking = { rules: reference.approvalRules(), keys: reference.keys() }
      return { books, beneficiaries, open, asking, bookId: reference.bookId }
    },

    decide(state, command) {
      const outcome = decideBeneficiary(state, command.account_id, command.change, command)
      return { ...outcome, reply: success(presentBeneficiary(outcome.beneficiary)) }
    },

    store(tx, outcomes, state) {
      const rows = (did: BeneficiaryOutcome['did']) =>
        outcomes.filter(o => o.did === did).map(o => o.beneficiary)
      const [created, changed] = [rows('created'), uniqueKeys(rows('changed'))]
      const archived = uniqueKeys(rows('archived'))
      // Of a beneficiary that one batch changes twice, people are shown the last.
      // A command that changes nothing asks nothing, and what was asked stays.
      const asked = new Map(
        outcomes.flatMap(({ beneficiary, did, asked }) =>
          did === 'created' || did === 'changed' ? [[nameOf(beneficiary), asked] as const] : [],
        ),
      )
      const approvals = [...asked.values()].filter(one => one !== null)
      const writes = outcomes.map(({ events }) => ({ entries: [], events }))
      return Promise.all([
        ...storeBooks(tx, state.books, writes),
        created.length > 0 &&
          insertBeneficiaries(
            tx,
            created.map(beneficiary => ({ ...beneficiary, screened: null })),
          ),
        changed.length > 0 && updateBeneficiaries(tx, changed),
        archived.length > 0 && updateArchived(tx, archived),
        // After the beneficiaries, to which a trigger compares them.
        approvals.length > 0 && insertBeneficiaryApprovals(tx, approvals),
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

async function loadNamed(
  tx: TransactionSql,
  commands: readonly WriteBeneficiary[],
): Promise<Map<string, Beneficiary>> {
  const found = await findBeneficiaries(tx, namedBy(commands))
  return new Map(found.map(beneficiary => [nameOf(beneficiary), beneficiary]))
}
