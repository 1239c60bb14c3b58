// How a command books money: by whom, and what it says when nobody knows whether it happened.
import type { Operation } from '../engine/operation.ts'
import { Refusal } from '../errors.ts'
import { bookMoney } from '../funding/operations.ts'
import type { Booking, Correction } from '../funding/rules.ts'
import { CommandFailed, type Context } from './context.ts'

/** `again` is the command line that books it once, however often it is run. */
export function book(
  context: Context,
  booking: Omit<Booking, 'by'>,
  again: string,
): Promise<Correction> {
  return bookOnce(context, bookMoney, { ...booking, by: context.config.user }, again)
}

export async function bookOnce<C, S>(
  context: Context,
  operation: Operation<C, S, Correction>,
  command: C,
  again: string,
): Promise<Correction> {
  try {
    return await context.write(operation, command)
  } catch (error) {
    const unknown = error instanceof Refusal && error.status === 503
    if (!unknown) throw error
    throw new CommandFailed(
      'the database did not confirm it; whether the money was booked is not known. This books it ' +
        `once, however often it is run: ${again}`,
    )
  }
}
