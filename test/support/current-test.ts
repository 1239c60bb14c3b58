// Imported before `node:test`: tells the runner which test runs, by an AsyncLocalStorage in place
// of the runner's async hook. The hook makes V8 report every promise: 400,000 awaits took 1.6 s of
// processor time, and take 0.2 s without it.
import hooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

type Init = (id: number, type: string, trigger: number, resource: object) => void
type Work = (...given: unknown[]) => unknown
type Run = (work: Work, self?: unknown, ...args: unknown[]) => unknown

const { createHook, executionAsyncId } = hooks
const current = new AsyncLocalStorage<AsyncResource>()
let note: Init | undefined
hooks.createHook = ({ init }) => {
  note = init
  const none = { enable: () => none, disable: () => none }
  return none
}
hooks.executionAsyncId = () => current.getStore()?.asyncId() ?? 0
// The runner takes these two functions when it is loaded, so both can be restored afterwards.
await import('node:test')
Object.assign(hooks, { createHook, executionAsyncId })

const run = AsyncResource.prototype.runInAsyncScope as Run
Object.assign(AsyncResource.prototype, { runInAsyncScope: runAsCurrent })

/** Makes a test, a suite or a hook the current one while it runs. */
function runAsCurrent(this: AsyncResource, ...[work, self, ...args]: Parameters<Run>): unknown {
  if (!('createSubtest' in this)) return run.call(this, work, self, ...args)
  if (note === undefined) throw new Error('the runner no longer follows tests by an async hook')
  note(this.asyncId(), '', 0, this)
  const within = (...given: unknown[]) =>
    current.run(this, () => Reflect.apply(work, self, given) as unknown)
  return run.call(this, within, self, ...args)
}
