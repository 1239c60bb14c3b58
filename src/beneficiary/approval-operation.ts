// The operation by which a person approves or rejects a beneficiary.
import type { AskedDecision } from '../approval/rules.ts'
import { findApprovers } from '../approval/store.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import type { Operation } from '../engine/operation.ts'
import { found } from '../errors.ts'
import { type Key, nameOf, uniqueKeys } from '../id.ts'
import { lockBooks } from '../ledger/store.ts'
import { type DecidedBeneficiary, type DecidingState, decideApprovalOf } from './approval.ts'
import {
  findLatestApprovals,
  insertBeneficiaryDecisions,
  updateBeneficiaryApprovals,
} from './approval-store.ts'
import { checkNotErased } from './rules.ts'
import { findBeneficiaries, updateApprovalStatus } from './store.ts'

export interface DecideBeneficiary extends Key {
  readonly asked: AskedDecision
}

export const decideBeneficiaryApproval: Operation<
  DecideBeneficiary,
  DecidingState,
  DecidedBeneficiary
> = {
  name: 'decide_beneficiary',

  async load(tx, commands) {
    const account_ids = commands.map(({ account_id }) => account_id)
    const keys = uniqueKeys(commands)
    const [{ books }, beneficiaries, open, approvers] = await Promise.all([
      lockBooks(tx, account_ids),
      findBeneficiaries(tx, keys),
      findLatestApprovals(tx, keys),
      findApprovers(tx, account_ids),
    ])
    const named = new Map(beneficiaries.map(one => [nameOf(one), one]))
    return { books, beneficiaries: named, open, approvers }
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
    const writes = outcomes.map(({ events }) => ({ entries: [], events }))
    return Promise.all([
      ...storeBooks(tx, state.books, writes),
      insertBeneficiaryDecisions(
        tx,
        outcomes.map(({ decision }) => decision),
      ),
      ended.length > 0 && updateBeneficiaryApprovals(tx, ended),
      changed.length > 0 && updateApprovalStatus(tx, changed),
    ])
  },
}
