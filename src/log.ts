// The service's log: one line of JSON for each event on standard output, or, when that is a
// terminal, one that people read. Of an error it tells an allow-list of members, as those of a
// database error hold the row that was refused: names and account numbers. Nothing that a caller
// sent is written to it.
import { type DestinationStream, type LoggerOptions, pino } from 'pino'

/** Of any error: where it comes from and what it is about, never what was in it. */
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

/** An error has a cause, which has a cause … */
const MAX_DEPTH = 4

/**
 * Where lines go that people read: a terminal; undefined for anything else. Written at once, so
 * that they keep their order with what a command prints, and none is lost at an end.
 */
export async function logForPeople(): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY) return undefined
  // Imported only now: what is not asked for takes no memory.
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

/** Without `destination` it goes to standard output. */
export function makeLog(level: string, destination?: DestinationStream) {
  return pino({ level, serializers: { err: describeError }, hooks: HOOKS }, destination)
}

/** Not written: for a library that must be given something to say. */
export const NOTHING = ''

const HOOKS: NonNullable<LoggerOptions['hooks']> = {
  /** An error logged without words would have its message, of any kind, for words. */
  logMethod(args, log) {
    const [first, ...words] = args as readonly unknown[]
    const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err
    const silent = words.length === 0 && error instanceof Error
    if (first === NOTHING) return
    const said = silent ? [first, messageOf(error)] : args
    log.apply(this, said as typeof args)
  },
  streamWrite: inOneLine,
}

/** What the log says of an error, or of whatever else was thrown. */
export function describeError(error: unknown, depth = 1): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const members = error as Error & Readonly<Record<string, unknown>>
  const told = MEMBERS.flatMap(name => {
    const value = members[name]
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : []
  })
  const inner = depth < MAX_DEPTH
  const { cause, errors } = error as Partial<AggregateError>
  return {
    type: error.name,
    message: messageOf(error),
    ...Object.fromEntries(told),
    stack: framesOf(error),
    ...(inner && cause instanceof Error ? { cause: describeError(cause, depth + 1) } : {}),
    ...(inner && Array.isArray(errors)
      ? { errors: errors.slice(0, MAX_DEPTH).map(one => describeError(one, depth + 1)) }
      : {}),
  }
}

/**
 * Classes of SQLSTATE whose messages name tables and constraints, and no values: of PostgreSQL
 * itself, appendix A, and of the triggers of our migrations. A data exception (22) quotes a value.
 */
const NAMING_CLASSES = new Set('08 0A 23 25 26 28 3D 40 42 53 54 55 57 58 XX'.split(' '))

const WITHHELD = 'withheld, as it may quote what was sent'

function messageOf(error: Error): string {
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown }
  if (severity !== undefined && !NAMING_CLASSES.has(String(code).slice(0, 2))) return WITHHELD
  // Of a text that could not be parsed it shows the beginning.
  return error instanceof SyntaxError ? WITHHELD : error.message
}

/** Where it was thrown: the stack without the message that it begins with. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  const frames = at === -1 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n')
}

/** JSON leaves these as they are, and some readers end a line, some terminals begin a command. */
function inOneLine(line: string): string {
  return line.replace(/[\u007f-\u009f\u2028\u2029]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
