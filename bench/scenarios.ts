// The scenarios, in the order in which they run and stand in the table.
import { benchConsole } from './console.ts'
import { benchDocs } from './docs.ts'
import { benchEntities } from './entity.ts'
import type { Figure } from './figure.ts'
import { benchGrowth } from './growth.ts'
import { benchImport } from './import.ts'
import { benchMatching } from './matching.ts'
import { benchMemory } from './memory.ts'
import type { Options } from './options.ts'
import { benchPayouts } from './payout.ts'
import { benchProcesses } from './processes.ts'
import { benchQuotes } from './quote.ts'
import { benchRails } from './rails.ts'
import { benchReads } from './read.ts'
import { benchRecovery } from './recovery.ts'
import { benchScreening } from './screening.ts'
import { benchSettling } from './settle.ts'
import { benchStorage } from './storage.ts'
import { benchTreasury } from './treasury.ts'
import { benchUpkeep } from './upkeep.ts'
import { benchVerify } from './verify.ts'

export interface Scenario {
  readonly name: string
  /** For the usage text. */
  readonly measures: string
  /** About how long it takes, in minutes. */
  readonly minutes: { readonly full: number; readonly quick: number }
  /** Whether it has rows of the heap allocated for a request. */
  readonly allocates?: true
  run(options: Options): Promise<readonly Figure[]>
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'payout',
    measures: 'payouts created: a hot account, 1,000 accounts, one connection, half of the limit',
    minutes: { full: 15, quick: 3 },
    allocates: true,
    run: benchPayouts,
  },
  {
    name: 'quote',
    measures: 'quotes created, and quoted payouts',
    minutes: { full: 6, quick: 1 },
    allocates: true,
    run: benchQuotes,
  },
  {
    name: 'read',
    measures: 'payouts read by id, among a million',
    minutes: { full: 8, quick: 1 },
    allocates: true,
    run: benchReads,
  },
  {
    name: 'entity',
    measures: 'entities created and found again, on an account that has many',
    minutes: { full: 10, quick: 1 },
    run: benchEntities,
  },
  {
    name: 'settle',
    measures: 'payouts settled by the worker',
    minutes: { full: 3, quick: 1 },
    run: benchSettling,
  },
  {
    name: 'rails',
    measures: 'files for a bank sealed, its reports read, and payouts settled beside them',
    minutes: { full: 15, quick: 1 },
    run: benchRails,
  },
  {
    name: 'console',
    measures: 'pages of a million payouts, how soon they are told, and what open ones cost',
    minutes: { full: 6, quick: 1 },
    run: benchConsole,
  },
  {
    name: 'docs',
    measures: 'a search of the documentation, from the server and in Chromium',
    minutes: { full: 2, quick: 1 },
    run: benchDocs,
  },
  {
    name: 'growth',
    measures: 'payouts created and settled when tables hold 10 million',
    minutes: { full: 30, quick: 1 },
    run: benchGrowth,
  },
  {
    name: 'storage',
    measures: 'bytes on disk and in the log, and index entries, of a payout made and settled',
    minutes: { full: 1, quick: 1 },
    run: benchStorage,
  },
  {
    name: 'import',
    measures: 'payouts made from a file',
    minutes: { full: 3, quick: 1 },
    run: benchImport,
  },
  {
    name: 'processes',
    measures: 'two processes on one database against one',
    minutes: { full: 12, quick: 2 },
    run: benchProcesses,
  },
  {
    name: 'memory',
    measures: 'memory of the service under load',
    minutes: { full: 11, quick: 1 },
    run: benchMemory,
  },
  {
    name: 'screening',
    measures: 'names found among 60,000 listed ones, ordinary ones held, and the rate of payouts',
    minutes: { full: 7, quick: 2 },
    run: benchScreening,
  },
  {
    name: 'matching',
    measures: 'lines of a bank matched with open items of the books',
    minutes: { full: 3, quick: 1 },
    run: benchMatching,
  },
  {
    name: 'verify',
    measures: 'a book of a million journals verified',
    minutes: { full: 8, quick: 1 },
    run: benchVerify,
  },
  {
    name: 'upkeep',
    measures: 'what verifying, archiving the log and deriving the house cost payouts',
    minutes: { full: 6, quick: 1 },
    run: benchUpkeep,
  },
  {
    name: 'recovery',
    measures: 'ready again after kill -9 of PostgreSQL with 2 GiB of log to repeat',
    minutes: { full: 4, quick: 1 },
    run: benchRecovery,
  },
  {
    name: 'treasury',
    measures: "the house's books derived from a million journals, and a bank's statement taken",
    minutes: { full: 8, quick: 2 },
    run: benchTreasury,
  },
]
