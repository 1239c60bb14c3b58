// NACHA files as a format of bank files: ACH credits out, returns and notifications of change in.
import type { BankFormat } from '../../values/bank-format/bank-format.ts'
import { checkAch } from './check.ts'
import { checkItem } from './item.ts'
import { readProfile } from './profile.ts'
import { readAch } from './read.ts'
import { writeAch } from './write.ts'

export const NACHA: BankFormat = {
  name: 'nacha',
  extension: 'ach',
  readProfile,
  // An ACH file names the account by the profile's data about the originator.
  checkSettlementAccount: () => [],
  checkItem: (item, _account, profile) => checkItem(item, profile),
  write: writeAch,
  check: async (bytes, { nacha }) =>
    nacha === null ? ['the profile has no nacha'] : checkAch(bytes, nacha),
  read: chunks => readAch(chunks),
}
