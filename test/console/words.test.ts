// The words of the console's pages: people who read them have no command line.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

test('pages of the console: no command of the command line', async () => {
  const found: string[] = []
  for await (const path of glob('src/console/**/*.ts')) {
    const lines = (await readFile(path, 'utf8')).split('\n')
    lines.forEach((line, i) => {
      const isComment = /^\s*(\/\/|\/?\*)/.test(line)
      if (!isComment && /\bcorridor [a-z]+ |\bnpx\b/.test(line))
        found.push(`${path}:${i + 1} ${line}`)
    })
  }
  assert.deepEqual(found, [])
})
