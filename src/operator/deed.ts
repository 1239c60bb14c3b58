// What people who run the installation do, the same by a command as by the API: a write through a
// lane, and what the audit log has of it.
import type { Act } from '../audit/act.ts'
import type { LongOperation, Operation } from '../engine/operation.ts'
import { Refusal } from '../errors.ts'

/** Who does it. */
export interface Operator {
  readonly name: string
  /** Whether the name is a log-in alone, which several people may share. */
  readonly is_login: boolean
}

/** A write that is ready to run, once, through a lane of one command. */
export interface Deed<Command, State, Outcome> {
  readonly operation: Operation<Command, State, Outcome>
  readonly command: Command
  /** What the audit log has of the outcome; null: triggers write it. */
  readonly act: ((outcome: Outcome) => Act) | null
}

/** A deed by its operation, which knows the types of the others. */
export function deedOf<Command, State, Outcome>(
  operation: Operation<Command, State, Outcome>,
  command: NoInfer<Command>,
  act: Deed<Command, State, Outcome>['act'],
): Deed<Command, State, Outcome> {
  return { operation, command, act }
}

/** The same, of a write that is too large to decide in one go. */
export interface LongDeed<Command, State, Outcome, Prepared> {
  readonly operation: LongOperation<Command, State, Outcome, Prepared>
  readonly command: Command
  readonly act: (outcome: Outcome) => Act
}

/** What can be named and not be there. */
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

/** A refusal (404) of an id that nothing of its kind has, of whatever account. */
export class Unknown extends Refusal {
  readonly kind: Kind
  readonly id: string
  /** Ids that there are, of which one may be meant. */
  readonly known: readonly string[]

  constructor(kind: Kind, id: string, known: readonly string[] = []) {
    super([{ reason: 'not_found', message: `There is no ${kind} ${id}.`, remarks: '' }])
    this.kind = kind
    this.id = id
    this.known = known
  }
}

/** What was found. Refuses (404) an id that nothing of its kind has. */
export function known<T>(kind: Kind, id: string, found: T | undefined, ids?: readonly string[]): T {
  if (found !== undefined) return found
  throw new Unknown(kind, id, ids)
}
