// When two entities are the same one, as a table: what is there, what is asked, who answers.
// The rules are those of chapter 12 of the specification. How texts are compared has a table of its
// own.
import {
  at,
  behalf,
  business,
  elsewhere,
  individual,
  judgeTables,
  named,
  nin,
  type Row,
  registered,
  rejected,
  reviewed,
  submission,
} from '../support/oracle/entity-table.ts'

const anna = { email: 'anna@example.com' }
const bo = { email: 'bo@example.com' }
const passport = nin('passport', 'C01X00T47')
const visa = nin('visa', '9')
const hk = registered('2041-7', 'HK')
const sg = registered('2041-7', 'SG')
const travel = { vertical: 'travel' }
const food = { vertical: 'food' }

const INDIVIDUALS: readonly Row[] = [
  ['(1) email', individual(anna), individual(anna, named('Bo')), 'first'],
  ['(1) another email', individual(anna), individual(bo), 'new'],
  ['(2) type with number', individual(passport), individual(passport, named('Bo')), 'first'],
  ['(2) another number', individual(passport), individual(nin('passport', 'C02')), 'new'],
  ['(2) another type', individual(passport), individual(nin('visa', 'C01X00T47')), 'new'],
  ['(2) type and number swapped', individual(nin('x', 'y')), individual(nin('y', 'x')), 'new'],
  ['(3) name with address', individual(at()), individual(at()), 'first'],
  ['(3) another name', individual(at()), individual(at(), named('Anna')), 'new'],
  ['(3) another country', individual(at()), individual(at({ country: 'AT' })), 'new'],
  ['(3) another line1', individual(at()), individual(at({ line1: 'Lindenstraße 5' })), 'new'],
  ['(3) another city', individual(at()), individual(at({ city: 'Bonn' })), 'new'],
  ['(3) same state', individual(at({ state: 'BE' })), individual(at({ state: 'be ' })), 'first'],
  ['(3) another state', individual(at({ state: 'BE' })), individual(at({ state: 'BY' })), 'new'],
  [
    '(3) same postal code',
    individual(at({ postal_code: 'X1' })),
    individual(at({ postal_code: ' x1' })),
    'first',
  ],
  [
    '(3) another postal code',
    individual(at({ postal_code: 'X1' })),
    individual(at({ postal_code: 'X2' })),
    'new',
  ],
  [
    '(3) line1 and city swapped',
    individual(at({ line1: 'x', city: 'y' })),
    individual(at({ line1: 'y', city: 'x' })),
    'new',
  ],
  ['(3) line2 plays no part', individual(at()), individual(at({ line2: 'c/o Bo' })), 'first'],
  ['no rule: name alone', individual(), individual(), 'new'],
  ['no rule: address alone', individual(at()), individual(at(), named('Bo')), 'new'],
  ['no rule: registration number with country', individual(hk), individual(hk), 'new'],
  ...[
    { operating_address: at().registration_address },
    { tax_id: '1' },
    { phone: { code: '49', number: '1' } },
    { reference_id: '1' },
  ].map(
    (other): Row => [`no rule: ${Object.keys(other)}`, individual(other), individual(other), 'new'],
  ),
]

const BUSINESSES: readonly Row[] = [
  ['(1) number with country', business(hk), business(hk, named('Other')), 'first'],
  ['(1) another number', business(hk), business(registered('2041', 'HK')), 'new'],
  ['(1) another country', business(hk), business(sg), 'new'],
  [
    '(1) the rest of the address plays no part',
    business(hk),
    business(hk, { registration_address: { country: 'HK', line1: 'x', city: 'y' } }),
    'first',
  ],
  ['no rule: email', business(anna), business(anna), 'new'],
  ['no rule: national identification', business(passport), business(passport), 'new'],
  ['no rule: name with address', business(at()), business(at()), 'new'],
]

const PRIORITIES: readonly Row[] = [
  ['one by all', individual(anna, passport, at()), individual(anna, passport, at()), 'first'],
  [
    'email before an earlier passport',
    { a: individual(passport), b: individual(anna) },
    individual(anna, passport),
    'b',
  ],
  [
    'email before an earlier name',
    { a: individual(at()), b: individual(anna) },
    individual(anna, at()),
    'b',
  ],
  [
    'passport before an earlier name',
    { a: individual(at()), b: individual(passport) },
    individual(passport, at()),
    'b',
  ],
  [
    'email before all, the latest of three',
    { a: individual(at()), b: individual(passport), c: individual(anna) },
    individual(anna, passport, at()),
    'c',
  ],
  [
    'nobody’s email: passport',
    { a: individual(at()), b: individual(passport) },
    individual(bo, passport, at()),
    'b',
  ],
  ['nobody’s email or passport: name', individual(at()), individual(bo, visa, at()), 'first'],
  ['passport, emails differ', individual(anna, passport), individual(bo, passport), 'first'],
  [
    'email, all else differs',
    individual(anna, passport, at()),
    individual(anna, visa, at({ city: 'Bonn' }), named('Bo')),
    'first',
  ],
  [
    'a rejected one’s email: passport',
    { a: rejected(individual(anna)), b: individual(passport) },
    individual(anna, passport),
    'b',
  ],
]

const SCOPES: readonly Row[] = [
  ['name, same vertical', individual(at(), travel), individual(at(), travel), 'first'],
  ['name, another vertical', individual(at(), travel), individual(at(), food), 'new'],
  ['name, vertical and none', individual(at(), travel), individual(at()), 'new'],
  ['name, none and vertical', individual(at()), individual(at(), travel), 'new'],
  ['name, blank vertical and none', individual(at(), { vertical: ' ' }), individual(at()), 'first'],
  [
    'name, same on_behalf_of',
    { p: business(), a: individual(at(), behalf('p')) },
    individual(at(), behalf('p')),
    'a',
  ],
  [
    'name, another on_behalf_of',
    { p: business(), q: business(), a: individual(at(), behalf('p')) },
    individual(at(), behalf('q')),
    'new',
  ],
  [
    'name, on_behalf_of and none',
    { p: business(), a: individual(at(), behalf('p')) },
    individual(at()),
    'new',
  ],
  [
    'name, none and on_behalf_of',
    { p: business(), a: individual(at()) },
    individual(at(), behalf('p')),
    'new',
  ],
  [
    'name, empty on_behalf_of and none',
    individual(at()),
    individual(at(), { on_behalf_of: '' }),
    'first',
  ],
  [
    'name, same on_behalf_of, another vertical',
    { p: business(), a: individual(at(), behalf('p'), travel) },
    individual(at(), behalf('p'), food),
    'new',
  ],
  ['email, another vertical', individual(anna, travel), individual(anna, food), 'first'],
  [
    'email, another on_behalf_of',
    { p: business(), a: individual(anna, behalf('p')) },
    individual(anna),
    'a',
  ],
  ['passport, another vertical', individual(passport), individual(passport, travel), 'first'],
  [
    'passport, another on_behalf_of',
    { p: business(), q: business(), a: individual(passport, behalf('p')) },
    individual(passport, behalf('q')),
    'a',
  ],
  ['registration, another vertical', business(hk, travel), business(hk, food), 'first'],
  [
    'registration, another on_behalf_of',
    { p: business(), a: business(hk, behalf('p')) },
    business(hk),
    'a',
  ],
  ['another account, email', elsewhere(individual(anna)), individual(anna), 'new'],
  ['another account, passport', elsewhere(individual(passport)), individual(passport), 'new'],
  ['another account, name', elsewhere(individual(at())), individual(at()), 'new'],
  ['another account, registration', elsewhere(business(hk)), business(hk), 'new'],
  ['another type, email', business(anna), individual(anna), 'new'],
  ['another type, passport', business(passport), individual(passport), 'new'],
  ['another type, name', business(at(), named('Anna Müller')), individual(at()), 'new'],
  ['another type, registration', individual(hk), business(hk), 'new'],
  [
    'another type in between',
    { a: individual(anna), b: business(anna, hk) },
    individual(anna, hk),
    'a',
  ],
]

const STATUSES: readonly Row[] = [
  ['only a rejected one', rejected(individual(anna)), individual(anna), 'new'],
  [
    'only rejected ones, by each rule',
    {
      a: rejected(individual(anna)),
      b: rejected(individual(passport)),
      c: rejected(individual(at())),
    },
    individual(anna, passport, at()),
    'new',
  ],
  ['only a rejected business', rejected(business(hk)), business(hk), 'new'],
  [
    'a rejected one, then a live one',
    { a: rejected(individual(anna)), b: individual(anna) },
    individual(anna),
    'b',
  ],
  [
    'two rejected ones, then a live one',
    { a: rejected(individual(anna)), b: rejected(individual(anna)), c: individual(anna) },
    individual(anna),
    'c',
  ],
  ['approved', reviewed(individual(anna), 'approved'), individual(anna), 'first'],
  ['requires action', reviewed(individual(anna), 'requires_action'), individual(anna), 'first'],
  [
    'approved, then rejected',
    reviewed(individual(anna), 'approved', 'rejected'),
    individual(anna),
    'new',
  ],
  [
    'rejected, then approved',
    reviewed(individual(anna), 'rejected', 'approved'),
    individual(anna),
    'first',
  ],
]

const SUBMISSIONS: readonly Row[] = [
  ['nobody else', individual(anna, passport, at()), submission('first'), 'first'],
  [
    'a rejected one is the same',
    { a: rejected(individual(anna)), b: individual(anna) },
    submission('b'),
    'b',
  ],
  [
    'itself rejected, a live one is the same',
    { a: rejected(individual(anna)), b: individual(anna) },
    submission('a'),
    'b',
  ],
  [
    'itself rejected, a live business is the same',
    { a: rejected(business(hk)), b: business(hk) },
    submission('a'),
    'b',
  ],
  [
    'itself rejected, the first rule decides',
    { a: rejected(individual(anna, at())), b: individual(at()), c: individual(anna) },
    submission('a'),
    'c',
  ],
]

judgeTables({
  'individual, §duplicate.individual': INDIVIDUALS,
  'business, §duplicate.business': BUSINESSES,
  'priority before age, §duplicate.first': PRIORITIES,
  'scope, §duplicate.scope': SCOPES,
  'status, §duplicate.rejected': STATUSES,
  'submission, §duplicate.after_change': SUBMISSIONS,
})
