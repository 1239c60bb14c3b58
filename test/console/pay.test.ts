/// <reference lib="dom" />
// A payout as a person makes it in the console: the payee first, named choices, a review with
// everything that money depends on, and one button. Payees and entities are made and edited there.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localPayout, overChats } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  addSession,
  assertAccessible,
  NO_BROWSER,
  openBrowser,
  openPage,
} from '../support/service/browser.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const skip = NO_BROWSER ?? false

let service: TestService
let account: Client
let id: string
let maker: Record<string, string>
before(async () => {
  service = await startTestService()
  await service.setFees([{ fixed_amount: 100n, fee_currency: 'USD' }])
  await service.setRates({ 'USD/HKD': '7.84790132221', 'USD/EUR': '0.9', 'USD/MXN': '17' })
  const fund = { USD: 1_000_000n }
  account = await service.openAccount({ currencies: ['USD'], fund, duplicate_window_s: 600 })
  id = account.account.account_id
  await addPerson(service, { user: 'mia', roles: [[id, 'maker']] })
  maker = await logIn(service, 'mia')
})
after(() => service.close())

const look = (path: string) => service.inject({ url: `/console/${id}${path}`, headers: maker })
const send = (path: string, form: Record<string, string>) =>
  sendForm(service, maker, `/console/${id}${path}`, form)

const PAYEE = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: {
    type: 'bank',
    bank: {
      account_number: '123456789012',
      country: 'HK',
      currency: 'HKD',
      bank_codes: { bank_code: '004' },
    },
  },
}

async function save(more: object = {}): Promise<string> {
  const made = await account.post('/v3/beneficiary', { ...PAYEE, ...more })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

const countPayouts = async () => {
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from payouts where account_id = ${id}`
  return row?.count ?? 0
}

let invoices = 0

function payment(to: string, more: Record<string, string> = {}): Record<string, string> {
  invoices += 1
  return {
    step: 'options',
    to,
    amount: '1,000.00',
    currency: 'HKD',
    holding: 'USD',
    purpose: 'supplier_payment',
    transaction_description: `Invoice ${invoices}`,
    reference_id: `INV-${invoices}`,
    ...more,
  }
}

const UNESCAPED: Readonly<Record<string, string>> = { quot: '"', amp: '&', '#39': "'", lt: '<' }

/** The hidden fields of each form of a page that has a hidden field `step` with this value. */
function formsOf(text: string, step: string): Record<string, string>[] {
  const forms = text.match(/<form[^>]*method="post"[\s\S]*?<\/form>/g) ?? []
  const fields = forms.map(form => {
    const inputs = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
    const pairs = Array.from(inputs, ([, name = '', value = '']) => [
      name,
      value.replace(/&(#?\w+);/g, (_, code: string) => UNESCAPED[code] ?? ''),
    ])
    return Object.fromEntries(pairs) as Record<string, string>
  })
  return fields.filter(form => form.step === step)
}

const textOf = (page: string) =>
  page
    .replace(/[\s\S]*<main/, '')
    .replace(/<details class="calls">[\s\S]*/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ')

async function reviewOf(form: Record<string, string>): Promise<string> {
  const options = await send('/payouts/new', form)
  assert.equal(options.status, 200, options.text)
  const [choice] = formsOf(options.text, 'choose')
  assert.ok(choice, options.text)
  const review = await send('/payouts/new', choice)
  assert.equal(review.status, 200, review.text)
  return review.text
}

test('new payout, options: by their networks in words, with arrival; those the payee lacks a member for say which', async () => {
  const { text } = await send('/payouts/new', payment(await save()))
  const words = textOf(text)
  assert.match(words, /CHATS – Clearing House Automated Transfer System/)
  assert.match(words, /FPS – Faster Payment System Arrives in seconds/)
  assert.match(words, /SWIFT, you pay the charges of all banks : SWIFT code \(BIC\) is required/)
  assert.doesNotMatch(words, /[a-z]_[a-z]/)
})

test('new payout, review: payee, masked account, amounts, rate of six digits, arrival and network; nothing is booked before the button', async () => {
  const before = await countPayouts()
  const review = await reviewOf(payment(await save()))
  const words = textOf(review)
  for (const shown of [
    'Harbour Trading Ltd',
    'Account … 9012, Hong Kong SAR China (HK), HKD – Hong Kong Dollar',
    'The payee gets 1,000.00 HKD',
    'Of which fees 1.00 USD',
    'Rate 1 USD = 7.84790 HKD',
    'Leaves your balance 128.43 USD',
    'Your balance now 10,000.00 USD',
    'Arrives in seconds',
    'Pay 1,000.00 HKD',
  ]) {
    assert.ok(words.includes(shown), `${shown}: ${words}`)
  }
  assert.doesNotMatch(words, /123456789012|[a-z]_[a-z]/)
  assert.equal(await countPayouts(), before)
  const [pay = {}] = formsOf(review, 'pay')
  const answers = await Promise.all([send('/payouts/new', pay), send('/payouts/new', pay)])
  const [one, two] = answers.map(({ headers }) => String(headers.location))
  assert.match(one ?? '', /\/payouts\/pot_\w+\?done=made$/, answers[0]?.text)
  assert.equal(one, two)
  assert.equal(await countPayouts(), before + 1)
})

test('new payout, review of one that would be refused: says why, and has no button that pays', async () => {
  const review = await reviewOf(payment(await save(), { amount: '900,000.00' }))
  assert.match(
    textOf(review),
    /This payment would be refused\. It needs 114,681\.\d\d USD , fees included/,
  )
  assert.deepEqual(formsOf(review, 'pay'), [])
})

test('new payout, wrong amount or a step back: the form again with what was entered', async () => {
  const to = await save()
  const wrong = await send('/payouts/new', payment(to, { amount: '1.234' }))
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /“1\.234” is not an amount in HKD: write it like 12,000\.00/)
  assert.match(wrong.text, /<input[^>]*name="amount"[^>]*aria-invalid="true"/)
  const [back = {}] = formsOf(await reviewOf(payment(to)), 'change')
  const again = await send('/payouts/new', back)
  assert.equal(again.status, 200)
  assert.match(again.text, /<input[^>]*name="amount"[^>]*value="1,000\.00"/)
})

test('new payout like a recent one: paid only after the person says that it is another', async () => {
  const form = payment(await save())
  const [first = {}] = formsOf(await reviewOf(form), 'pay')
  assert.equal((await send('/payouts/new', first)).status, 303)
  const review = await reviewOf(form)
  assert.match(textOf(review), /the same amount with the same reference lately/)
  const [pay = {}] = formsOf(review, 'pay')
  const refused = await send('/payouts/new', pay)
  assert.equal(refused.status, 409, refused.text)
  const made = await send('/payouts/new', { ...pay, key: 'another', allow_duplicate: 'true' })
  assert.equal(made.status, 303, made.text)
})

test('new payout, payee changed by somebody between the review and the button: refused, the review again with the new account', async () => {
  const to = await save()
  const before = await countPayouts()
  const [pay = {}] = formsOf(await reviewOf(payment(to)), 'pay')
  const bank = { ...PAYEE.destination_details.bank, account_number: '555555551111' }
  const changed = await account.put(`/v3/beneficiary/${to}`, {
    destination_details: { type: 'bank', bank },
  })
  assert.equal(changed.status, 200, changed.text)
  const refused = await send('/payouts/new', pay)
  assert.equal(refused.status, 409, refused.text)
  assert.match(textOf(refused.text), /changed after you saw it[\s\S]*Account … 1111/)
  assert.equal(await countPayouts(), before)
  const [again = {}] = formsOf(refused.text, 'pay')
  assert.equal((await send('/payouts/new', again)).status, 303)
})

test('new payout to a payee that waits for an approval, or is archived: no form', async () => {
  const archived = await save()
  await account.post(`/v3/beneficiary/${archived}/archive`, {})
  const shown = await look(`/payouts/new?to=${archived}`)
  assert.match(shown.text, /This payee is archived/)
  assert.doesNotMatch(shown.text, /name="amount"/)
  const remove = await addApprovalRule(service, { account_id: id, subject: 'beneficiary' })
  await service.deps.reference.refresh()
  const url = '/beneficiaries/new?country=HK&currency=HKD&way=local.0&next=pay'
  const made = await send(url, PAYEE_FORM)
  assert.match(String(made.headers.location), /\/beneficiaries\/bnf_\w+\?done=payee$/, made.text)
  await remove()
  await service.deps.reference.refresh()
})

const BANK = 'destination_details.bank'

const PAYEE_FORM = {
  key: 'a payee',
  name: 'Kowloon Lights Ltd',
  type: 'business',
  'destination_details.type': 'bank',
  [`${BANK}.account_number`]: '987654321098',
  [`${BANK}.bank_codes.bank_code`]: '004',
  [`${BANK}.country`]: 'HK',
  [`${BANK}.currency`]: 'HKD',
}

test('new payee, Mexico: named choices, a CLABE that a bank refuses is refused at its field, then saved and paid', async () => {
  const place = '/beneficiaries/new?country=MX&currency=MXN&next=pay'
  const { text } = await look(place)
  assert.match(text, /<option value="MX" selected>Mexico \(MX\)<\/option>/)
  assert.match(text, /<option value="EUR">EUR – Euro<\/option>/)
  assert.match(text, /<label for="[^"]+">CLABE<\/label>/)
  const url = `${place}&way=local.0`
  const form = {
    key: 'mexico',
    name: 'Ana López',
    type: 'individual',
    'destination_details.type': 'bank',
    [`${BANK}.account_number`]: '0321800001183597',
    [`${BANK}.country`]: 'MX',
    [`${BANK}.currency`]: 'MXN',
  }
  const refused = await send(url, form)
  assert.equal(refused.status, 400)
  assert.match(refused.text, /<input[^>]*account_number"[^>]*aria-invalid="true"/)
  const made = await send(url, { ...form, [`${BANK}.account_number`]: '032180000118359719' })
  const next = String(made.headers.location)
  assert.match(next, /\/payouts\/new\?to=bnf_\w+&done=payee$/, made.text)
  const paying = await look(next.replace(`/console/${id}`, ''))
  assert.match(paying.text, /Pay Ana López/)
  assert.match(paying.text, /<option value="MXN" selected>/)
})

/** The state that the form of this page shows. */
async function seenAt(path: string): Promise<string> {
  return /name="seen" value="([^"]+)"/.exec((await look(path)).text)?.[1] ?? ''
}

test('payee, changed in the console: by the labels of its corridor; members that the form does not show stay', async () => {
  const phone = { code: '852', number: '1234' }
  const to = await save({ phone, email: 'a@example.com', metadata: { order: '12' } })
  const path = `/beneficiaries/${to}/edit`
  const { text } = await look(path)
  assert.match(
    text,
    /<input[^>]*name="destination_details\.bank\.account_number"[^>]*value="123456789012"/,
  )
  assert.doesNotMatch(text, /name="type"/)
  const form = {
    ...PAYEE_FORM,
    name: 'Harbour Ltd',
    email: '',
    'address.city': 'Hong Kong',
    reference_id: 'SUP-7',
    'metadata-name': 'desk',
    'metadata-text': 'north',
  }
  const changed = await send(path, { ...form, seen: await seenAt(path) })
  assert.equal(
    changed.headers.location,
    `/console/${id}/beneficiaries/${to}?done=saved`,
    changed.text,
  )
  const { data } = (await account.get(`/v3/beneficiary/${to}`)).json
  assert.equal(data.name, 'Harbour Ltd')
  assert.equal(data.email, '')
  assert.deepEqual([data.reference_id, data.metadata], ['SUP-7', { order: '12', desk: 'north' }])
  const listed = textOf((await look('/beneficiaries?reference_id=SUP-7')).text)
  assert.match(listed, /Harbour Ltd/)
  assert.doesNotMatch(listed, /Harbour Trading Ltd/)
  assert.deepEqual(data.address, { city: 'Hong Kong' })
  assert.deepEqual(data.phone, { code: '852', number: '1234' })
  assert.equal(data.destination_details.bank.account_number, '987654321098')
  const seen = await seenAt(path)
  const wrong = await send(path, { ...form, seen, [`${BANK}.bank_codes.bank_code`]: '4' })
  assert.equal(wrong.status, 400)
  const { json } = await account.get(`/v3/beneficiary/${to}`)
  assert.deepEqual(json.data, data)
  // Somebody else changes the account while this person has the form.
  const moved = { type: 'bank', bank: { ...data.destination_details.bank, account_number: '555' } }
  await account.put(`/v3/beneficiary/${to}`, { destination_details: moved })
  const late = await send(path, { ...form, name: 'Late Ltd', seen })
  assert.equal(late.status, 409, late.text)
  assert.match(late.text, /Somebody has changed this since you opened the form\./)
  const now = (await account.get(`/v3/beneficiary/${to}`)).json.data
  assert.deepEqual([now.name, now.destination_details], ['Harbour Ltd', moved])
  const page = textOf((await look(`/beneficiaries/${to}`)).text)
  assert.match(page, /Bank code 004/)
  assert.doesNotMatch(page, /[a-z]_[a-z]+ /)
})

test('payee that a payout has failed for: corrected and paid again, both forms filled', async () => {
  const to = await save()
  const body = { ...localPayout, ...overChats, beneficiary: to, beneficiary_details: undefined }
  const made = await account.post('/v3/payout', { ...body, amount: 77_700, reference_id: 'AGAIN' })
  assert.equal(made.status, 200, made.text)
  const like = made.json.data.id
  const { text } = await look(`/payouts/new?like=${like}`)
  assert.match(text, /<input[^>]*name="amount"[^>]*value="777\.00"/)
  assert.match(text, new RegExp(`/beneficiaries/${to}/edit\\?next=pay&amp;like=${like}"`))
  const changed = await send(`/beneficiaries/${to}/edit?next=pay&like=${like}`, {
    ...PAYEE_FORM,
    seen: await seenAt(`/beneficiaries/${to}/edit`),
  })
  const next = `/console/${id}/payouts/new?to=${to}&like=${like}&done=saved`
  assert.equal(changed.headers.location, next, changed.text)
})

test('new payout in the name of an entity that nobody has reviewed: named in each step, the review says that it waits', async () => {
  const entity = await account.post('/v3/entity', { type: 'individual', name: 'Ada Byron' })
  const on_behalf_of = entity.json.data.id
  const to = await save()
  const chosen = await look(`/payouts/new?on_behalf_of=${on_behalf_of}`)
  assert.match(chosen.text, new RegExp(`to=${to}&amp;on_behalf_of=${on_behalf_of}"`))
  const { text } = await look(`/payouts/new?to=${to}&on_behalf_of=${on_behalf_of}`)
  assert.match(textOf(text), /In the name of Ada Byron , which is pending/)
  assert.match(text, new RegExp(`name="on_behalf_of" value="${on_behalf_of}"`))
  const review = await reviewOf(payment(to, { on_behalf_of }))
  assert.match(textOf(review), /In the name of Ada Byron[\s\S]*waits for the review of the entity/)
  const [pay = {}] = formsOf(review, 'pay')
  const made = await send('/payouts/new', pay)
  const id = /pot_\w+/.exec(String(made.headers.location))?.[0]
  const { json } = await account.get(`/v3/payout/${id}`)
  assert.deepEqual([json.data.on_behalf_of, json.data.status], [on_behalf_of, 'compliance_hold'])
})

test('entity, made, sent again and changed in the console: recorded once, submitted, its people kept', async () => {
  const form = {
    key: 'entity',
    name: 'Nordwind GmbH',
    registration_number: 'HRB 12',
    'registration_address.country': 'DE',
    'person.0.first_name': 'Ada',
    'person.0.last_name': 'Lovelace',
    'person.0.ownership_percentage': '60',
  }
  const made = await send('/entities/new?type=business', form)
  const place = String(made.headers.location).replace('?done=entity', '')
  assert.match(place, /\/entities\/ent_\w+$/, made.text)
  const again = await send('/entities/new?type=business', { ...form, key: 'again' })
  assert.equal(again.headers.location, `${place}?done=known`)
  const path = place.replace(`/console/${id}`, '')
  assert.match((await look(path)).text, /Submit for review/)
  const seen = await seenAt(`${path}/edit`)
  const wrong = await send(`${path}/edit`, { ...form, seen, email: 'nowhere' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /<input[^>]*name="email"[^>]*aria-invalid="true"/)
  const edited = { ...form, seen, 'person.1.first_name': 'Max', 'person.1.last_name': 'Planck' }
  assert.equal((await send(`${path}/edit`, edited)).headers.location, `${place}?done=saved`)
  const { data } = (await account.get(`/v3/entity/${path.split('/').at(-1)}`)).json
  assert.deepEqual(
    data.representatives.map((one: { last_name: string }) => one.last_name),
    ['Lovelace', 'Planck'],
  )
  assert.equal(data.registration_address.country, 'DE')
  const submitted = await send(`${path}/submit`, { key: 'submit' })
  assert.equal(submitted.headers.location, `${place}?done=submitted`, submitted.text)
})

test('console in a browser, payout to a saved payee from home: five clicks, the payee found while its name is typed', {
  skip,
}, async () => {
  await save({ name: 'Ánna Schmidt' })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await openBrowser()
  const { page, context, faults } = await openPage(browser, address)
  await addSession(service, context, address, 'mia')
  let clicks = 0
  const click = async (selector: string) => {
    clicks += 1
    await page.locator(selector).first().click()
  }
  await page.goto(`/console/${id}`)
  await click('text="New payout"')
  await page.locator('#payee').pressSequentially('anna sch')
  await page.waitForSelector('#payees-count >> text="1 payee"')
  assert.equal(await page.locator('#payees tbody tr').count(), 1)
  await assertAccessible(page, 'choice of the payee')
  await click('text="Ánna Schmidt"')
  await page.fill('[name=amount]', '12.50')
  await page.fill('[name=transaction_description]', 'Invoice 7')
  await click('button:text("Continue")')
  await assertAccessible(page, 'options')
  await click('button:text-is("Choose")')
  await assertAccessible(page, 'review')
  await click('button:text("Pay 12.50 HKD")')
  await page.waitForURL(/\/payouts\/pot_/)
  assert.ok(clicks <= 6, `${clicks} clicks`)
  assert.match(await page.innerText('h1'), /^12\.50 HKD to Ánna Schmidt$/)
  assert.deepEqual(faults, [])
  await browser.close()
})
