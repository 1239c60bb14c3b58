// Runs an operator's commands in the test's own process.
import assert from 'node:assert/strict'
import type { AccountState } from '../../../src/accounts/states.ts'
import { listUsers } from '../../../src/accounts/user/store.ts'
import { type Context, onDatabase, personOf } from '../../../src/cli/context.ts'
import type { Operation } from '../../../src/engine/operation.ts'
import { changeState, type OpenedAccount } from '../../../src/operator/account-operations.ts'
import { bookingWrite, reversalWrite } from '../../../src/operator/funding.ts'
import type { OperatorWrite } from '../../../src/operator/operator-write.ts'
import { eraseParty } from '../../../src/privacy/operations.ts'
import { findPartyAccount } from '../../../src/privacy/store.ts'
import type { BookingKind, BookingOutcome } from '../../../src/statements/funding/rules.ts'
import { newId } from '../../../src/values/id.ts'
import type { TestService } from './service.ts'

/** What the commands of a person run on, until `close`. */
export async function openContext({ deps, database }: TestService, user: string) {
  const opened = Promise.withResolvers<Context>()
  const closed = Promise.withResolvers<void>()
  const config = { ...deps.config, user, user_is_login: false }
  const ended = onDatabase(config, database.url, context => {
    opened.resolve(context)
    return closed.promise
  })
  ended.catch(opened.reject)
  const close = () => {
    closed.resolve()
    return ended
  }
  return { context: await opened.promise, close }
}

/** Erases as `corridor privacy erase` does. */
export async function eraseBy(context: Context, id: string, reason = 'Request 118'): Promise<void> {
  const account_id = (await findPartyAccount(context.audit, id)) ?? assert.fail(`no ${id}`)
  const command = { account_id, id, person: personOf(context), reason }
  await context.run({ operation: eraseParty, command, act: null })
}

/**
 * Runs an operation as the first operator among the users, or without a user when there is none.
 */
export function operate<C, S, O>(
  service: TestService,
  operation: Operation<C, S, O>,
  command: C,
): Promise<O> {
  return operateWrite(service, { operation, command, act: null })
}

/** Runs a write with its act, in the same way. */
export async function operateWrite<C, S, O>(
  { deps, database }: TestService,
  write: OperatorWrite<C, S, O>,
): Promise<O> {
  const user = (await listUsers(deps.sql)).find(({ role }) => role === 'operator')?.name
  const named = user === undefined ? {} : { user, user_is_login: false }
  const config = { ...deps.config, ...named }
  return onDatabase(config, database.url, context => context.run(write))
}

export function setState(service: TestService, { account }: OpenedAccount, to: AccountState) {
  const change = { account_id: account.account_id, to, reason: 'Test' }
  return operate(service, changeState, change)
}

/** Books an amount in US cents, negative for money that leaves. */
export function bookUsd(
  service: TestService,
  { account }: OpenedAccount,
  kind: BookingKind,
  amount: bigint,
  reference: string = newId('req'),
): Promise<BookingOutcome> {
  const source = newId(kind === 'funding' ? 'esc' : kind === 'withdrawal' ? 'wdr' : 'adj')
  const money = { account_id: account.account_id, currency: 'USD', amount, source }
  const booking = { kind, ...money, reference, reason: 'Test' }
  return operateWrite(service, bookingWrite('tester', booking))
}

export async function reverse(service: TestService, _: OpenedAccount, id: string) {
  return operateWrite(service, await reversalWrite(service.database.owner, 'tester', id, 'Test'))
}
