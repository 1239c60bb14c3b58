// The streams of open pages over sockets: one member who opens many takes none of another's.
import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { MOST_STREAMS } from '../../src/console/live.ts'
import { until } from '../support/service/process.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

let service: TestService
let account_id: string
before(async () => {
  service = await startTestService()
  account_id = (await service.openAccount()).account.account_id
  await service.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => service.close())

interface Opened {
  readonly status: number
  /** What the answer began with. */
  readonly text: string
  readonly wait: string | undefined
  close(): void
}

function open({ cookie }: { readonly cookie: string }): Promise<Opened> {
  const { port } = service.app.server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return new Promise((resolve, reject) => {
    const url = `http://${host}/console/${account_id}/live`
    const request = get(url, { headers: { cookie, host } }, answer => {
      const { statusCode: status = 0, headers } = answer
      const close = () => void request.destroy()
      answer.on('error', () => {}).setEncoding('utf8')
      answer.once('data', text => resolve({ status, text, wait: headers['retry-after'], close }))
    }).on('error', reject)
  })
}

test("live pages of one member in many sessions: 429 above the member's share; a closed page makes room; other members unaffected", async () => {
  for (const user of ['many', 'other']) {
    await addPerson(service, { user, roles: [[account_id, 'viewer']] })
  }
  const sessions = await Promise.all(Array.from({ length: 4 }, () => logIn(service, 'many')))
  const each = sessions.flatMap(headers => Array.from({ length: 20 }, () => headers))
  const opened = await Promise.all(each.map(open))
  const refused = opened.filter(({ status }) => status !== 200)
  assert.equal(opened.length - refused.length, MOST_STREAMS.of_user)
  for (const { status, text, wait } of refused) {
    assert.deepEqual([status, wait], [429, '10'])
    assert.match(text, /Of many 60 pages are open and told of changes/)
  }
  const others = await open(await logIn(service, 'other'))
  assert.equal(others.status, 200)
  for (const { close } of opened) close()
  const [first] = sessions
  await until('a place is free', async () => {
    const again = await open(first ?? assert.fail())
    again.close()
    return again.status === 200
  })
  others.close()
})
