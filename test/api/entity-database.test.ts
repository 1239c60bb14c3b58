// What the database refuses about entities by itself, whatever the service would decide: two live
// entities of one identity, and steps that are not in the table of states (§entity.approval).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  APPROVAL_STATUSES,
  APPROVAL_TRANSITIONS,
  type ApprovalStatus,
} from '../../src/parties/entity/states.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const UNIQUE_VIOLATION = '23505'
const CHECK_VIOLATION = '23514'

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
  test(`entities, a second live entity with the same ${column}: unique violation; with a rejected one: accepted`, async () => {
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

test('entities, unknown status or type, or a duplicate key of the other type: check violation', async () => {
  const { owner } = service.database
  const of = await service.openAccount()
  const individual = await create('email_key', of)
  const business = await create('registration_key', of)
  const refused = { code: CHECK_VIOLATION, constraint_name: 'keys_of_its_type' }
  const other = owner`update entities set registration_key = email_key where id = ${individual}`
  await assert.rejects(other, refused)
  for (const column of COLUMNS.filter(c => c !== 'registration_key')) {
    const own = owner`
      update entities set ${owner(column)} = registration_key where id = ${business}`
    await assert.rejects(own, refused, column)
  }
  for (const change of [
    owner`approval_status = 'lost'`,
    owner`type = 'person', email_key = null`,
  ]) {
    const unknown = owner`update entities set ${change} where id = ${individual}`
    await assert.rejects(unknown, { code: CHECK_VIOLATION })
  }
})

/** What §entity.approval says, written out: to which statuses, from each. */
const STEPS: { readonly [From in ApprovalStatus]: string } = {
  pending: 'submitted approved rejected requires_action',
  submitted: 'approved rejected requires_action',
  approved: 'rejected requires_action resubmitted',
  rejected: 'approved',
  requires_action: 'resubmitted approved rejected',
  resubmitted: 'approved rejected requires_action',
}

test('APPROVAL_TRANSITIONS: every listed submission, review and change accepted by PostgreSQL, every other refused', async () => {
  const expected = APPROVAL_STATUSES.flatMap(from =>
    STEPS[from].split(' ').map(to => `${from} ${to}`),
  ).sort()
  const inCode = APPROVAL_STATUSES.flatMap(from =>
    APPROVAL_TRANSITIONS[from].map(to => `${from} ${to}`),
  )
  assert.deepEqual(inCode.sort(), expected)
  const id = await create('email_key', await service.openAccount())
  const taken: string[] = []
  for (const from of APPROVAL_STATUSES) {
    for (const to of APPROVAL_STATUSES) {
      if (from === to || !(await isTaken(id, from, to))) continue
      taken.push(`${from} ${to}`)
    }
  }
  assert.deepEqual(taken.sort(), expected)
})

/** Whether the database lets an entity make the step, whatever it is now. Nothing of it stays. */
async function isTaken(id: string, from: string, to: string): Promise<boolean> {
  const undone = new Error('undone')
  const tried = service.database.owner.begin(async tx => {
    await tx`alter table entities disable trigger legal_transition`
    await tx`update entities set approval_status = ${from} where id = ${id}`
    await tx`alter table entities enable trigger legal_transition`
    await tx`update entities set approval_status = ${to} where id = ${id}`
    throw undone
  })
  const error = await tried.catch(error => error)
  if (error === undone) return true
  assert.match(error.message, new RegExp(`cannot go from ${from} to ${to}`))
  return false
}
