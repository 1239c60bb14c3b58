// What operators see besides: what an account has written, the open exceptions of a payout, files from
// banks that are not applied, and the clock of the database, which they confirm.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  makeOperatorWorld,
  newRail,
  type OperatorWorld,
  standingPayout,
} from '../operator/world.ts'
import { addPerson } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

const HOSTILE = '</td><script>alert(1)</script>'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
  await addPerson(world.service, { user: 'gil', role: 'auditor' })
})
after(() => world.close())

async function look(path: string, user = 'ada'): Promise<string> {
  const headers = await logIn(world.service, user)
  const url = `/console/installation${path}`
  const { status, text } = await world.service.inject({ url, headers })
  assert.equal(status, 200, text)
  assert.equal(text.includes('<script>'), false)
  return text
}

test('account page: rows written today and the quota', async () => {
  const { owner } = world.service.database
  const { account_id } = world.live.account
  await owner`update accounts set daily_rows = 7000000 where account_id = ${account_id}`
  await owner`
    update books set written_rows = 1234, written_bytes = 2500000,
      written_day = floor(date_part('epoch', clock_timestamp()) / 86400)
    where account_id = ${account_id}`
  const page = await look(`/accounts/${account_id}`)
  assert.match(page, /1,234 of 7,000,000 rows, 2 of\s+5,000 MB, until <time/)
})

test('payout page: each open exception, with a link to decide it', async () => {
  const [id, other] = [await standingPayout(world), await standingPayout(world)]
  const page = await look(`/payouts/${id}`)
  assert.match(page, /<strong>amount differs<\/strong> Less\./)
  const decide = /href="(\/console\/installation(\/exceptions\?payout=[^"]*))"/.exec(page)
  const decision = await look(decide?.[2] ?? '')
  assert.match(decision, new RegExp(`action="[^"]*/exceptions/${id}"`))
  assert.equal(decision.includes(other), false)
  await world.service.database.owner`
    update rail_exceptions set closed_at = now(), closed_by = 'ada', note = 'Looked at'
    where payout_id = ${id}`
  assert.doesNotMatch(await look(`/payouts/${id}`), /amount differs/)
})

test('bank files page: quarantined files with their reason, and filtered to unread ones', async () => {
  assert.match(await look('/unread-files'), /Every file of every bank is read/)
  const rail = await newRail(world)
  const add = (name: string, state: string, reason: string, closed_by = '') =>
    world.service.database.owner`
      insert into rail_inbox (sha256, rail, name, size, state, reason, kept, ended_at, closed_by,
        closed_at, note)
      values (sha256(${name}::text::bytea), ${rail}, ${name}, 12345, ${state}, ${reason}, true,
        case when ${state}::text <> 'stored' then now() end, ${closed_by},
        case when ${closed_by}::text <> '' then now() end, ${closed_by})`
  await add('bad.ach', 'quarantined', `line 1: ${HOSTILE}`)
  await add('later.ach', 'stored', '')
  await add('read.ach', 'read', '')
  await add('closed.ach', 'quarantined', 'line 2', 'ada')
  for (const user of ['ada', 'gil']) {
    const page = await look('/unread-files', user)
    assert.match(page, /bad\.ach[\s\S]*line 1: &lt;\/td/)
    assert.match(page, /later\.ach[\s\S]*It is not read yet/)
    assert.doesNotMatch(page, /read\.ach<|closed\.ach/)
  }
  assert.match(await look(''), /unread-files">1<\/a> file from a bank cannot be read/)
  const call = (query: string) => world.call('GET /v3/operator/unread_file', { query })
  const first = (await call('?limit=1')).json.data
  const [{ sha256 }] = first.results
  const second = (await call(`?limit=1&starting_after=${sha256}&rail=${rail}`)).json.data
  assert.deepEqual([first.has_more, second.has_more], [true, false])
  const names = [...first.results, ...second.results].map(({ name }) => name)
  assert.deepEqual(names.sort(), ['bad.ach', 'later.ach'])
  assert.equal((await call(`?starting_after=${'0'.repeat(64)}`)).status, 400)
})

test('clock page, clock jumped: jump shown; confirmed by an operator, refused to an auditor', async () => {
  const right = await look('/clock', 'gil')
  assert.match(right, /right<\/span>[\s\S]*The clock was never confirmed/)
  assert.doesNotMatch(right, /Confirm the clock/)
  await world.service.database.owner`
    update database_clock set stopped_from = now() - interval '2 days',
      stopped_at = now() - interval '1 day'`
  assert.match(await look('/clock'), /jumped<\/span>[\s\S]*Expected/)
  assert.match(await look(''), /clock">1<\/a> jump of the clock stops all writes/)
  const send = async (user: string) =>
    sendForm(
      world.service,
      await logIn(world.service, user),
      '/console/installation/clock/confirm',
      {},
    )
  assert.equal((await send('gil')).status, 403)
  const done = await send('ada')
  assert.equal(done.headers.location, '/console/installation/clock?done=saved', done.text)
  const after = await look('/clock')
  assert.match(after, /right<\/span>[\s\S]*<h2>Corrections<\/h2>[\s\S]*<time/)
  assert.doesNotMatch(await look(''), /jump of the clock/)
})
