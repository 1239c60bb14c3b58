// Reviews an entity as the operator does by the command line: a command in the lane of entities,
// without a route for accounts.
import type { ReviewResult } from '../../../src/parties/entity/states.ts'
import { Refusal } from '../../../src/values/errors.ts'
import type { Client, TestService } from './service.ts'

/** The result as an HTTP answer: 200 with the entity, or status and reason of the refusal. */
export interface Reviewed {
  readonly status: number
  readonly reason?: string
  readonly text: string
}

export async function review(
  service: TestService,
  of: Client,
  id: string,
  status: ReviewResult,
  description = '',
): Promise<Reviewed> {
  const { account_id } = of.account
  const change = { kind: 'review', id, status, description } as const
  try {
    const command = { account_id, claim: null, change, maker: 'operator:ada' }
    const written = await service.deps.lanes.writeEntity.run(command)
    return { status: written.reply.status, text: written.reply.body }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [problem] = error.problems
    return { status: error.status, reason: String(problem?.reason), text: error.message }
  }
}
