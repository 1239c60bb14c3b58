// Runs after install, on any Node: mends postgres.js 3.4.9 in node_modules. A connection that closes
// while a write is waiting throws outside every promise and kills the process, and is never written
// to again (porsager/postgres issues 1154 and 1208; pull request 1209 is the same mend). What is asked
// of a connection between its error and its close is never answered, or by an empty result once it is
// connected again (issue 1130 is of the same kind); and one that is closed before it has said anything
// is opened again at once, for ever. A transaction that has lost its connection goes on in another
// session, and more (docs/decisions/0156). And it gives it an option that it lacks: `session`, a
// statement that each new connection runs before any other, and without which it is closed. The
// script stops with an error when the text has changed. It may run again, also after an older version.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const folder = new URL('../node_modules/postgres/src/', import.meta.url)

const CONNECTION = [
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
  // A socket that cannot be made has no close of its own.
  [
    `    closedTime = performance.now()
    hadError &&`,
    `    gone(hadError)
  }

  function gone(hadError) {
    closedTime = performance.now()
    hadError &&`,
  ],
  [
    `    if (!socket)
      return

    connectTimer.start()`,
    `    if (!socket)
      return gone(true)

    connectTimer.start()`,
  ],
  // A socket knows whether its connection waits for the server, or holds a transaction there
  // (src/db/socket.ts).
  [
    `    x.on('error', error)
    x.on('close', closed)
    x.on('drain', drain)
    return x`,
    `    x.on('error', error)
    x.on('close', closed)
    x.on('drain', drain)
    x.isAwaited = () => query !== null || initial !== null || sent.length > 0 || Boolean(connection.reserved)
    return x`,
  ],
  // BEGIN takes its connection also where there is no room for another statement behind it.
  [
    `      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
    } catch (error) {
      sent.length === 0 && write(Sync)
      errored(error)
      return true`,
    `      const hasRoom = write(toBuffer(q))
      if (q.options.onexecute)
        return q.options.onexecute(connection)

      return hasRoom
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
    } catch (error) {
      query === q
        ? (write(Sync), errored(error))
        : (sent.remove(q), queryError(q, error))
      return true`,
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
  // The option "session".
  [
    `    , needsTypes = options.fetch_types
    , backendParameters`,
    `    , needsTypes = options.fetch_types
    , session = options.session ? 'lacking' : 'begun'
    , backendParameters`,
  ],
  [
    `      statements = {}
      needsTypes`,
    `      statements = {}
      session = options.session ? 'lacking' : 'begun'
      needsTypes`,
  ],
  [
    `    result = new Result()
    connectTimer.cancel()
`,
    `    result = new Result()
    if (session !== 'begun')
      return session === 'lacking' ? beginSession() : terminate()

    connectTimer.cancel()
`,
  ],
  [
    `  async function fetchArrayTypes() {`,
    `  function beginSession() {
    session = 'asked'
    const begin = new Query([options.session], [], execute, null, { simple: true })
    begin.resolve = () => session === 'asked' && (session = 'begun')
    begin.reject = noop
    execute(begin)
  }

  async function fetchArrayTypes() {`,
  ],
  // Rows of many columns as V8 keeps objects best (docs/decisions/0149).
  [
    `export default Connection
`,
    `export default Connection

function blankRow(columns) {
  const members = columns.map(column => JSON.stringify(column.name) + ':null')
  return JSON.parse('{' + members.join(',') + '}')
}
`,
  ],
  [
    `const row = query.isRaw ? new Array(query.statement.columns.length) : {}
`,
    `const row = query.isRaw
      ? new Array(query.statement.columns.length)
      : { ...(query.statement.columns.blank ??= blankRow(query.statement.columns)) }
`,
  ],
]

/**
 * `mended` is what src/db/driver.ts asks for: raise both with every change of this file, but for one
 * that only saves time. Written last, so that a script that is stopped halfway leaves a driver that
 * nobody uses.
 */
const INDEX = [
  // A transaction has its connection from BEGIN to its end. What comes later would reach another one.
  [
    `      , connection
      , prepare = null

    try {`,
    `      , connection
      , prepare = null
      , lost = null
      , lose
    const losing = new Promise((_, reject) => lose = reject)
    losing.catch(() => { /* noop */ })

    try {`,
  ],
  [
    `        scope(connection, fn),
        new Promise((_, reject) => connection.onclose = reject)`,
    `        scope(connection, fn),
        losing`,
  ],
  [
    `        q.catch(e => uncaughtError || (uncaughtError = e))
        c.queue === full`,
    `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (c.reserved !== next)
          return q.reject(lost || Errors.generic('TRANSACTION_OVER', 'The transaction is over'))

        c.queue === full`,
  ],
  [
    `      connection = c
      move(c, reserved)
      c.reserved = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
    }`,
    `      connection = c
      move(c, reserved)
      c.reserved = next
      c.onclose = e => {
        lose(lost = e)
        while (queries.length)
          queries.shift().reject(e)
      }
    }

    function next() {
      queries.length
        ? connection.execute(queries.shift())
        : move(connection, reserved)
    }`,
  ],
  [
    `    socket          : o.socket,
    transform`,
    `    socket          : o.socket,
    session         : o.session,
    transform`,
  ],
  [
    `Object.assign(Postgres, {
  PostgresError`,
    `Object.assign(Postgres, {
  mended: 3,
  PostgresError`,
  ],
]

function change(name, changes) {
  const file = new URL(name, folder)
  const found = readFileSync(file, 'utf8')
  // What an older version of this script has written stays, but for its number.
  let text = found.replace(/^ {2}mended: \d+,\n/m, '')
  for (const [before, after] of changes) {
    if (text.includes(after)) continue
    if (!text.includes(before)) {
      throw new Error('postgres has changed: see whether scripts/patch-postgres.js is still needed')
    }
    text = text.replace(before, after)
  }
  if (text === found) return
  // A file of its own: the one that is there may be shared with other copies by a hard link.
  const temporary = new URL(`${name}.mended`, folder)
  writeFileSync(temporary, text)
  renameSync(temporary, file)
}

change('connection.js', CONNECTION)
change('index.js', INDEX)
