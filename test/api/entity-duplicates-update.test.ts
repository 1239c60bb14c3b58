// PUT that would make an entity a duplicate, as a table: what is there, what is changed, who
// answers (§duplicate.after_change: the record as it would be after the change, and never with
// itself).
import {
  at,
  behalf,
  business,
  change,
  elsewhere,
  individual,
  judgeTables,
  named,
  nin,
  type Row,
  registered,
  rejected,
  reviewed,
} from '../support/oracle/entity-table.ts'

const email = (email: string | null) => ({ email })
const anna = email('anna@example.com')
const bo = email('bo@example.com')
const passport = nin('passport', 'C01X00T47')
const hk = registered('2041-7', 'HK')
const sg = registered('2041-7', 'SG')
const travel = { vertical: 'travel' }
const country = (code: string) => ({ registration_address: { country: code } })

const annaAndBo = { a: individual(anna), b: individual(bo) }
const rejectedAnna = { a: rejected(individual(anna)), b: individual(anna) }

const ANOTHERS: readonly Row[] = [
  ['email', annaAndBo, change('b', anna), 'a'],
  ['email, in disguise', annaAndBo, change('b', email(' ANNA@example.com\u200b')), 'a'],
  ['email, the later one’s', annaAndBo, change('a', bo), 'b'],
  ['passport', { a: individual(passport), b: individual(bo) }, change('b', passport), 'a'],
  ['name and address', { a: individual(at()), b: individual(bo) }, change('b', at()), 'a'],
  ['registration', { a: business(hk), b: business() }, change('b', hk), 'a'],
  [
    'by several rules',
    { a: individual(at()), b: individual(anna), c: individual(bo) },
    change('c', anna, at()),
    'b',
  ],
  [
    'of an approved one',
    { a: individual(anna), b: reviewed(individual(bo), 'approved') },
    change('b', anna),
    'a',
  ],
  ['email, and a valid rest', annaAndBo, change('b', anna, named('Bo'), travel), 'a'],
]

const HALVES: readonly Row[] = [
  [
    'name sent, address there',
    { a: individual(at()), b: individual(at(), named('Bo')) },
    change('b', named('anna müller')),
    'a',
  ],
  [
    'address sent, name there',
    { a: individual(at()), b: individual(at({ city: 'Bonn' })) },
    change('b', at()),
    'a',
  ],
  [
    'country sent, number there',
    { a: business(hk), b: business(sg) },
    change('b', country(' hk')),
    'a',
  ],
  [
    'number sent, country there',
    { a: business(hk), b: business(registered('9', 'HK')) },
    change('b', { registration_number: '2041-7' }),
    'a',
  ],
  [
    'vertical sent, name and address there',
    { a: individual(at(), travel), b: individual(at()) },
    change('b', travel),
    'a',
  ],
  [
    'on_behalf_of sent, name and address there',
    { p: business(), a: individual(at(), behalf('p')), b: individual(at()) },
    change('b', behalf('p')),
    'a',
  ],
  [
    'vertical cleared, name and address there',
    { a: individual(at()), b: individual(at(), travel) },
    change('b', { vertical: null }),
    'a',
  ],
  [
    'on_behalf_of cleared, name and address there',
    { p: business(), a: individual(at()), b: individual(at(), behalf('p')) },
    change('b', { on_behalf_of: null }),
    'a',
  ],
  [
    'an address takes the place of the whole one',
    { a: individual(at()), b: individual(at({ state: 'BE' })) },
    change('b', at()),
    'a',
  ],
  [
    'a number takes the place of type and number',
    { a: individual(passport), b: individual(nin('passport', '2')) },
    change('b', { national_identification_number: { number: 'C01X00T47' } }),
    'b',
  ],
]

const ITSELF: readonly Row[] = [
  ['its own email', individual(anna), change('first', anna), 'first'],
  [
    'its own email in capitals',
    individual(anna),
    change('first', email('ANNA@EXAMPLE.COM')),
    'first',
  ],
  [
    'its own by every rule',
    individual(anna, passport, at()),
    change('first', anna, passport, at(), { description: 'x' }),
    'first',
  ],
  ['its own registration', business(hk), change('first', hk, named('Other')), 'first'],
  ['nothing', individual(anna), change('first'), 'first'],
  ['an email nobody has', annaAndBo, change('b', email('c@example.com')), 'b'],
  ['no email any more', annaAndBo, change('b', email(null)), 'b'],
  [
    'a blank email beside a blank one',
    { a: individual(email(' ')), b: individual(bo) },
    change('b', email(' ')),
    'b',
  ],
  [
    'another account’s email',
    { a: elsewhere(individual(anna)), b: individual(bo) },
    change('b', anna),
    'b',
  ],
  ['a business’s email', { a: business(anna), b: individual(bo) }, change('b', anna), 'b'],
]

const REJECTED: readonly Row[] = [
  [
    'to a rejected one’s email',
    { a: rejected(individual(anna)), b: individual(bo) },
    change('b', anna),
    'b',
  ],
  ['a live one beside a rejected one', rejectedAnna, change('b', travel), 'b'],
  ['a rejected one beside a live one', rejectedAnna, change('a', travel), 'b'],
  ['a rejected one to a free email', rejectedAnna, change('a', bo), 'a'],
  [
    'a rejected one to a live one’s email',
    { a: rejected(individual(anna)), b: individual(bo) },
    change('a', bo),
    'b',
  ],
  [
    'a rejected one to a rejected one’s email',
    { a: rejected(individual(anna)), b: rejected(individual(bo)) },
    change('a', bo),
    'a',
  ],
]

judgeTables({
  'PUT to another’s identity, §duplicate.after_change': ANOTHERS,
  'PUT of half an identity, §duplicate.after_change': HALVES,
  'PUT that stays itself, §duplicate.after_change': ITSELF,
  'PUT and rejected ones, §duplicate.rejected': REJECTED,
})
