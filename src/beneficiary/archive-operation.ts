// The operation by which an operator archives a beneficiary or takes it back. Accounts do it in the
// lane that writes beneficiaries.
import { storeBooks } from '../balance-transaction/operations.ts'
import type { Operation } from '../engine/operation.ts'
import { found } from '../errors.ts'
import { type Key, nameOf, uniqueKeys } from '../id.ts'
import { lockBooks } from '../ledger/store.ts'
import { type ArchiveOutcome, type ArchiveState, decideArchive } from './archive.ts'
import { findBeneficiaries, updateArchived } from './store.ts'

export interface ArchiveBeneficiary extends Key {
  readonly archive: boolean
}

export const archiveBeneficiary: Operation<ArchiveBeneficiary, ArchiveState, ArchiveOutcome> = {
  name: 'archive_beneficiary',

  async load(tx, commands) {
    const account_ids = commands.map(({ account_id }) => account_id)
    const [{ books }, beneficiaries] = await Promise.all([
      lockBooks(tx, account_ids),
      findBeneficiaries(tx, uniqueKeys(commands)),
    ])
    return { books, beneficiaries: new Map(beneficiaries.map(one => [nameOf(one), one])) }
  },

  decide(state, command) {
    const known = found(state.beneficiaries.get(nameOf(command)))
    return decideArchive(state, known, command.archive)
  },

  store(tx, outcomes, state) {
    const changed = outcomes.filter(({ did }) => did === 'archived')
    const rows = uniqueKeys(changed.map(({ beneficiary }) => beneficiary))
    const writes = outcomes.map(({ events }) => ({ entries: [], events }))
    return Promise.all([
      ...storeBooks(tx, state.books, writes),
      rows.length > 0 && updateArchived(tx, rows),
    ])
  },
}
