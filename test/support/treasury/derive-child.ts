// Derives in a process of its own, which kills itself after the nth statement of a transaction is
// answered: `derive-child.ts URL N`. It exits by itself when there are fewer.
import { connect, type Sql } from '../../../src/sql/connect.ts'
import { deriveSome } from '../../../src/treasury/derive.ts'

const [, , url = '', nth = '1'] = process.argv
const service = connect(url, { max: 1, as: 'service', look_ups: true })
const finder = connect(url, { max: 1, as: 'finder' })
let left = Number(nth)

/** The pool, whose transactions count their statements. */
const counting = new Proxy(service, {
  get(target, name, receiver) {
    if (name !== 'begin') return Reflect.get(target, name, receiver)
    return (mode: string, work: (tx: unknown) => Promise<unknown>) =>
      target.begin(mode, tx =>
        work(
          new Proxy(tx, {
            apply(statement, self, args) {
              const sent = Reflect.apply(statement, self, args) as { execute(): Promise<unknown> }
              // A fragment is never sent.
              if (!Array.isArray(args[0]) || !('raw' in args[0])) return sent
              const { execute } = sent
              sent.execute = () => {
                const answered = execute.call(sent)
                left -= 1
                if (left === 0) answered.then(() => process.kill(process.pid, 'SIGKILL'))
                return answered
              }
              return sent
            },
          }),
        ),
      )
  },
}) as Sql

while ((await deriveSome({ sql: counting, finder }, 7n)).journals > 0n);
await service.end({ timeout: 5 })
await finder.end({ timeout: 5 })
