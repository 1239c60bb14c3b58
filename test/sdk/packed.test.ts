// The package as a user gets it: packed, installed in an empty folder, its types compiled and its
// code run against a service.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { below, tarGz } from '../../scripts/release/archive.ts'
import { sdkFiles } from '../../scripts/release/clients.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Front, startFront } from '../support/network/front.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
let service: TestService
let account: Client
let front: Front
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-sdk-'))
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  front = await startFront(service.app)
})
after(async () => {
  front.close()
  await service.close()
  await rm(folder, { recursive: true })
})

const APP = `import { Corridor, isCorridorError, verifyWebhook } from '@corridor-payouts/sdk'

declare const process: { env: Record<string, string>; argv: string[] }
const { API_KEY: apiKey = '', ADDRESS: baseUrl = '', BODY = '' } = process.env
const corridor = new Corridor({ apiKey, baseUrl, money: 'bigint' })
const payout = await corridor.payouts.create(JSON.parse(BODY))
const amount: bigint = payout.amount
const ids: string[] = []
for await (const { id } of corridor.payouts.list()) ids.push(id)
const reason = await corridor.payouts.retrieve('pot_').catch(error => isCorridorError(error) && error.reason)
const forged = await verifyWebhook('{}', {}, 'whsec_AAAA').catch(error => error.reason)
console.log([amount, ids[0] === payout.id, reason, forged].join())
`

test('SDK, packed and installed: types compile, a payout succeeds', async () => {
  const run = (cwd: string, command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd })
    assert.equal(status, 0, `${command}: ${stdout}${stderr}`)
  }
  const app = join(folder, 'app')
  await mkdir(app)
  const packed = tarGz(below('package', sdkFiles(ROOT)), new Date())
  await writeFile(join(app, 'sdk.tgz'), packed)
  await writeFile(join(app, 'package.json'), '{"type":"module","private":true}')
  run(app, 'npm', 'install', '--offline', '--no-audit', './sdk.tgz')
  await writeFile(join(app, 'app.ts'), APP)
  const strict = [
    '--strict',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--exactOptionalPropertyTypes',
  ]
  run(
    app,
    join(ROOT, 'node_modules/.bin/tsc'),
    ...strict,
    '--lib',
    'es2024,esnext,dom,dom.iterable',
    '--types',
    '',
    'app.ts',
  )
  const child = spawn(process.execPath, ['app.js'], {
    cwd: app,
    env: {
      API_KEY: `${account.key_id}:${account.secret}`,
      ADDRESS: front.address,
      BODY: JSON.stringify(localPayout),
    },
  })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.equal(out.trim(), '10000,true,invalid_path_parameter,missing_header', errors)
})
