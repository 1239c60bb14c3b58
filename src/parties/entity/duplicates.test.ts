// Tests the duplicate rules as pure functions, by chapter 12 of the specification: which rules take
// part, which records are the same, and which of several matches is the first.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  byCreation,
  type Candidate,
  findDuplicate,
  type Judged,
  judge,
  keysByRule,
  type RuleName,
} from './duplicates.ts'
import type { EntityDetails, EntityRecord, EntityType } from './entity.ts'

const address = { country: 'DE', line1: 'Lindenstraße 4', city: 'Berlin' }
const passport = { type: 'passport', number: 'C01' }
/** Every member that any rule of any type reads. */
const all: EntityDetails = {
  name: 'Anna',
  email: 'anna@example.com',
  national_identification_number: passport,
  registration_number: 'HRB 7',
  registration_address: { ...address, state: 'BE', postal_code: '10969' },
  on_behalf_of: 'ent_00000000000000000000',
  vertical: 'travel',
}

function record(type: EntityType, details: Partial<EntityDetails>): EntityRecord {
  return { type, details: { name: 'Anna', ...details } }
}

const judgedOf = (details: Partial<EntityDetails>, type: EntityType = 'individual') =>
  judge(record(type, details))

function keyOf(rule: RuleName, details: Partial<EntityDetails>, type?: EntityType) {
  return judgedOf(details, type).find(judged => judged.rule === rule)?.key
}

test('duplicate rules, an individual: three rules in their order', () => {
  const judged = judgedOf(all)
  assert.deepEqual(
    judged.map(({ rule, priority }) => [priority, rule]),
    [
      [1, 'email'],
      [2, 'national_identification_number'],
      [3, 'name_and_address'],
    ],
  )
  for (const { missing, key } of judged) {
    assert.deepEqual(missing, [])
    assert.match(String(key), /^[0-9a-f]{64}$/)
  }
})

test('duplicate rules, a business: one rule, whatever its other members', () => {
  const judged = judgedOf(all, 'business')
  assert.deepEqual(
    judged.map(({ rule, priority }) => [priority, rule]),
    [[1, 'registration_number']],
  )
  assert.deepEqual(judged[0]?.values, {
    registration_number: 'hrb 7',
    'registration_address.country': 'de',
  })
})

test('duplicate rules, judged entity: each compared field in comparable form, named by its path', () => {
  const [, , { values } = assert.fail()] = judgedOf({ ...all, name: ' ANNA\u200b ' })
  assert.deepEqual(values, {
    name: 'anna',
    'registration_address.country': 'de',
    'registration_address.line1': 'lindenstrasse 4',
    'registration_address.city': 'berlin',
    'registration_address.state': 'be',
    'registration_address.postal_code': '10969',
    on_behalf_of: 'ent_00000000000000000000',
    vertical: 'travel',
  })
})

/** Fields without which a rule takes no part: §duplicate.takes_part. */
const NEEDED: readonly (readonly [EntityType, RuleName, readonly string[]])[] = [
  ['individual', 'email', ['email']],
  [
    'individual',
    'national_identification_number',
    ['national_identification_number.type', 'national_identification_number.number'],
  ],
  [
    'individual',
    'name_and_address',
    [
      'name',
      'registration_address.country',
      'registration_address.line1',
      'registration_address.city',
    ],
  ],
  ['business', 'registration_number', ['registration_number', 'registration_address.country']],
]
/** Fields that are compared as well, and may be blank in both records. */
const ALSO = [
  'registration_address.state',
  'registration_address.postal_code',
  'on_behalf_of',
  'vertical',
]

function withField(path: string, value: string | undefined): EntityDetails {
  const [member = '', part] = path.split('.')
  if (part === undefined) return { ...all, [member]: value } as EntityDetails
  const whole = (all as unknown as Record<string, object>)[member]
  return { ...all, [member]: { ...whole, [part]: value } } as EntityDetails
}

for (const [type, rule, paths] of NEEDED) {
  for (const path of paths) {
    test(`duplicate rule ${rule} without ${path}, absent or blank: rule skipped, naming the field`, () => {
      for (const blank of [undefined, '', ' ', '\u00a0\u3000', '\u200b', ' \ufeff\t']) {
        const judged = judge({ type, details: withField(path, blank) })
        const { missing, key } = judged.find(j => j.rule === rule) as Judged
        assert.deepEqual({ missing, key }, { missing: [path], key: null })
      }
    })

    test(`duplicate rule ${rule}, another ${path}: another key`, () => {
      assert.notEqual(keyOf(rule, withField(path, 'other'), type), keyOf(rule, all, type))
    })
  }
}

for (const path of ALSO) {
  test(`duplicate rule name_and_address, blank ${path}: equal in every spelling, different from any text`, () => {
    const keyWith = (value: string | undefined) => keyOf('name_and_address', withField(path, value))
    const blanks = [undefined, '', ' ', '\u200b'].map(keyWith)
    assert.ok(blanks[0])
    assert.equal(new Set(blanks).size, 1)
    assert.notEqual(blanks[0], keyOf('name_and_address', all))
    assert.notEqual(keyWith('other'), keyOf('name_and_address', all))
  })

  test(`duplicate rules that do not compare ${path}: unchanged by it`, () => {
    for (const rule of ['email', 'national_identification_number'] as const) {
      assert.equal(keyOf(rule, withField(path, 'other')), keyOf(rule, all))
    }
    const business = judge({ type: 'business', details: withField(path, 'other') })
    assert.equal(business[0]?.key, keyOf('registration_number', all, 'business'))
  })
}

test('duplicate rules, an object member missing: the rules that need it are skipped', () => {
  const judged = judgedOf({})
  assert.deepEqual(
    judged.map(({ key }) => key),
    [null, null, null],
  )
  assert.deepEqual(judged[2]?.missing, NEEDED[2]?.[2].slice(1))
})

test('duplicate rules, pairs of type and number with equal joined texts: one key per pair', () => {
  const texts = ['a', 'b', 'ab', 'ba', 'aba', '"', '","', 'a","b', '\\', ',', ' A', 'a\u0301']
  const pairs = texts.flatMap(type => texts.map(number => ({ type, number })))
  const keys = new Map<string, unknown>()
  for (const national_identification_number of pairs) {
    const { type, number } = national_identification_number
    const form = JSON.stringify([type, number].map(t => t.trim().toLowerCase()))
    const key = keyOf('national_identification_number', { national_identification_number })
    assert.equal(keys.get(form) ?? key, key)
    keys.set(form, key)
  }
  // ' A' is 'a'; all others differ.
  assert.equal(keys.size, (texts.length - 1) ** 2)
  assert.equal(new Set(keys.values()).size, keys.size)
})

test('duplicate rules, the same text under two rules: two keys', () => {
  const email = keyOf('email', { email: 'x' })
  const registered = { registration_number: 'x', registration_address: { country: 'x' } }
  const twice = { national_identification_number: { type: 'x', number: 'x' } }
  const keys = [
    email,
    keyOf('registration_number', registered, 'business'),
    keyOf('national_identification_number', twice),
  ]
  assert.equal(new Set(keys).size, 3)
})

test('duplicate rules, example entity: keys equal to those stored by earlier versions', () => {
  const recipe = (rule: RuleName, ...values: string[]) =>
    createHash('sha256')
      .update(JSON.stringify([rule, ...values]))
      .digest('hex')
  const individual = judgedOf(all).map(({ key }) => key)
  assert.deepEqual(individual, [
    recipe('email', 'anna@example.com'),
    recipe('national_identification_number', 'passport', 'c01'),
    recipe(
      'name_and_address',
      ...['anna', 'de', 'lindenstrasse 4', 'berlin', 'be', '10969'],
      ...['ent_00000000000000000000', 'travel'],
    ),
  ])
  const business = judgedOf(all, 'business').map(({ key }) => key)
  assert.deepEqual(business, [recipe('registration_number', 'hrb 7', 'de')])
})

test('keysByRule, both types of entity: keys for the rules of its type, null for other rules', () => {
  const [email, number, address] = judgedOf(all)
  assert.deepEqual(keysByRule(judgedOf(all)), {
    email: email?.key,
    national_identification_number: number?.key,
    name_and_address: address?.key,
    registration_number: null,
  })
  const [registered] = judgedOf(all, 'business')
  assert.deepEqual(keysByRule(judgedOf(all, 'business')), {
    email: null,
    national_identification_number: null,
    name_and_address: null,
    registration_number: registered?.key,
  })
})

test('keysByRule: the key of each rule, null for skipped rules and rules of the other type', () => {
  const judged = judgedOf({ ...all, email: ' ' })
  assert.deepEqual(keysByRule(judged), {
    email: null,
    national_identification_number: judged[1]?.key,
    name_and_address: judged[2]?.key,
    registration_number: null,
  })
})

// Which match is the first.

const at = (second: number) => `2026-01-31T09:30:0${second}.000000Z`
const candidate = (id: string, second: number): Candidate => ({ id, created_at: at(second) })

function finder(byRule: Partial<Record<RuleName, readonly Candidate[]>>, self?: string) {
  const judged = judgedOf(all)
  const asked: string[] = []
  const found = findDuplicate(
    judged,
    (rule, key) => {
      asked.push(rule)
      assert.equal(key, judged.find(j => j.rule === rule)?.key)
      return byRule[rule] ?? []
    },
    self,
  )
  return { asked, found: found && `${found.rule} ${found.entity.id}` }
}

test('findDuplicate, several rules match: the first rule decides, even with the youngest entity', () => {
  const email = [candidate('ent_c', 3)]
  const national_identification_number = [candidate('ent_b', 2)]
  const name_and_address = [candidate('ent_a', 1)]
  const lower = { national_identification_number, name_and_address }
  assert.equal(finder({ email, ...lower }).found, 'email ent_c')
  assert.equal(finder(lower).found, 'national_identification_number ent_b')
  assert.equal(finder({ name_and_address }).found, 'name_and_address ent_a')
  assert.equal(finder({}).found, undefined)
  assert.deepEqual(finder({ email }).asked, ['email'])
})

test('findDuplicate, one rule matches several entities: the earliest created, then the lower id', () => {
  const email = [candidate('ent_b', 2), candidate('ent_z', 1), candidate('ent_c', 1)]
  assert.equal(finder({ email }).found, 'email ent_c')
  assert.equal(finder({ email: email.toReversed() }).found, 'email ent_c')
})

test('findDuplicate, the entity itself among the candidates: skipped by every rule', () => {
  const own = candidate('ent_a', 1)
  const other = candidate('ent_b', 2)
  assert.equal(finder({ email: [own, other] }, 'ent_a').found, 'email ent_b')
  assert.equal(finder({ email: [own], name_and_address: [own] }, 'ent_a').found, undefined)
  const byBoth = finder({ email: [own], name_and_address: [own, other] }, 'ent_a')
  assert.equal(byBoth.found, 'name_and_address ent_b')
})

test('findDuplicate, a skipped rule: matches no entity', () => {
  const judged = judgedOf({ email: ' ' })
  assert.equal(
    findDuplicate(judged, () => assert.fail('nothing is there to look for')),
    undefined,
  )
})

test('findDuplicate, list of candidates: its order is unchanged', () => {
  const email = Object.freeze([candidate('ent_b', 2), candidate('ent_a', 1)])
  assert.equal(finder({ email }).found, 'email ent_a')
})

test('byCreation, two entities: the earlier first, then the lower id; symmetric', () => {
  const [early, late] = [candidate('ent_b', 1), candidate('ent_a', 2)]
  assert.deepEqual([byCreation(early, late), byCreation(late, early)], [-1, 1])
  const [low, high] = [candidate('ent_a', 1), candidate('ent_b', 1)]
  assert.deepEqual([byCreation(low, high), byCreation(high, low)], [-1, 1])
})

test('byCreation: orders by time, then by id; a total order', () => {
  const any_candidate = fc.record({
    id: fc.constantFrom('ent_a', 'ent_b', 'ent_c'),
    created_at: fc.constantFrom(at(1), at(2)),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(any_candidate, { selector: c => c.created_at + c.id }),
      candidates => {
        const expected = candidates.map(c => c.created_at + c.id).sort()
        const sorted = candidates.toSorted(byCreation)
        assert.deepEqual(
          sorted.map(c => c.created_at + c.id),
          expected,
        )
      },
    ),
  )
})
