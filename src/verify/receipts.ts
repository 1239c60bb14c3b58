// Compares payouts to another account with the receipts in that account's book.
import { POSTING_COLUMNS, type PostingColumns } from '../ledger/store.ts'
import { receiptPostings } from '../payouts/postings.ts'
import { MAX_NAMED } from './problem.ts'
import {
  journalProblem,
  ofAccount,
  otherPostings,
  payoutProblem,
  postingsText,
  rowsOf,
  STATED_PAYOUTS,
  statement,
  type Verification,
} from './rows.ts'
import { checkEach } from './stream.ts'

interface ReceiptRow extends PostingColumns {
  account_id: string
  id: string
  destination_currency: string
  destination_amount: bigint
  receiver: string | null
  journal_number: bigint | null
}

const RECEIPTS = statement`
  select p.account_id, p.id, p.destination_currency, p.destination_amount,
    r.account_id as receiver, j.number as journal_number, ${POSTING_COLUMNS}
  from ${STATED_PAYOUTS} p
  left join accounts r on r.deposit_address =
    p.beneficiary_details #>> '{destination_details,service_account,deposit_address}'
  left join journals j on j.account_id = r.account_id and j.source = p.id and j.kind = 'receipt'
    and j.undoes is null and j.kind <> 'settlement'
  where p.type = 'service_account' and p.status = 'succeeded'
    and ${ofAccount('p.account_id')}
  order by p.account_id, p.id`

/** Each payout to another account has its receipt there, and each receipt its payout. */
export async function matchReceipts(run: Verification): Promise<number> {
  const count = await checkEach(run, 'payouts', RECEIPTS, checkReceipt)
  const orphans = await rowsOf<{ account_id: string; number: bigint; source: string }>(
    run,
  )`select j.account_id, j.number, j.source from journals j
    join accounts r on r.account_id = j.account_id
    where j.kind = 'receipt' and ${ofAccount('j.account_id')} and not exists (
      select from ${STATED_PAYOUTS} p where p.id = j.source and p.type = 'service_account'
        and p.status = 'succeeded'
        and p.beneficiary_details #>> '{destination_details,service_account,deposit_address}'
          = r.deposit_address)
    order by j.account_id, j.number limit ${MAX_NAMED}`
  for (const orphan of orphans) {
    const expected = `a payout ${orphan.source} to this account`
    run.findings.add(journalProblem(orphan, expected, 'none').problem)
  }
  return count
}

function checkReceipt(row: ReceiptRow): void {
  if (row.receiver === null) throw payoutProblem(row, 'an account with its deposit address', 'none')
  const { destination_currency, destination_amount } = row
  const postings = receiptPostings({ destination_currency, destination_amount })
  const expected = `a receipt in account ${row.receiver}: ${postingsText(...postings)}`
  if (row.journal_number === null) throw payoutProblem(row, expected, 'no receipt there')
  const found = otherPostings(row, postings)
  if (found !== undefined) {
    throw payoutProblem(row, expected, `journal ${row.journal_number}: ${found}`)
  }
}
