import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BeneficiaryDetails } from '../parties/beneficiary/beneficiary.ts'
import { detailsOf, storedDetails } from '../parties/beneficiary/columns.ts'
import { completed, onlySet } from './omit-defaults.ts'

const NOTHING = { text: '', list: [], object: {}, nothing: null, always: null }

test('onlySet, unset members: omitted, restored by completed', () => {
  const document = { text: '', list: [], object: {}, nothing: null, always: 'a' }
  assert.deepEqual(onlySet(document, NOTHING), { always: 'a' })
  assert.deepEqual(completed({ always: 'a' }, NOTHING), document)
})

test('onlySet, values that resemble unset ones: kept', () => {
  for (const members of [{ list: {} }, { object: [] }, { list: [[]] }, { object: { a: '' } }]) {
    assert.deepEqual(onlySet(members as never, NOTHING as never), members)
  }
})

const text = fc.constantFrom('', ' ', 'Ümit "A"', '{}')
const document = fc.record({ type: text, file_name: text, url: text })

/** Has the characters of the first of the two destination ids. */
const BENEFICIARY = 'bnf_00000000000000000000'

/** Details with their members in the service's order. */
const details = fc.record({
  address: fc.constantFrom({}, { line1: '' }, { country: 'HK', city: 'Central' }),
  date_of_birth: text,
  destination: fc.constantFrom('dst_00000000000000000000', 'dst_00000000000000000001'),
  destination_details: fc.constantFrom({ type: 'bank', bank: {} }, { type: 'wallet' }),
  documents: fc.array(document, { maxLength: 2 }),
  email: text,
  metadata: fc.constantFrom({}, { team: 'Einkauf' }),
  name: text,
  name_local: text,
  national_identification_number: text,
  party_classification: text,
  phone: fc.constantFrom({}, { number: '1' }),
  reference_id: text,
  registration_number: text,
  status: fc.constant('active'),
  tax_id: text,
  type: fc.constantFrom('individual', 'business'),
})

test('beneficiary details, stored and read back: the same bytes', () => {
  fc.assert(
    fc.property(details, made => {
      const stored = JSON.parse(
        JSON.stringify(storedDetails(made as BeneficiaryDetails, BENEFICIARY)),
      )
      assert.equal(JSON.stringify(detailsOf(stored, BENEFICIARY)), JSON.stringify(made))
    }),
  )
})
