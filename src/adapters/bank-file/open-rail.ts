// An open rail of files: its settings, its format and its dependencies.

import type { RailDeps } from '../../rails/kind.ts'
import type { BankFormat } from '../../values/bank-format/bank-format.ts'
import type { FileRailConfig } from './config.ts'
import type { Transport } from './transport.ts'

export interface OpenFileRail extends RailDeps {
  readonly name: string
  readonly format: BankFormat
  readonly config: FileRailConfig
  openTransport(): Promise<Transport>
}
