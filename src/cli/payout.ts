// corridor payout …: approvals.ts approves, payout-import.ts makes payouts from files. The other
// commands are actions.
import type { Command } from 'commander'
import { payouts } from '../operator/payouts.ts'
import { commandsOf } from './action.ts'
import { payoutApprovalCommands } from './approvals.ts'
import { payoutImportCommand } from './payout-import.ts'

export function payoutCommands(payout: Command): void {
  commandsOf(payouts)(payout)
  payoutApprovalCommands(payout)
  payoutImportCommand(payout)
}
