// The documents of a payout are read as they were written, in every form of each document.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beneficiary } from '../../test/support/given/in-memory.ts'
import type { RouteTaken } from '../rails/rules.ts'
import { documentsOf, writtenPayout } from './columns.ts'
import type { Payout } from './payout.ts'

const route: RouteTaken = {
  account_id: null,
  payout_type: 'local',
  network: null,
  currency: 'USD',
  country: null,
  priority: 1,
  min_amount: null,
  max_amount: null,
  timetable: null,
}
const particulars: Payout['particulars'] = {
  purpose: 'supplier_payment',
  transaction_description: 'Invoice',
  reference_id: '',
  statement_descriptor: '',
  on_behalf_of: '',
  creditor_reference: '',
  ultimate_debtor: null,
  documents: [],
  logistics_tracking_details: [],
  metadata: { order: 'A-1' },
}
const { id: beneficiary_id, details: beneficiary_details } = beneficiary

/** The documents of a payout by this route, read from its written form. */
function readBack(route: RouteTaken | null) {
  const documents = { beneficiary_id, beneficiary_details, particulars, basis: null, route }
  const written = writtenPayout(documents as unknown as Payout)
  const parse = (text: string | null) => (text === null ? null : JSON.parse(text))
  return documentsOf({
    beneficiary_id,
    beneficiary_details: parse(written.beneficiary_details),
    particulars: parse(written.particulars),
    reference_id: written.reference_id,
    on_behalf_of: written.on_behalf_of,
    route: parse(written.route),
  })
}

for (const [what, taken] of [
  ['no route', null],
  ['a route of any amount', route],
  ['a route of a range of amounts', { ...route, min_amount: 100n, max_amount: 2n ** 60n }],
] as const) {
  test(`payout row of ${what}, written and read back: equal documents`, () => {
    assert.deepEqual(readBack(taken), { beneficiary_details, particulars, route: taken })
  })
}
