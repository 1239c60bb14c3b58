// One row of a table of bad requests as a test: the refusal is as the table says, and no row of
// any table of the database changes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout } from '../given/bodies.ts'
import { type Client, startTestService, type TestService } from '../service/service.ts'
import { assertErrorEnvelope, rowVersions } from './check.ts'

/** `reason` is undefined where the specification fixes the status alone. */
export type BadRequest = readonly [
  what: string,
  path: string,
  body: object | string | Buffer,
  reason: string | undefined,
  remarks?: string,
]

export interface Refuser {
  account(): Client
  /** A test that the request gets exactly one error, with status 400. */
  refuses(row: BadRequest): void
  /** Every table is as it was before the first test. */
  assertUntouched(): Promise<void>
}

/** Starts a service for the tests of one file, with rows in most of its tables. */
export function makeRefuser(): Refuser {
  let service: TestService
  let account: Client
  let untouched: Record<string, string>
  before(async () => {
    service = await startTestService()
    account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 1_000_000n } })
    await service.setRates({ 'USD/EUR': '0.8' })
    const paid = await account.post('/v3/payout', localPayout, { 'idempotency-key': 'k' })
    assert.equal(paid.status, 200, paid.text)
    untouched = await rowVersions(service.database.owner)
  })
  after(() => service.close())
  const assertUntouched = async () => {
    assert.deepEqual(await rowVersions(service.database.owner), untouched)
  }
  return {
    account: () => account,
    assertUntouched,
    refuses([what, path, body, reason, remarks]) {
      const words = [reason, remarks].filter(word => word).join(' at ')
      test(`POST ${path}, ${what}: 400 ${words}, no row changes`, async () => {
        const answer = await account.post(path, body)
        assert.equal(answer.status, 400, answer.text)
        assertErrorEnvelope(answer)
        const { errors } = answer.json
        assert.equal(errors.length, 1, answer.text)
        if (reason !== undefined) assert.equal(errors[0].reason, reason, answer.text)
        if (remarks !== undefined) assert.equal(errors[0].remarks, remarks, answer.text)
        await assertUntouched()
      })
    },
  }
}
