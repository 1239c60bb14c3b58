// An open rail of files: its settings, its format and its dependencies.
import type { BankFormat } from '../bank-format/bank-format.ts'
import type { RailDeps } from '../rail/kind.ts'
import type { FileRailConfig } from './config.ts'
import type { Transport } from './transport.ts'

export interface OpenFileRail extends RailDeps {
  readonly name: string
  readonly format: BankFormat
  readonly config: FileRailConfig
  openTransport(): Promise<Transport>
}
