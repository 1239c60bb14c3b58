// A nostro's own rules: which lines of its bank are costs, interest or transfers.
import type { Static } from 'typebox'
import { Closed, Literals, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import {
  checkRule,
  MAX_PATTERN,
  MAX_RULES,
  type NostroRule,
  RULE_BOOKINGS,
  ruleWords,
} from '../treasury/match/nostro-rule.ts'
import type { Nostro } from '../treasury/nostro.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { reading, writing } from './action.ts'
import { changeNostro, NostroPath, nostroNamed } from './nostro-changes.ts'

const PATTERN = { minLength: 1, maxLength: MAX_PATTERN }
const RULE = {
  code: Type.String({
    ...PATTERN,
    description: 'The bank’s code of the transaction; `*` is any characters.',
    examples: ['PMNT/*/CHRG'],
  }),
  text: Type.String({
    ...PATTERN,
    description: 'What the text of the line says; `*` is any characters.',
    examples: ['*ACCOUNT FEE*'],
  }),
  to: Text(40, { description: 'The other account at a bank, of a transfer.' }),
}
const As = Literals(RULE_BOOKINGS, { description: 'What such a line is.' })

export const RuleResponse = Type.Object(
  {
    number: Type.Integer({ description: 'Its place; the first rule that fits a line books it.' }),
    as: As,
    ...optional(RULE),
  },
  { title: 'NostroRule', description: 'A rule by which lines of a bank are booked.' },
)

const AddRuleRequest = Closed(
  { as: As, ...optional(RULE) },
  {
    title: 'AddNostroRule',
    description: 'A line must fit the code and the text, where both are set.',
  },
)

export const rules = reading({
  name: 'nostro rules',
  path: '/v3/operator/nostro/:name/rule',
  operationId: 'listNostroRules',
  summary: 'List the rules by which lines of a bank are booked without an item.',
  params: NostroPath,
  response: RuleResponse,
  list: true,
  find: async (audit, { name }) => rulesOf(await nostroNamed(audit, name)).map(presentRule),
  command: {
    words: all =>
      all.map(({ number, ...rule }) => ({ number: String(number), rule: ruleWords(rule) })),
    none: 'no rule: corridor nostro add-rule adds one',
    help: '\nExample:\n  corridor nostro rules eur_main',
  },
})

const ADD_HELP = `
A line that the rule fits is booked in the books of the house, unless it names
an open item by its key. A pattern must fit the whole text: *FEE* fits each text
with FEE in it. Capital letters do not count.

Examples:
  corridor nostro add-rule eur_main --text "*ACCOUNT FEE*" --as cost
  corridor nostro add-rule eur_main --code "ACMT/*" --as interest
  corridor nostro add-rule eur_main --text "*SWEEP*" --as transfer --to eur_own`

export const addRule = writing({
  name: 'nostro add-rule',
  path: '/v3/operator/nostro/:name/rule',
  operationId: 'addNostroRule',
  summary: 'Add a rule by which lines of a bank are booked without an item.',
  params: NostroPath,
  body: AddRuleRequest,
  response: RuleResponse,
  refusals: ['object_full'],
  asksPassword: true,
  run: (acting, { name, ...asked }) => acting.change(sql => add(sql, name, asked)),
  command: {
    words: ({ number, ...rule }) => `rule ${number}: ${ruleWords(rule)}`,
    help: ADD_HELP,
  },
})

export const removeRule = writing({
  name: 'nostro remove-rule',
  path: '/v3/operator/nostro/:name/rule/remove',
  operationId: 'removeNostroRule',
  summary: 'Remove a rule by which lines of a bank are booked. What it has booked stays.',
  params: NostroPath,
  body: Closed(
    {
      number: Type.Integer({
        ...{ minimum: 1, maximum: MAX_RULES },
        description: 'The number of the rule, as the list shows it.',
      }),
    },
    { title: 'RemoveNostroRule' },
  ),
  response: RuleResponse,
  asksPassword: true,
  run: (acting, { name, number }) => acting.change(sql => remove(sql, name, number)),
  command: {
    words: ({ number, ...rule }) => `removed rule ${number}: ${ruleWords(rule)}`,
    arguments: ['number'],
    help: '\nExample:\n  corridor nostro remove-rule eur_main 2',
  },
})

function rulesOf({ settings }: Nostro): readonly NostroRule[] {
  return (settings.rules ?? []) as unknown as readonly NostroRule[]
}

const presentRule = (rule: NostroRule, place: number) => ({ number: place + 1, ...rule })

async function add(sql: Sql, name: string, asked: Static<typeof AddRuleRequest>) {
  const { as, code, text, to } = asked
  const rule: NostroRule = { as, ...omitUndefined({ code, text, to }) }
  checkRule(rule)
  const changed = await changeNostro(sql, name, ({ nostro, others }) => {
    if (to !== undefined) checkOther(nostro, others, to)
    const all = rulesOf(nostro)
    if (all.length >= MAX_RULES) {
      throw refusal('object_full', `${name} has ${MAX_RULES} rules already: remove one.`)
    }
    return withRules(nostro, [...all, rule])
  })
  return presentRule(rule, rulesOf(changed).length - 1)
}

function checkOther(nostro: Nostro, others: readonly Nostro[], to: string): void {
  const other = others.find(({ name }) => name === to)
  const isFit = other?.closed_at === null && other.currency === nostro.currency
  const message = `${to} is no other open account at a bank in ${nostro.currency}.`
  refuseIfAny(isFit ? [] : [invalidField('to', message)])
}

async function remove(sql: Sql, name: string, number: number) {
  let removed: NostroRule | undefined
  await changeNostro(sql, name, ({ nostro }) => {
    const all = rulesOf(nostro)
    removed = all[number - 1]
    if (removed === undefined) {
      throw refusal('not_found', `${name} has no rule ${number}.`, 'number')
    }
    return withRules(
      nostro,
      all.filter(one => one !== removed),
    )
  })
  return presentRule(removed as NostroRule, number - 1)
}

function withRules(nostro: Nostro, rules: readonly NostroRule[]): Nostro {
  const all = rules.map(rule => ({ ...rule }) as Readonly<Record<string, string>>)
  return { ...nostro, settings: { ...nostro.settings, rules: all } }
}
