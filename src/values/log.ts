// The service's log: one line of JSON an event on standard output, or a readable line on a
// terminal. It writes no request data. It writes only the allowed members of an error: a database
// error may contain the rejected row with names and account numbers.
import { type DestinationStream, type LoggerOptions, pino } from 'pino'

/** The allowed members of an error. None holds data. */
const MEMBERS = [
  'code',
  'syscall',
  'severity',
  'schema_name',
  'table_name',
  'column_name',
  'constraint_name',
  'routine',
  'status',
] as const

/** The longest chain of causes that is written. */
const MAX_DEPTH = 4

/**
 * Opens the terminal for readable log lines; undefined when standard output is no terminal. Writes
 * synchronously: lines keep their order with a command's output, and none is lost at exit.
 */
export async function openTerminalLog(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  // Imported only here, to save its memory without a terminal.
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    destination: 1,
    sync: true,
    singleLine: true,
    colorize: process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
}

/** Writes to standard output without `destination`. */
export function makeLog(level: string, destination?: DestinationStream) {
  return pino({ level, serializers: { err: describeError }, hooks: HOOKS }, destination)
}

/** A message that the log drops, for a library that always logs one. */
export const NOTHING = ''

const HOOKS: NonNullable<LoggerOptions['hooks']> = {
  /** Without a message, pino would write the error's message, which may contain data. */
  logMethod(args, log) {
    const [first, ...rest] = args as readonly unknown[]
    const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err
    if (first === NOTHING) return
    const lacks_message = rest.length === 0 && error instanceof Error
    log.apply(this, (lacks_message ? [first, messageOf(error)] : args) as typeof args)
  },
  streamWrite: inOneLine,
}

/** The loggable members of an error, or of any other thrown value. */
export function describeError(error: unknown, depth = 1): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const members = error as Error & Readonly<Record<string, unknown>>
  const allowed = MEMBERS.flatMap(name => {
    const value = members[name]
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : []
  })
  const inner = depth < MAX_DEPTH
  const { cause, errors } = error as Partial<AggregateError>
  return {
    type: error.name,
    message: messageOf(error),
    ...Object.fromEntries(allowed),
    stack: framesOf(error),
    ...(inner && cause instanceof Error ? { cause: describeError(cause, depth + 1) } : {}),
    ...(inner && Array.isArray(errors)
      ? { errors: errors.slice(0, MAX_DEPTH).map(one => describeError(one, depth + 1)) }
      : {}),
  }
}

/**
 * Classes of SQLSTATE (PostgreSQL, appendix A, and triggers of the migrations) whose messages name
 * tables and constraints but no values. A data exception (22) quotes a value.
 */
const NAMING_CLASSES = new Set('08 0A 23 25 26 28 3D 40 42 53 54 55 57 58 XX'.split(' '))

const WITHHELD = 'withheld, as it may quote what was sent'

function messageOf(error: Error): string {
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown }
  if (severity !== undefined && !NAMING_CLASSES.has(String(code).slice(0, 2))) return WITHHELD
  // A SyntaxError quotes the beginning of the text.
  return error instanceof SyntaxError ? WITHHELD : error.message
}

/** The stack without the message that it begins with. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  const frames = at === -1 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n')
}

/** Escapes characters that JSON allows but that end a line or control a terminal. */
function inOneLine(line: string): string {
  return line.replace(/[\u007f-\u009f\u2028\u2029]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
