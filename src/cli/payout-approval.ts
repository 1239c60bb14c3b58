// corridor payout approval|approve|reject: what a payout, a batch or an import needs before it goes
// out, and who gives it.
import type { Command } from 'commander'
import type { Decision } from '../approval/approval.ts'
import { presentApproval } from '../approval/response.ts'
import { readConfined } from '../db/confine.ts'
import { accountOfGroup, deciding, decidingGroup, findApproval } from '../operator/approvals.ts'
import { accountOfPayout } from '../operator/payouts.ts'
import { MAX_REASON } from '../operator/words.ts'
import { findPayouts } from '../payout/store.ts'
import { isImport } from '../payout-group/group.ts'
import { findGroup } from '../payout-group/operations.ts'
import {
  presentBatchApproval,
  presentBatchDecision,
  presentImportApproval,
  presentImportDecision,
} from '../payout-group/response.ts'
import { approvalLines, askedBy, type Deciding, DONE } from './approving.ts'
import { example, named, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'
import { readReason } from './input.ts'
import { money, toSecond } from './table.ts'
import { visible } from './terminal.ts'

const ID = 'payout, batch or import id'
const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

export function approvalCommands(payout: Command): void {
  named(payout, 'approval', 'show what a payout, a batch or an import needs, and who has approved')
    .argument('<id>', ID)
    .addHelpText('after', example('payout approval pot_01m7xpm2m0c6hkd4r9ye'))
    .action((id: string) => (isGroup(id) ? showGroupAction(id) : showAction(id)))
  payout
    .command('approve')
    .description('approve a payout, or all of a batch or an import that wait, as it was shown')
    .argument('<id>', ID)
    .requiredOption('--digest <digest>', 'of what you were shown, as payout approval says it')
    .option('--reason <text>', REASON, readReason)
    .addHelpText('after', APPROVE_HELP)
    .action((id: string, options: Deciding) => decide(id, 'approve', options))
  payout
    .command('reject')
    .description('reject a payout, or all of a batch or an import that wait; the money goes back')
    .argument('<id>', ID)
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', REJECT_HELP)
    .action((id: string, options: Deciding) => decide(id, 'reject', options))
}

const isGroup = (id: string) => id.startsWith('pob_') || isImport(id)

const decide = (id: string, decision: Decision, options: Deciding) =>
  isGroup(id) ? decideGroupAction(id, decision, options) : decideAction(id, decision, options)

const APPROVE_HELP = `
You must have the role approver on the payout's account, and must not have made
the payout. Nobody approves twice. Of a batch or an import all payouts that wait
are approved together, or none. CORRIDOR_USER must say who you are.

Example:
  npx corridor payout approve pot_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`

const REJECT_HELP = `
One rejection ends it, whoever has approved before. Of a batch or an import all
payouts that wait are rejected. CORRIDOR_USER must say who you are.

Example:
  npx corridor payout reject pot_01m7xpm2m0c6hkd4r9ye --reason "Paid last week"`

async function showAction(payout_id: string): Promise<void> {
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
  const approval = presentApproval(shown)
  const { payout_import } = approval
  const { name } = payout.beneficiary_details
  const words = [
    visible(`${payout.id}  ${money(payout.currency, payout.amount)} to ${name}; ${payout.status}`),
    ...approvalLines(
      approval,
      payout_import === '' ? [] : [`import     ${payout_import}, which can be approved as one`],
    ),
  ]
  print(approval, words.join('\n'))
}

async function showGroupAction(id: string): Promise<void> {
  const shown = await withContext(async ({ sql, audit }) => {
    const account_id = await accountOfGroup(audit, id)
    return readConfined(sql, [account_id], tx => findGroup(tx, { account_id, id }))
  })
  if (shown === undefined) throw new CommandFailed(`${id} is no more`)
  if (isImport(id)) {
    const approval = presentImportApproval(id, shown)
    print(approval, describeGroup(id, approval, approval.further))
  } else {
    const approval = presentBatchApproval(id, shown)
    print(approval, describeGroup(id, approval, 0))
  }
}

function describeGroup(
  id: string,
  approval: Omit<ReturnType<typeof presentBatchApproval>, 'object' | 'payout_batch'>,
  further: number,
): string {
  const { waiting, totals, needed, expires_at, digest, ended } = approval
  const others = further > 0 && `${further} wait besides, and come after these`
  const ends = ended.map(({ status, payouts }) => `${payouts} ${status}`).join(', ')
  const lines = [
    [`${id}  ${waiting} payouts wait`, others, ends].filter(Boolean).join('; '),
    ...totals.map(({ currency, payouts, amount }) =>
      visible(`${money(currency, BigInt(amount))} in ${payouts} payouts`),
    ),
  ]
  if (expires_at !== null) {
    lines.push(`approvals  ${needed}`, `until      ${toSecond(expires_at)}`, `digest     ${digest}`)
  }
  return lines.join('\n')
}

async function decideGroupAction(id: string, decision: Decision, options: Deciding): Promise<void> {
  const made = await withContext(async context => {
    const asked = askedBy(context, decision, options)
    const account_id = await accountOfGroup(context.audit, id)
    return context.runLong(decidingGroup({ account_id, id }, asked))
  })
  const present = isImport(id) ? presentImportDecision : presentBatchDecision
  const shown = present(decision, made)
  const payouts = shown.payouts.map(({ status, payouts }) => `${payouts} ${status}`)
  print(shown, `${id}  ${DONE[decision]}; ${payouts.join(', ')}`)
}

async function decideAction(payout_id: string, decision: Decision, options: Deciding) {
  const outcome = await withContext(async context => {
    const asked = askedBy(context, decision, options)
    const account_id = await accountOfPayout(context.audit, payout_id)
    return context.run(deciding({ account_id, id: payout_id }, asked))
  })
  const { status } = outcome.payout
  const becomes = status === 'pending_approval' ? 'others must, too' : status
  print({ payout: payout_id, decision, status }, `${payout_id}  ${DONE[decision]}; ${becomes}`)
}
