// corridor approval-rule add|list|remove|history: which payouts wait until people approve them.
import type { Command } from 'commander'
import { listApiKeys } from '../account/store.ts'
import {
  type ApprovalRule,
  EXPIRES_AFTER_DAYS,
  MAX_APPROVERS,
  MAX_DAYS,
} from '../approval/approval.ts'
import { type RuleCells, readRule } from '../approval/load.ts'
import { deleteRule, insertRule, listRules, ruleOfHistory } from '../approval/rule-store.ts'
import { conditionWords, neededWords } from '../approval/words.ts'
import { newId } from '../id.ts'
import { amountToJson } from '../money/json.ts'
import { COUNTRIES } from '../network/country.ts'
import { networkName } from '../operator/limits.ts'
import { PAYOUT_TYPES } from '../quote/quote.ts'
import {
  CommandFailed,
  findAccount,
  type Json,
  print,
  readOrRefuse,
  withContext,
} from './context.ts'
import { historyCommand } from './history.ts'
import { table } from './table.ts'

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

Examples:
  ${EXAMPLE}
  npx corridor approval-rule add --new-payee
  npx corridor approval-rule add --type swift --country US --days 5`

export function approvalRuleCommands(rule: Command): void {
  rule
    .command('add')
    .description('let payouts wait until people approve them')
    .option('--account <id>', 'only payouts of this account (default: of each account)')
    .option('--key <id>', 'only payouts that this API key makes')
    .option('--type <type>', `only of this type: ${PAYOUT_TYPES.join(', ')}`)
    .option('--network <name>', 'only over this local network, payment network or chain')
    .option('--country <code>', 'only to this country')
    .option('--paid-in <code>', 'only in this currency')
    .option('--at-least <amount>', 'only from this amount on, in major units of --currency')
    .option('--currency <code>', 'the currency of --at-least')
    .option('--new-payee', 'only to payees, as they are, to whom no payout was approved before')
    .option('--approvers <number>', `how many people approve, 1 to ${MAX_APPROVERS}`, '1')
    .option('--days <number>', `how long they can, 1 to ${MAX_DAYS}`, String(EXPIRES_AFTER_DAYS))
    .addHelpText('after', ADD_HELP)
    .action(addAction)
  rule
    .command('list')
    .description('list the rules')
    .option('--account <id>', 'only those for payouts of this account')
    .addHelpText('after', '\nExample:\n  npx corridor approval-rule list')
    .action(listAction)
  rule
    .command('remove')
    .description('remove a rule; what waits by it goes on waiting')
    .argument('<rule>', 'as corridor approval-rule list shows it')
    .addHelpText(
      'after',
      '\nExample:\n  npx corridor approval-rule remove apr_01m7xpm2m0c6hkd4r9ye',
    )
    .action(removeAction)
  historyCommand(rule, {
    table_name: 'approval_rules',
    description: 'list which rules were added and removed, newest first',
    subject: row => `payouts of ${conditionWords(ruleOfHistory(row))}`,
    describe: row => neededWords(ruleOfHistory(row)),
    example: 'approval-rule history --limit 20',
  })
}

async function addAction(options: RuleCells & Json): Promise<void> {
  const rule = await withContext(async ({ sql }) => {
    const keys = await listApiKeys(sql)
    if (options.account !== undefined) await findAccount(sql, options.account)
    const read = readOrRefuse(
      readRule(options, {
        keys: new Map(keys.map(key => [key.key_id, key.account_id])),
        types: PAYOUT_TYPES,
        countries: COUNTRIES,
        networkName,
      }),
    )
    const rule = { ...read, rule_id: newId('apr') }
    await insertRule(sql, rule)
    return rule
  })
  print(options, jsonOf(rule), wordsOf(rule))
}

async function listAction(options: Json & { readonly account?: string }): Promise<void> {
  const { account } = options
  const rules = await withContext(async ({ sql }) => {
    if (account !== undefined) await findAccount(sql, account)
    return listRules(sql)
  })
  const isOf = ({ account_id }: ApprovalRule) => account_id === null || account_id === account
  const shown = account === undefined ? rules : rules.filter(isOf)
  const rows = shown.map(rule => [rule.rule_id, conditionWords(rule), neededWords(rule)])
  const words = rows.length === 0 ? `no rule. Try ${EXAMPLE}` : table(['rule', 'of', 'needs'], rows)
  print(options, shown.map(jsonOf), words)
}

async function removeAction(rule_id: string, options: Json): Promise<void> {
  const rule = await withContext(async ({ sql }) => {
    const rule = (await listRules(sql)).find(one => one.rule_id === rule_id)
    if (rule === undefined || !(await deleteRule(sql, rule_id))) {
      throw new CommandFailed(
        `there is no rule ${rule_id}; corridor approval-rule list shows those there are`,
      )
    }
    return rule
  })
  print(options, jsonOf(rule), `removed ${wordsOf(rule)}`)
}

function wordsOf(rule: ApprovalRule): string {
  return `${rule.rule_id}: payouts of ${conditionWords(rule)} need ${neededWords(rule)}`
}

/** A rule as JSON, its amount in minor units. */
function jsonOf(rule: ApprovalRule) {
  return { ...rule, at_least: rule.at_least === null ? null : amountToJson(rule.at_least) }
}
