// An open rail of files: its settings and what its parts work with.
import type { BankFormat } from '../bank-format.ts'
import type { RailDeps } from '../rail/kind.ts'
import type { FileRailConfig } from './config.ts'
import type { FoundItem } from './item-store.ts'
import type { Transport } from './transport.ts'

export interface OpenFileRail extends RailDeps {
  readonly name: string
  readonly format: BankFormat
  readonly config: FileRailConfig
  openTransport(): Promise<Transport>
}

/** The account that files debit, as statements name it. */
export function accountText({ config: { settlement_account } }: OpenFileRail): string {
  return settlement_account.iban || settlement_account.account
}

/** The accounts that a bank debits, as its statements name them. */
export interface Bank {
  /** Of each rail that exchanges files at the same place, by its name. */
  readonly rails: ReadonlyMap<string, string>
  /** Of each file that is spoken of, as it was sealed: the rail may debit another one since. */
  readonly files: ReadonlyMap<string, string>
}

/** The account that a payment is debited from; undefined when it was sent to another bank. */
export function accountPaidFrom({ rails, files }: Bank, item: FoundItem): string | undefined {
  const account = rails.get(item.rail)
  if (account === undefined) return undefined
  return files.get(item.msg_id || (item.earlier_files.at(-1) ?? '')) ?? account
}
