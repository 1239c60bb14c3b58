// Deeds of the people who run the installation. A deed is the same by a command and by the API: a
// write through a lane, and its act in the audit log.
import type { Act } from '../audit/act.ts'
import { recorded } from '../audit/recorded.ts'
import type { LongOperation, Operation } from '../engine/operation.ts'
import { Refusal } from '../errors.ts'

/** Who does it. */
export interface Operator {
  readonly name: string
  /** Whether the name is only a log-in, which several people may share. */
  readonly is_login: boolean
}

/** A write that is ready to run once, through a lane of one command. */
export interface Deed<Command, State, Outcome> {
  readonly operation: Operation<Command, State, Outcome>
  readonly command: Command
  /** The act that the audit log gets of the outcome; null: triggers write it. */
  readonly act: ((outcome: Outcome) => Act) | null
}

/** Makes a deed. The operation determines the types of the other members. */
export function deedOf<Command, State, Outcome>(
  operation: Operation<Command, State, Outcome>,
  command: NoInfer<Command>,
  act: Deed<Command, State, Outcome>['act'],
): Deed<Command, State, Outcome> {
  return { operation, command, act }
}

/** The deed's operation, which also records the act. */
export function audited<Command, State, Outcome>({
  operation,
  act,
}: Deed<Command, State, Outcome>): Operation<Command, State, Outcome> {
  return act === null ? operation : recorded(operation, made => made.map(act))
}

/** A deed whose write is too large to decide in one go. */
export interface LongDeed<Command, State, Outcome, Prepared> {
  readonly operation: LongOperation<Command, State, Outcome, Prepared>
  readonly command: Command
  readonly act: (outcome: Outcome) => Act
}

/** The kinds of objects that a call can name. */
export type Kind =
  | 'account'
  | 'approval rule'
  | 'balance transaction'
  | 'beneficiary'
  | 'entity'
  | 'file'
  | 'key'
  | 'limit'
  | 'payout'
  | 'payout batch'
  | 'payout import'
  | 'rail'
  | 'user'
  | 'webhook endpoint'

/** The refusal (404) of an id that no object of its kind has, in any account. */
export class Unknown extends Refusal {
  readonly kind: Kind
  readonly id: string
  /** Existing ids, one of which may be meant. */
  readonly known: readonly string[]

  constructor(kind: Kind, id: string, known: readonly string[] = []) {
    super([{ reason: 'not_found', message: `There is no ${kind} ${id}.`, remarks: '' }])
    this.kind = kind
    this.id = id
    this.known = known
  }
}

/** The object that was found. Refuses (404) an id that no object of its kind has. */
export function known<T>(kind: Kind, id: string, found: T | undefined): T {
  if (found !== undefined) return found
  throw new Unknown(kind, id)
}

/** The one that has this id. Refuses (404) an id that none has. */
export function knownAmong<T>(
  kind: Kind,
  id: string,
  all: readonly T[],
  idOf: (one: T) => string,
): T {
  const found = all.find(one => idOf(one) === id)
  if (found !== undefined) return found
  throw new Unknown(kind, id, all.map(idOf))
}
