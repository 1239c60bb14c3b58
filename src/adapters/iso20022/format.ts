// The format of ISO 20022: pain.001 goes out; pain.002, camt.053 and camt.054 come in.
import type { BankFormat } from '../../values/bank-format/bank-format.ts'
import { checkItem, checkSettlementAccount } from './item.ts'
import { writePain001 } from './pain001.ts'
import { readProfile } from './profile.ts'
import { readBankFile } from './reader.ts'
import { checkPain001 } from './schema.ts'

export const iso20022: BankFormat = {
  name: 'iso20022',
  extension: 'xml',
  readProfile,
  checkSettlementAccount,
  checkItem,
  write: writePain001,
  check: checkPain001,
  read: readBankFile,
}
