// Keys of wallets, passphrases and keys of providers: in no log, and those of wallets in no table.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChainWorld, openChainWorld, RAIL } from '../support/chain/world.ts'
import { openCli } from '../support/service/cli.ts'
import { type RunningProcess, startProcess } from '../support/service/process.ts'

let world: ChainWorld
let running: RunningProcess | undefined
before(async () => {
  world = await openChainWorld()
})
after(async () => {
  await running?.kill()
  await world?.close()
})

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { owner } = world.service.database
  const tables = await owner<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await owner.unsafe<{ row: string }[]>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

/** A secret in the spellings in which it may slip out. */
const spellings = (secret: string): string[] => {
  const bare = secret.replace(/^0x/, '')
  return [bare, bare.toUpperCase(), Buffer.from(bare).toString('base64').replace(/=+$/, '')]
}

const foundIn = (text: string, secrets: readonly string[]) =>
  secrets.filter(secret => spellings(secret).some(word => text.includes(word)))

test('service that pays while its providers fail: no key and no passphrase in its log, answers or tables', async () => {
  const { wallet, providers } = world
  running = await startProcess(world.env)
  const [one = assert.fail('no provider')] = providers
  Object.assign(one.lies, { too_many: 2, lost: 3 })
  await world.pay(3)
  await world.untilStatus('succeeded')
  one.lies.down = true
  await world.pay(1)
  await world.anvil.mine(3)
  one.honest()
  await world.untilStatus('succeeded')
  const cli = await openCli(world.env.DATABASE_URL, { ...world.env, CORRIDOR_USER: 'olga' })
  const said: string[] = []
  for (const words of [
    ['rail', 'check', RAIL],
    ['rail', 'list'],
    ['rail', 'exceptions'],
  ]) {
    const { stdout, stderr } = await cli.run(...words)
    said.push(stdout, stderr)
  }
  const timeline = await world.live.get(`/v3/payout/${world.made[0]?.id}/timeline`)
  await cli.close()
  const log = running.log.map(line => JSON.stringify(line)).join('\n')
  const outside = [log, ...said, timeline.text].join('\n')
  assert.ok(log.includes(RAIL), 'the log is of the rail')
  const keys = [wallet.private_key, wallet.passphrase]
  assert.deepEqual(foundIn(outside, [...keys, ...providers.map(({ key }) => key)]), [])
  assert.deepEqual(foundIn(await dump(), keys), [])
})
