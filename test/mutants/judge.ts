// The process of one trial: runs test files one after the other until a test fails. Exit code 0:
// all passed; 3: no test ran; any other: a test failed or a file could not be loaded, which Node's
// runner in the same process would overlook.
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
