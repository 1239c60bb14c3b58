// How a command fails: its errors, the sentence that says what went wrong, and the exit code.
import { CommanderError } from 'commander'
import { ConfigError } from '../config/variables.ts'
import { DatabaseProblem, isConnectionLost, isOutcomeUnknown } from '../sql/failure.ts'
import { CATALOGUE, Refusal } from '../values/errors.ts'
import type { Read } from '../values/text/csv.ts'
import { didYouMean } from '../values/text/nearest.ts'
import { visible } from '../values/text/visible.ts'

/** A wrong call: one line without a stack; the exit code is 2. */
export class UsageError extends Error {}

/** A correct call that failed: one line; the exit code is 1. */
export class CommandFailed extends Error {}

/** @throws UsageError with all problems of the value */
export function readOrRefuse<T>(read: Read<T>): T {
  if (read.messages === undefined) return read.value
  throw new UsageError(read.messages.join('; '))
}

/** The reasons of refusals that are wrong calls here. */
const USAGE_REASONS = new Set<string>(['invalid_field', 'invalid_path_parameter'])

/** Bad input becomes a usage error; a likely mistake gets a hint at --force. */
export function refuseAsCommand(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  const { problems, message } = error
  if (problems.every(({ reason }) => USAGE_REASONS.has(reason))) throw new UsageError(message)
  if (problems.some(({ reason }) => reason === 'likely_mistake')) {
    throw new CommandFailed(`${message}; --force sets it all the same`)
  }
  throw error
}

/** The hint is the command that lists the known objects. */
export function pointTo(hint: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    throw new CommandFailed(`${error.message.replace(/\.$/, '')}; ${hint}`)
  }
}

/** `retry` is the command that books it once, however often it runs. */
export function unconfirmed(retry: string): CommandFailed {
  return new CommandFailed(
    'the database did not confirm it; whether the money was booked is not known. This books it ' +
      `once, however often it is run: ${retry}`,
  )
}

/** What lists the ids of each kind of object. */
const ID_HINTS = {
  account: 'corridor account list shows those there are',
  'approval rule': 'corridor approval-rule list shows those there are',
  payout: 'corridor payout list shows the newest',
  'payout batch': 'GET /v3/payout_batch lists those of an account',
  'payout import': 'corridor payout approval POT shows the import that has made a payout',
  beneficiary: 'corridor privacy find ACCOUNT finds them by name, e-mail or IBAN',
  entity: 'corridor entity list shows those that wait for review',
  rail: 'corridor rail list shows those there are',
  sweep: 'corridor rail sweeps shows those of a rail',
  file: 'corridor file list shows the newest',
  'funding key': 'corridor funding-key list shows those there are',
  'house journal': 'corridor house list shows the newest',
  limit: 'corridor limit list shows those there are',
  nostro: 'corridor nostro list shows those there are',
  line: 'corridor nostro lines NAME shows those that are open',
  item: 'corridor nostro items NAME shows those that are open',
  match: 'corridor nostro lines NAME --state matched shows those of its lines',
  statement: 'corridor nostro statements NAME shows those there are',
  key: 'corridor key list ACCOUNT shows those of an account',
  user: 'corridor user list shows those there are',
  'key of a user': 'corridor user key list shows those there are',
  'webhook endpoint': 'GET /v3/webhook_endpoint lists those of an account',
  'balance transaction': 'corridor statement ACCOUNT shows those of an account',
  event: 'GET /v3/event lists those of an account',
}

/** `known` are existing ids, one of which may be meant. */
export class NotFound extends CommandFailed {
  constructor(kind: keyof typeof ID_HINTS, id: string, known: readonly string[] = []) {
    super(`there is no ${kind} ${id}${didYouMean(id, known) || `; ${ID_HINTS[kind]}`}`)
  }
}

const FAILED = 1
const WRONG_CALL = 2

/** Returns the exit code. */
export function report(error: unknown, json: boolean): number {
  const exit_code = exitCodeOf(error)
  if (json && exit_code !== 0) {
    const failure = { message: sentenceOf(error), exit_code, errors: errorsOf(error) }
    process.stderr.write(`${visible(JSON.stringify({ error: failure }))}\n`)
  } else if (!(error instanceof CommanderError)) {
    // Commander has already reported its own errors.
    process.stderr.write(`corridor: ${sentenceOf(error)}\n`)
  }
  return exit_code
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_CALL
  return error instanceof UsageError || error instanceof ConfigError ? WRONG_CALL : FAILED
}

/** The command may act twice if it is run again. */
const UNCONFIRMED =
  'the database did not confirm it; whether it was done is not known: look whether it was, and ' +
  'run the same command again if not'

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommanderError) {
    // Commander shows the help of a group that is called without a command.
    if (error.code === 'commander.help') return 'a command is missing: corridor --help lists them'
    return error.message.replace(/^error: /, '')
  }
  if (isOutcomeUnknown(error)) return UNCONFIRMED
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}; try again`
  const { syscall, stack } = error as NodeJS.ErrnoException
  // For a file or a socket, the message names it and has the system's words.
  return syscall === undefined ? (stack ?? error.message) : error.message
}

function errorsOf(error: unknown): readonly object[] | undefined {
  if (!(error instanceof Refusal)) return undefined
  return error.problems.map(({ reason, message, remarks }) => {
    return { code: CATALOGUE[reason].code, reason, message, remarks }
  })
}
