// GET /v3/operator/upkeep: the last proof of the books, and the last backup.
import { listLastRuns, UPKEEP_KINDS } from '../audit/upkeep-store.ts'
import { Closed, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { type DeskRoutes, listAnswer, WholeList } from './desk-routes.ts'

export const UpkeepRun = Closed(
  {
    kind: Literals(UPKEEP_KINDS),
    finished_at: Timestamp,
    well: Type.Boolean({ description: 'Whether the books are in order, or the backup is whole.' }),
    told: Type.String({ description: 'What was checked or written, in words.' }),
  },
  { title: 'UpkeepRun' },
)

export function upkeepRoutes(routes: DeskRoutes): void {
  routes.list('/v3/operator/upkeep', {
    operationId: 'listUpkeep',
    summary: 'When the books were last proved, and when a backup was last taken.',
    description:
      'By `corridor verify` of all accounts, and `corridor backup`. An external database has ' +
      'backups of its own, of which nothing is known here.',
    response: WholeList(UpkeepRun, {
      title: 'UpkeepList',
      description: 'The last run of each kind; none of a kind that never ran.',
    }),
    answer: async (_, { audit }) => listAnswer(await listLastRuns(audit)),
  })
}
