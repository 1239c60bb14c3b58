// What requests are held against: a bare Fastify, without authentication, schemas or metrics, that
// echoes a body it has parsed, or answers from memory or by one query a request; the program that
// bare.ts starts. Its input is a Bare as JSON; its first line of output says where it listens.
import { text } from 'node:stream/consumers'
import fastify, { type FastifyInstance } from 'fastify'
import { connect } from '../src/db/connect.ts'
import { success } from '../src/http/answer.ts'
import { presentPayout } from '../src/payout/response.ts'
import { findPayouts } from '../src/payout/store.ts'

export interface Bare {
  /** Left out where nothing is read. */
  readonly reads?: Reads
}

interface Reads {
  readonly database_url: string
  /** Whose payouts the queries find. */
  readonly account_id: string
  /** What is answered from memory, whatever the id. */
  readonly answer: string
  /** Connections to the database, each number under a path of its own: `/query/8/`. */
  readonly pools: readonly number[]
}

const TYPE = 'application/json; charset=utf-8'

async function main(): Promise<void> {
  const { reads }: Bare = JSON.parse(await text(process.stdin))
  const app = fastify()
  app.post('/echo', (request, reply) => reply.send(request.body))
  if (reads !== undefined) answerReads(app, reads)
  process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
}

function answerReads(app: FastifyInstance, reads: Reads): void {
  const { database_url, account_id, answer, pools } = reads
  app.get('/memory/:id', (_request, reply) => reply.type(TYPE).send(answer))
  for (const max of pools) {
    const sql = connect(database_url, { max, as: 'auditor', look_ups: true })
    app.get<{ Params: { id: string } }>(`/query/${max}/:id`, async ({ params }, reply) => {
      const [payout] = await findPayouts(sql, [{ account_id, id: params.id }])
      if (payout === undefined) return reply.status(404).send()
      return reply.type(TYPE).send(success(presentPayout(payout)).body)
    })
  }
}

await main()
