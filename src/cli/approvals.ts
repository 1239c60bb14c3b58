// corridor payout|beneficiary approval|approve|reject: of a payout, batch, import or beneficiary.
import type { Command } from 'commander'
import { rolesAllow } from '../accounts/user/rules.ts'
import { listAccountRoles } from '../accounts/user/store.ts'
import type { Decision } from '../controls/approval/approval.ts'
import { ApproveRequest, RejectRequest } from '../controls/approval/request.ts'
import {
  type ApprovalKind,
  BATCH,
  BENEFICIARY,
  IMPORT,
  PAYOUT,
  type Told,
} from '../operator/approvals.ts'
import { checkLines, MAX_REASON } from '../operator/request.ts'
import { readConfined } from '../sql/confine.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { writesOf } from './action.ts'
import { addCommand, type Context, example, personOf, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'
import { addOptions, readOptions, refuseInOptions } from './options.ts'
import { visible } from './terminal.ts'

interface Texts {
  readonly kindOf: (id: string) => ApprovalKind
  readonly id: string
  readonly example: string
  readonly reason: string
  readonly approval: string
  readonly approve: string
  readonly approveHelp: string
  readonly reject: string
  readonly rejectHelp: string
}

const REASON = `why, up to ${MAX_REASON} characters`

const PAYOUTS: Texts = {
  kindOf: id => [BATCH, IMPORT].find(({ prefix }) => id.startsWith(`${prefix}_`)) ?? PAYOUT,
  id: 'payout, batch or import id',
  example: 'pot_01m7xpm2m0c6hkd4r9ye',
  reason: `why, for the account's timeline, up to ${MAX_REASON} characters`,
  approval: 'show what a payout, a batch or an import needs, and who has approved',
  approve: 'approve a payout, or all of a batch or an import that wait, as it was shown',
  approveHelp: `
You must have the role approver on the payout's account, and must not have made
the payout. Nobody approves twice. Of a batch or an import all payouts that wait
are approved together, or none. CORRIDOR_USER must say who you are.

Example:
  corridor payout approve pot_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`,
  reject: 'reject a payout, or all of a batch or an import that wait; the money goes back',
  rejectHelp: `
One rejection ends it, whoever has approved before. Of a batch or an import all
payouts that wait are rejected. CORRIDOR_USER must say who you are.

Example:
  corridor payout reject pot_01m7xpm2m0c6hkd4r9ye --reason "Paid last week"`,
}

const BENEFICIARIES: Texts = {
  kindOf: () => BENEFICIARY,
  id: 'beneficiary id',
  example: 'bnf_01m7xpm2m0c6hkd4r9ye',
  reason: REASON,
  approval: 'show what a beneficiary needs before it is paid, and who has approved',
  approve: 'approve a beneficiary as it was shown to you',
  approveHelp: `
You must have the role approver on its account, and must have neither made nor
changed it. Nobody approves twice. A change afterwards must be approved anew.
CORRIDOR_USER must say who you are.

Example:
  corridor beneficiary approve bnf_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`,
  reject: 'reject a beneficiary; no payout may go to it',
  rejectHelp: `
One rejection ends it, whoever has approved before. Once it is changed, it can
be approved. CORRIDOR_USER must say who you are.

Example:
  corridor beneficiary reject bnf_01m7xpm2m0c6hkd4r9ye --reason "Unknown"`,
}

export const payoutApprovalCommands = (payout: Command) => addApprovals(payout, PAYOUTS)

export const beneficiaryCommands = (beneficiary: Command) =>
  addApprovals(beneficiary, BENEFICIARIES)

function addApprovals(group: Command, texts: Texts): void {
  addCommand(group, 'approval', texts.approval)
    .argument('<id>', texts.id)
    .addHelpText('after', example(`${group.name()} approval ${texts.example}`))
    .action((id: string) => showAction(texts.kindOf(id), id))
  addDecision(group, texts, 'approve')
  addDecision(group, texts, 'reject')
}

function addDecision(group: Command, texts: Texts, decision: Decision): void {
  const body = decision === 'approve' ? ApproveRequest : RejectRequest
  const command = addCommand(group, decision, texts[decision]).argument('<id>', texts.id)
  const digest = `of what you were shown, as ${group.name()} approval says it`
  addOptions(command, body, { options: { digest, reason: texts.reason } })
  command.addHelpText('after', texts[`${decision}Help`]).action(async (id: string) => {
    const { digest, reason = '' } = readOptions(body, command.opts()) as ApproveRequest
    const act = async (context: Context) => {
      const user_name = personOf(context)
      if (reason !== '') checkLines({ reason })
      const kind = texts.kindOf(id)
      const key = { account_id: await kind.accountOf(context.audit, id), id }
      const asked = omitUndefined({ user_name, decision, reason, digest })
      return kind.decide(writesOf(context), key, asked)
    }
    const told = (await withContext(act).catch(refuseInOptions(body))) as Told
    const words = [DECIDED[decision], told.outcome].filter(Boolean).join('; ')
    print(told.data, `${id}  ${words}`)
  })
}

const DECIDED: Readonly<Record<Decision, string>> = { approve: 'approved', reject: 'rejected' }

async function showAction(kind: ApprovalKind, id: string): Promise<void> {
  const shown = await withContext(async context => {
    const account_id = await kind.accountOf(context.audit, id)
    await refuseStranger(context, account_id)
    return readConfined(context.sql, [account_id], tx => kind.find(tx, { account_id, id }))
  })
  if (shown === undefined) throw new CommandFailed(`${kind.group} ${id} has needed no approval`)
  print(kind.present(shown, id), kind.words(shown, id).map(visible).join('\n'))
}

/** Refuses a person without a role on the account, as the API does. */
async function refuseStranger({ audit, config, role }: Context, account_id: string): Promise<void> {
  if (role !== 'member') return
  const roles = (await listAccountRoles(audit))
    .filter(one => one.user_name === config.user && one.account_id === account_id)
    .map(one => one.role)
  if (!rolesAllow(roles, 'read')) {
    throw new CommandFailed(`${config.user} has no role on its account`)
  }
}
