// A bank's notice about a payee, as if a payout to it had gone out by ACH.
import type { PayeeNotice } from '../../../src/parties/beneficiary/notice.ts'
import { newId } from '../../../src/values/id.ts'
import type { Client, TestService } from './service.ts'

export const NOTED_BANK = {
  account_number: '440000000001',
  country: 'US',
  bank_codes: { aba: '021000021' },
}

/** A payee whose bank has sent a notice: C01 unless the change says otherwise. */
export async function addNotedPayee(
  { database }: Pick<TestService, 'database'>,
  client: Client,
  change: Partial<PayeeNotice> = {},
): Promise<{ readonly id: string; readonly payout: string }> {
  const { account_id } = client.account
  const destination_details = { type: 'bank', bank: NOTED_BANK }
  const body = { name: 'Ada King', type: 'individual', destination_details }
  const { id } = (await client.post('/v3/beneficiary', body)).json.data
  const payout = newId('pot')
  const notice: PayeeNotice = {
    ...{ beneficiary: id, code: 'C01', until: '2026-12-04' },
    was: { account_number: '440000000001', routing_number: '021000021' },
    corrected: { account_number: '1918171614' },
    ...change,
  }
  const { owner } = database
  await owner`
    insert into payout_attempts (account_id, payout_id, number, opened_at, rail, uetr)
    values (${account_id}, ${payout}, 1, now(), 'ach', gen_random_uuid())`
  await owner`
    insert into rail_exceptions (account_id, payout_id, number, attempt, rail, kind, message, notice,
      opened_at)
    values (${account_id}, ${payout}, 1, 1, 'ach', 'change_notified', 'x',
      ${JSON.stringify(notice)}::text::json, now())`
  return { id, payout }
}
