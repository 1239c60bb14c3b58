// A write of an operator: a write through a lane, and its act in the audit log. A command and the
// operator API run the same write.
import type { Account } from '../accounts/rules.ts'
import { listAccounts } from '../accounts/store.ts'
import type { LongOperation, Operation } from '../engine/operation.ts'
import type { Act } from '../ledger/audit/act.ts'
import { recorded } from '../ledger/audit/recorded.ts'
import type { Sql } from '../sql/connect.ts'
import { findAccountOf } from '../sql/keys.ts'
import { Refusal } from '../values/errors.ts'

export interface Operator {
  readonly name: string
  /** Whether `name` is a log-in of the machine, which several people may share, and no user. */
  readonly is_login: boolean
}

/** A write that is ready to run once, through a lane of one command. */
export interface OperatorWrite<Command, State, Outcome> {
  readonly operation: Operation<Command, State, Outcome>
  readonly command: Command
  /** Makes the act in the audit log from the outcome; null when triggers write the log. */
  readonly act: ((outcome: Outcome) => Act) | null
}

export function writeOf<Command, State, Outcome>(
  operation: Operation<Command, State, Outcome>,
  command: NoInfer<Command>,
  act: OperatorWrite<Command, State, Outcome>['act'],
): OperatorWrite<Command, State, Outcome> {
  return { operation, command, act }
}

export function audited<Command, State, Outcome>({
  operation,
  act,
}: OperatorWrite<Command, State, Outcome>): Operation<Command, State, Outcome> {
  return act === null ? operation : recorded(operation, made => made.map(act))
}

/** For a write that is too large for one decision, such as that of 10,000 payouts. */
export interface LongOperatorWrite<Command, State, Outcome, Prepared> {
  readonly operation: LongOperation<Command, State, Outcome, Prepared>
  readonly command: Command
  readonly act: (outcome: Outcome) => Act
}

/** What a caller can name by id or name. */
type Kind =
  | 'account'
  | 'approval rule'
  | 'balance transaction'
  | 'beneficiary'
  | 'entity'
  | 'file'
  | 'funding key'
  | 'house journal'
  | 'key'
  | 'item'
  | 'limit'
  | 'line'
  | 'match'
  | 'nostro'
  | 'payout'
  | 'payout batch'
  | 'payout import'
  | 'rail'
  | 'sweep'
  | 'statement'
  | 'user'
  | 'webhook endpoint'

/** The refusal (404) of an id that no object has, in any account. */
export class Unknown extends Refusal {
  readonly kind: Kind
  readonly id: string
  /** Existing ids, one of which the caller may mean. */
  readonly known: readonly string[]

  constructor(kind: Kind, id: string, known: readonly string[] = []) {
    super([{ reason: 'not_found', message: `There is no ${kind} ${id}.`, remarks: '' }])
    this.kind = kind
    this.id = id
    this.known = known
  }
}

/** Refuses (404) if `found` is undefined. */
export function known<T>(kind: Kind, id: string, found: T | undefined): T {
  if (found !== undefined) return found
  throw new Unknown(kind, id)
}

/** Refuses (404) an id that none of them has. */
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

/** Refuses (404) an unknown id. */
export async function accountNamed(sql: Sql, account_id: string): Promise<Account> {
  return knownAmong('account', account_id, await listAccounts(sql), one => one.account_id)
}

const TABLES = {
  payout: 'payouts',
  entity: 'entities',
  beneficiary: 'beneficiaries',
  'webhook endpoint': 'webhook_endpoints',
} as const

/** The account of an object. Refuses (404) an unknown id. */
export async function accountIdOf(
  audit: Sql,
  kind: keyof typeof TABLES,
  id: string,
): Promise<string> {
  return known(kind, id, await findAccountOf(audit, TABLES[kind], id))
}
