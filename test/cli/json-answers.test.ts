// What commands that read print with --json: the names and types of all members, compared with
// json-answers.json. `ANSWERS=write npm test -- cli/json-answers` records them anew.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { entityOf, pay } from '../support/service/payouts.ts'
import { addPerson } from '../support/service/service.ts'
import { openWithCli } from '../support/service/with-cli.ts'
import { DIALECTS, type Dialect } from '../support/treasury/dialects.ts'
import { anyStatement } from '../support/treasury/statements.ts'

const RECORDED = new URL('json-answers.json', import.meta.url)

const [, , MT940] = DIALECTS as [Dialect, Dialect, Dialect]

const { ANSWERS } = process.env
const { service, cli } = await openWithCli({}, { CORRIDOR_USER: 'ada' })

/** The service writes it some time after the use, in the test or not. */
const LATE = 'last_used_at'

/** The names and types of a value; of a list, those of all its elements, each once. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) {
    const shapes = new Map(value.map(one => [JSON.stringify(shapeOf(one)), shapeOf(one)]))
    return [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape)
  }
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === LATE ? 'late' : shapeOf(one)]),
  )
}

async function answerOf(...command: readonly string[]): Promise<unknown> {
  const { code, stderr, json } = await cli.run(...command, '--json')
  assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
  return json
}

/** Has one object of each kind. Returns the commands that read it, by their names. */
async function commandsOfWorld(): Promise<Readonly<Record<string, readonly string[]>>> {
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ payout_type: 'local', fixed_amount: 100n }])
  await service.setRoutes([{}])
  const account = await service.openAccount({ fund: { USD: 10n ** 9n }, sandbox: false })
  const { account_id } = account.account
  await addPerson(service, { user: 'ada', role: 'operator' })
  const { id: payout } = await pay(account)
  const entity = await entityOf(account)
  const run = (words: string) => answerOf(...words.split(' '))
  await run('nostro add eur_main EUR 0.00 --account 1 --opening-on 2026-01-01')
  const statement = anyStatement(() => 0.5, {
    ...{ account: '1', day: '2026-01-02', opening: 0n, count: 1 },
  })
  await run(`nostro import ${await cli.file('statement.sta', MT940.write(statement))}`)
  await run(`limit set --account ${account_id} --count 9 --hours 24`)
  await run('pricing set --spread-bps 25')
  await run('approval-rule add --new-payee')
  await run('second-factor require')
  const [limit] = (await run(`limit list --account ${account_id}`)) as { limit_id: string }[]
  const names = [
    ...['account list', 'user list', 'rates list', 'fees list', 'pricing list', 'route list'],
    ...['rail list', 'rail show manual', 'rail exceptions', 'rail unsent', 'limit list'],
    ...['approval-rule list', 'file list', 'payout list', 'entity list', 'lists status'],
    ...['screening list', 'clock show', 'audit list --limit 1', 'privacy retention show'],
    ...['second-factor list', 'rates history', 'fees history', 'pricing history'],
  ]
  return {
    ...Object.fromEntries(names.map(name => [name, name.split(' ')])),
    'account show': ['account', 'show', account_id],
    'key list': ['key', 'list', account_id],
    'limit show': ['limit', 'show', limit?.limit_id ?? ''],
    'payout show': ['payout', 'show', payout],
    search: ['search', payout],
    'entity show': ['entity', 'show', entity],
    'entity explain': ['entity', 'explain', entity],
    'route explain': ['route', 'explain', payout],
    'nostro statements': ['nostro', 'statements', 'eur_main'],
    'user key list': ['user', 'key', 'list', 'ada'],
  }
}

test('commands that read, --json: names and types of members as recorded', async () => {
  const commands = await commandsOfWorld()
  const shapes: Record<string, unknown> = {}
  for (const [name, words] of Object.entries(commands)) {
    shapes[name] = shapeOf(await answerOf(...words))
  }
  if (ANSWERS === 'write') {
    await writeFile(RECORDED, `${JSON.stringify(shapes, null, 2)}\n`)
  }
  assert.deepEqual(shapes, JSON.parse(await readFile(RECORDED, 'utf8')))
})
