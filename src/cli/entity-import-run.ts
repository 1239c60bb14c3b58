// Entities created from the rows of a file, or decided about without writing. Knows neither files
// nor how results are shown.
import { readConfined } from '../db/confine.ts'
import { databaseNow, type Sql } from '../db/connect.ts'
import { Lane } from '../engine/lane.ts'
import {
  created,
  ImportPreview,
  importedBefore,
  type Known,
  matched,
  type RowResult,
  refused,
} from '../entity/import.ts'
import { writeEntity } from '../entity/operations.ts'
import { approvalsByName, type Draft, identitiesOf } from '../entity/rules.ts'
import { findApprovals, findByIdentity, findImported } from '../entity/store.ts'
import { bookId } from '../id.ts'
import { upsertEndedReviews } from '../payout/hold-store.ts'
import { BATCH, type Importer, previewingImporter, writingImporter } from './import-run.ts'

/** Writes rows. `sql` has at least two connections, so that batches follow each other at once. */
export async function entityWriter(
  sql: Sql,
  account_id: string,
): Promise<Importer<Draft, RowResult>> {
  const lane = new Lane(sql, writeEntity(bookId, upsertEndedReviews), { max_batch: BATCH })
  const started_at = await databaseNow(sql)
  return writingImporter({
    write: (draft: Draft) =>
      lane.run({ account_id, claim: null, change: { kind: 'create', draft } }),
    written(line, _draft, { entity, did, rule }, tries): RowResult {
      if (rule !== null) return matched(line, rule, entity)
      // Of a try without an answer it is not known whether it took effect; here it did.
      const ours = tries > 1 && entity.created_at >= started_at
      return did === 'created' || ours ? created(line, entity.id) : importedBefore(line, entity)
    },
    refused,
  })
}

/** Decides about rows as they would be decided, and writes nothing. */
export function entityPreviewer(sql: Sql, account_id: string): Importer<Draft, RowResult> {
  const preview = new ImportPreview(account_id)
  return previewingImporter({
    load: (drafts: readonly Draft[]) => loadKnown(sql, account_id, drafts),
    decide: (line, draft, known) => preview.decide(line, draft, known),
    refused,
  })
}

async function loadKnown(sql: Sql, account_id: string, drafts: readonly Draft[]): Promise<Known> {
  const identities = drafts.flatMap(({ judged }) => identitiesOf(account_id, judged))
  const imports = drafts.flatMap(({ import_key }) =>
    import_key === null ? [] : [{ account_id, import_key }],
  )
  const principals = new Set(drafts.map(({ details }) => details.on_behalf_of ?? ''))
  principals.delete('')
  const [live, imported, approvals] = await readConfined(sql, [account_id], tx =>
    Promise.all([
      findByIdentity(tx, identities, 'live'),
      findImported(tx, imports),
      findApprovals(
        tx,
        [...principals].map(id => ({ account_id, id })),
      ),
    ]),
  )
  return {
    live: new Map(live.map(({ key, entity }) => [key, entity])),
    imported: new Map(imported.map(({ key, entity }) => [key, entity])),
    approvals: approvalsByName(approvals),
  }
}
