// Imported before `node:test`, whose runner follows each promise by an async hook, to know of which
// test an error is that nobody caught. That makes a promise ten times as dear, and a test makes millions.
// Without the hook such an error is printed here, and the process that it is in ends as failed.
import hooks from 'node:async_hooks'

const { createHook } = hooks
const none = { enable: () => none, disable: () => none }
hooks.createHook = () => none
await import('node:test')
hooks.createHook = createHook

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    console.error(`${event}, of no test that is known:`, error)
    process.exitCode = 1
  })
}
