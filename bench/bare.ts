// Starts a bare Fastify as a baseline, in a process of its own: without authentication, schemas or
// metrics, it echoes parsed bodies, or answers from memory or by one query a request. As a program,
// it reads a Bare as JSON and prints its address.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import fastify, { type FastifyInstance } from 'fastify'
import { success } from '../src/http/answer.ts'
import { presentPayout } from '../src/payouts/response.ts'
import { findPayouts } from '../src/payouts/store.ts'
import { connect } from '../src/sql/connect.ts'
import { stopProcess } from './target.ts'

/** Starts a bare Fastify, calls `work` with its address, and stops it. */
export async function withBare<T>(bare: Bare, work: (address: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(bare))
  try {
    const [address] = await once(createInterface({ input: child.stdout }), 'line')
    return await work(address)
  } finally {
    await stopProcess(child)
  }
}

interface Bare {
  /** Undefined for a server that only echoes. */
  readonly reads?: Reads
}

interface Reads {
  readonly database_url: string
  /** The account of the payouts that the queries find. */
  readonly account_id: string
  /** The body that `/memory/:id` answers, whatever the id. */
  readonly answer: string
  /** Pool sizes; each has a path of its own, such as `/query/8/`. */
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

if (import.meta.main) await main()
