// corridor payout approval|approve|reject: shows the approvals of a payout, a batch or an import,
// and approves or rejects it. corridor beneficiary approval|approve|reject|archive|unarchive: the
// same for a beneficiary, which it also archives.
import type { Command } from 'commander'
import type { Decision } from '../approval/approval.ts'
import { presentApproval, presentBeneficiaryApproval } from '../approval/response.ts'
import { findBeneficiaries } from '../beneficiary/store.ts'
import { readConfined } from '../db/confine.ts'
import { given } from '../given.ts'
import { accountIdOf } from '../operator/accounts.ts'
import {
  accountOfGroup,
  beneficiaryDecisionDeed,
  decisionDeed,
  findApproval,
  findBeneficiaryApproval,
  groupDecisionDeed,
} from '../operator/approvals.ts'
import { archiveDeed } from '../operator/beneficiaries.ts'
import { MAX_REASON } from '../operator/lengths.ts'
import { findPayouts } from '../payout/store.ts'
import { isImport } from '../payout-group/group.ts'
import { findGroup } from '../payout-group/operations.ts'
import { presentGroupApproval, presentGroupDecision } from '../payout-group/response.ts'
import { toSecond } from '../text/age.ts'
import { rolesAllow } from '../user/rules.ts'
import { listAccountRoles } from '../user/store.ts'
import { addCommand, type Context, example, personOf, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'
import { readReason } from './input.ts'
import { money } from './table.ts'
import { visible } from './terminal.ts'

const ID = 'payout, batch or import id'
const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

export function approvalCommands(payout: Command): void {
  payout
    .command('approval')
    .description('show what a payout, a batch or an import needs, and who has approved')
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
    .action((id: string, options: DecisionOptions) => decide(id, 'approve', options))
  payout
    .command('reject')
    .description('reject a payout, or all of a batch or an import that wait; the money goes back')
    .argument('<id>', ID)
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', REJECT_HELP)
    .action((id: string, options: DecisionOptions) => decide(id, 'reject', options))
}

const isGroup = (id: string) => id.startsWith('pob_') || isImport(id)

const decide = (id: string, decision: Decision, options: DecisionOptions) =>
  isGroup(id)
    ? decideGroupAction(id, decision, options)
    : decideAction('payout', id, decision, options)

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
  const { payout, shown } = await withContext(async context => {
    const account_id = await accountIdOf(context.audit, 'payout', payout_id)
    await refuseStranger(context, account_id)
    const key = { account_id, id: payout_id }
    return readConfined(context.sql, [account_id], async tx => {
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
    ...approvalLines(approval, payout_import),
  ]
  print(approval, words.join('\n'))
}

async function showGroupAction(id: string): Promise<void> {
  const shown = await withContext(async context => {
    const account_id = await accountOfGroup(context.audit, id)
    await refuseStranger(context, account_id)
    return readConfined(context.sql, [account_id], tx => findGroup(tx, { account_id, id }))
  })
  if (shown === undefined) throw new CommandFailed(`${id} is no more`)
  const approval = presentGroupApproval(id, shown)
  const { waiting, further = 0, totals, needed, expires_at, digest, ended } = approval
  const others = further > 0 && `${further} wait besides, and come after these`
  const outcomes = ended.map(({ status, payouts }) => `${payouts} ${status}`).join(', ')
  const lines = [
    [`${id}  ${waiting} payouts wait`, others, outcomes].filter(Boolean).join('; '),
    ...totals.map(({ currency, payouts, amount }) =>
      visible(`${money(currency, BigInt(amount))} in ${payouts} payouts`),
    ),
  ]
  if (expires_at !== null) {
    lines.push(`approvals  ${needed}`, `until      ${toSecond(expires_at)}`, `digest     ${digest}`)
  }
  print(approval, lines.join('\n'))
}

async function decideGroupAction(
  id: string,
  decision: Decision,
  options: DecisionOptions,
): Promise<void> {
  const outcome = await withContext(async context => {
    const request = decisionOf(context, decision, options)
    const account_id = await accountOfGroup(context.audit, id)
    return context.runLong(groupDecisionDeed({ account_id, id }, request))
  })
  const data = presentGroupDecision(decision, outcome)
  const counts = data.payouts.map(({ status, payouts }) => `${payouts} ${status}`)
  print(data, `${id}  ${DECIDED[decision]}; ${counts.join(', ')}`)
}

async function decideAction(
  kind: 'payout' | 'beneficiary',
  id: string,
  decision: Decision,
  options: DecisionOptions,
): Promise<void> {
  const status = await withContext(async context => {
    const request = decisionOf(context, decision, options)
    const key = { account_id: await accountIdOf(context.audit, kind, id), id }
    if (kind === 'payout') return (await context.run(decisionDeed(key, request))).payout.status
    return (await context.run(beneficiaryDecisionDeed(key, request))).beneficiary.approval
  })
  const waits = status === 'pending_approval' && 'others must, too'
  const words = [DECIDED[decision], waits || (kind === 'payout' && status)]
  print({ [kind]: id, decision, status }, `${id}  ${words.filter(Boolean).join('; ')}`)
}

const BENEFICIARY_REASON = `why, up to ${MAX_REASON} characters`

export function beneficiaryCommands(beneficiary: Command): void {
  beneficiary
    .command('approval')
    .description('show what a beneficiary needs before it is paid, and who has approved')
    .argument('<id>', 'beneficiary id')
    .addHelpText('after', example('beneficiary approval bnf_01m7xpm2m0c6hkd4r9ye'))
    .action(showBeneficiaryAction)
  addCommand(beneficiary, 'approve', 'approve a beneficiary as it was shown to you')
    .argument('<id>', 'beneficiary id')
    .requiredOption('--digest <digest>', 'of what you were shown, as beneficiary approval says it')
    .option('--reason <text>', BENEFICIARY_REASON, readReason)
    .addHelpText('after', APPROVE_BENEFICIARY_HELP)
    .action((id: string, options: DecisionOptions) =>
      decideAction('beneficiary', id, 'approve', options),
    )
  addCommand(beneficiary, 'reject', 'reject a beneficiary; no payout may go to it')
    .argument('<id>', 'beneficiary id')
    .requiredOption('--reason <text>', BENEFICIARY_REASON, readReason)
    .addHelpText('after', REJECT_BENEFICIARY_HELP)
    .action((id: string, options: DecisionOptions) =>
      decideAction('beneficiary', id, 'reject', options),
    )
  for (const act of ['archive', 'unarchive'] as const) {
    addCommand(beneficiary, act, ARCHIVING[act])
      .argument('<id>', 'beneficiary id')
      .requiredOption('--reason <text>', BENEFICIARY_REASON, readReason)
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

const APPROVE_BENEFICIARY_HELP = `
You must have the role approver on its account, and must have neither made nor
changed it. Nobody approves twice. A change afterwards must be approved anew.
CORRIDOR_USER must say who you are.

Example:
  npx corridor beneficiary approve bnf_01m7xpm2m0c6hkd4r9ye --digest \\
    6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`

const REJECT_BENEFICIARY_HELP = `
One rejection ends it, whoever has approved before. Once it is changed, it can
be approved. CORRIDOR_USER must say who you are.

Example:
  npx corridor beneficiary reject bnf_01m7xpm2m0c6hkd4r9ye --reason "Unknown"`

async function showBeneficiaryAction(id: string): Promise<void> {
  const { beneficiary, shown } = await withContext(async context => {
    const key = { account_id: await accountIdOf(context.audit, 'beneficiary', id), id }
    await refuseStranger(context, key.account_id)
    return readConfined(context.sql, [key.account_id], async tx => {
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

async function archiveAction(
  id: string,
  act: keyof typeof ARCHIVING,
  { reason }: { readonly reason: string },
): Promise<void> {
  const { beneficiary, did } = await withContext(async context => {
    personOf(context)
    const key = { account_id: await accountIdOf(context.audit, 'beneficiary', id), id }
    return context.run(archiveDeed(key, act === 'archive', reason))
  })
  const { archived_at } = beneficiary
  const already = did === 'nothing' ? 'already ' : ''
  const is = archived_at === null ? 'not archived' : `archived since ${toSecond(archived_at)}`
  print({ beneficiary: id, archived_at }, `${id}  ${already}${is}`)
}

/** Refuses a member without a role on the account, as the API does. */
async function refuseStranger({ audit, config, role }: Context, account_id: string): Promise<void> {
  if (role !== 'member') return
  const roles = (await listAccountRoles(audit))
    .filter(one => one.user_name === config.user && one.account_id === account_id)
    .map(one => one.role)
  if (!rolesAllow(roles, 'read')) {
    throw new CommandFailed(`${config.user} has no role on its account`)
  }
}

/** The options of approve and reject. */
interface DecisionOptions {
  readonly digest?: string
  readonly reason?: string
}

const DECIDED: Readonly<Record<Decision, string>> = { approve: 'approved', reject: 'rejected' }

function decisionOf(
  context: Context,
  decision: Decision,
  { digest, reason = '' }: DecisionOptions,
) {
  return given({ user_name: personOf(context), decision, reason, digest })
}

type Approval = Omit<ReturnType<typeof presentApproval>, 'object' | 'payout' | 'payout_import'>

/** One fact a line, then one decision a line. */
function approvalLines(approval: Approval, payout_import = ''): string[] {
  const { needed, given, status, expires_at, made_by, digest, decisions } = approval
  return [
    `approvals  ${given} of ${needed}; ${status}`,
    `until      ${toSecond(expires_at)}`,
    `made by    ${made_by || 'a key that is nobody’s'}`,
    ...(payout_import === '' ? [] : [`import     ${payout_import}, which can be approved as one`]),
    `digest     ${digest}`,
    ...decisions.map(({ decided_at, user, decision, reason }) =>
      visible(`${toSecond(decided_at)}  ${user}: ${decision}${reason && `, ${reason}`}`),
    ),
  ]
}
