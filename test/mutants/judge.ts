// The process of one trial: runs test files one after the other and ends with the first failure.
// Ends with 0 when all passed, with 3 when there was nothing to run, and otherwise when a test
// failed or a file could not be loaded: a runner without processes of its own passes over the latter.
import { resolve } from 'node:path'
import { afterEach } from 'node:test'
import { pathToFileURL } from 'node:url'

let run = 0
afterEach(context => {
  run += 1
  if ('passed' in context && !context.passed) process.exit(1)
})
process.on('exit', code => {
  if (code === 0 && run === 0) process.exitCode = 3
})
for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href)
