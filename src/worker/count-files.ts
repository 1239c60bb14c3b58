// Counts, for metrics, the files that banks have not answered, the files that were not sent, and
// what banks have sent that was not applied.
import { countFiles, countQuarantined, listProblems } from '../bank-file/count-store.ts'
import type { Deps } from '../deps.ts'

export async function countBankFiles({ sql, metrics }: Deps): Promise<void> {
  const [files, quarantined, problems] = await Promise.all([
    countFiles(sql),
    countQuarantined(sql),
    listProblems(sql),
  ])
  metrics.bankFiles.reset()
  metrics.bankFilesOldest.reset()
  for (const { rail, state, count, unsent_s } of files) {
    metrics.bankFiles.set({ rail, state }, count)
    if (unsent_s !== null) metrics.bankFilesOldest.set({ rail }, unsent_s)
  }
  metrics.bankFilesProblem.reset()
  for (const { rail, since_s } of problems) metrics.bankFilesProblem.set({ rail }, since_s)
  metrics.bankFilesQuarantined.reset()
  for (const { rail, files, lines } of quarantined) {
    metrics.bankFilesQuarantined.set({ rail, what: 'files' }, files)
    metrics.bankFilesQuarantined.set({ rail, what: 'lines' }, lines)
  }
}
