// What a person sees before deciding about a match: the party that the account pays, the listed
// entry, and the earlier decisions about the same two.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { requireLists } from '../support/service/un-list.ts'
import { Office, payee, REASON } from './office.ts'

const REMARK = 'Brother of the commander of M23 in Masisi.'
const ABOUT = {
  address: { line1: '12 Peace Road', city: 'Kigali', country: 'RW' },
  date_of_birth: '1971-05-04',
  name_local: 'Éric Badégé',
}

let office: Office
before(async () => {
  office = await Office.open()
})
beforeEach(async () => {
  await office.renew()
  await requireLists(office.service, 'un')
  await office.listIs(
    office.un.replace('<REFERENCE_NUMBER>CDi.001', `<COMMENTS1>${REMARK}</COMMENTS1>$&`),
  )
})
after(() => office.close())

const payEric = (more: object = {}) =>
  office.pay('Eric Badege', {
    beneficiary_details: { ...payee('Eric Badege'), ...ABOUT, ...more },
  })

test('held payout, screening show: the data of the payee beside those of the listed entry', async () => {
  const { id } = await payEric()
  const { parties, matches } = await office.show(id)
  assert.deepEqual(
    parties.map(({ party, name }) => [party, name]),
    [
      ['beneficiary', 'Eric Badege'],
      ['beneficiary_local', 'Éric Badégé'],
      ['bank', parties[2]?.name],
    ],
  )
  const { birth_date, countries, address } = parties[0] ?? assert.fail()
  assert.deepEqual(
    [birth_date, countries, address],
    ['1971-05-04', ['RW'], '12 Peace Road, Kigali, RW'],
  )
  const [match = assert.fail()] = matches
  assert.deepEqual(match.entry, {
    kind: 'person',
    names: [{ text: 'ERIC BADEGE', weak: false }],
    births: [{ from: '1971-01-01', to: '1971-12-31' }],
    countries: ['CD', 'RW'],
    ids: [],
    programmes: ['DRC'],
    remarks: REMARK,
  })
  assert.deepEqual(
    [match.listed_name, match.list_title, match.party_changed, match.earlier_decisions],
    ['ERIC BADEGE', 'Consolidated List of the UN Security Council', false, []],
  )
})

test('held payout, corridor screening show: payee, entry, programme and remarks in words', async () => {
  const { id } = await payEric()
  const { stdout } = await office.runs('screening', 'show', id)
  for (const line of [
    /^ {2}party +Eric Badege; person, born 1971-05-04, RW; 12 Peace Road, Kigali, RW$/m,
    /^ {2}listed +ERIC BADEGE$/m,
    /^ {13}person, born 1971-01-01 to 1971-12-31, CD RW$/m,
    /^ {2}list +Consolidated List of the UN Security Council$/m,
    /^ {2}programmes DRC$/m,
    new RegExp(`^  remarks +${REMARK}$`, 'm'),
    /^ {2}score$/m,
  ]) {
    assert.match(stdout, line)
  }
})

test('match by an alias: the alias is named as the name that fitted', async () => {
  const { id } = await office.pay('Ayman Al-Zawahari')
  const [match] = (await office.show(id)).matches
  assert.equal(match?.listed_name, 'Ayman Al-Zawahari')
  assert.deepEqual(
    match?.entry?.names.find(({ weak }) => weak),
    { text: 'The Doctor', weak: true },
  )
  const { stdout } = await office.runs('screening', 'show', id)
  assert.match(stdout, /^ {2}listed +Ayman Al-Zawahari; also .*AL-ZAWAHIRI.*The Doctor \(weak\)/m)
})

test('same payee confirmed before: the second payout shows who decided, when and why', async () => {
  const first = await payEric()
  await office.decides('confirm', first.id)
  const second = await payEric({ email: 'eric@example.com' })
  const [match] = (await office.show(second.id)).matches
  const { matches } = await office.show(first.id)
  const { decided_at } = matches[0] ?? assert.fail()
  const [, reason] = REASON
  assert.deepEqual(match?.earlier_decisions, [
    { id: first.id, state: 'confirmed', decided_at, decided_by: 'anna', reason },
  ])
  const { stdout } = await office.runs('screening', 'show', second.id)
  assert.match(
    stdout,
    new RegExp(`^  earlier +${first.id} confirmed by anna at .*: ${reason}$`, 'm'),
  )
})

test('two entities cleared and erased: neither shows the decision about the other', async () => {
  const made = [await office.makeEntity('Eric Badege'), await office.makeEntity('Badege Eric')]
  await office.screenAll()
  for (const id of made) {
    await office.decides('clear', id)
    await office.runs('privacy', 'erase', id, '--reason', 'Request 118')
  }
  for (const id of made) {
    const { matches } = await office.show(id)
    assert.deepEqual([matches.length, matches[0]?.earlier_decisions], [1, []])
  }
})

test('entity renamed after its match: the match says that the data were others', async () => {
  const id = await office.makeEntity('Eric Badege')
  await office.screenAll()
  await office.rename(id, 'Lucia Chen')
  const { parties, matches } = await office.show(id)
  assert.equal(parties[0]?.name, 'Lucia Chen')
  assert.equal(matches[0]?.party_changed, true)
  assert.match(
    (await office.runs('screening', 'show', id)).stdout,
    /^ {2}changed +the data compared/m,
  )
})
