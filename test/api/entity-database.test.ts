// What the database refuses about entities by itself, whatever the service would decide: two live
// entities of one identity, steps that are not in the table of states, and rewriting what is fixed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { APPROVAL_STATUSES } from '../../src/entity/states.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const UNIQUE_VIOLATION = '23505'
const CHECK_VIOLATION = '23514'
const INSUFFICIENT_PRIVILEGE = '42501'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
})
after(() => service.close())

const BODIES = {
  email_key: { type: 'individual', name: 'A', email: 'a@example.com' },
  national_identification_key: {
    type: 'individual',
    name: 'B',
    national_identification_number: { type: 'passport', number: '1' },
  },
  name_address_key: {
    type: 'individual',
    name: 'C',
    registration_address: { country: 'DE', line1: 'x', city: 'y' },
  },
  registration_key: {
    type: 'business',
    name: 'D',
    registration_number: '1',
    registration_address: { country: 'DE' },
  },
} as const
const INDEXES = {
  email_key: 'entity_email_once',
  national_identification_key: 'entity_national_identification_once',
  name_address_key: 'entity_name_address_once',
  registration_key: 'entity_registration_once',
} as const
const COLUMNS = Object.keys(BODIES) as (keyof typeof BODIES)[]

let serial = 0

async function create(column: (typeof COLUMNS)[number], of = account): Promise<string> {
  const answer = await of.post('/v3/entity', BODIES[column])
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

/** A second row with all that the first says, but for its id and these columns. */
async function copy(id: string, columns: Readonly<Record<string, string | null>>): Promise<string> {
  const { owner } = service.database
  const copy_id = `ent_${String(++serial).padStart(20, '0')}`
  await owner.begin(async tx => {
    await tx`create temporary table copied on commit drop as select * from entities where id = ${id}`
    for (const [name, value] of Object.entries({ ...columns, id: copy_id })) {
      await tx`update copied set ${tx(name)} = ${value}`
    }
    await tx`insert into entities select * from copied`
  })
  return copy_id
}

for (const column of COLUMNS) {
  test(`entities, a second live one with the same ${column}: unique violation, unless it is rejected`, async () => {
    const id = await create(column)
    const refused = { code: UNIQUE_VIOLATION, constraint_name: INDEXES[column] }
    for (const approval_status of APPROVAL_STATUSES.filter(s => s !== 'rejected')) {
      await assert.rejects(copy(id, { approval_status }), refused, approval_status)
    }
    const twin = await copy(id, { approval_status: 'rejected' })
    await copy(id, { approval_status: 'rejected' })
    const { owner } = service.database
    await assert.rejects(
      owner`update entities set approval_status = 'approved' where id = ${twin}`,
      refused,
    )
    const other = await service.openAccount()
    const elsewhere = await copy(id, { account_id: other.account.account_id })
    assert.ok(elsewhere)
  })
}

test('entities, a key of a rule for the other type: check violation', async () => {
  const { owner } = service.database
  const of = await service.openAccount()
  const [individual, business] = [
    await create('email_key', of),
    await create('registration_key', of),
  ]
  const refused = { code: CHECK_VIOLATION, constraint_name: 'keys_of_its_type' }
  await assert.rejects(
    owner`update entities set registration_key = email_key where id = ${individual}`,
    refused,
  )
  for (const column of COLUMNS.filter(c => c !== 'registration_key')) {
    await assert.rejects(
      owner`update entities set ${owner(column)} = registration_key where id = ${business}`,
      refused,
      column,
    )
  }
})

test('entities, a status or a type that there is not: check violation', async () => {
  const { owner } = service.database
  const id = await create('email_key', await service.openAccount())
  await assert.rejects(owner`update entities set approval_status = 'lost' where id = ${id}`, {
    code: CHECK_VIOLATION,
  })
  await assert.rejects(
    owner`update entities set type = 'person', email_key = null where id = ${id}`,
    { code: CHECK_VIOLATION },
  )
})

/** Columns that the service writes once. */
const FIXED = ['account_id', 'id', 'type', 'import_key', 'created_at'] as const

test('entities, the service’s role: cannot change what is fixed, delete, truncate, or touch the states', async () => {
  const id = await create('email_key', await service.openAccount())
  const { sql } = service.deps
  const refused = { code: INSUFFICIENT_PRIVILEGE }
  for (const column of FIXED) {
    await assert.rejects(
      sql`update entities set ${sql(column)} = ${sql(column)} where id = ${id}`,
      refused,
      column,
    )
  }
  await assert.rejects(sql`delete from entities where id = ${id}`, refused)
  await assert.rejects(sql`truncate entities`, refused)
  await assert.rejects(sql`alter table entities disable trigger legal_transition`, refused)
})
