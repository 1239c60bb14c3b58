// GET /v3/operator/upkeep: the last proof of the books, and the last backup.
import { Closed, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { listLastRuns, UPKEEP_KINDS } from '../ledger/audit/upkeep-store.ts'
import { listAnswer, type OperatorRoutes, WholeList } from './action-routes.ts'

export const UpkeepRun = Closed(
  {
    kind: Literals(UPKEEP_KINDS),
    finished_at: Timestamp,
    well: Type.Boolean({
      description: 'Whether the books are in order, or the backup is complete.',
    }),
    told: Type.String({ description: 'What was checked or written, in words.' }),
  },
  { title: 'UpkeepRun' },
)

export function upkeepRoutes(routes: OperatorRoutes): void {
  routes.list('/v3/operator/upkeep', {
    operationId: 'listUpkeep',
    summary: 'Show when the books were last verified, and when a backup was last taken.',
    description:
      'The runs are those of `corridor verify` for all accounts, and of `corridor backup`. ' +
      'An external database has its own backups, which Corridor does not know.',
    response: WholeList(UpkeepRun, {
      title: 'UpkeepList',
      description: 'The last run of each kind; a kind that never ran is not listed.',
    }),
    answer: async (_, { audit }) => listAnswer(await listLastRuns(audit)),
  })
}
