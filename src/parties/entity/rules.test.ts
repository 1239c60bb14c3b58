// Tests the decisions about entities: creation, update, submission and review (§entity.approval),
// their refusals, and the state that the next command of the batch sees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AN_HOUR_AGO,
  bookWith,
  countingIds,
  NOW,
  noIds,
  refusalOf,
} from '../../../test/support/given/in-memory.ts'
import type { Book } from '../../ledger/rules.ts'
import type { Event } from '../../statements/event/event.ts'
import { byName } from '../../values/id.ts'
import type { Entity } from './entity.ts'
import type { EntityRequest, EntityUpdate } from './request.ts'
import {
  checkNamed,
  decideEntity,
  draftOf,
  type EntityChange,
  type EntityOutcome,
  type EntityState,
  identitiesOf,
  identityName,
} from './rules.ts'
import { APPROVAL_STATUSES, APPROVAL_TRANSITIONS, type ApprovalStatus } from './states.ts'

const anna: EntityRequest = { type: 'individual', name: 'Anna', email: 'anna@example.com' }
const bo: EntityRequest = { type: 'individual', name: 'Bo', email: 'bo@example.com' }

function stateWith(...entities: readonly Entity[]): EntityState {
  const state: EntityState = {
    now: NOW,
    books: new Map<string, Book>([
      ['acc_1', bookWith()],
      ['acc_2', bookWith({}, 'acc_2')],
    ]),
    entities: new Map(),
    live: new Map(),
    imported: new Map(),
    listed: new Map(),
    bookId: countingIds(),
  }
  for (const entity of entities) {
    state.entities.set(`${entity.account_id}/${entity.id}`, entity)
    if (entity.approval_status === 'rejected') continue
    const { account_id, type, details } = entity
    for (const { key } of draftOf({ type, ...details } as EntityRequest).judged) {
      if (key === null) continue
      const name = identityName(account_id, key)
      state.live.set(name, [...(state.live.get(name) ?? []), entity])
    }
  }
  return state
}

/** An entity that existed before, with the details of this request. */
function entity(request: EntityRequest, part: Partial<Entity> = {}): Entity {
  const { type, details } = draftOf(request)
  return {
    account_id: 'acc_1',
    id: 'ent_old',
    type,
    details,
    approval_status: 'pending',
    approval_status_description: '',
    approval_history: [{ status: 'pending', description: '', at: AN_HOUR_AGO }],
    made_by: 'key_1',
    created_at: AN_HOUR_AGO,
    updated_at: AN_HOUR_AGO,
    ...part,
  }
}

type Name = { readonly account_id?: string; readonly id?: string }
const decide = (state: EntityState, change: EntityChange, account_id = 'acc_1') =>
  decideEntity(state, account_id, change, 'key_1')
const create = (state: EntityState, request: EntityRequest, import_key: string | null = null) =>
  decide(state, { kind: 'create', draft: draftOf(request, import_key) })
const update = (
  state: EntityState,
  members: EntityUpdate,
  { account_id, id = 'ent_old' }: Name = {},
) => decide(state, { kind: 'update', id, update: members }, account_id)
const submit = (state: EntityState, { account_id, id = 'ent_old' }: Name = {}) =>
  decide(state, { kind: 'submit', id, update: {} }, account_id)
const review = (
  state: EntityState,
  status: 'approved' | 'rejected' | 'requires_action',
  { id = 'ent_old', seen, description = '' }: Name & { seen?: string; description?: string } = {},
) =>
  decide(state, {
    kind: 'review',
    id,
    status,
    description,
    ...(seen === undefined ? {} : { seen }),
  })

function eventLines(events: readonly Event[]): string[] {
  return events.map(
    ({ sequence, type, object_id, data }) =>
      `${sequence} ${type} ${object_id} ${JSON.stringify(data)}`,
  )
}

/** The outcome of a command that writes nothing. */
const unchanged = (
  found: Entity,
  rule: EntityOutcome['rule'] = null,
  differs: readonly string[] = [],
): EntityOutcome => ({
  entity: found,
  did: 'nothing',
  rule,
  differs,
  judged: [],
  import_key: null,
  events: [],
})

/** Asserts that the command writes nothing, and leaves the state unchanged for the next one. */
function assertUntouched(state: EntityState, act: () => EntityOutcome, expected: EntityOutcome) {
  const before = structuredClone({ ...state, bookId: null })
  assert.deepEqual(act(), expected)
  assert.deepEqual({ ...state, bookId: null }, before)
}

test('draftOf, entity request: the entity, its identities and its import row', () => {
  const draft = draftOf(anna, 'f'.repeat(64))
  assert.equal(draft.type, 'individual')
  assert.deepEqual(draft.details, { name: 'Anna', email: 'anna@example.com' })
  assert.equal(draft.import_key, 'f'.repeat(64))
  assert.equal(draftOf(anna).import_key, null)
  assert.deepEqual(
    draft.judged.map(({ rule, key }) => [rule, typeof key]),
    [
      ['email', 'string'],
      ['national_identification_number', 'object'],
      ['name_and_address', 'object'],
    ],
  )
  const [{ key } = assert.fail()] = draft.judged
  assert.deepEqual(identitiesOf('acc_1', draft.judged), [
    { account_id: 'acc_1', rule: 'email', key },
  ])
  assert.equal(identityName('acc_1', 'abc'), 'acc_1/abc')
})

// Creation.

test('entity creation, no duplicate: a pending entity, found by the next command by id and identity', () => {
  const state = stateWith(entity(bo))
  const outcome = create(state, anna)
  const made = entity(anna, {
    id: 'ent_1',
    approval_history: [{ status: 'pending', description: '', at: NOW }],
    created_at: NOW,
    updated_at: NOW,
  })
  const { events, ...rest } = outcome
  const { judged } = draftOf(anna)
  assert.deepEqual(rest, {
    entity: made,
    did: 'created',
    rule: null,
    differs: [],
    judged,
    import_key: null,
  })
  assert.deepEqual(eventLines(events), ['1 entity.created ent_1 {}'])
  assert.equal(state.entities.get('acc_1/ent_1'), outcome.entity)
  const [{ key } = assert.fail()] = judged
  assert.deepEqual(state.live.get(identityName('acc_1', key as string)), [outcome.entity])
  assert.equal(state.live.size, 2)
  assert.equal(state.imported.size, 0)
})

test('entity creation, a duplicate: the existing entity with the rule that matched, nothing written', () => {
  const old = entity(anna)
  const state = { ...stateWith(old), bookId: noIds }
  assertUntouched(
    state,
    () => create(state, { ...anna, name: 'Other' }),
    unchanged(old, 'email', ['name']),
  )
})

test('entity creation, twice in one batch: one entity', () => {
  const state = stateWith()
  const first = create(state, anna)
  assert.deepEqual(create(state, anna), unchanged(first.entity, 'email'))
})

test("entity creation, duplicate only of a rejected entity or of another account's: created", () => {
  const elsewhere = entity(anna, { account_id: 'acc_2' })
  const rejected = entity(anna, { approval_status: 'rejected' })
  assert.equal(create(stateWith(elsewhere, rejected), anna).did, 'created')
})

test('entity creation from the same import row twice: the first entity, in any status', () => {
  const state = stateWith()
  const row = 'a'.repeat(64)
  const first = create(state, { type: 'individual', name: 'Anna' }, row)
  assert.equal(first.import_key, row)
  const again = { type: 'individual', name: 'Anna', on_behalf_of: 'ent_none' } as const
  assert.deepEqual(create(state, again, row), unchanged(first.entity))
  assert.equal(create(state, { type: 'individual', name: 'Anna' }, 'b'.repeat(64)).did, 'created')
  const elsewhere = {
    kind: 'create',
    draft: draftOf({ type: 'individual', name: 'A' }, row),
  } as const
  assert.equal(decide(state, elsewhere, 'acc_2').did, 'created')
})

for (const [what, principal, message] of [
  ['that does not exist', undefined, 'No entity ent_old in this account.'],
  ['of another account', { account_id: 'acc_2' }, 'No entity ent_old in this account.'],
  ['that is rejected', { approval_status: 'rejected' }, 'Entity ent_old is rejected.'],
] as const) {
  test(`entity creation on behalf of an entity ${what}: refused`, () => {
    const state = stateWith(...(principal === undefined ? [] : [entity(bo, principal)]))
    assert.deepEqual(
      refusalOf(() => create(state, { ...anna, on_behalf_of: 'ent_old' })),
      [`entity_not_found at on_behalf_of: ${message}`],
    )
  })
}

test('entity creation on behalf of a live entity: created', () => {
  const state = stateWith(entity(bo))
  assert.equal(create(state, { ...anna, on_behalf_of: 'ent_old' }).did, 'created')
})

// Update.

test('entity update, one member: new values stored, event with the previous value', () => {
  const old = entity({ ...anna, description: 'old' })
  const state = stateWith(old)
  const members: EntityUpdate = { name: 'Anne', description: null, tax_id: 'T1' }
  const { events, ...rest } = update(state, members)
  const wanted = { ...anna, name: 'Anne', tax_id: 'T1' } as const
  const next = { ...entity(wanted), updated_at: NOW }
  const { judged } = draftOf(wanted)
  assert.deepEqual(rest, {
    entity: next,
    did: 'changed',
    rule: null,
    differs: [],
    judged,
    import_key: null,
  })
  assert.deepEqual(eventLines(events), [
    '1 entity.updated ent_old {"was":{"details":{"name":"Anna","email":"anna@example.com",' +
      `"description":"old"},"steps":1,"updated_at":"${AN_HOUR_AGO}"},"steps":1,"made_by":"key_1"}`,
  ])
})

test('entity update, equal values: nothing written', () => {
  const old = entity({ ...anna, registration_address: { country: 'DE' } })
  const state = { ...stateWith(old), bookId: noIds }
  const same = {
    name: 'Anna',
    type: 'individual',
    registration_address: { country: 'de' },
  } as const
  assertUntouched(state, () => update(state, same), unchanged(old))
})

test('entity update, another type: refused, naming the type', () => {
  assert.deepEqual(
    refusalOf(() => update(stateWith(entity(anna)), { type: 'business' })),
    [
      'invalid_field at type: ' +
        'The type of an entity is fixed at creation; this one is individual.',
    ],
  )
})

test('entity update, on_behalf_of changed: the new principal must exist; unchanged: not checked again', () => {
  const mine = entity({ ...anna, on_behalf_of: 'ent_bo' })
  const rejected = entity(bo, { id: 'ent_bo', approval_status: 'rejected' })
  const state = stateWith(mine, rejected)
  assert.equal(update(state, { name: 'Anne', on_behalf_of: 'ent_bo' }).did, 'changed')
  assert.deepEqual(
    refusalOf(() => update(state, { on_behalf_of: 'ent_none' })),
    ['entity_not_found at on_behalf_of: No entity ent_none in this account.'],
  )
  assert.deepEqual(
    refusalOf(() => update(state, { on_behalf_of: 'ent_old' })),
    ['invalid_field at on_behalf_of: An entity cannot belong to itself.'],
  )
  assert.equal(update(state, { on_behalf_of: null }).did, 'changed')
})

test('entity update to the identity of another entity: the answer is that entity, nothing written', () => {
  const [mine, other] = [entity(anna), entity(bo, { id: 'ent_bo' })]
  const state = { ...stateWith(mine, other), bookId: noIds }
  assertUntouched(
    state,
    () => update(state, { email: 'BO@example.com' }),
    unchanged(other, 'email', ['name']),
  )
})

const address = { country: 'DE', line1: 'Lindenstraße 4', city: 'Berlin' }
const home: EntityRequest = { type: 'individual', name: 'Anna', registration_address: address }

/** Details, and an update that makes them a duplicate of `home`. */
const HALVES: readonly (readonly [mine: Partial<EntityRequest>, members: EntityUpdate])[] = [
  [{ name: 'Bo' }, { name: 'anna' }],
  [{ registration_address: { ...address, city: 'Bonn' } }, { registration_address: address }],
  [{ registration_address: { ...address, state: 'BE' } }, { registration_address: address }],
  [{ vertical: 'travel' }, { vertical: null }],
  [{ on_behalf_of: 'ent_bo' }, { on_behalf_of: null }],
]

for (const [mine, members] of HALVES) {
  test(`entity update of ${Object.keys(members)}, other members kept: duplicates judged on the merged entity`, () => {
    const other = entity(home, { id: 'ent_other' })
    const state = stateWith(entity({ ...home, ...mine } as EntityRequest), other)
    assert.deepEqual(update(state, members), unchanged(other, 'name_and_address'))
  })
}

test('entity update, identity changed, later commands of the batch: old identity free, new identity taken', () => {
  const state = stateWith(entity(anna))
  const { entity: changed } = update(state, { email: 'new@example.com' })
  assert.equal(state.entities.get('acc_1/ent_old'), changed)
  assert.equal(create(state, anna).did, 'created')
  const sameAgain = create(state, { ...bo, email: 'new@example.com' })
  assert.deepEqual(sameAgain, unchanged(changed, 'email', ['name']))
})

const annasEmail = identityName('acc_1', draftOf(anna).judged[0]?.key as string)

test('entity update, identity kept: one live entity, in its current form', () => {
  const state = stateWith(entity(anna))
  const { entity: changed } = update(state, { tax_id: 'T1' })
  assert.deepEqual([...state.live], [[annasEmail, [changed]]])
})

test('entity review of one of two equal entities: the other keeps its place in the order', () => {
  const other = entity(anna, { id: 'ent_other' })
  const state = stateWith(entity(anna), other)
  const { entity: asked } = review(state, 'requires_action')
  assert.deepEqual([...state.live], [[annasEmail, [other, asked]]])
  review(state, 'rejected')
  assert.deepEqual([...state.live], [[annasEmail, [other]]])
})

test('entity review, rejected entity reopened: live again, once', () => {
  const state = stateWith(entity(anna, { approval_status: 'rejected' }))
  const { entity: back } = review(state, 'approved')
  assert.deepEqual([...state.live], [[annasEmail, [back]]])
})

/** Updates of members that the operator reviews. */
const REVIEWED_MEMBERS: readonly EntityUpdate[] = [
  { email: 'new@example.com' },
  { phone: { number: '7' } },
  { vertical: 'food' },
  { national_identification_number: { number: '7' } },
  { registration_number: '7' },
  { registration_date: '2014-03-31' },
  { registration_address: { country: 'HK' } },
  { operating_address: { country: 'HK' } },
  { tax_id: '7' },
  { purpose_of_use: 'Other' },
  { relationship: 'owner' },
  { representatives: [{ first_name: 'Mei' }] },
  { documents: [{ type: 'passport' }] },
]

const UPDATES: readonly (readonly [
  status: ApprovalStatus,
  members: EntityUpdate,
  becomes: ApprovalStatus,
])[] = [
  ['approved', { name: 'Anne' }, 'resubmitted'],
  ['approved', { name: 'Anne', description: 'new' }, 'resubmitted'],
  ...REVIEWED_MEMBERS.map(part => ['approved', part, 'resubmitted'] as const),
  ['approved', { description: 'new' }, 'approved'],
  ['approved', { reference_id: 'new' }, 'approved'],
  ['approved', { metadata: { a: 'b' } }, 'approved'],
  ['rejected', { name: 'Anne' }, 'rejected'],
  ['resubmitted', { name: 'Anne' }, 'resubmitted'],
  ['pending', { name: 'Anne' }, 'pending'],
  ['submitted', { name: 'Anne' }, 'submitted'],
  ['requires_action', { name: 'Anne' }, 'requires_action'],
]

for (const [status, members, becomes] of UPDATES) {
  test(`entity update of ${Object.keys(members)}, status ${status}: ${becomes}`, () => {
    const old = entity(anna, { approval_status: status, approval_status_description: 'said' })
    const { entity: next, events } = update(stateWith(old), members)
    assert.equal(next.approval_status, becomes)
    const added = next.approval_history.slice(1)
    const stepped = becomes !== status
    assert.deepEqual(added, stepped ? [{ status: becomes, description: '', at: NOW }] : [])
    assert.equal(next.approval_status_description, stepped ? '' : 'said')
    assert.deepEqual(
      eventLines(events).slice(1),
      stepped
        ? [
            '2 entity.approval_resubmitted ent_old {"approval_status":"resubmitted",' +
              '"previous_status":"approved","description":"",' +
              `"was":{"updated_at":"${AN_HOUR_AGO}"},"steps":2,"made_by":"key_1"}`,
          ]
        : [],
    )
  })
}

// Submission.

for (const status of APPROVAL_STATUSES) {
  const becomes = { pending: 'submitted', requires_action: 'resubmitted' }[status as string]
  test(`entity submission, status ${status}: ${becomes ?? 'refused'}`, () => {
    const state = stateWith(entity(anna, { approval_status: status }))
    if (becomes === undefined) {
      assert.deepEqual(
        refusalOf(() => submit(state)),
        [
          'invalid_transition at approval_status: ' +
            `Entity ent_old cannot go from ${status} to submitted.`,
        ],
      )
      return
    }
    const outcome = submit(state)
    const { events, entity: next, ...rest } = outcome
    const { judged } = draftOf(anna)
    assert.deepEqual(rest, { did: 'changed', rule: null, differs: [], judged, import_key: null })
    assert.deepEqual(next, {
      ...entity(anna),
      approval_status: becomes,
      approval_history: [
        ...entity(anna).approval_history,
        { status: becomes, description: '', at: NOW },
      ],
      updated_at: NOW,
    })
    assert.deepEqual(eventLines(events), [
      `1 entity.approval_${becomes} ent_old {"approval_status":"${becomes}",` +
        `"previous_status":"${status}","description":"",` +
        `"was":{"updated_at":"${AN_HOUR_AGO}"},"steps":2,"made_by":"key_1"}`,
    ])
    assert.equal(state.entities.get('acc_1/ent_old'), next)
  })
}

test('entity submission, a duplicate: the first entity, in any status, nothing written', () => {
  const mine = entity(anna, { approval_status: 'approved' })
  const other = entity(anna, { id: 'ent_other' })
  const state = { ...stateWith(mine, other), bookId: noIds }
  assertUntouched(state, () => submit(state), unchanged(other, 'email'))
})

// Review.

for (const from of APPROVAL_STATUSES) {
  for (const to of ['approved', 'rejected', 'requires_action'] as const) {
    const legal = APPROVAL_TRANSITIONS[from].includes(to)
    test(`entity review, ${from} to ${to}: ${legal ? 'done' : 'refused'}`, () => {
      const state = stateWith(entity(anna, { approval_status: from }))
      const act = () => review(state, to, { description: 'Because.' })
      if (!legal) {
        const message = `Entity ent_old cannot go from ${from} to ${to}.`
        assert.deepEqual(refusalOf(act), [`invalid_transition at approval_status: ${message}`])
        return
      }
      const { entity: next, events, did } = act()
      assert.deepEqual(
        [did, next.approval_status, next.approval_status_description, next.updated_at],
        ['changed', to, 'Because.', NOW],
      )
      assert.deepEqual(next.approval_history.at(-1), {
        status: to,
        description: 'Because.',
        at: NOW,
      })
      assert.deepEqual(eventLines(events), [
        `1 entity.approval_${to} ent_old {"approval_status":"${to}",` +
          `"previous_status":"${from}","description":"Because.",` +
          `"was":{"updated_at":"${AN_HOUR_AGO}"},"steps":2,"made_by":"key_1"}`,
      ])
    })
  }
}

test('entity review, entity changed since the operator read it: refused, naming the time of the change', () => {
  const state = stateWith(entity(anna))
  assert.deepEqual(
    refusalOf(() => review(state, 'approved', { seen: NOW })),
    [`entity_changed at the whole: Entity ent_old has changed: its updated_at is ${AN_HOUR_AGO}.`],
  )
  assert.equal(review(state, 'approved', { seen: AN_HOUR_AGO }).did, 'changed')
})

test('entity review, rejected: identity free for the rest of the batch, taken again when reopened', () => {
  const state = stateWith(entity(anna))
  review(state, 'rejected')
  const { entity: second } = create(state, anna)
  assert.equal(second.id, 'ent_1')
  assert.deepEqual(
    refusalOf(() => review(state, 'approved')),
    [
      'entity_duplicate at the whole: Entity ent_old cannot be approved: ent_1, which is not ' +
        'rejected, is the same by the rule email.',
    ],
  )
  review(state, 'rejected', { id: 'ent_1' })
  const { entity: back } = review(state, 'approved')
  assert.deepEqual(create(state, anna), unchanged(back, 'email'))
})

test('entity review of one of two equal live entities: done', () => {
  const state = stateWith(entity(anna), entity(anna, { id: 'ent_other' }))
  assert.equal(review(state, 'approved').did, 'changed')
})

test("entity commands, unknown entity or another account's: not found", () => {
  const state = stateWith(entity(anna))
  const missing = ['not_found at the whole: No such object in this account.']
  for (const act of [
    () => update(state, {}, { id: 'ent_none' }),
    () => update(state, {}, { account_id: 'acc_2' }),
    () => submit(state, { id: 'ent_none' }),
    () => submit(state, { account_id: 'acc_2' }),
    () => review(state, 'approved', { id: 'ent_none' }),
  ]) {
    assert.deepEqual(refusalOf(act), missing)
  }
})

// Entities that other requests name.

test('checkNamed, entity of a request: its status if live, undefined if not named, else refused', () => {
  const named = (id: string, approval_status: ApprovalStatus) => ({
    account_id: 'acc_1',
    id,
    approval_status,
    updated_at: '2026-01-31T09:00:00.000000Z',
    decided_at: '2026-01-31T09:00:00.000000Z',
  })
  const approvals = byName([named('ent_1', 'pending'), named('ent_2', 'rejected')])
  assert.deepEqual([...approvals.keys()], ['acc_1/ent_1', 'acc_1/ent_2'])
  assert.equal(checkNamed(approvals, 'acc_1', '', 'x'), undefined)
  assert.equal(checkNamed(approvals, 'acc_1', 'ent_1', 'x'), 'pending')
  assert.deepEqual(
    refusalOf(() => checkNamed(approvals, 'acc_1', 'ent_2', 'x')),
    ['entity_not_found at x: Entity ent_2 is rejected.'],
  )
  assert.deepEqual(
    refusalOf(() => checkNamed(approvals, 'acc_2', 'ent_1', 'x')),
    ['entity_not_found at x: No entity ent_1 in this account.'],
  )
})
