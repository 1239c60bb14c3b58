// Runs after install, on any Node: mends postgres.js 3.4.9 in node_modules. A connection that closes
// while a write is waiting throws outside every promise and kills the process, and is never written
// to again (porsager/postgres issues 1154 and 1208; pull request 1209 is the same mend). What is asked
// of a connection between its error and its close is never answered, or by an empty result once it is
// connected again (issue 1130 is of the same kind); and one that is closed before it has said anything
// is opened again at once, for ever. Done once the registry has a release with all of it: the script
// stops with an error when the text has changed.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../node_modules/postgres/src/connection.js', import.meta.url)

const CHANGES = [
  [
    `  function nextWrite(fn) {
    const x = socket.write(chunk, fn)
    nextWriteTimer !== null && clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    return x
  }`,
    `  function nextWrite(fn) {
    const unwritten = chunk
    forgetWrite()
    if (socket !== null)
      return socket.write(unwritten, fn)
    error(Errors.connection('CONNECTION_CLOSED', options))
    return false
  }

  function forgetWrite() {
    nextWriteTimer !== null && clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
  }`,
  ],
  [
    `    clearImmediate(nextWriteTimer)
    if (socket) {`,
    `    forgetWrite()
    if (socket) {`,
  ],
  [
    `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)`,
    `    forgetWrite()
    socket.removeListener('data', data)`,
  ],
  [
    `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
`,
    `    error(Errors.connection('CONNECTION_CLOSED', options, socket))
    query = results = errorResponse = null
    result = new Result()
    if (initial)
      return reconnect()

`,
  ],
]

let text = readFileSync(file, 'utf8')
for (const [before, after] of CHANGES) {
  if (text.includes(after)) continue
  if (!text.includes(before)) {
    throw new Error('postgres has changed: see whether scripts/patch-postgres.js is still needed')
  }
  text = text.replace(before, after)
}
writeFileSync(file, text)
