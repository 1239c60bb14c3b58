// Makes commands of actions: their arguments and options, and what they print.
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { TSchema } from 'typebox'
import { Lane } from '../engine/lane.ts'
import {
  type Acting,
  type Action,
  type ActionGroup,
  type InCommand,
  type OperatorWrites,
  type Part,
  pageOf,
  type Writing,
} from '../operator/action.ts'
import { accountNamed, audited } from '../operator/operator-write.ts'
import { checkLines } from '../operator/request.ts'
import { isOutcomeUnknown } from '../sql/failure.ts'
import { Refusal } from '../values/errors.ts'
import { inShell } from '../values/text/shell.ts'
import {
  addCommand,
  type Context,
  operatorOf,
  personOf,
  print,
  running,
  withContext,
} from './context.ts'
import { pointTo, unconfirmed } from './failure.ts'
import { historyCommand } from './history.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, readLimit } from './input.ts'
import { addOptions, optionOf, readOptions, refuseInOptions, type Texts } from './options.ts'
import { addressFor } from './port.ts'
import { listing, outline } from './table.ts'
import { columnsOfTerminal, visible, widthOf, wrapped } from './terminal.ts'

/** What a command does besides its action, by options that the API does not have. */
export interface Besides<Read> {
  readonly options: readonly (readonly [flags: string, meaning: string])[]
  read(options: Texts, input: object): Read
  /** Follows the action, whose answer is printed already. */
  follow(context: Context, answer: unknown, read: Read): Promise<void>
}

/** An action whose name is one word is the command itself. */
export function commandsOf(
  { actions, history }: ActionGroup,
  besides: Readonly<Record<string, Besides<unknown>>> = {},
): (group: Command) => void {
  return group => {
    for (const action of actions) {
      const { name, command } = action
      if (command !== undefined) addAction(group, action, command, besides[name])
    }
    if (history !== undefined) historyCommand(group, history)
  }
}

function addAction(
  group: Command,
  action: Action,
  shown: InCommand<unknown>,
  besides?: Besides<unknown>,
): void {
  const { name, path, summary } = action
  const schema = shown.members ?? membersOf(action)
  const { arguments: placed = [], subject = group.name() } = shown
  const word = name.split(' ').slice(1).at(-1)
  const command = word === undefined ? group : addCommand(group, word, inHelp(summary))
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => id)
  for (const id of ids) {
    const meaning = shown.options?.[id] ?? `as corridor ${subject} list shows it`
    const argument = new Argument(`<${subject}>`, meaning)
    command.addArgument(argument.argParser(oneOf(wordsOfPath(action, id))))
  }
  addOptions(command, schema, shown)
  if (action.kind === 'page') {
    const { limit = DEFAULT_LIMIT } = shown
    command.option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, limit)
  }
  for (const [flags, meaning] of besides?.options ?? []) command.option(flags, meaning)
  command.addHelpText('after', shown.help).action(async () => {
    const { limit, ...options } = command.opts()
    const { processedArgs: args } = command
    const [named, texts] = [args.slice(0, ids.length), args.slice(ids.length)]
    const input = {
      ...readOptions(schema, options, placed, texts),
      ...Object.fromEntries(ids.map((id, i) => [id, named[i]])),
    }
    const act = async () => {
      checkLines(input)
      const read = besides?.read(options, input)
      await withContext(async context => {
        const { found, answer, said } = await perform(context, action, input, limit)
        const none = typeof shown.none === 'function' ? shown.none(input) : shown.none
        const words = shown.words(found, said)
        if (typeof words === 'object' && 'exact' in words && !running.json) {
          process.stdout.write(words.exact)
          return
        }
        const all = wordsOf(words, none) + moreOf(action, found)
        print(shown.json === undefined ? answer : shown.json(found), all)
        await besides?.follow(context, answer, read)
      })
    }
    await act().catch(refuse(group, schema, shown))
  })
}

/** What the path may have there; undefined for any text. */
function wordsOfPath(action: Action, id: string): readonly string[] | undefined {
  const params = action.kind === 'page' ? undefined : action.params
  const { properties } = (params ?? {}) as { properties?: Readonly<Record<string, TSchema>> }
  return (properties?.[id] as { enum?: readonly string[] } | undefined)?.enum
}

/** Refuses a text that is none of the words. The help of the command tells what each is. */
const oneOf = (words: readonly string[] | undefined) => (text: string) => {
  if (words === undefined || words.includes(text)) return text
  throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`)
}

function moreOf({ kind }: Action, found: unknown): string {
  const has_more = kind === 'page' && (found as { readonly has_more: boolean }).has_more
  return has_more ? `\n\nand more: --limit shows up to ${MAX_LIMIT}` : ''
}

/** The schema whose members are options. The limit of a page is an option of its own. */
function membersOf(action: Action): TSchema | undefined {
  if (action.kind === 'write') return action.body
  if (action.kind === 'read') return action.query
  const { properties } = action.query as { properties?: Readonly<Record<string, TSchema>> }
  const { limit: _, ...others } = properties ?? {}
  return { ...action.query, properties: others }
}

function wordsOf(words: ReturnType<InCommand<unknown>['words']>, none?: string): string {
  if (typeof words === 'string') return safe(words)
  if ('exact' in words) return words.exact
  if ('parts' in words) return words.parts.map(partWords).join('\n')
  if (!('rows' in words)) return listing(words, none)
  const { head, rows, tail } = words
  const parts = [head && safe(head), listing(rows, none), tail && safe(tail)]
  return parts.filter(part => part !== undefined).join('\n')
}

/** Words of other people are safe for a terminal, and as wide as it is. */
function safe(words: string): string {
  const columns = columnsOfTerminal()
  const lines = words.split('\n').map(visible)
  return lines.flatMap(line => (widthOf(line) <= columns ? line : broken(line, columns))).join('\n')
}

/** The line in several, without its runs of blanks; a command to copy stays whole. */
function broken(line: string, columns: number): string[] {
  return line.startsWith('  corridor ') ? [line] : wrapped(line.split(/ +/), { columns })
}

function partWords(part: Part): string {
  if (typeof part === 'string') return safe(part)
  return 'rows' in part ? listing(part.rows, part.none) : outline(part.outline).join('\n')
}

function inHelp(summary: string): string {
  return `${summary.slice(0, 1).toLowerCase()}${summary.slice(1).replace(/\.$/, '')}`
}

/** `answer` is for --json; `said` is one line for each thing that the action has said. */
async function perform(context: Context, action: Action, input: object, limit: number) {
  const { audit, sql, config } = context
  if (action.kind === 'write') {
    await action.command?.prepare?.(sql, config)
    return write(context, action, input)
  }
  if (action.kind === 'read') {
    const found = await action.find(audit, input)
    return { found, answer: action.present === undefined ? found : action.present(found), said: '' }
  }
  // A mistyped account has no objects, and an empty list would not say why.
  const { account_id } = input as { readonly account_id?: string }
  if (account_id !== undefined) await accountNamed(audit, account_id)
  const found = pageOf(await action.find(audit, input, limit), limit)
  const results = found.rows.map(action.present)
  return { found, answer: { object: 'list', has_more: found.has_more, results }, said: '' }
}

async function write(context: Context, action: Writing, input: object) {
  if (action.byPerson === true) personOf(context)
  const said: string[] = []
  const { acting, close } = actingIn(context, words => void said.push(words))
  try {
    const answer = await action.run(acting, input)
    return { found: answer, answer, said: said.join('\n') }
  } finally {
    await close()
  }
}

/** A new limit counts the last payouts of thousands of accounts, in one transaction. */
const MAX_WAIT_MS = 120_000

function actingIn(
  context: Context,
  say: (words: string) => void,
): { acting: Acting<object>; close(): Promise<void> } {
  const { sql, audit, config } = context
  const run: Acting<object>['run'] = write =>
    new Lane(sql, audited(write), { max_batch: 1, max_wait_ms: MAX_WAIT_MS }).run(write.command)
  // Few actions need prices, and reading them takes a moment.
  let opened: Promise<typeof import('../runtime/reference.ts')> | undefined
  let reference: ReturnType<typeof import('../runtime/reference.ts')['openReference']> | undefined
  const open = async () => {
    opened ??= import('../runtime/reference.ts')
    reference ??= (await opened).openReference(sql)
    return reference
  }
  const acting: Acting<object> = {
    operator: operatorOf(context),
    audit,
    kept: () => Promise.resolve(null),
    keptOf: () => Promise.resolve(null),
    change: work => work(sql),
    changeIfAny: work => work(sql),
    run,
    show: answer => answer,
    runShown: async (operation, command, present) =>
      present(await run({ operation, command, act: null })),
    ...writesOf(context),
    pricing: async version => (await open()).pricing(version),
    askPassword() {},
    askOther() {},
    origin: () => addressFor(config),
    say,
    warn: words => void process.stderr.write(`corridor: warning: ${words}\n`),
  }
  return { acting, close: async () => (await reference)?.close() }
}

export function writesOf({ run, runLong }: Context): OperatorWrites<object> {
  return {
    write: async (write, { answer, inCommand = answer, once }) =>
      inCommand(await run(write).catch(error => refuseUnconfirmed(error, once))),
    longWrite: async (write, { answer, inCommand = answer }) => inCommand(await runLong(write)),
  }
}

/** Rethrows the error; one that does not tell the outcome with the command that does it once. */
function refuseUnconfirmed(error: unknown, once?: Readonly<Record<string, string>>): never {
  if (once === undefined || !isOutcomeUnknown(error)) throw error
  const words = running.words.map(word => (/^[\w.-]+$/.test(word) ? word : inShell(word)))
  const more = Object.entries(once).flatMap(([name, value]) => [optionOf(name), value])
  throw unconfirmed(['corridor', ...words, ...more].join(' '))
}

/** Rethrows a refusal: of an unknown object with a hint, of members in the words of options. */
function refuse(
  group: Command,
  schema: TSchema | undefined,
  { arguments: placed, listed }: InCommand<unknown>,
): (error: unknown) => never {
  return error => {
    const has_list = group.commands.some(command => command.name() === 'list')
    const list = listed ?? (has_list ? `${group.name()} list` : undefined)
    if (list !== undefined && error instanceof Refusal && error.status === 404) {
      return pointTo(`corridor ${list} shows them`)(error)
    }
    return refuseInOptions(schema, placed)(error)
  }
}
