// Payouts made from the rows of a file, or decided about without writing. Knows neither files nor
// how results are shown.
import type { Account } from '../account/rules.ts'
import { readConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { transact } from '../db/transact.ts'
import { Lane } from '../engine/lane.ts'
import { HashNumbers } from '../entity/hash-numbers.ts'
import { type Problem, Refusal } from '../errors.ts'
import { nameOf } from '../id.ts'
import { bookOf } from '../ledger/rules.ts'
import { accountNow } from '../ledger/store.ts'
import type { PayoutReference } from '../payout/create-operation.ts'
import {
  type Cost,
  type ImportedPayout,
  importedBeforeRow,
  madeRow,
  type PayoutDraft,
  type PayoutRowResult,
  refusedPayoutRow,
  wouldBeMadeRow,
} from '../payout/import.ts'
import {
  type ImportOperation,
  type ImportOutcome,
  type ImportState,
  importCommand,
  importPayout,
} from '../payout/import-operations.ts'
import { BATCH, type Importer, previewingImporter, writingImporter } from './import-run.ts'

type PayoutImporter = Importer<PayoutDraft, PayoutRowResult>

/** Who pays, as it is at that moment, and what payouts are decided with. */
export interface Paying {
  readonly account_id: string
  account(): Account
  readonly reference: PayoutReference
}

/** Makes payouts. `sql` has at least two connections, so that batches follow each other at once. */
export async function payoutWriter(sql: Sql, paying: Paying): Promise<PayoutImporter> {
  const lane = new Lane(sql, importPayout(paying.reference), { max_batch: BATCH })
  const started_at = await readConfined(sql, [paying.account_id], tx =>
    accountNow(tx, paying.account_id),
  )
  return writingImporter({
    write: async (draft: PayoutDraft) => lane.run(importCommand(paying.account(), draft)),
    written(line, draft, { made, payout }: ImportOutcome, tries): PayoutRowResult {
      // Of a try without an answer it is not known whether it took effect; here it did.
      const ours = made !== null || (tries > 1 && payout.created_at >= started_at)
      return ours ? madeRow(line, draft, payout) : importedBeforeRow(line, payout)
    },
    refused: refusedPayoutRow,
  })
}

/** Decides about rows as they would be decided, in order, on a state that is never stored. */
export function payoutPreviewer(
  sql: Sql,
  paying: Paying,
  onBalances: (available: ReadonlyMap<string, bigint>) => void,
): PayoutImporter {
  const preview = new PayoutPreview(importPayout(paying.reference))
  let told = false
  return previewingImporter({
    async load(drafts: readonly PayoutDraft[]) {
      const account = paying.account()
      const state = await preview.load(sql, account, drafts)
      return { account, state, begun: false }
    },
    decide(line, draft, batch) {
      if (!told) onBalances(bookOf(batch.state.inner.books, paying.account_id).balances)
      told = true
      if (!batch.begun) preview.begin(batch.state, batch.account)
      batch.begun = true
      return preview.decide(line, draft, batch.account, batch.state)
    },
    refused: refusedPayoutRow,
  })
}

/** Stands for a payout that would have been made by then. */
const NOT_WRITTEN: ImportedPayout = {
  payout_id: '',
  status: 'processing',
  created_at: '',
  currency: '',
  amount: 0n,
  holding_currency: '',
  total_debit: 0n,
}

/** More than any balance. */
const UNLIMITED = 1n << 62n

/** What later batches must see of rows that were decided about and not written. */
class PayoutPreview {
  readonly #operation: ImportOperation
  readonly #balances = new Map<string, bigint>()
  /** Lines by the key of a payment. */
  readonly #payments = new HashNumbers()
  readonly #used_quotes = new Set<string>()

  constructor(operation: ImportOperation) {
    this.#operation = operation
  }

  /** Holds the lock of the book for the length of these reads. */
  load(sql: Sql, account: Account, drafts: readonly PayoutDraft[]): Promise<ImportState> {
    const { prepare, load } = this.#operation
    const commands = drafts.map(draft => importCommand(account, draft))
    return transact(sql, async tx => load(tx, commands, await prepare?.(tx, commands)))
  }

  /** To be told before the first row of a batch, after the last one of the batch before. */
  begin({ inner }: ImportState, { account_id }: Account): void {
    const { balances } = bookOf(inner.books, account_id)
    for (const [currency, left] of this.#balances) balances.set(currency, left)
    for (const name of this.#used_quotes) {
      const quote = inner.quotes.get(name)
      if (quote !== undefined) inner.quotes.set(name, { ...quote, status: 'used' })
    }
  }

  decide(line: number, draft: PayoutDraft, account: Account, state: ImportState): PayoutRowResult {
    const { keys } = draft
    const { account_id } = account
    const command = importCommand(account, draft)
    const earlier = keys.payment_before
    if (earlier !== null && this.#payments.get(earlier) !== 0) {
      state.imported.set(nameOf({ account_id, id: earlier }), NOT_WRITTEN)
    }
    try {
      const { made, payout } = this.#operation.decide(state, command)
      if (made === null) return importedBeforeRow(line, payout)
      state.fresh.length = 0
      this.#payments.set(keys.payment, line)
      if (made.used_quote !== null) this.#used_quotes.add(nameOf(made.used_quote))
      for (const [currency, left] of bookOf(state.inner.books, account_id).balances) {
        this.#balances.set(currency, left)
      }
      return wouldBeMadeRow(line, draft, payout)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const cost = lacksMoney(error.problems) ? this.#costOf(state, command) : null
      return refusedPayoutRow(line, error.problems, cost)
    }
  }

  /** What the row would cost, decided once more, aside, with all the money there could be. */
  #costOf(state: ImportState, command: ReturnType<typeof importCommand>): Cost | null {
    const { inner } = state
    const book = bookOf(inner.books, command.account_id)
    const balances = new Map([...book.balances.keys()].map(code => [code, UNLIMITED]))
    const rich = { ...book, balances, changed: new Set<string>() }
    const aside: ImportState = {
      imported: new Map(state.imported),
      fresh: [],
      inner: {
        ...inner,
        books: new Map([...inner.books, [command.account_id, rich]]),
        quotes: new Map(inner.quotes),
        likenesses: new Map(inner.likenesses),
        references: new Set(inner.references),
      },
    }
    return this.#operation.decide(aside, command).payout
  }
}

function lacksMoney(problems: readonly Problem[]): boolean {
  return problems.some(({ reason }) => reason === 'insufficient_balance')
}
