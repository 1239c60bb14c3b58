// corridor approval-rule add|list|remove|history: lists and changes approval rules, which say which
// payouts and beneficiaries people must approve.
import type { Command } from 'commander'
import {
  type ApprovalRule,
  EXPIRES_AFTER_DAYS,
  MAX_APPROVERS,
  MAX_DAYS,
} from '../approval/approval.ts'
import type { RuleCells } from '../approval/load.ts'
import { ruleOfHistory } from '../approval/rule-store.ts'
import { neededWords, ruleWords } from '../approval/words.ts'
import { addRule, presentRule, removeRule, rulesFor } from '../operator/approval-rules.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { readOrRefuse } from './failure.ts'
import { historyCommand } from './history.ts'
import { listing } from './table.ts'

const EXAMPLE = `npx corridor approval-rule add --account acc_7k2m9x4q \\
    --at-least 10000 --currency USD --approvers 2`

const ADD_HELP = `
The conditions of a rule hold together. A payout that at least one rule fits
waits in pending_approval, with its money held, until so many approvers of its
account have approved it; never the person who made it. Of several rules that
fit, the most approvers and the fewest days count. A rule holds for payouts made
from now on, those of sandboxes too.

--at-least is what is paid, without fees, converted at mid and rounded up. What
cannot be converted needs the approval.

--beneficiaries asks for the approval of each new or changed beneficiary. No
payout goes to it before that, and none brings its payee along. It goes with
--account, --key and --country.

Examples:
  ${EXAMPLE}
  npx corridor approval-rule add --new-payee
  npx corridor approval-rule add --beneficiaries --approvers 2
  npx corridor approval-rule add --type swift --country US --days 5`

export function approvalRuleCommands(rule: Command): void {
  addCommand(rule, 'add', 'let payouts, or beneficiaries, wait until people approve them')
    .option('--account <id>', 'only of this account (default: of each account)')
    .option('--beneficiaries', 'of new and changed beneficiaries, before they are paid')
    .option('--key <id>', 'only what this API key makes')
    .option('--type <type>', `only of this type: ${PAYOUT_TYPES.join(', ')}`)
    .option('--network <name>', 'only over this local network, payment network or chain')
    .option('--country <code>', 'only to this country, or of beneficiaries with an account there')
    .option('--paid-in <code>', 'only in this currency')
    .option('--at-least <amount>', 'only from this amount on, in major units of --currency')
    .option('--currency <code>', 'the currency of --at-least')
    .option('--new-payee', 'only to payees, as they are, to whom no payout was approved before')
    .option('--approvers <number>', `how many people approve, 1 to ${MAX_APPROVERS}`, '1')
    .option('--days <number>', `how long they can, 1 to ${MAX_DAYS}`, String(EXPIRES_AFTER_DAYS))
    .addHelpText('after', ADD_HELP)
    .action(async (options: RuleCells) => {
      const rule = readOrRefuse(await withContext(({ sql }) => addRule(sql, options)))
      print(presentRule(rule), wordsOf(rule))
    })
  addCommand(rule, 'list', 'list the rules')
    .option('--account <id>', 'only those for payouts of this account')
    .addHelpText('after', example('approval-rule list'))
    .action(listAction)
  addCommand(rule, 'remove', 'remove a rule; what waits by it goes on waiting')
    .argument('<rule>', 'as corridor approval-rule list shows it')
    .addHelpText('after', example('approval-rule remove apr_01m7xpm2m0c6hkd4r9ye'))
    .action(async (rule_id: string) => {
      const rule = await withContext(({ sql }) => removeRule(sql, rule_id))
      print(presentRule(rule), `removed ${wordsOf(rule)}`)
    })
  historyCommand(rule, {
    table_name: 'approval_rules',
    description: 'list which rules were added and removed, newest first',
    subject: row => ruleWords(ruleOfHistory(row)),
    describe: row => neededWords(ruleOfHistory(row)),
    example: 'approval-rule history --limit 20',
  })
}

async function listAction({ account }: { readonly account?: string }): Promise<void> {
  const rules = await withContext(({ sql }) => rulesFor(sql, account))
  const rows = rules.map(rule => ({
    rule: rule.rule_id,
    of: ruleWords(rule),
    needs: neededWords(rule),
  }))
  print(rules.map(presentRule), listing(rows, `no rule. Try ${EXAMPLE}`))
}

function wordsOf(rule: ApprovalRule): string {
  return `${rule.rule_id}: ${ruleWords(rule)} need ${neededWords(rule)}`
}
