// A session for replication commands. Streams the data that the server sends for a command.
import { Readable } from 'node:stream'
import type pg from 'pg'
import { makeClient } from '../sql/client.ts'
import { explainAnswer } from '../sql/connection.ts'
import { waitAtMost } from '../values/event-loop.ts'

interface Notice {
  readonly severity?: string | undefined
  readonly message?: string | undefined
}

const CONNECT_TIMEOUT_MS = 10_000
const END_MS = 5_000

export class Replication {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(url: string, onNotice: (notice: Notice) => void): Promise<Replication> {
    const client = makeClient(url, {
      application_name: 'corridor backup',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // The types of pg lack this option.
      ...{ replication: 'database' },
    })
    client.on('notice', onNotice)
    // After an error, each query rejects.
    client.on('error', () => {})
    await client.connect().catch(error => {
      client.connection.stream.destroy()
      throw explainAnswer(error)
    })
    return new Replication(client)
  }

  /** Runs a query, and returns its first row. */
  async ask<Row>(text: string): Promise<Row | undefined> {
    const { rows } = await this.#client.query(text).catch(error => {
      throw explainAnswer(error)
    })
    return rows[0]
  }

  /** Runs a command that copies data out, and streams its messages, one chunk each. */
  copyOut(command: string): Readable {
    return this.#client.query(new CopyOut(command))
  }

  async end(): Promise<void> {
    await waitAtMost(END_MS, this.#client.end())
    this.#client.connection.stream.destroy()
  }
}

/** A query whose answer is a stream of COPY messages. pg calls its methods. */
class CopyOut extends Readable implements pg.Submittable {
  readonly #command: string
  #connection: pg.Connection | undefined

  constructor(command: string) {
    super()
    this.#command = command
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection
    connection.query(this.#command)
  }

  /** Copies the chunk, because pg's parser reuses its buffer. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (!this.push(Buffer.from(chunk))) this.#connection?.stream.pause()
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  handleError(error: unknown): void {
    this.destroy(explainAnswer(error))
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  // The server also sends rows before and after the data: the WAL positions at its start and end.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}
