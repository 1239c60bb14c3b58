// The floor under the service: a minimal program on node:http and pg that takes the same payouts and
// writes the same rows. As a program, it reads a FloorPlan as JSON and prints its address. What it
// leaves out is in README.md.
import { type ChildProcess, spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { LOOK_UP_PLANS } from '../src/sql/connect.ts'
import type { FloorPlan } from './floor-rows.ts'
import { type ServiceProcess, stopProcess } from './target.ts'

/** Starts the program. */
export async function startFloor(
  plan: FloorPlan,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child: ChildProcess = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  child.stdin?.end(JSON.stringify(plan))
  const stop = () => stopProcess(child)
  try {
    if (child.stdout === null) throw new Error('the program has no output')
    const [address] = await once(createInterface({ input: child.stdout }), 'line')
    return { address, pid: child.pid as number, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts the program, calls `work` with it, and stops it. */
export async function withFloor<T>(plan: FloorPlan, work: (floor: ServiceProcess) => Promise<T>) {
  const floor = await startFloor(plan)
  try {
    return await work(floor)
  } finally {
    await floor.stop()
  }
}

/** What the program reads of a body. */
interface Body {
  readonly amount: number
  readonly currency: string
  readonly type: string
  readonly beneficiary: string
  readonly reference_id: string
  readonly purpose: string
  readonly transaction_description: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface Asked {
  readonly account_id: string
  readonly key: string
  readonly body: Body
}

interface Waiting {
  readonly asked: Asked
  answer(status: number, text: string): void
}

interface Book {
  journals: number
  events: number
  available: number
  head: string
}

interface FoundRow {
  readonly available: string
  readonly kept: string | null
  readonly details: string | null
}

interface BookRow {
  readonly account_id: string
  readonly journals: string
  readonly events: string
  readonly head: string
}

/** A payout's parameters, in the order of the columns of `FloorPlan.store`. */
type Row = readonly (string | number)[]

/** Pays in batches: a batch is what came while the one before it ran. */
export class Payer {
  readonly #plan: FloorPlan
  readonly #client: pg.Client
  readonly #sample: { readonly data: Readonly<Record<string, unknown>> }
  #waiting: Waiting[] = []
  #running = false

  private constructor(plan: FloorPlan, client: pg.Client) {
    this.#plan = plan
    this.#client = client
    this.#sample = JSON.parse(plan.answer)
  }

  static async open(plan: FloorPlan): Promise<Payer> {
    const settings = { ...LOOK_UP_PLANS, plan_cache_mode: 'force_generic_plan' }
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
    const client = new pg.Client({
      connectionString: plan.database_url,
      options: options.join(' '),
      pipeline: true,
    } as pg.ClientConfig)
    await client.connect()
    return new Payer(plan, client)
  }

  pay(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#payAll(batch).catch(async error => {
        await this.#client.query('rollback')
        for (const { answer } of batch) answer(500, JSON.stringify({ message: String(error) }))
      })
    }
    this.#running = false
  }

  async #payAll(batch: readonly Waiting[]): Promise<void> {
    const [books, found] = await this.#load(batch.map(({ asked }) => asked))
    const now = new Date().toISOString()
    const rows: Row[] = []
    const answers = batch.map(({ asked }, i) => {
      const book = books.get(asked.account_id)
      const { available, kept, details } = found[i] as FoundRow
      if (kept !== null) return { status: 200, text: kept }
      if (book === undefined || details === null) return { status: 404, text: '{}' }
      if (Number.isNaN(book.available)) book.available = Number(available)
      const text = this.#decide(asked, book, { details, now }, rows)
      return { status: 200, text }
    })
    const heads = [...books].filter(([, { available }]) => !Number.isNaN(available))
    await Promise.all([
      this.#send('store', this.#plan.store, [
        now,
        ...columnsOf(rows),
        heads.map(([account_id]) => account_id),
        ...columnsOf(heads.map(([, book]) => Object.values(book))),
      ]),
      this.#client.query('commit'),
    ])
    for (const [i, { status, text }] of answers.entries()) batch[i]?.answer(status, text)
  }

  /** Locks the books, then reads what each payout needs, in one round trip. */
  async #load(asked: readonly Asked[]): Promise<[Map<string, Book>, readonly FoundRow[]]> {
    const accounts = asked.map(({ account_id }) => account_id)
    const [, locked, found] = await Promise.all([
      this.#client.query('begin'),
      this.#send<BookRow>('lock', LOCK, [[...new Set(accounts)]]),
      this.#send<FoundRow>('find', FIND, [
        accounts,
        asked.map(({ key }) => key),
        asked.map(({ body }) => body.beneficiary),
      ]),
    ])
    const books = locked.rows.map(({ account_id, journals, events, head }) => {
      const counts = { journals: Number(journals), events: Number(events) }
      return [account_id, { ...counts, available: Number.NaN, head }] as const
    })
    return [new Map(books), found.rows]
  }

  /** Moves the book on, adds a row, and returns the answer. */
  #decide(
    { account_id, key, body }: Asked,
    book: Book,
    { details, now }: { readonly details: string; readonly now: string },
    rows: Row[],
  ): string {
    const { amount, currency, type, beneficiary, reference_id } = body
    const { purpose, transaction_description, metadata } = body
    book.journals += 1
    book.events += 3
    book.available -= amount + this.#plan.fee
    const made = `${Date.now().toString(36)}${randomUUID().replaceAll('-', '')}`.slice(0, 20)
    const id = `pot_${made}`
    const balance_transaction = `btr_${String(book.journals).padStart(20, '0')}`
    const { data } = this.#sample
    const own = { id, amount, currency, type, beneficiary, reference_id, balance_transaction }
    const said = { purpose, transaction_description, metadata, created_at: now, updated_at: now }
    const answer = { ...this.#sample, data: { ...data, ...own, ...said, quote: `poq_${made}` } }
    const text = JSON.stringify(answer)
    book.head = hash('sha256', book.head + text)
    const particulars = JSON.stringify({ purpose, transaction_description, metadata })
    rows.push([
      ...[account_id, book.journals, book.events, id, balance_transaction, amount, currency, type],
      ...[beneficiary, details, particulars, reference_id, book.available, book.head],
      ...[`Q P${made.slice(-9)} L${book.journals}`, key, text],
    ])
    return text
  }

  #send<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) {
    return this.#client.query<Row>({ name, text, values })
  }
}

const LOCK = `
  select account_id, journal_count as journals, event_count as events,
    encode(head_hash, 'hex') as head
  from books where account_id = any($1::text[]) order by account_id for update`

// Subqueries look up each row by its key, whatever the planner believes of the tables' sizes.
const FIND = `
  select (
    select available from balances b where b.account_id = r.account_id and b.currency = 'USD'
  ), (
    select body from idempotency_keys k where k.account_id = r.account_id
      and k.operation = 'POST /v3/payout' and k.key = r.key
  ) as kept, (
    select details::text from beneficiaries f
    where f.account_id = r.account_id and f.id = r.beneficiary
  ) as details
  from unnest($1::text[], $2::text[], $3::text[])
    with ordinality as r(account_id, key, beneficiary, n)
  order by r.n`

function columnsOf(rows: readonly (readonly unknown[])[]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map(row => row[column]))
}

async function main(): Promise<void> {
  const plan: FloorPlan = JSON.parse(await text(process.stdin))
  const payer = await Payer.open(plan)
  const server = createServer((request, response) => {
    let received = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk
    })
    request.on('end', () => {
      const account_id = plan.accounts[request.headers.authorization ?? ''] ?? ''
      const key = String(request.headers['idempotency-key'])
      payer.pay({ asked: { account_id, key, body: JSON.parse(received) }, answer: to(response) })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
}

function to(response: ServerResponse): Waiting['answer'] {
  return (status, text) => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    }
    response.writeHead(status, headers).end(text)
  }
}

if (import.meta.main) await main()
