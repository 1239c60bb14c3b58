// corridor payout approval|approve|reject: what a payout needs before it goes out, and who gives
// it.
import type { Command } from 'commander'
import type { Decision } from '../approval/approval.ts'
import { presentApproval } from '../approval/response.ts'
import { readConfined } from '../db/confine.ts'
import { deciding, findApproval } from '../operator/approvals.ts'
import { accountOfPayout } from '../operator/payouts.ts'
import { MAX_REASON } from '../operator/words.ts'
import type { Payout } from '../payout/payout.ts'
import { findPayouts } from '../payout/store.ts'
import { CommandFailed, type Json, personOf, print, withContext } from './context.ts'
import { readReason } from './input.ts'
import { money, toSecond } from './table.ts'
import { visible } from './terminal.ts'

const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

export function approvalCommands(payout: Command): void {
  payout
    .command('approval')
    .description('show what a payout needs before it goes out, and who has approved it')
    .argument('<payout>', 'payout id')
    .addHelpText('after', '\nExample:\n  npx corridor payout approval pot_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  payout
    .command('approve')
    .description('approve a payout as it was shown to you')
    .argument('<payout>', 'payout id')
    .requiredOption('--digest <digest>', 'of what you were shown, as payout approval says it')
    .option('--reason <text>', REASON)
    .addHelpText('after', APPROVE_HELP)
    .action((id: string, options: Words) => decideAction(id, 'approve', options))
  payout
    .command('reject')
    .description('reject a payout; its account has its money back')
    .argument('<payout>', 'payout id')
    .requiredOption('--reason <text>', REASON)
    .addHelpText('after', REJECT_HELP)
    .action((id: string, options: Words) => decideAction(id, 'reject', options))
}

const APPROVE_HELP = `
You must have the role approver on the payout's account, and must not have made
the payout. Nobody approves twice. CORRIDOR_USER must say who you are.

Example:
  npx corridor payout approve pot_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`

const REJECT_HELP = `
One rejection ends it, whoever has approved before. CORRIDOR_USER must say who
you are.

Example:
  npx corridor payout reject pot_01m7xpm2m0c6hkd4r9ye --reason "Paid last week"`

interface Words extends Json {
  readonly digest?: string
  readonly reason?: string
}

async function showAction(payout_id: string, options: Json): Promise<void> {
  const { payout, shown } = await withContext(async ({ sql, audit }) => {
    const account_id = await accountOfPayout(audit, payout_id)
    const key = { account_id, id: payout_id }
    return readConfined(sql, [account_id], async tx => {
      const [[payout], shown] = await Promise.all([findPayouts(tx, [key]), findApproval(tx, key)])
      return { payout, shown }
    })
  })
  if (payout === undefined || shown === undefined) {
    throw new CommandFailed(`payout ${payout_id} has needed no approval`)
  }
  const approval = presentApproval(shown.open, shown.approvers)
  print(options, approval, describe(payout, approval))
}

function describe(payout: Payout, approval: ReturnType<typeof presentApproval>): string {
  const { needed, given, expires_at, digest, made_by, status, decisions } = approval
  const said = decisions.map(({ decided_at, user, decision, reason }) =>
    visible(`${toSecond(decided_at)}  ${user}: ${decision}${reason && `, ${reason}`}`),
  )
  const { name } = payout.beneficiary_details
  return [
    visible(`${payout.id}  ${money(payout.currency, payout.amount)} to ${name}; ${payout.status}`),
    `approvals  ${given} of ${needed}; ${status}`,
    `until      ${toSecond(expires_at)}`,
    `made by    ${made_by === '' ? 'a key that is nobody’s' : made_by}`,
    `digest     ${digest}`,
    ...said,
  ].join('\n')
}

async function decideAction(payout_id: string, decision: Decision, options: Words): Promise<void> {
  const { digest } = options
  const reason = options.reason === undefined ? '' : readReason(options.reason)
  const outcome = await withContext(async context => {
    const asked = { user_name: personOf(context), decision, reason, ...(digest && { digest }) }
    const account_id = await accountOfPayout(context.audit, payout_id)
    return context.run(deciding({ account_id, id: payout_id }, asked))
  })
  const { status } = outcome.payout
  const done = decision === 'approve' ? 'approved' : 'rejected'
  const becomes = status === 'pending_approval' ? 'others must, too' : status
  const words = `${payout_id}  ${done}; ${becomes}`
  print(options, { payout: payout_id, decision, status }, words)
}
