// Makes commands of actions: their arguments and options, and what they print.
import type { Command } from 'commander'
import type { TSchema } from 'typebox'
import { Lane } from '../engine/lane.ts'
import { Refusal } from '../errors.ts'
import type { Acting, Action, ActionGroup } from '../operator/action.ts'
import { audited } from '../operator/deed.ts'
import { addCommand, type Context, operatorOf, personOf, print, withContext } from './context.ts'
import { pointTo } from './failure.ts'
import { historyCommand } from './history.ts'
import { addOptions, readOptions, refuseInOptions } from './options.ts'
import { listing } from './table.ts'

/** Gives the command of a group a command for each action, and one for the history. */
export function commandsOf({ actions, history }: ActionGroup): (group: Command) => void {
  return group => {
    for (const action of actions) addAction(group, action)
    if (history !== undefined) historyCommand(group, history)
  }
}

function addAction(group: Command, action: Action): void {
  const { name, path, summary, command: shown } = action
  const schema = action.kind === 'read' ? action.query : action.body
  const command = addCommand(group, name.split(' ').at(-1) ?? '', inHelp(summary))
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => id)
  for (const _ of ids) {
    command.argument(`<${group.name()}>`, `as corridor ${group.name()} list shows it`)
  }
  addOptions(command, schema, shown)
  command.addHelpText('after', shown.help).action(async () => {
    const [named, placed] = [command.args.slice(0, ids.length), command.args.slice(ids.length)]
    const input = {
      ...readOptions(schema, command.opts(), shown.arguments, placed),
      ...Object.fromEntries(ids.map((id, i) => [id, named[i]])),
    }
    const { answer, said } = await withContext(context => perform(context, action, input)).catch(
      refuse(group, schema, shown.arguments),
    )
    const words = wordsOf(shown.words(answer, said), shown.none)
    print(shown.json === undefined ? answer : shown.json(answer), words)
  })
}

function wordsOf(words: ReturnType<Action['command']['words']>, none?: string): string {
  if (typeof words === 'string') return words
  if (!('rows' in words)) return listing(words, none)
  const { head, rows, tail } = words
  return [head, listing(rows, none), tail].filter(part => part !== undefined).join('\n')
}

/** `list the limits`, of `List the limits.` */
function inHelp(summary: string): string {
  return `${summary.slice(0, 1).toLowerCase()}${summary.slice(1).replace(/\.$/, '')}`
}

interface Performed {
  readonly answer: unknown
  /** What the action has said, one line each. */
  readonly said: string
}

async function perform(context: Context, action: Action, input: object): Promise<Performed> {
  if (action.kind === 'read') return { answer: await action.find(context.audit, input), said: '' }
  if (action.byPerson === true) personOf(context)
  const said: string[] = []
  const { acting, close } = actingIn(context, words => void said.push(words))
  try {
    return { answer: await action.run(acting, input), said: said.join('\n') }
  } finally {
    await close()
  }
}

/** A new limit counts the last payouts of thousands of accounts, in one transaction. */
const MAX_WAIT_MS = 120_000

/** Acts on the connections of a command, which keeps no answers. */
function actingIn(
  context: Context,
  say: (words: string) => void,
): { acting: Acting<object>; close(): Promise<void> } {
  const { sql, audit } = context
  const run: Acting<object>['run'] = deed =>
    new Lane(sql, audited(deed), { max_batch: 1, max_wait_ms: MAX_WAIT_MS }).run(deed.command)
  // Few actions need prices, and reading them takes a moment.
  let opened: Promise<typeof import('../reference.ts')> | undefined
  let reference: ReturnType<typeof import('../reference.ts')['openReference']> | undefined
  const open = async () => {
    opened ??= import('../reference.ts')
    reference ??= (await opened).openReference(sql)
    return reference
  }
  const acting: Acting<object> = {
    operator: operatorOf(context),
    audit,
    kept: () => Promise.resolve(null),
    change: work => work(sql),
    changeIfAny: work => work(sql),
    run,
    runShown: async (operation, command, present) =>
      present(await run({ operation, command, act: null })),
    pricing: async version => (await open()).pricing(version),
    askPassword() {},
    say,
  }
  return { acting, close: async () => (await reference)?.close() }
}

/** Rethrows a refusal: of an unknown object with a hint, of members in the words of options. */
function refuse(
  group: Command,
  schema: TSchema | undefined,
  placed: readonly string[] | undefined,
): (error: unknown) => never {
  return error => {
    const has_list = group.commands.some(command => command.name() === 'list')
    if (has_list && error instanceof Refusal && error.status === 404) {
      return pointTo(`corridor ${group.name()} list shows them`)(error)
    }
    return refuseInOptions(schema, placed)(error)
  }
}
