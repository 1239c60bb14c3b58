// `npm start` under a supervisor, which signals npm and nothing below it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '../support/database/database.ts'
import { BARE } from '../support/service/cli.ts'
import { keepOutput } from '../support/service/logs.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`npm start, ${signal} to npm: the service stops in order, its port is free, npm ends after it`, async () => {
    const database = await createDatabase()
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...BARE, DATABASE_URL: database.url, PORT: '0', npm_config_loglevel: 'silent' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    keepOutput(npm)
    const messages: string[] = []
    const listening = Promise.withResolvers<string>()
    const closed = once(npm, 'close')
    createInterface({ input: npm.stdout }).on('line', line => {
      if (!line.startsWith('{')) return
      const { msg, address } = JSON.parse(line) as { msg: string; address?: string }
      messages.push(msg)
      if (msg === 'corridor is listening') listening.resolve(String(address))
    })
    void closed.then(() => listening.reject(new Error(messages.join('\n'))))
    const address = await listening.promise
    assert.equal((await fetch(`${address}/openapi.json`)).status, 200)
    npm.kill(signal)
    await closed
    await assert.rejects(fetch(`${address}/openapi.json`), { name: 'TypeError' })
    assert.ok(messages.includes('stopped'), messages.join('\n'))
    await database.drop()
  })
}
