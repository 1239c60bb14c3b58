// How a command fails: the errors that it throws, the line that says what went wrong, and the exit
// code.
import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import type { Read } from '../csv.ts'
import { DatabaseProblem, isConnectionLost, isOutcomeUnknown } from '../db/failure.ts'
import { CATALOGUE, Refusal } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { visible } from '../visible.ts'

/** A wrong call: printed as one line, without a stack. */
export class UsageError extends Error {}

/** The call was right but failed: printed as one line, exit code 1. */
export class CommandFailed extends Error {}

/** The value that was read. Everything wrong with it becomes one usage error. */
export function readOrRefuse<T>(read: Read<T>): T {
  if (read.messages === undefined) return read.value
  throw new UsageError(read.messages.join('; '))
}

const WRONG_CALL = new Set<string>(['invalid_field', 'invalid_path_parameter'])

/**
 * What the API refuses as bad input is a wrong call of the command; what is likely a slip may be
 * forced.
 */
export function refuseAsCommand(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  const { problems, message } = error
  if (problems.every(({ reason }) => WRONG_CALL.has(reason))) throw new UsageError(message)
  if (problems.some(({ reason }) => reason === 'likely_slip')) {
    throw new CommandFailed(`${message}; --force sets it all the same`)
  }
  throw error
}

/** Says, of what is not there, which command shows what is. */
export function pointTo(hint: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    throw new CommandFailed(`${error.message}; ${hint}`)
  }
}

/** Where to find ids. */
const WAYS_OUT = {
  account: 'corridor account list shows those there are',
  'approval rule': 'corridor approval-rule list shows those there are',
  payout: 'corridor payout list shows the newest',
  'payout batch': 'GET /v3/payout_batch lists those of an account',
  'payout import': 'corridor payout approval POT shows the import that has made a payout',
  beneficiary: 'corridor privacy find ACCOUNT finds them by name, e-mail or IBAN',
  entity: 'corridor entity list shows those that wait for review',
  rail: 'corridor rail list shows those there are',
  file: 'corridor file list shows the newest',
  limit: 'corridor limit list shows those there are',
  key: 'corridor key list ACCOUNT shows those of an account',
  user: 'corridor user list shows those there are',
  'key of a user': 'corridor user key list shows those there are',
  'webhook endpoint': 'GET /v3/webhook_endpoint lists those of an account',
  'balance transaction': 'corridor statement ACCOUNT shows those of an account',
  event: 'GET /v3/event lists those of an account',
}

export class NotThere extends CommandFailed {
  constructor(what: keyof typeof WAYS_OUT, id: string, known: readonly string[] = []) {
    super(`there is no ${what} ${id}${didYouMean(id, known) || `; ${WAYS_OUT[what]}`}`)
  }
}

/** The exit code of a command that failed or was refused. */
const FAILED = 1
/** The exit code of a wrong call or a wrong setting. */
const WRONG = 2

/** Reports what went wrong, and returns the exit code. */
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
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG
  return error instanceof UsageError || error instanceof ConfigError ? WRONG : FAILED
}

/** For a command that may do the same thing twice if it is run again. */
const UNCONFIRMED =
  'the database did not confirm it; whether it was done is not known: look whether it was, and ' +
  'run the same command again if not'

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommanderError) {
    // Commander shows the help of a group that was called without a command.
    if (error.code === 'commander.help') return 'a command is missing: corridor --help lists them'
    return error.message.replace(/^error: /, '')
  }
  if (isOutcomeUnknown(error)) return UNCONFIRMED
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}; try again`
  const { syscall, stack } = error as NodeJS.ErrnoException
  // A file or a socket: the message names it and what the system said.
  return syscall === undefined ? (stack ?? error.message) : error.message
}

/** What the rules refuse, as the API answers it. */
function errorsOf(error: unknown): readonly object[] | undefined {
  if (!(error instanceof Refusal)) return undefined
  return error.problems.map(({ reason, message, remarks }) => {
    return { code: CATALOGUE[reason].code, reason, message, remarks }
  })
}
