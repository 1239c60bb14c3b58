// GET /v3/operator/upkeep.
import type { FastifyInstance } from 'fastify'
import { listLastRuns, UPKEEP_KINDS } from '../audit/upkeep-store.ts'
import { sendList, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { OfDesk } from './desk.ts'

export const UpkeepRun = Closed(
  {
    kind: Literals(UPKEEP_KINDS),
    finished_at: Timestamp,
    well: Type.Boolean({ description: 'Whether the books are in order, or the backup is whole.' }),
    told: Type.String({ description: 'What was checked or written, in words.' }),
  },
  { title: 'UpkeepRun' },
)

const UpkeepList = Type.Object(
  { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(UpkeepRun) },
  { title: 'UpkeepList', description: 'The last run of each kind; none of a kind that never ran.' },
)

export function upkeepRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/upkeep',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listUpkeep',
        summary: 'When the books were last proved, and when a backup was last taken.',
        description:
          'By `corridor verify` of all accounts, and `corridor backup`. An external database has ' +
          'backups of its own, of which nothing is known here.',
        response: Envelope(UpkeepList),
        refusals: [],
      }),
    },
    async (request, reply) => {
      const results = await listLastRuns(deps.desk.audit)
      return sendList(request, reply, success({ object: 'list', has_more: false, results }))
    },
  )
}
