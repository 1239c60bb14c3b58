// Files for banks in the console: what waits for a release, its bytes as text, and the release of
// what was shown alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperatorWorld, newFile, type OperatorWorld } from '../operator/world.ts'
import { addPerson } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'

let world: OperatorWorld
let headers: Record<string, string>
before(async () => {
  world = await makeOperatorWorld()
  headers = await logIn(world.service, 'ada')
})
after(() => world.close())

const look = async (path: string) => {
  const { status, text } = await world.service.inject({
    url: `/console/installation${path}`,
    headers,
  })
  assert.equal(status, 200, text)
  return text
}

const send = (path: string, form: Record<string, string>) =>
  sendForm(world.service, headers, `/console/installation${path}`, form)

test('bank file page: file awaiting release shown byte for byte, released with the digest shown, or withdrawn', async () => {
  const [file, other] = [await newFile(world), await newFile(world)]
  assert.match(await look(''), /files\?state=sealed">2<\/a> files for banks wait for their release/)
  assert.match(await look('/files'), new RegExp(`${file}[\\s\\S]*to release`))
  const page = await look(`/files/${file}`)
  assert.match(page, new RegExp(`<h2>Content of the file</h2><pre tabindex="0">${file}</pre>`))
  const digest = /name="digest" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? ''
  const path = `/files/${file}/release`
  assert.equal((await send(path, { digest: '0'.repeat(64) })).status, 409)
  // It is empty, as nobody sends such a file by intent.
  const asked = await send(path, { digest })
  const released = asked.status === 422 ? await send(path, { digest, force: 'yes' }) : asked
  assert.equal(released.headers.location, `/console/installation/files/${file}?done=saved`)
  assert.match(await look(`/files/${file}`), /Released<\/dt><dd>ada/)
  const back = await send(`/files/${other}/withdraw`, { reason: 'A wrong account' })
  assert.equal(back.status, 400, 'without the digest of what was shown')
  const shown = /name="digest" value="([0-9a-f]{64})"/.exec(await look(`/files/${other}`))?.[1]
  const taken = await send(`/files/${other}/withdraw`, { reason: 'Wrong', digest: shown ?? '' })
  assert.equal(taken.status, 303, taken.text)
  assert.doesNotMatch(await look(''), /wait for their release/)
})

test('bank file page, auditor: reads a bank file, cannot release it', async () => {
  const file = await newFile(world)
  const page = await look(`/files/${file}`)
  const digest = /name="digest" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? ''
  await addPerson(world.service, { user: 'gil', role: 'auditor' })
  headers = await logIn(world.service, 'gil')
  assert.doesNotMatch(await look(`/files/${file}`), /Release the file/)
  assert.equal((await send(`/files/${file}/release`, { digest })).status, 403)
})
