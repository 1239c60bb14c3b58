// How a command ends that could not be done: one sentence with a way out on standard error, or one
// line of JSON with --json; exit code 1 for a failure, 2 for a wrong call. A stack only for what is
// a fault of ours.
import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { DatabaseProblem, isConnectionLost, isOutcomeUnknown } from '../db/failure.ts'
import { CATALOGUE, Refusal } from '../errors.ts'
import { CommandFailed, UsageError } from './context.ts'
import { visible } from './terminal.ts'

/** Failed, or refused. */
const FAILED = 1
/** A wrong call, or a setting that cannot be read. */
const WRONG = 2

/** What --json prints, as the member `error`. */
interface Failure {
  readonly message: string
  readonly exit_code: number
  /** Of what the rules refuse: as in an answer of the API. */
  readonly errors?: readonly object[]
}

/** Says what went wrong, and returns the exit code. */
export function report(error: unknown, json: boolean): number {
  const exit_code = exitCodeOf(error)
  if (json && exit_code !== 0) {
    const failure: Failure = { message: sentenceOf(error), exit_code, ...errorsOf(error) }
    process.stderr.write(`${visible(JSON.stringify({ error: failure }))}\n`)
  } else if (!(error instanceof CommanderError)) {
    // Commander has said it, with the help that was asked for.
    process.stderr.write(`corridor: ${sentenceOf(error)}\n`)
  }
  return exit_code
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG
  return error instanceof UsageError || error instanceof ConfigError ? WRONG : FAILED
}

/** Where nothing says that the same command does not do it twice. */
const UNCONFIRMED =
  'the database did not confirm it; whether it was done is not known: look whether it was, and ' +
  'run the same command again if not'

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommanderError) {
    // For a group of commands without one, Commander shows the help.
    if (error.code === 'commander.help') return 'a command is missing: corridor --help lists them'
    return error.message.replace(/^error: /, '')
  }
  if (isOutcomeUnknown(error)) return UNCONFIRMED
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}; try again`
  const { syscall, stack } = error as NodeJS.ErrnoException
  // A file or a socket of the operator's: the message names it, and what the system said.
  return syscall === undefined ? (stack ?? error.message) : error.message
}

function errorsOf(error: unknown): Pick<Failure, 'errors'> {
  if (!(error instanceof Refusal)) return {}
  const errors = error.problems.map(({ reason, message, remarks }) => ({
    code: CATALOGUE[reason].code,
    reason,
    message,
    remarks,
  }))
  return { errors }
}
