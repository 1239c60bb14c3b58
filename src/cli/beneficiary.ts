// corridor beneficiary approval|approve|reject|archive|unarchive: what a beneficiary needs before
// it is paid, who gives it, and which beneficiaries are paid no more.
import type { Command } from 'commander'
import type { Decision } from '../approval/approval.ts'
import { presentBeneficiaryApproval } from '../beneficiary/approval-response.ts'
import { findBeneficiaries } from '../beneficiary/store.ts'
import { readConfined } from '../db/confine.ts'
import {
  accountOfBeneficiary,
  decidingBeneficiary,
  findBeneficiaryApproval,
} from '../operator/approvals.ts'
import { archiving } from '../operator/beneficiaries.ts'
import { MAX_REASON } from '../operator/words.ts'
import { approvalLines, askedBy, type Deciding, DONE } from './approving.ts'
import { example, named, personOf, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'
import { readReason } from './input.ts'
import { toSecond } from './table.ts'
import { visible } from './terminal.ts'

const REASON = `why, up to ${MAX_REASON} characters`

export function beneficiaryCommands(beneficiary: Command): void {
  beneficiary
    .command('approval')
    .description('show what a beneficiary needs before it is paid, and who has approved')
    .argument('<id>', 'beneficiary id')
    .addHelpText('after', example('beneficiary approval bnf_01m7xpm2m0c6hkd4r9ye'))
    .action(showAction)
  named(beneficiary, 'approve', 'approve a beneficiary as it was shown to you')
    .argument('<id>', 'beneficiary id')
    .requiredOption('--digest <digest>', 'of what you were shown, as beneficiary approval says it')
    .option('--reason <text>', REASON, readReason)
    .addHelpText('after', APPROVE_HELP)
    .action((id: string, options: Deciding) => decideAction(id, 'approve', options))
  named(beneficiary, 'reject', 'reject a beneficiary; no payout may go to it')
    .argument('<id>', 'beneficiary id')
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', REJECT_HELP)
    .action((id: string, options: Deciding) => decideAction(id, 'reject', options))
  for (const act of ['archive', 'unarchive'] as const) {
    named(beneficiary, act, ARCHIVING[act])
      .argument('<id>', 'beneficiary id')
      .requiredOption('--reason <text>', REASON, readReason)
      .addHelpText('after', ARCHIVE_HELP.replace('{act}', act))
      .action((id: string, options: { reason: string }) => archiveAction(id, act, options))
  }
}

const ARCHIVING = {
  archive: 'archive a beneficiary: it is paid no more until it is taken back',
  unarchive: 'take back a beneficiary that is archived',
} as const

const ARCHIVE_HELP = `
Payouts that are made already go on. CORRIDOR_USER must say who you are.

Example:
  npx corridor beneficiary {act} bnf_01m7xpm2m0c6hkd4r9ye --reason "Gone"`

const APPROVE_HELP = `
You must have the role approver on its account, and must have neither made nor
changed it. Nobody approves twice. A change afterwards must be approved anew.
CORRIDOR_USER must say who you are.

Example:
  npx corridor beneficiary approve bnf_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`

const REJECT_HELP = `
One rejection ends it, whoever has approved before. Once it is changed, it can
be approved. CORRIDOR_USER must say who you are.

Example:
  npx corridor beneficiary reject bnf_01m7xpm2m0c6hkd4r9ye --reason "Unknown"`

async function showAction(id: string): Promise<void> {
  const { beneficiary, shown } = await withContext(async ({ sql, audit }) => {
    const key = { account_id: await accountOfBeneficiary(audit, id), id }
    return readConfined(sql, [key.account_id], async tx => {
      const [[beneficiary], shown] = await Promise.all([
        findBeneficiaries(tx, [key]),
        findBeneficiaryApproval(tx, key),
      ])
      return { beneficiary, shown }
    })
  })
  if (beneficiary === undefined || shown === undefined) {
    throw new CommandFailed(`beneficiary ${id} has needed no approval`)
  }
  const approval = presentBeneficiaryApproval(shown.open, shown.approvers)
  const { name, destination_details } = beneficiary.details
  const words = [
    visible(`${id}  ${name}, ${JSON.stringify(destination_details)}`),
    ...approvalLines({ ...approval, made_by: approval.made_by.join(', ') }),
  ]
  print(approval, words.join('\n'))
}

async function decideAction(id: string, decision: Decision, options: Deciding): Promise<void> {
  const { beneficiary } = await withContext(async context => {
    const asked = askedBy(context, decision, options)
    const account_id = await accountOfBeneficiary(context.audit, id)
    return context.run(decidingBeneficiary({ account_id, id }, asked))
  })
  const status = beneficiary.approval
  const others = status === 'pending_approval' ? '; others must, too' : ''
  print({ beneficiary: id, decision, status }, `${id}  ${DONE[decision]}${others}`)
}

async function archiveAction(
  id: string,
  act: keyof typeof ARCHIVING,
  { reason }: { readonly reason: string },
): Promise<void> {
  const { beneficiary, did } = await withContext(async context => {
    personOf(context)
    const key = { account_id: await accountOfBeneficiary(context.audit, id), id }
    return context.run(archiving(key, act === 'archive', reason))
  })
  const { archived_at } = beneficiary
  const already = did === 'nothing' ? 'already ' : ''
  const is = archived_at === null ? 'not archived' : `archived since ${toSecond(archived_at)}`
  print({ beneficiary: id, archived_at }, `${id}  ${already}${is}`)
}
